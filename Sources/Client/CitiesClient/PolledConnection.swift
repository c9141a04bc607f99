package import CitiesProtocol
internal import Glibc

/// A connection that never waits, for programs with a loop of their own: they poll its descriptor.
///
/// ```swift
/// let connection = try PolledConnection(location)
/// try connection.send(CitySearch(prefix: "a"), id: 1)
/// // … when poll(2) says that `descriptor` is ready for `events`:
/// try connection.move { id, payload in … }
/// ```
package final class PolledConnection {
  /// How long a full queue of the server's socket is waited for.
  private static let patience = Duration.milliseconds(20)

  /// The socket's path.
  package let path: String
  /// What is polled.
  package let descriptor: Int32
  private let received = ReceiveBuffer()
  private let scanner = FrameScanner(maximum: Frame.maximumReply)
  private var unsent: [UInt8] = []

  /// Connects.
  ///
  /// - Throws: ``ClientError`` if nobody is there.
  package init(_ location: SocketLocation) throws(ClientError) {
    (descriptor, path) = try Connection.connected(location, patience: Self.patience)
  }

  deinit { close(descriptor) }

  /// What poll(2) is to wait for: input always, room for output while something is unsent.
  package var events: Int16 { Int16(POLLIN) | (unsent.isEmpty ? 0 : Int16(POLLOUT)) }

  /// Takes a request to be sent; as much as the socket takes at once is sent now.
  ///
  /// - Throws: ``ClientError``, `.unsendable` for a request beyond the limits, else the connection is lost.
  package func send<Message: RequestMessage>(_ message: Message, id: UInt64) throws(ClientError) {
    unsent += try Outgoing(message, id: id).frame
    try push()
  }

  /// Moves what can be moved, and hands over the payload of every frame that is whole; the bytes are valid during the
  /// call.
  ///
  /// - Throws: ``ClientError`` if the connection is lost or what came is no frame; whole frames are handed over before.
  package func move(_ body: (UnsafeRawBufferPointer) -> Void) throws(ClientError) {
    try push()
    while true {
      switch scanner.next(in: received.unread) {
      case .frame(let length):
        body(UnsafeRawBufferPointer(rebasing: received.unread[Frame.headerSize..<Frame.headerSize + length]))
        received.consume(Frame.headerSize + length)
      case .incomplete(let missing):
        guard try pull(missing) else { return }
      case .tooLarge(let declared):
        throw .unreadableReply(path: path, reason: "a frame of \(declared) bytes")
      }
    }
  }

  private func push() throws(ClientError) {
    while !unsent.isEmpty {
      let count = unsent.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count >= 0 {
        unsent.removeFirst(count)
      } else if errno == EAGAIN {
        return
      } else if errno != EINTR {
        throw .connectionLost(path: path, reason: message(errno))
      }
    }
  }

  /// Takes in what is there; `false` if nothing is.
  private func pull(_ wanted: Int) throws(ClientError) -> Bool {
    let count = received.receive(from: descriptor, wanted: wanted)
    if count > 0 { return true }
    if count == 0 { throw .connectionLost(path: path, reason: "the server closed it") }
    guard errno == EAGAIN || errno == EINTR else { throw .connectionLost(path: path, reason: message(errno)) }
    return false
  }
}
