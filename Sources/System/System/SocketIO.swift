import CLinux
import Glibc

/// Reading and writing a non-blocking socket: the two calls of the hot path, and what their failures mean.
///
/// Both are inlined into their callers, so that they cost the call alone.
package enum SocketIO {
  /// The outcome of one recv(2).
  package enum Received {
    /// This many bytes.
    case bytes(Int)
    /// None now.
    case nothing
    /// The peer sends no more.
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
  /// - Returns: the bytes taken, 0 if the peer takes none now, nil if the connection is gone (errno(3) says why). A
  ///   peer that went away (EPIPE, ECONNRESET) is not a fault of this process and is not logged.
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
