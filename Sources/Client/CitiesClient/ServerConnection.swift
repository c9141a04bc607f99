internal import CitiesProtocol
package import Framing
internal import Glibc
internal import System

/// A connection to the server: the socket that one ``FramedClient`` sends to and receives from.
///
/// The socket never blocks. ``Client`` waits on it until a deadline; a program with its own loop polls it:
///
/// ```swift
/// let connection = try ServerConnection(location)
/// connection.send(try EncodedRequest(CitySearch(prefix: "a"), id: 1))
/// // … when poll(2) reports that `descriptor` is ready for `events`:
/// try connection.move { incoming in … }
/// ```
package final class ServerConnection {
  /// How long a program with its own loop waits for a place in the full queue of the server's socket.
  private static let usualPatience = Duration.milliseconds(20)

  /// The socket's path, or that of the private server's program.
  package let path: String
  /// The descriptor to poll.
  package let descriptor: Int32
  /// The server, if it is this connection's own.
  private let privateServer: ConnectedProcess?
  private var client = FramedClient()
  private var hasReceived = false

  /// Connects to the first of `location`'s sockets that exists, or to a private server if it says so.
  ///
  /// - Throws: `noServer` with everything that was tried, `permissionDenied`, or `timedOut` if the queue of the
  ///   server's socket stays full for as long as `patience`.
  package init(_ location: SocketLocation, patience: Duration? = nil) throws(ClientError) {
    do {
      (descriptor, path) = try Self.connect(location, patience: patience ?? Self.usualPatience)
      privateServer = nil
    } catch {
      guard location.startsPrivateServer, case .noServer(let tried) = error, tried.count == location.candidates.count,
        tried.allSatisfy(\.isAbsent)
      else { throw error }
      let server = try Self.startServer(tried)
      (descriptor, path, privateServer) = (server.descriptor, server.program, server)
    }
  }

  deinit { if privateServer == nil { close(descriptor) } }

  /// Whether the server is this connection's own, and ends with it.
  package var isPrivate: Bool { privateServer != nil }

  /// The user whose socket it is, or whose systemd made the socket; `nil` if the kernel does not say.
  package var serverUser: UInt32? { UnixSocket.peerUser(descriptor) }

  /// Queues a request; ``move(_:)`` or ``sendAll(before:)`` sends it.
  package func queue(_ request: EncodedRequest) { client.send(request, at: MonotonicClock.nanoseconds()) }

  /// How long the oldest request without a reply has been waiting; `nil` if there is none.
  package var longestWait: Duration? {
    client.oldestSending.map { .nanoseconds(MonotonicClock.nanoseconds() - $0) }
  }

  /// Whether every request has its reply.
  package var isIdle: Bool { client.oldestSending == nil }

  // MARK: In a loop of the program's own

  /// The events to poll for: input always, room for output while something is unsent.
  package var events: Int16 { Int16(POLLIN) | (client.hasUnsent ? Int16(POLLOUT) : 0) }

  /// Sends and receives as much as is possible without waiting, and passes on what has arrived.
  ///
  /// - Throws: ``ClientError`` if the connection is lost or a frame cannot be attributed; what arrived before is passed
  ///   on first, because a server that closes a connection may have said why.
  package func move(_ body: (FramedClient.Incoming) -> Void) throws(ClientError) {
    var loss: ClientError?
    do { try push() } catch { loss = error }
    while true {
      let incoming = client.next()
      switch incoming {
      case .fault(let fault): throw error(fault)
      case .incomplete:
        guard try pull() else {
          if let loss { throw loss }
          return
        }
      default: body(incoming)
      }
    }
  }

  // MARK: Until a deadline

  /// Sends all that is queued, and meanwhile receives what the server sends, so that neither side waits for the other.
  ///
  /// - Parameter deadline: When to give up.
  /// - Returns: Whether all was sent in time.
  /// - Throws: ``ClientError``; a server may have sent the reason before it closed the connection, so that the caller
  ///   reads on.
  func sendAll(before deadline: Deadline) throws(ClientError) -> Bool {
    try push()
    var hasWaited = false
    while client.hasUnsent {
      guard !hasWaited || !deadline.isOver, let ready = try wait(for: POLLOUT | POLLIN, before: deadline) else {
        return false
      }
      hasWaited = true
      if ready & Int16(POLLIN) != 0 { _ = try pull() }
      try push()
    }
    return true
  }

  /// Waits for the next incoming, which is valid until the connection is used again.
  ///
  /// - Parameter deadline: When to give up.
  /// - Returns: The incoming, or `nil` if none came in time.
  /// - Throws: ``ClientError`` if the connection is lost or a frame cannot be attributed.
  func receive(before deadline: Deadline) throws(ClientError) -> FramedClient.Incoming? {
    var hasWaited = false
    while true {
      let incoming = client.next()
      switch incoming {
      case .fault(let fault): throw error(fault)
      case .incomplete:
        // The first look is always taken: an answer that came in time is read by a process that was held up.
        guard !hasWaited || !deadline.isOver, try wait(for: POLLIN, before: deadline) != nil else { return nil }
        hasWaited = true
        _ = try pull()
      default: return incoming
      }
    }
  }

  /// Waits until one of `events` is there; `nil` if none is at the deadline.
  private func wait(for events: Int32, before deadline: Deadline) throws(ClientError) -> Int16? {
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      let count = unsafe poll(&entry, 1, deadline.milliseconds)
      if count > 0 { return entry.revents }
      if count == 0 && deadline.isOver { return nil }
      if count < 0 && errno != EINTR && errno != EAGAIN { throw lost(SystemError.text(errno)) }
    }
  }

  // MARK: The socket

  /// Sends as much as the socket takes.
  private func push() throws(ClientError) {
    while client.hasUnsent {
      let bytes = unsafe client.unsent
      let count = unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      if count >= 0 {
        client.didSend(count)
      } else if errno == EAGAIN {
        return
      } else if errno != EINTR {
        throw lost(SystemError.text(errno))
      }
    }
  }

  /// Receives once; `false` if nothing was there.
  private func pull() throws(ClientError) -> Bool {
    let count = unsafe client.receive { unsafe recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
    if count > 0 {
      hasReceived = true
      return true
    }
    if count == 0 { throw lost("the server closed it") }
    guard errno == EAGAIN || errno == EINTR else { throw lost(SystemError.text(errno)) }
    return false
  }

  private func lost(_ reason: String) -> ClientError {
    // A private server that ends before its first answer could not start, and would not at a second attempt.
    guard let privateServer, !hasReceived else { return .connectionLost(path: path, reason: reason) }
    return .noServer(tried: [Self.failure(of: privateServer)])
  }

  private func error(_ fault: FramedClient.Fault) -> ClientError {
    let reason =
      switch fault {
      case .oversized(let declared):
        "a frame of \(declared) bytes, where at most \(Frame.maximumReply) are allowed"
      case .unexpectedReply(let id, let expected?): "a reply with id \(id) to the request with id \(expected)"
      case .unexpectedReply(let id, nil): "a reply with id \(id), and no request waits for one"
      }
    return .unreadableReply(path: path, reason: reason)
  }
}

