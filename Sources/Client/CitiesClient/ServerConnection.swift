internal import CitiesProtocol
package import Framing
internal import Glibc
internal import System

/// A connection to the server: a socket with its ``FramedClient``.
///
/// The socket is non-blocking. ``Client`` waits on it until a deadline; a program with its own event loop polls it:
///
/// ```swift
/// let connection = try ServerConnection(location)
/// connection.queue(try EncodedRequest(CitySearch(prefix: "a"), id: 1))
/// // … when poll(2) reports that `descriptor` is ready for `events`:
/// try connection.move { incoming in … }
/// ```
package final class ServerConnection {
  /// The default time to wait while the queue of the server's socket is full.
  private static let defaultTimeout = Duration.milliseconds(20)

  /// The socket's path, or that of the private server's program.
  package let path: String
  /// The descriptor to poll.
  package let descriptor: Int32
  /// The socket in `XDG_RUNTIME_DIR`, if it was not used because another user could have made it.
  package let foreign: ClientError.Attempt?
  /// The private server, if any.
  private let privateServer: ConnectedProcess?
  private var client = FramedClient()
  private var hasReceived = false
  /// Why nothing more can be sent; what the server sent before, such as `busy`, can still be received.
  private var loss: ClientError?

  /// Connects to the first of `location`'s sockets that exists, or, if it allows that, to a private server.
  ///
  /// - Throws: `noServer` with all attempts, `permissionDenied`, or `timedOut` if the queue of the server's socket
  ///   stays full for `timeout`.
  package init(_ location: SocketLocation, timeout: Duration? = nil) throws(ClientError) {
    do {
      (descriptor, path, foreign) = try Self.connect(location, timeout: timeout ?? Self.defaultTimeout)
      privateServer = nil
    } catch {
      guard location.startsPrivateServer, case .noServer(let tried) = error, tried.count == location.candidates.count,
        tried.allSatisfy(\.isAbsent)
      else { throw error }
      let server = try Self.startServer(tried)
      (descriptor, path, privateServer) = (server.descriptor, server.program, server)
      foreign = tried.first(where: \.isForeign)
    }
  }

  deinit { if privateServer == nil { close(descriptor) } }

  /// Makes a private server exit, without waiting for that as the end of the connection does.
  package func finish() { if isPrivate { shutdown(descriptor, Int32(SHUT_WR)) } }

  /// Whether the server is private and ends with this connection.
  package var isPrivate: Bool { privateServer != nil }

  /// The user id of the server, or of the systemd that made its socket; `nil` if the kernel does not report it.
  package var serverUser: UInt32? { UnixSocket.peerUser(descriptor) }

  /// Queues a request; ``next(isWanted:)`` or ``receive(before:)`` sends it.
  package func queue(_ request: EncodedRequest) {
    if request.expectsEvents { privateServer?.goesOn = true }
    client.send(request, at: MonotonicClock.nanoseconds())
  }

  /// The age of the oldest request without a reply; `nil` if there is none.
  package var longestWait: Duration? {
    client.oldestSending.map { MonotonicClock.time(since: $0) }
  }

  /// Whether every request has its reply.
  package var isIdle: Bool { client.oldestSending == nil }

  // MARK: In the program's event loop

  /// The events to poll for: always input; output while something is unsent.
  package var events: Int16 { Int16(POLLIN) | (client.hasUnsent && loss == nil ? Int16(POLLOUT) : 0) }

  /// Sends and receives as much as possible without blocking.
  ///
  /// - Parameter isWanted: Whether a message is wanted; what has arrived is kept otherwise.
  /// - Returns: The next message, which is valid until the connection is used again; `nil` if none has arrived.
  /// - Throws: ``ClientError`` if the connection is lost or a frame matches no request; frames that arrived earlier are
  ///   returned first, because they may have the server's reason for closing the connection.
  package func next(isWanted: Bool = true) throws(ClientError) -> FramedClient.Incoming? {
    push()
    while true {
      if isWanted, let incoming = try arrived() { return incoming }
      guard try pull() else {
        if let loss { throw loss }
        return nil
      }
    }
  }

  // MARK: Until a deadline

  /// Sends everything queued and waits for the next message, which is valid until the connection is used again.
  ///
  /// It receives while it sends, so that neither side waits for the other.
  ///
  /// - Parameter deadline: When to give up.
  /// - Returns: The message, or `nil` if none arrived in time.
  /// - Throws: ``ClientError`` if the connection is lost or a frame matches no request.
  func receive(before deadline: Deadline) throws(ClientError) -> FramedClient.Incoming? {
    var hasWaited = false
    while true {
      push()
      if let incoming = try arrived() { return incoming }
      // Polls at least once, so that a process which was held up still reads an answer that arrived in time.
      guard !hasWaited || !deadline.isOver, try wait(before: deadline) else { return nil }
      hasWaited = true
      do { _ = try pull() } catch { throw loss ?? error }
    }
  }

  /// Waits until the socket can be used; `false` at the deadline.
  private func wait(before deadline: Deadline) throws(ClientError) -> Bool {
    while true {
      var entry = pollfd(fd: descriptor, events: events, revents: 0)
      let count = unsafe poll(&entry, 1, deadline.milliseconds)
      if count > 0 { return true }
      if count == 0 && deadline.isOver { return false }
      if count < 0 && errno != EINTR && errno != EAGAIN { throw lost(SystemError.text(errno)) }
    }
  }

  // MARK: The socket

  /// Sends as much as the socket accepts; remembers why it accepts nothing more.
  private func push() {
    while loss == nil, client.hasUnsent {
      let bytes = unsafe client.unsent
      let count = unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      if count >= 0 {
        client.didSend(count)
      } else if errno == EAGAIN {
        return
      } else if errno != EINTR {
        loss = lost(SystemError.text(errno))
      }
    }
  }

  /// Receives once; `false` if nothing had arrived.
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

  /// The next message that was received whole, if any.
  private func arrived() throws(ClientError) -> FramedClient.Incoming? {
    let incoming = client.next()
    switch incoming {
    case .fault(let fault): throw error(fault)
    case .incomplete: return nil
    default: return incoming
    }
  }

  private func lost(_ reason: String) -> ClientError {
    // A private server that ends before its first answer failed to start; a second attempt would fail too.
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
  /// Connects to the first of `location`'s sockets that exists; returns a non-blocking descriptor and the socket's
  /// path.
  ///
  /// Calls connect(2) without stat(2) before it: connect itself reports whether a socket exists, without a race. The
  /// owners matter only below `XDG_RUNTIME_DIR`, if a socket is there: root alone could make the system's path.
  ///
  /// - Throws: `noServer` with every socket tried, `permissionDenied`, or `timedOut` if the server's queue stays full.
  static func connect(
    _ location: SocketLocation, timeout: Duration
  ) throws(ClientError) -> (descriptor: Int32, path: String, foreign: ClientError.Attempt?) {
    var tried: [ClientError.Attempt] = []
    for path in location.candidates {
      if path == location.ofRuntimeFolder, unsafe access(path, F_OK) == 0 || errno == EACCES,
        let doubt = try? PathOwners.doubt(about: path)
      {
        tried.append(.init(path: path, reason: "not used: \(doubt)", isAbsent: true, isForeign: true))
        continue
      }
      switch connectOnce(path, timeout: timeout) {
      case .success(let descriptor):
        return (descriptor, path, tried.first(where: \.isForeign))
      case .failure(let failure) where [ENOENT, ENOTDIR, ENAMETOOLONG].contains(failure.number):
        tried.append(.init(path: path, reason: failure.text, isHopeless: failure.isHopeless, isAbsent: true))
      case .failure(let failure) where failure.number == EACCES || failure.number == EPERM:
        throw .permissionDenied(path: path)
      case .failure(let failure) where failure.number == EAGAIN:
        throw .timedOut(path: path, after: timeout)
      case .failure(let failure):
        let attempt = ClientError.Attempt(path: path, reason: failure.text, isHopeless: failure.isHopeless)
        throw .noServer(tried: tried + [attempt])
      }
    }
    throw .noServer(tried: tried)
  }

  /// The error number of a failed connect(2).
  private struct Refusal: Error {
    var number: Int32

    var text: String {
      switch number {
      case ENOENT, ENOTDIR: "no such socket"
      case ECONNREFUSED: "the socket exists, but no program listens on it"
      case ENAMETOOLONG: "the path is too long for a socket (107 bytes at most)"
      case ENOTSOCK: "not a socket"
      case EPROTOTYPE: "not a stream socket"
      default: SystemError.text(number)
      }
    }

    /// Whether a server can never listen there.
    var isHopeless: Bool { [ENAMETOOLONG, ENOTSOCK, EPROTOTYPE].contains(number) }
  }

  private static func connectOnce(_ path: String, timeout: Duration) -> Result<Int32, Refusal> {
    let descriptor = UnixSocket.make()
    guard descriptor >= 0 else { return .failure(Refusal(number: -descriptor)) }
    let number = -UnixSocket.connect(descriptor, to: path, waitingInQueue: timeout)
    guard number > 0 else { return .success(descriptor) }
    close(descriptor)
    return .failure(Refusal(number: number == ECONNREFUSED && !isSocket(path) ? ENOTSOCK : number))
  }

  /// Whether `path` is a socket: connect(2) fails in the same way for a socket without a server and for a plain file.
  private static func isSocket(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFSOCK
  }
}

extension ServerConnection {
  /// Starts a private server for this process, from the running program's folder.
  ///
  /// - Throws: `noServer` with the sockets in `tried` and the program if that cannot be started.
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

  /// The reason why a private server ended without an answer.
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
