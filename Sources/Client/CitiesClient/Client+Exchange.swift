internal import CitiesProtocol
internal import Framing
internal import System

/// The path of every request: connect if there is no connection, send, read one frame per request, and do all of it
/// once more if the connection breaks.
extension Client {
  /// Takes the reply to the request at `index`; a returned fault means that later replies cannot be trusted.
  typealias Reader = (_ index: Int, _ payload: UnsafeRawBufferPointer) -> ClientError?

  /// Sends `requests` and passes the payload of every reply to `read`, in order.
  ///
  /// If the connection breaks, all requests are sent again on a new one, once; `read` then sees index 0 again.
  func exchange(_ requests: [EncodedRequest], timeout: Duration?, _ read: Reader) throws(ClientError) {
    do {
      try unsafe exchangePersistently(requests, timeout: timeout, read)
    } catch {
      throw explanation(of: error)
    }
  }

  /// The same without asking for the versions of the wire after an unreadable reply.
  ///
  /// One deadline bounds connecting, sending, receiving and the second attempt.
  private func exchangePersistently(
    _ requests: [EncodedRequest], timeout: Duration?, _ read: Reader
  ) throws(ClientError) {
    let limit = RequestLimit(timeout ?? configuration.timeout)
    do {
      try unsafe exchangeOnce(requests, limit, read)
    } catch {
      guard case .connectionLost = error else { throw error }
      try unsafe exchangeOnce(requests, limit, read)
    }
  }

  private func exchangeOnce(_ requests: [EncodedRequest], _ limit: RequestLimit, _ read: Reader) throws(ClientError) {
    let connection = try connected(limit)
    let start = MonotonicClock.nanoseconds()
    defer {
      timing.answer = .nanoseconds(MonotonicClock.nanoseconds() - start)
      totalTiming.answer += timing.answer
    }
    do {
      try unsafe move(requests, on: connection, limit, read)
    } catch {
      // Replies that are still on their way belong to no request.
      self.connection = nil
      throw error
    }
  }

  private func move(
    _ requests: [EncodedRequest], on connection: ServerConnection, _ limit: RequestLimit, _ read: Reader
  ) throws(ClientError) {
    if let onFrame = unsafe onFrame {
      for request in requests { unsafe request.withPayload { unsafe onFrame(.sent, $0) } }
    }
    for request in requests { connection.queue(request) }
    var failure: ClientError?
    do {
      if try !connection.sendAll(before: limit.deadline) { failure = timedOut(connection, limit) }
    } catch {
      // A server may have sent the reason before it closed the connection, such as `busy`.
      failure = error
    }
    for index in requests.indices {
      let fault: ClientError?
      do {
        fault = try unsafe receive(on: connection, limit) { unsafe read(index, $0) }
      } catch {
        throw failure ?? error
      }
      if let fault { throw fault }
    }
  }

  /// Waits for the next reply and passes its payload to `read`.
  private func receive(
    on connection: ServerConnection, _ limit: RequestLimit, _ read: (UnsafeRawBufferPointer) -> ClientError?
  ) throws(ClientError) -> ClientError? {
    while let incoming = try connection.receive(before: limit.deadline) {
      switch incoming {
      case .reply(_, let payload), .refusal(_, let payload), .unreadable(_, let payload):
        unsafe onFrame?(.received, payload)
        return unsafe read(payload)
      case .event, .fault, .incomplete: continue
      }
    }
    throw timedOut(connection, limit)
  }

  private func timedOut(_ connection: ServerConnection, _ limit: RequestLimit) -> ClientError {
    .timedOut(path: connection.path, after: limit.timeout)
  }

  /// Encodes a request with the next id.
  func encoded<Message: RequestMessage>(_ message: Message) throws(ClientError) -> EncodedRequest {
    do { return try EncodedRequest(message, id: nextID()) } catch { throw .unsendable(reason: "\(error)") }
  }

  /// The typed answer to `request`, or why there is none.
  func answer<Message: RequestMessage>(
    _ type: Message.Type, in payload: UnsafeRawBufferPointer, to request: EncodedRequest
  ) -> Result<Message.Reply, ClientError> {
    do {
      return try unsafe ServerEnvelope<Message>.answer(in: payload).mapError { .server($0) }
    } catch {
      return .failure(unreadable("the reply to \(request.method) is \(error)"))
    }
  }

  /// The error that what the server sent cannot be understood, for `reason`.
  package func unreadable(_ reason: String) -> ClientError {
    .unreadableReply(path: connection?.path ?? "", reason: reason)
  }
}

extension Result where Failure == ClientError {
  /// The error after which later replies cannot be trusted; errors that the server reports are not such.
  var fault: ClientError? {
    guard case .failure(let error) = self else { return nil }
    if case .server = error { return nil }
    return error
  }
}

extension Client {
  /// The least time to wait for a place in a full queue: SO_SNDTIMEO takes zero for no end.
  private static let shortestPatience = Duration.milliseconds(1)

  /// The longest pause between two attempts to reach a server that is restarting, in milliseconds.
  private static let longestPause: Int32 = 100

  /// Connects if there is no connection, for programs that check at once whether there is a server.
  ///
  /// - Throws: ``ClientError``, `.noServer` if nothing listens on any of the sockets.
  public func connect() throws(ClientError) { _ = try connected(RequestLimit(configuration.timeout)) }

  /// The connection, made if there is none.
  func connected(_ limit: RequestLimit) throws(ClientError) -> ServerConnection {
    if let connection {
      timing.connect = .zero
      return connection
    }
    let start = MonotonicClock.nanoseconds()
    let made = try wasConnected && !wasPrivate ? reconnect(limit) : open(limit)
    timing.connect = .nanoseconds(MonotonicClock.nanoseconds() - start)
    totalTiming.connect += timing.connect
    connection = made
    wasConnected = true
    wasPrivate = made.isPrivate
    return made
  }

  /// Connects to a server that was there a moment ago.
  ///
  /// A server that binds its socket itself is away for a moment while it restarts; so a missing or refused socket is
  /// tried again until the timeout is over.
  private func reconnect(_ limit: RequestLimit) throws(ClientError) -> ServerConnection {
    var milliseconds: Int32 = 1
    while true {
      do {
        return try open(limit)
      } catch {
        guard case .noServer = error, !limit.deadline.isOver else { throw error }
        MonotonicClock.pause(milliseconds: min(milliseconds, limit.deadline.milliseconds))
        milliseconds = min(2 * milliseconds, Self.longestPause)
      }
    }
  }

  /// Connects, and waits for a place in the full queue of the server's socket until the deadline.
  private func open(_ limit: RequestLimit) throws(ClientError) -> ServerConnection {
    var location = configuration.location
    if wasConnected, !wasPrivate { location.startsPrivateServer = false }
    do {
      return try ServerConnection(location, patience: max(limit.remaining, Self.shortestPatience))
    } catch {
      guard case .timedOut(let path, _) = error else { throw error }
      throw .timedOut(path: path, after: limit.timeout)
    }
  }

  /// `error`, or the mismatch of versions that caused it.
  ///
  /// An unreadable reply and an unknown method have one usual cause: one side is older. `hello` settles it; it is sent
  /// on a new connection and only now, so that it costs nothing where all is well.
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
    var reply: Result<Hello.Reply, ClientError>?
    try? unsafe exchangePersistently([request], timeout: nil) { _, payload in
      reply = unsafe self.answer(Hello.self, in: payload, to: request)
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
