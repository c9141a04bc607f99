internal import CitiesProtocol
internal import Glibc

/// One connection to a stream socket: whole requests out, whole frames in, until a deadline.
///
/// Everything is non-blocking below and waits in poll(2) above, so that the deadline means what it says: a peer that sends
/// or takes a byte now and then does not extend it.
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
    /// The deadline passed.
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
  func send(_ bytes: [UInt8], before deadline: Deadline) throws(Failure) {
    var sent = 0
    var hasWaited = false
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count >= 0 {
        sent += count
      } else if errno == EAGAIN {
        if hasWaited && deadline.isOver { throw .timedOut }
        hasWaited = true
        let ready = try wait(for: POLLOUT | POLLIN, before: deadline)
        if ready & Int16(POLLIN) != 0 { try take(wanted: Frame.headerSize) }
      } else if errno != EINTR {
        throw .broken(message(errno))
      }
    }
  }

  /// Waits for the next frame and passes its payload on; the bytes are valid during the call.
  func receive<Value>(
    before deadline: Deadline, _ body: (UnsafeRawBufferPointer) -> Value
  ) throws(Failure) -> Value {
    var hasWaited = false
    while true {
      switch scanner.next(in: received.unread) {
      case .frame(let length):
        let payload = UnsafeRawBufferPointer(rebasing: received.unread[Frame.headerSize..<Frame.headerSize + length])
        defer { received.consume(Frame.headerSize + length) }
        return body(payload)
      case .incomplete(let missing):
        // The first look is always taken: an answer that came in time is read by a process that was held up.
        if hasWaited && deadline.isOver { throw .timedOut }
        hasWaited = true
        _ = try wait(for: POLLIN, before: deadline)
        try take(wanted: missing)
      case .tooLarge(let declared):
        throw .notFramed("a frame of \(declared) bytes, where at most \(Frame.maximumReply) are allowed")
      }
    }
  }

  /// Waits until one of `events` is there.
  private func wait(for events: Int32, before deadline: Deadline) throws(Failure) -> Int16 {
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
