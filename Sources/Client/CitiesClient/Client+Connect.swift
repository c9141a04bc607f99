internal import CitiesProtocol

extension Client {
  /// The longest pause between two attempts to reach a server that is restarting, in milliseconds.
  private static let longestPause: Int32 = 100

  /// The connection, made if there is none.
  func connected() throws(ClientError) -> Connection {
    if let connection {
      timing.connect = .zero
      return connection
    }
    let began = Clock.now
    let made = try wasConnected ? reconnect() : Connection.open(configuration.location, patience: configuration.timeout)
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
  private func reconnect() throws(ClientError) -> Connection {
    let deadline = Deadline(configuration.timeout)
    var pause: Int32 = 1
    while true {
      do {
        return try Connection.open(configuration.location, patience: configuration.timeout)
      } catch {
        guard case .noServer = error, !deadline.isOver else { throw error }
        Clock.pause(milliseconds: min(pause, deadline.milliseconds))
        pause = min(2 * pause, Self.longestPause)
      }
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
    try? exchangePersistently([request], silence: nil) { _, payload in
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
