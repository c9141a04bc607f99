import Glibc

/// A blocking Unix socket that sends any bytes and reads frames: for tests that must be able to misbehave.
///
/// Every call that waits gives up after a time limit, so that a test of a silent server ends.
///
/// It is `Sendable` because its descriptor changes only at its end: one thread may send while another receives.
package final class RawClient: @unchecked Sendable {
  /// The socket; -1 after ``close()``.
  package private(set) var descriptor: Int32
  /// What must live as long as the client, such as the server it talks to.
  package var keeps: (any AnyObject)?

  /// Connects to `path`.
  ///
  /// - Throws: ``RawClientError`` with the system's reason.
  package init(_ path: String, timeout seconds: Int = 10) throws(RawClientError) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard connect(descriptor, path) == 0 else {
      let error = RawClientError("connect \(path)")
      close()
      throw error
    }
  }

  /// Takes a connected socket, which blocks.
  package init(taking descriptor: Int32) { self.descriptor = descriptor }

  deinit { close() }

  /// Closes the socket.
  package func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Says that nothing more will be sent.
  package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Sends all of `bytes`.
  package func send(_ bytes: [UInt8]) throws(RawClientError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw RawClientError("send") }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends what the socket takes at once, at most `bytes`; how many that were.
  package func sendSome(_ bytes: [UInt8]) -> Int {
    Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
  }

  /// Sends `payload` after its length.
  package func sendFrame(_ payload: [UInt8]) throws(RawClientError) { try send(Self.framed(payload)) }

  /// The payload of the next frame; nil at the end of the stream.
  package func receiveFrame() throws(RawClientError) -> [UInt8]? {
    guard let header = try receive(4) else { return nil }
    let length = header.reduce(0) { $0 << 8 | Int($1) }
    guard length > 0 else { return [] }
    guard let payload = try receive(length) else { throw RawClientError("the stream ended inside a frame", code: 0) }
    return payload
  }

  /// Exactly `count` bytes; nil if the stream ends before the first.
  package func receive(_ count: Int) throws(RawClientError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress.map { $0 + filled }, count - filled, 0) }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw RawClientError("recv") }
      if got == 0 {
        guard filled == 0 else { throw RawClientError("the stream ended inside a frame", code: 0) }
        return nil
      }
      filled += got
    }
    return bytes
  }

  /// `payload` after its length.
  package static func framed(_ payload: [UInt8]) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: payload.count >> (24 - 8 * $0)) } + payload
  }
}

/// Why a test's socket failed.
package struct RawClientError: Error, CustomStringConvertible {
  /// The call and the system's reason.
  package let description: String
  /// The error number; 0 if none applies.
  package let code: Int32

  init(_ call: String, code: Int32 = errno) {
    self.code = code
    description = code == 0 ? call : "\(call): \(String(cString: strerror(code)))"
  }
}

private func connect(_ descriptor: Int32, _ path: String) -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}
