internal import CitiesProtocol
internal import Framing
internal import System

/// The steps of every request: connect if needed, send, read one frame per request, and repeat it all once if the
/// connection breaks.
extension Client {
  /// Sends `requests` and reads their answers, in order.
  ///
  /// If the connection breaks, all requests are sent once more on a new one.
  func exchange<Message: RequestMessage>(
    _ type: Message.Type, _ requests: [EncodedRequest], timeout: Duration? = nil
  ) throws(ClientError) -> [Result<Message.Reply, WireError>] {
    do { return try exchangePersistently(type, requests, timeout) } catch { throw explanation(of: error) }
  }

  /// Performs ``exchange(_:_:timeout:)`` without asking for the server's protocol version after an unreadable reply.
  ///
  /// One deadline bounds connecting, sending, receiving and the second attempt.
  private func exchangePersistently<Message: RequestMessage>(
    _ type: Message.Type, _ requests: [EncodedRequest], _ timeout: Duration? = nil
  ) throws(ClientError) -> [Result<Message.Reply, WireError>] {
    let deadline = Deadline(timeout ?? configuration.timeout)
    do {
      return try exchangeOnce(type, requests, deadline)
    } catch {
      guard case .connectionLost = error else { throw error }
      return try exchangeOnce(type, requests, deadline)
    }
  }

  private func exchangeOnce<Message: RequestMessage>(
    _ type: Message.Type, _ requests: [EncodedRequest], _ deadline: Deadline
  ) throws(ClientError) -> [Result<Message.Reply, WireError>] {
    let connection = try connected(deadline)
    let start = MonotonicClock.nanoseconds()
    defer {
      timing.answer = MonotonicClock.time(since: start)
      totalTiming.answer += timing.answer
    }
    if let onFrame = unsafe onFrame {
      for request in requests { unsafe request.withPayload { unsafe onFrame(.sent, $0) } }
    }
    for request in requests { connection.queue(request) }
    do {
      return try requests.map { request throws(ClientError) in
        try answer(type, to: request, on: connection, deadline)
      }
    } catch {
      // Replies still to come would match no request.
      self.connection = nil
      throw error
    }
  }

  /// Waits for the answer to `request`, which is the oldest without one.
  private func answer<Message: RequestMessage>(
    _ type: Message.Type, to request: EncodedRequest, on connection: ServerConnection, _ deadline: Deadline
  ) throws(ClientError) -> Result<Message.Reply, WireError> {
    while let incoming = try connection.receive(before: deadline) {
      switch incoming {
      case .reply(_, let payload), .refusal(_, let payload), .unreadable(_, let payload):
        unsafe onFrame?(.received, payload)
        do { return try unsafe ServerEnvelope<Message>.answer(in: payload) } catch {
          throw unreadable("the reply to \(request.method) is \(error)")
        }
      case .event, .fault, .incomplete: continue
      }
    }
    throw .timedOut(path: connection.path, after: deadline.duration ?? .zero)
  }

  /// Encodes a request with the next id.
  func encoded<Message: RequestMessage>(_ message: Message) throws(ClientError) -> EncodedRequest {
    do { return try EncodedRequest(message, id: nextID()) } catch { throw .unsendable(reason: "\(error)") }
  }

  /// The error for an invalid message from the server.
  package func unreadable(_ reason: String) -> ClientError {
    .unreadableReply(path: connection?.path ?? "", reason: reason)
  }
}

extension Client {
  /// The shortest timeout for connecting: SO_SNDTIMEO treats zero as no timeout.
  private static let shortestTimeout = Duration.milliseconds(1)

  /// The longest pause between attempts to connect to a restarting server, in milliseconds.
  private static let longestPause: Int32 = 100

  /// Connects if there is no connection, for programs that check first whether there is a server.
  ///
  /// - Throws: ``ClientError``, `.noServer` if nothing listens on any of the sockets.
  public func connect() throws(ClientError) { _ = try connected(Deadline(configuration.timeout)) }

  /// Returns the connection; connects if there is none.
  func connected(_ deadline: Deadline) throws(ClientError) -> ServerConnection {
    if let connection {
      timing.connect = .zero
      return connection
    }
    let start = MonotonicClock.nanoseconds()
    let made = try wasConnected && !wasPrivate ? reconnect(deadline) : open(deadline)
    timing.connect = MonotonicClock.time(since: start)
    totalTiming.connect += timing.connect
    connection = made
    if let foreign = made.foreign { onForeignSocket?(foreign) }
    wasConnected = true
    wasPrivate = made.isPrivate
    return made
  }

  /// Connects to a server that was reached before.
  ///
  /// A server that binds its socket itself is unreachable for a moment when it restarts; therefore a missing socket or
  /// a refused connection is retried until the timeout.
  private func reconnect(_ deadline: Deadline) throws(ClientError) -> ServerConnection {
    var milliseconds: Int32 = 1
    while true {
      do {
        return try open(deadline)
      } catch {
        guard case .noServer = error, !deadline.isOver else { throw error }
        MonotonicClock.pause(milliseconds: min(milliseconds, deadline.milliseconds))
        milliseconds = min(2 * milliseconds, Self.longestPause)
      }
    }
  }

  /// Connects; while the queue of the server's socket is full, waits until the deadline.
  private func open(_ deadline: Deadline) throws(ClientError) -> ServerConnection {
    var location = configuration.location
    if wasConnected, !wasPrivate { location.startsPrivateServer = false }
    do {
      return try ServerConnection(location, timeout: max(deadline.remaining ?? .zero, Self.shortestTimeout))
    } catch {
      guard case .timedOut(let path, _) = error else { throw error }
      throw .timedOut(path: path, after: deadline.duration ?? .zero)
    }
  }

  /// `error`, or the version mismatch that caused it.
  ///
  /// The usual cause of an unreadable reply or an unknown method is that one side is older. `hello` finds out; it is
  /// sent only then and on a new connection, so that it costs nothing otherwise.
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
    let mine = ClientError.Endpoint(name: configuration.name, protocols: ProtocolVersion.supported)
    guard let request = try? encoded(Hello(client: configuration.name)) else { return nil }
    switch (try? exchangePersistently(Hello.self, [request]))?.first {
    case .success(let hello) where !mine.protocols.contains(hello.protocol):
      return .protocolMismatch(client: mine, server: .init(name: hello.server, protocols: [hello.protocol]))
    case .failure(let error):
      guard let theirs = error.data?.protocols, Set(theirs).isDisjoint(with: mine.protocols) else { return nil }
      return .protocolMismatch(client: mine, server: .init(name: "the server", protocols: theirs))
    default:
      return nil
    }
  }
}
