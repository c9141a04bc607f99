internal import CitiesProtocol
internal import Glibc

/// One connection to a stream socket: whole requests out, whole frames in, and a limit on silence.
///
/// Everything is non-blocking below and waits in poll(2) above, so that the deadline means what it says: it runs anew
/// whenever bytes have moved.
final class Connection {
  /// The socket.
  let path: String
  private let descriptor: Int32
  private let received = ReceiveBuffer()
  private let scanner = FrameScanner(maximum: Frame.maximumReply)

  /// Why bytes could not be moved.
  enum Failure: Error {
    /// The other side went away.
    case broken(String)
    /// Silence for longer than allowed.
    case timedOut
    /// Bytes that cannot be a frame.
    case notFramed(String)
  }

  /// Takes over a connected, non-blocking socket.
  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Sends all of `bytes`; meanwhile takes in what the server sends, so that neither side waits for the other.
  ///
  /// A server that has gone may have said why before, so the caller reads on after `broken`.
  func send(_ bytes: [UInt8], silence: Duration?) throws(Failure) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count >= 0 {
        sent += count
      } else if errno == EAGAIN {
        let ready = try wait(for: POLLOUT | POLLIN, silence: silence)
        if ready & Int16(POLLIN) != 0 { try take(wanted: Frame.headerSize) }
      } else if errno != EINTR {
        throw .broken(message(errno))
      }
    }
  }

  /// Waits for the next frame and passes its payload on; the bytes are valid during the call.
  func receive<Value>(
    silence: Duration?, _ body: (UnsafeRawBufferPointer) -> Value
  ) throws(Failure) -> Value {
    while true {
      switch scanner.next(in: received.unread) {
      case .frame(let length):
        let payload = UnsafeRawBufferPointer(rebasing: received.unread[Frame.headerSize..<Frame.headerSize + length])
        defer { received.consume(Frame.headerSize + length) }
        return body(payload)
      case .incomplete(let missing):
        _ = try wait(for: POLLIN, silence: silence)
        try take(wanted: missing)
      case .tooLarge(let declared):
        throw .notFramed("a frame of \(declared) bytes, where at most \(Frame.maximumReply) are allowed")
      }
    }
  }

  /// Waits until one of `events` is there.
  private func wait(for events: Int32, silence: Duration?) throws(Failure) -> Int16 {
    let deadline = Deadline(silence)
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      let count = poll(&entry, 1, deadline.milliseconds)
      if count > 0 { return entry.revents }
      if count == 0 && deadline.isOver { throw .timedOut }
      if count < 0 && errno != EINTR && errno != EAGAIN { throw .broken(message(errno)) }
    }
  }

  /// Takes in what is there; a wake-up without bytes is none.
  private func take(wanted: Int) throws(Failure) {
    let count = received.receive(from: descriptor, wanted: wanted)
    if count == 0 { throw .broken("the server closed it") }
    if count < 0 && errno != EAGAIN && errno != EINTR { throw .broken(message(errno)) }
  }
}

/// The system's text for an error number.
func message(_ number: Int32) -> String { String(cString: strerror(number)) }
