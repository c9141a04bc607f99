import CLinux
import Glibc

/// Reading and writing a non-blocking socket: the two calls of the hot path, and what their failures mean.
enum SocketIO {
  /// What reading brought.
  enum Received {
    /// So many bytes.
    case bytes(Int)
    /// Nothing now.
    case nothing
    /// The peer sends no more.
    case end
    /// The connection is gone.
    case broken
  }

  /// Reads once; interrupted calls are repeated.
  static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Received {
    while true {
      let count = linux_receive(descriptor, buffer.baseAddress, buffer.count)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .end }
      if count == -Int(EINTR) { continue }
      return count == -Int(EAGAIN) ? .nothing : .broken
    }
  }

  /// Writes once; interrupted calls are repeated.
  ///
  /// - Returns: the bytes taken, 0 if the peer takes none now, nil if the connection is gone. A peer that went away
  ///   (EPIPE, ECONNRESET) is no error of ours and is not logged.
  static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int? {
    while true {
      let count = linux_send(descriptor, bytes.baseAddress, bytes.count)
      if count >= 0 { return count }
      if count == -Int(EINTR) { continue }
      return count == -Int(EAGAIN) ? 0 : nil
    }
  }
}
