internal import Glibc

extension ServerConnection {
  /// Connects to the first of `location`'s sockets that exists: a non-blocking descriptor, and the path of the socket.
  ///
  /// One connect(2) per candidate and no stat(2) before it: connect reports whether a socket exists, so that nothing can
  /// change in between.
  ///
  /// - Throws: `noServer` with every socket tried, `permissionDenied`, or `timedOut` where the server's queue is full.
  static func connect(
    _ location: SocketLocation, patience: Duration
  ) throws(ClientError) -> (descriptor: Int32, path: String) {
    var tried: [ClientError.Attempt] = []
    for path in location.candidates {
      switch connectOnce(path, patience: patience) {
      case .success(let descriptor):
        return (descriptor, path)
      case .failure(let failure) where failure.number == ENOENT || failure.number == ENOTDIR:
        tried.append(.init(path: path, reason: "no such socket"))
      case .failure(let failure) where failure.number == EACCES || failure.number == EPERM:
        throw .permissionDenied(path: path)
      case .failure(let failure) where failure.number == EAGAIN:
        throw .timedOut(path: path, after: patience)
      case .failure(let failure):
        let attempt = ClientError.Attempt(path: path, reason: failure.text, isHopeless: failure.isHopeless)
        throw .noServer(tried: tried + [attempt])
      }
    }
    throw .noServer(tried: tried)
  }

  /// The error number of a connect(2) that failed.
  private struct Refusal: Error {
    var number: Int32

    var text: String {
      switch number {
      case ECONNREFUSED: "the socket is there, but nobody listens on it"
      case ENAMETOOLONG: "the path is too long for a socket (107 bytes at most)"
      case ENOTSOCK: "this is no socket"
      case EPROTOTYPE: "not a stream socket"
      default: message(number)
      }
    }

    /// Whether no server can ever listen there.
    var isHopeless: Bool { [ENAMETOOLONG, ENOTSOCK, EPROTOTYPE].contains(number) }
  }

  private static func connectOnce(_ path: String, patience: Duration) -> Result<Int32, Refusal> {
    guard var address = SocketAddress(path: path) else { return .failure(Refusal(number: ENAMETOOLONG)) }
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = aboveStandard(socket(AF_UNIX, kind, 0))
    guard descriptor >= 0 else { return .failure(Refusal(number: errno)) }
    if address.connect(descriptor) { return .success(descriptor) }
    if errno == EAGAIN && waitInQueue(descriptor, &address, patience) { return .success(descriptor) }
    let number = errno
    close(descriptor)
    return .failure(Refusal(number: number == ECONNREFUSED && !isSocket(path) ? ENOTSOCK : number))
  }

  /// Whether `path` is a socket; connect(2) refuses a socket without a server and a plain file alike.
  private static func isSocket(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFSOCK
  }

  /// Waits for a place in the full queue of a listening socket.
  ///
  /// poll(2) cannot wait for that; a blocking connect(2) with SO_SNDTIMEO can (unix(7)).
  private static func waitInQueue(_ descriptor: Int32, _ address: inout SocketAddress, _ patience: Duration) -> Bool {
    let (seconds, attoseconds) = patience.components
    var limit = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK)
    guard address.connect(descriptor) else { return false }
    return fcntl(descriptor, F_SETFL, flags) == 0
  }

  /// Moves a descriptor above 2.
  ///
  /// A process started with a closed standard output would otherwise get the socket as its descriptor 1, and its
  /// output would go to the server.
  private static func aboveStandard(_ descriptor: Int32) -> Int32 {
    guard (0...2).contains(descriptor) else { return descriptor }
    let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    let number = errno
    close(descriptor)
    errno = number
    return moved
  }
}

/// A path as the system's socket address.
private struct SocketAddress {
  private var address = sockaddr_un()

  /// `nil` if `path` is longer than the address has room for, with the zero byte at its end.
  init?(path: String) {
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
      let bytes = path.utf8
      guard bytes.count < room.count else { return false }
      room.copyBytes(from: bytes)
      return true
    }
    guard fits else { return nil }
  }

  /// Connects; `errno` says why not.
  mutating func connect(_ descriptor: Int32) -> Bool {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }
}
