import CLinux
import Glibc

/// Reading and writing a non-blocking socket: the two calls of the hot path, with their failures classified.
///
/// Both are inlined, so that they cost only the system call.
package enum SocketIO {
  /// The outcome of one recv(2).
  package enum Received {
    /// This many bytes.
    case bytes(Int)
    /// No bytes are available now.
    case nothing
    /// The peer has ended its output.
    case end
    /// The connection is gone; the error number.
    case broken(Int32)
  }

  /// Reads once; interrupted calls are repeated.
  @inlinable
  package static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Received {
    while true {
      let count = linux_receive(descriptor, buffer.baseAddress, buffer.count)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .end }
      if count == -Int(EINTR) { continue }
      return count == -Int(EAGAIN) ? .nothing : .broken(Int32(truncatingIfNeeded: -count))
    }
  }

  /// Writes once; interrupted calls are repeated.
  ///
  /// - Returns: the number of bytes sent; 0 if the socket is full; nil if the connection is gone (see errno(3)). A peer
  ///   that went away (EPIPE, ECONNRESET) is not a fault of this process and is not logged.
  @inlinable
  package static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int? {
    while true {
      let count = linux_send(descriptor, bytes.baseAddress, bytes.count)
      if count >= 0 { return count }
      if count == -Int(EINTR) { continue }
      return count == -Int(EAGAIN) ? 0 : nil
    }
  }
}
