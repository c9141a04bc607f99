internal import Glibc
internal import System

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
      default: SystemError.text(number)
      }
    }

    /// Whether no server can ever listen there.
    var isHopeless: Bool { [ENAMETOOLONG, ENOTSOCK, EPROTOTYPE].contains(number) }
  }

  private static func connectOnce(_ path: String, patience: Duration) -> Result<Int32, Refusal> {
    let descriptor = UnixSocket.make()
    guard descriptor >= 0 else { return .failure(Refusal(number: -descriptor)) }
    let number = -UnixSocket.connect(descriptor, to: path, waitingInQueue: patience)
    guard number > 0 else { return .success(descriptor) }
    close(descriptor)
    return .failure(Refusal(number: number == ECONNREFUSED && !isSocket(path) ? ENOTSOCK : number))
  }

  /// Whether `path` is a socket; connect(2) refuses a socket without a server and a plain file alike.
  private static func isSocket(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFSOCK
  }
}
