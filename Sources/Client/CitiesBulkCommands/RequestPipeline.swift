internal import CitiesClient
internal import CitiesCommands
internal import CitiesProtocol
internal import Framing
internal import Glibc
internal import System

/// Requests about batches or lines, several of them ahead of their answers, on connections that are restored if they
/// break.
///
/// The connections take turns. A request changes nothing on the server, so one without an answer is sent again on the
/// next connection to it. Answers are passed on in the order of the requests: one that comes early waits in the memory
/// of its connection.
final class RequestPipeline<Item, Message: RequestMessage> {
  /// Pauses between attempts to reach the server again, in milliseconds; each is twice the one before.
  private static var shortestPause: Int32 { 1 }
  private static var longestPause: Int32 { 250 }

  /// A request without an answer.
  struct Sent {
    let request: EncodedRequest
    let item: Item
    /// The place of its connection.
    let server: Int
    let start = ContinuousClock.now
  }

  /// Takes what came for the oldest request: the payload of its answer, which is valid during the call.
  ///
  /// Returns the server's error if asking again may help: then the connection is given up, and the request stays the
  /// oldest. After a thrown error no further answer is passed on.
  typealias Taker = (_ payload: UnsafeRawBufferPointer, _ item: Item) throws -> WireError?

  /// The requests without an answer, the oldest first.
  private(set) var sent: [Sent] = []
  private let context: Context
  private let message: (Item) -> Message
  private var location: SocketLocation
  private let timeout: Duration
  /// How long a server that was lost may be away.
  private let patience: Duration
  /// `nil` for those that are lost.
  private var connections: [ServerConnection?]
  /// Whether an answer may have come that is not passed on yet.
  private var mayHaveMore = false
  private var lastID: UInt64 = 0
  /// When an answer of each connection was last passed on, or the connection restored.
  private var lastAnswers: [ContinuousClock.Instant]
  /// When the connection was lost that no answer has followed since, and why.
  private var lossStart: ContinuousClock.Instant?
  private var lossReason: ClientError?
  private var pause = RequestPipeline.shortestPause
  /// Requests under way on a connection at most.
  private let window: Int
  /// The server's error for the oldest request.
  private var refusal: WireError?

  /// Connects at the first request, with all connections at once.
  ///
  /// - Parameters:
  ///   - context: The surroundings of the command: how the server is reached, how long an answer may take, and a
  ///     server that was lost be away.
  ///   - window: Requests under way on a connection at most.
  ///   - servers: The number of connections.
  ///   - message: The request about an item.
  init(_ context: Context, window: Int, servers: Int = 1, asking message: @escaping (Item) -> Message) {
    (self.context, self.window, self.message) = (context, window, message)
    connections = Array(repeating: nil, count: servers)
    lastAnswers = Array(repeating: .now, count: servers)
    let configuration = context.connection.configuration
    location = configuration.location
    // Private servers take turns at the processors.
    let usable = servers == 1 ? 1 : Processors.usable
    timeout = configuration.timeout * ((servers + usable - 1) / usable)
    patience = max(context.connection.wait, configuration.timeout)
  }

  /// Makes the private servers exit, all together; each connection then waits for its own.
  deinit { for connection in connections { connection?.finish() } }

  var isIdle: Bool { sent.isEmpty }
  private var isConnected: Bool { connections.allSatisfy { $0 != nil } }
  /// How long its server has worked at the oldest request.
  var oldestAge: Duration {
    sent.first.map { max($0.start, lastAnswers[$0.server]).duration(to: .now) } ?? .zero
  }
  /// Whether another request may be sent.
  var hasRoom: Bool { sent.count < window * connections.count }

  /// Queues a request, which the next call of ``move(_:)`` or ``wait(orFor:atMost:_:)`` sends: small ones are sent
  /// together.
  ///
  /// - Throws: `ClientError` if it cannot be sent, or no server can be reached.
  func queue(_ item: Item) throws {
    lastID += 1
    let request: EncodedRequest
    do { request = try EncodedRequest(message(item), id: lastID) } catch {
      throw CommandFailure(ClientError.unsendable(reason: "\(error)"))
    }
    // Later ones are restored, which has patience.
    if lastID == 1 {
      for server in connections.indices where connections[server] == nil { connections[server] = try connect() }
    }
    let server = Int(lastID % UInt64(connections.count))
    sent.append(Sent(request: request, item: item, server: server))
    connections[server]?.queue(request)
  }