extension ServerConnection {
  /// Connects to the first of `location`'s sockets that exists: a non-blocking descriptor, and the path of the socket.
  ///
  /// One connect(2) per candidate and no stat(2) before it: connect reports whether a socket exists, so that nothing
  /// can change in between.
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
        tried.append(.init(path: path, reason: "no such socket", isAbsent: true))
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
      case ECONNREFUSED: "the socket exists, but no program listens on it"
      case ENAMETOOLONG: "the path is too long for a socket (107 bytes at most)"
      case ENOTSOCK: "not a socket"
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
    return unsafe stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFSOCK
  }
}

extension ServerConnection {
  /// Starts the server of the running program's folder for this process alone.
  ///
  /// - Throws: `noServer` with the sockets in `tried` and the program, if it cannot be started.
  private static func startServer(_ tried: [ClientError.Attempt]) throws(ClientError) -> ConnectedProcess {
    guard let own = ProcessEnvironment.program else {
      let reason = "this program's folder is not known, because /proc is not mounted"
      throw .noServer(tried: tried + [.init(path: SocketLocation.serverName, reason: reason, isProgram: true)])
    }
    let program = "\(parentFolder(of: own))/\(SocketLocation.serverName)"
    do {
      return try ConnectedProcess(program, ["--private"])
    } catch {
      let reason = error.code == ENOENT ? "no such program, which belongs beside \(own)" : error.reason
      throw .noServer(tried: tried + [.init(path: program, reason: reason, isProgram: true)])
    }
  }

  /// Why a private server has ended without an answer.
  private static func failure(of server: ConnectedProcess) -> ClientError.Attempt {
    let ending =
      switch server.end() {
      case .exited(ExitCode.usage.rawValue):
        "it does not accept this program's options, probably because its version differs: install the same version of both"
      case .exited(let status): "it ended with status \(status)"
      case .killed(let signal): "it was ended by signal \(signal)"
      case .unknown: "it ended"
      }
    let message = server.lastMessage
    let reason = message.isEmpty ? ending : "\(ending) (\(message))"
    return .init(path: server.program, reason: reason, isProgram: true)
  }
}
