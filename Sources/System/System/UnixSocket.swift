import CLinux
import Glibc

/// Stream sockets with a path (unix(7)).
///
/// Functions return the result of the call, or the negative error number.
package enum UnixSocket {
  /// Makes a non-blocking socket that started programs do not inherit.
  ///
  /// - Returns: its descriptor, never 0 to 2.
  package static func make() -> Int32 { beyondStandardStreams(linux_socket()) }

  /// Makes a pair of connected sockets like those of ``make()``.
  ///
  /// - Throws: ``SystemError`` if the kernel gives no descriptors.
  package static func pair() throws(SystemError) -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    let result = linux_socket_pair(&ends)
    guard result >= 0 else { throw SystemError("socketpair", result: result) }
    let (first, second) = (beyondStandardStreams(ends[0]), beyondStandardStreams(ends[1]))
    guard min(first, second) < 0 else { return (first, second) }
    for end in [first, second] where end >= 0 { close(end) }
    throw SystemError("socketpair", result: min(first, second))
  }

  /// Binds `descriptor` to `path`; `-ENAMETOOLONG` for more than 107 bytes.
  package static func bind(_ descriptor: Int32, to path: String) -> Int32 { linux_bind(descriptor, path) }

  /// Connects `descriptor` to the socket at `path`.
  ///
  /// This never waits on a Unix socket: it succeeds, the queue is full (`-EAGAIN`), or nobody listens. With a `timeout`
  /// it waits while the queue is full.
  package static func connect(_ descriptor: Int32, to path: String, waitingInQueue timeout: Duration? = nil) -> Int32 {
    let result = linux_connect(descriptor, path)
    guard result == -EAGAIN, let timeout else { return result }
    // poll(2) cannot wait for a place in the queue; a blocking connect(2) with SO_SNDTIMEO can.
    let (seconds, attoseconds) = timeout.components
    var limit = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK)
    let later = linux_connect(descriptor, path)
    guard later >= 0 else { return later }
    return fcntl(descriptor, F_SETFL, flags) == 0 ? 0 : -errno
  }

  /// The user of the process that listened at the other end of `descriptor` (`SO_PEERCRED`); for a socket made by
  /// systemd, the user of that systemd.
  package static func peerUser(_ descriptor: Int32) -> UInt32? {
    var credentials = linux_credentials()
    return linux_peer_credentials(descriptor, &credentials) == 0 ? credentials.uid : nil
  }

  /// The path that a socket is bound to; `nil` for an abstract or unnamed one.
  package static func boundPath(_ descriptor: Int32) -> String? {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    guard result == 0, Int(length) > offset else { return nil }
    let path = withUnsafeBytes(of: &address.sun_path) { bytes in
      String(decoding: bytes.prefix(Int(length) - offset).prefix { $0 != 0 }, as: UTF8.self)
    }
    return path.isEmpty ? nil : path
  }
}

/// `descriptor`, moved to a number above 2 if it is one of the standard streams; an error is returned unchanged.
///
/// Otherwise a process started without standard output would write its output to a peer.
func beyondStandardStreams(_ descriptor: Int32) -> Int32 {
  guard (0...2).contains(descriptor) else { return descriptor }
  let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
  let result = moved < 0 ? -errno : moved
  close(descriptor)
  return result
}