  /// Waits until something can be sent or received, or `input` is ready, or it is time to show progress; then passes on
  /// the answers that have come.
  ///
  /// - Throws: `ClientError`, `.timedOut` if an answer takes too long; the errors of `take`.
  func wait(orFor input: Int32?, atMost interval: Duration, _ take: Taker) throws {
    if !mayHaveMore, isConnected, let oldest = sent.first {
      let remaining = timeout - lastAnswers.reduce(oldest.start, max).duration(to: .now)
      // poll(2) ignores negative descriptors.
      var entries = connections.map { pollfd(fd: $0?.descriptor ?? -1, events: $0?.events ?? 0, revents: 0) }
      entries.append(pollfd(fd: input ?? -1, events: Int16(POLLIN), revents: 0))
      _ = poll(&entries, nfds_t(entries.count), max(1, Deadline(min(remaining, interval)).milliseconds))
      guard remaining > .zero || entries.dropLast().contains(where: { $0.revents & ~Int16(POLLOUT) != 0 }) else {
        throw ClientError.timedOut(path: connections[oldest.server]?.path ?? "", after: timeout)
      }
    }
    try move(take)
  }

  /// Sends and receives what is possible without waiting, and passes on answers that have come; restores connections
  /// that are lost.
  ///
  /// - Throws: `ClientError` if no server can be reached; the errors of `take`.
  func move(_ take: Taker) throws {
    let count = sent.count
    for server in connections.indices {
      if connections[server] == nil { try restore(server) }
      do {
        while let incoming = try connections[server]?.next(isWanted: refusal == nil && sent.first?.server == server) {
          try pass(incoming, take)
        }
      } catch let error as ClientError {
        guard case .connectionLost = error else { throw error }
        (connections[server], lossReason) = (nil, error)
      }
      if refusal != nil, sent.first?.server == server { connections[server] = nil }
    }
    mayHaveMore = sent.count < count
  }

  private func pass(_ incoming: FramedClient.Incoming, _ take: Taker) throws {
    switch incoming {
    case .event, .fault, .incomplete: return
    case .reply(_, let payload), .refusal(_, let payload), .unreadable(_, let payload):
      guard let oldest = sent.first else { return }
      refusal = try take(payload, oldest.item)
      guard refusal == nil else { return }
      sent.removeFirst()
      (lastAnswers[oldest.server], lossStart, lossReason, pause) = (.now, nil, nil, Self.shortestPause)
    }
  }

  /// Connects to a server again, and sends what it has not answered yet; after each failure it pauses, for as long as
  /// the server may be away.
  private func restore(_ server: Int) throws(ClientError) {
    let start = lossStart ?? .now
    // The first attempt is made at once: a socket of systemd's is there all the time.
    if lossStart != nil { pauseBeforeAttempt() }
    lossStart = start
    while connections[server] == nil {
      let isTimeOver = start.duration(to: .now) >= patience
      if isTimeOver, let lossReason { throw lossReason }
      do {
        connections[server] = try connect()
      } catch {
        guard error.mayPass, !isTimeOver else { throw error }
        pauseBeforeAttempt()
      }
    }
    for request in sent where request.server == server { connections[server]?.queue(request.request) }
    lastAnswers[server] = .now
  }

  private func pauseBeforeAttempt() {
    MonotonicClock.pause(milliseconds: pause)
    pause = min(2 * pause, Self.longestPause)
  }

  private func connect() throws(ClientError) -> ServerConnection {
    let made = try ServerConnection(location)
    if let foreign = made.foreign { context.noteForeign(foreign) }
    // A shared server is never replaced by a private one: the two may hold different data.
    location.startsPrivateServer = made.isPrivate
    return made
  }
}

extension RequestPipeline {
  /// After an error of the server's, unless it is busy, asks about the oldest request once more.
  ///
  /// Before a server is waited for, `flush` writes the answers that have come.
  ///
  /// The usual client does that: it waits for data that is on its way, and knows what to say of a server of another
  /// version. If it has an answer, the requests without one are sent again.
  ///
  /// - Throws: what the usual client throws if it has no answer either.
  func settle(_ flush: () throws -> Void) throws {
    if !isConnected { try flush() }
    guard let refusal else { return }
    (self.refusal, lossReason) = (nil, .server(refusal))
    guard refusal.code != .busy, let oldest = sent.first else { return }
    let message = message(oldest.item)
    _ = try context.ask { (client) throws(ClientError) in
      defer { client.disconnect() }
      return try client.send(message)
    }
  }
}
