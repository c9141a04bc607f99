internal import CitiesProtocol
internal import Framing
internal import System

/// The steps of every request: connect if needed, send, read one frame per request, and repeat it all once if the
/// connection breaks.
extension Client {
  /// Takes the reply to the request at `index`; returns an error if later replies cannot be trusted.
  typealias Reader = (_ index: Int, _ payload: UnsafeRawBufferPointer) -> ClientError?

  /// Sends `requests` and passes the payload of every reply to `read`, in order.
  ///
  /// If the connection breaks, all requests are sent once more on a new one; `read` then starts again with index 0.
  func exchange(_ requests: [EncodedRequest], timeout: Duration?, _ read: Reader) throws(ClientError) {
    do {
      try unsafe exchangePersistently(requests, timeout: timeout, read)
    } catch {
      throw explanation(of: error)
    }
  }

  /// Performs ``exchange(_:timeout:_:)`` without asking for the server's protocol version after an unreadable reply.
  ///
  /// One deadline bounds connecting, sending, receiving and the second attempt.
  private func exchangePersistently(
    _ requests: [EncodedRequest], timeout: Duration?, _ read: Reader
  ) throws(ClientError) {
    let deadline = Deadline(timeout ?? configuration.timeout)
    do {
      try unsafe exchangeOnce(requests, deadline, read)
    } catch {
      guard case .connectionLost = error else { throw error }
      try unsafe exchangeOnce(requests, deadline, read)
    }
  }

  private func exchangeOnce(_ requests: [EncodedRequest], _ deadline: Deadline, _ read: Reader) throws(ClientError) {
    let connection = try connected(deadline)
    let start = MonotonicClock.nanoseconds()
    defer {
      timing.answer = MonotonicClock.time(since: start)
      totalTiming.answer += timing.answer
    }
    do {
      try unsafe move(requests, on: connection, deadline, read)
    } catch {
      // Replies still to come would match no request.
      self.connection = nil
      throw error
    }
  }

  private func move(
    _ requests: [EncodedRequest], on connection: ServerConnection, _ deadline: Deadline, _ read: Reader
  ) throws(ClientError) {
    if let onFrame = unsafe onFrame {
      for request in requests { unsafe request.withPayload { unsafe onFrame(.sent, $0) } }
    }
    for request in requests { connection.queue(request) }
    var failure: ClientError?
    do {
      if try !connection.sendAll(before: deadline) { failure = timedOut(connection, deadline) }
    } catch {
      // The server may have sent the reason, such as `busy`, before it closed the connection.
      failure = error
    }
    for index in requests.indices {
      let fault: ClientError?
      do {
        fault = try unsafe receive(on: connection, deadline) { unsafe read(index, $0) }
      } catch {
        throw failure ?? error
      }
      if let fault { throw fault }
    }
  }

  /// Waits for the next reply and passes its payload to `read`.
  private func receive(
    on connection: ServerConnection, _ deadline: Deadline, _ read: (UnsafeRawBufferPointer) -> ClientError?
  ) throws(ClientError) -> ClientError? {
    while let incoming = try connection.receive(before: deadline) {
      switch incoming {
      case .reply(_, let payload), .refusal(_, let payload), .unreadable(_, let payload):
        unsafe onFrame?(.received, payload)
        return unsafe read(payload)
      case .event, .fault, .incomplete: continue
      }
    }
    throw timedOut(connection, deadline)
  }

  private func timedOut(_ connection: ServerConnection, _ deadline: Deadline) -> ClientError {
    .timedOut(path: connection.path, after: deadline.duration ?? .zero)
  }

  /// Encodes a request with the next id.
  func encoded<Message: RequestMessage>(_ message: Message) throws(ClientError) -> EncodedRequest {
    do { return try EncodedRequest(message, id: nextID()) } catch { throw .unsendable(reason: "\(error)") }
  }

  /// The typed answer to `request`, or the error.
  func answer<Message: RequestMessage>(
    _ type: Message.Type, in payload: UnsafeRawBufferPointer, to request: EncodedRequest
  ) -> Result<Message.Reply, ClientError> {
    do {
      return try unsafe ServerEnvelope<Message>.answer(in: payload).mapError { .server($0) }
    } catch {
      return .failure(unreadable("the reply to \(request.method) is \(error)"))
    }
  }

  /// The error for an invalid message from the server.
  package func unreadable(_ reason: String) -> ClientError {
    .unreadableReply(path: connection?.path ?? "", reason: reason)
  }
}

extension Result where Failure == ClientError {
  /// The error, if later replies cannot be trusted after it; `nil` for errors that the server reports.
  var fault: ClientError? {
    guard case .failure(let error) = self else { return nil }
    if case .server = error { return nil }
    return error
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
