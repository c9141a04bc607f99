internal import CitiesProtocol

extension Client {
  /// What is waited for at least in a full queue: SO_SNDTIMEO takes zero for no end.
  private static let shortestPatience = Duration.milliseconds(1)

  /// The longest pause between two attempts to reach a server that is restarting, in milliseconds.
  private static let longestPause: Int32 = 100

  /// Connects if there is no connection, for programs that want to know at once whether there is a server.
  ///
  /// - Throws: ``ClientError``, `.noServer` if nothing listens on any of the sockets.
  public func connect() throws(ClientError) { _ = try connected(RequestLimit(configuration.timeout)) }

  /// The connection, made if there is none.
  func connected(_ limit: RequestLimit) throws(ClientError) -> Connection {
    if let connection {
      timing.connect = .zero
      return connection
    }
    let began = Clock.now
    let made = try wasConnected ? reconnect(limit) : open(limit)
    timing.connect = .nanoseconds(Int64(clamping: Clock.now - began))
    totalTiming.connect += timing.connect
    connection = made
    wasConnected = true
    return made
  }

  /// Connects to a server that was there a moment ago.
  ///
  /// A server that binds its socket itself is away for a moment while it restarts; so a missing or refused socket is
  /// tried again until the timeout is over.
  private func reconnect(_ limit: RequestLimit) throws(ClientError) -> Connection {
    var pause: Int32 = 1
    while true {
      do {
        return try open(limit)
      } catch {
        guard case .noServer = error, !limit.deadline.isOver else { throw error }
        Clock.pause(milliseconds: min(pause, limit.deadline.milliseconds))
        pause = min(2 * pause, Self.longestPause)
      }
    }
  }

  /// Connects; a full queue of the server's socket is waited for until the deadline.
  private func open(_ limit: RequestLimit) throws(ClientError) -> Connection {
    do {
      return try Connection.open(configuration.location, patience: max(limit.remaining, Self.shortestPatience))
    } catch {
      guard case .timedOut(let path, _) = error else { throw error }
      throw .timedOut(path: path, after: limit.timeout)
    }
  }

  /// `error`, or the mismatch of versions that is behind it.
  ///
  /// An answer that cannot be read and a method that is not known look alike to a user: one side is older. `hello`
  /// tells; it is asked on a new connection and only now, so that it costs nothing where all is well.
  func explanation(of error: ClientError) -> ClientError {
    switch error {
    case .unreadableReply: break
    case .server(let reason) where reason.code == .unknownMethod: break
    default: return error
    }
    connection = nil
    return disagreement() ?? error
  }

  private func disagreement() -> ClientError? {
    let mine = ClientError.Peer(name: configuration.name, protocols: ProtocolVersion.supported)
    guard let request = try? Outgoing(Hello(client: configuration.name), id: nextID()) else { return nil }
    var reply: Result<Hello.Reply, ClientError>?
    try? exchangePersistently([request], timeout: nil) { _, payload in
      reply = self.answer(Hello.self, in: payload, to: request)
      return nil
    }
    switch reply {
    case .success(let hello) where !mine.protocols.contains(hello.protocol):
      return .protocolMismatch(client: mine, server: .init(name: hello.server, protocols: [hello.protocol]))
    case .failure(.server(let error)):
      guard let theirs = error.data?.protocols, Set(theirs).isDisjoint(with: mine.protocols) else { return nil }
      return .protocolMismatch(client: mine, server: .init(name: "the server", protocols: theirs))
    default:
      return nil
    }
  }
}
