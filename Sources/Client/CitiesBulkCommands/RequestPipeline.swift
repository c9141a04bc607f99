internal import CitiesClient
internal import CitiesCommands
internal import CitiesProtocol
internal import Framing
internal import Glibc
internal import System

/// Requests about batches or lines, several of them ahead of their answers, on one connection that is restored if it
/// breaks.
///
/// A request changes nothing on the server, so one without an answer is sent again on the next connection. Answers come
/// in the order of the requests.
final class RequestPipeline<Subject> {
  /// Pauses between attempts to reach the server again, in milliseconds; each is twice the one before.
  private static var shortestPause: Int32 { 1 }
  private static var longestPause: Int32 { 250 }

  /// A request without an answer.
  struct Sent {
    let request: EncodedRequest
    let subject: Subject
  }

  /// What came for the oldest request: the payload of its answer, which is valid during the call.
  ///
  /// Returns whether the answer was taken; after `false` the connection is given up, and the request stays the oldest.
  typealias Taker = (_ payload: UnsafeRawBufferPointer, _ subject: Subject) -> Bool

  /// The requests without an answer, the oldest first.
  private(set) var sent: [Sent] = []
  private var location: SocketLocation
  private let timeout: Duration
  /// How long a server that was lost may be away.
  private let patience: Duration
  private var connection: ServerConnection?
  private var lastID: UInt64 = 0
  /// When the server last gave an answer, or was asked while it had nothing to do.
  private var lastAnswer = ContinuousClock.now
  /// When the connection was lost that no answer has followed since, and why.
  private var lossStart: ContinuousClock.Instant?
  private var lossReason: ClientError?
  private var pause = RequestPipeline.shortestPause
  /// Requests under way at most.
  private let window: Int

  /// Connects at the first request.
  ///
  /// - Parameters:
  ///   - configuration: How the server is reached, and how long an answer may take.
  ///   - window: Requests under way at most.
  ///   - wait: How long a server that was lost may be away, if that is longer than an answer may take.
  init(_ configuration: Client.Configuration, window: Int, wait: Duration) {
    self.window = window
    (location, timeout) = (configuration.location, configuration.timeout)
    patience = max(wait, timeout)
  }

  var isIdle: Bool { sent.isEmpty }
  /// Whether another request may be sent.
  var hasRoom: Bool { sent.count < window }

  /// Sends a request, and passes on the answers that have come.
  ///
  /// - Throws: `ClientError` if it cannot be sent, or no server can be reached.
  func send(_ message: some RequestMessage, about subject: Subject, _ take: Taker) throws(ClientError) {
    try queue(message, about: subject)
    try move(take)
  }

  /// Queues a request, which the next call of ``wait(orFor:atMost:_:)`` sends: small ones are sent together.
  ///
  /// - Throws: `ClientError` if it cannot be sent, or no server can be reached.
  func queue(_ message: some RequestMessage, about subject: Subject) throws(ClientError) {
    lastID += 1
    let request: EncodedRequest
    do { request = try EncodedRequest(message, id: lastID) } catch { throw .unsendable(reason: "\(error)") }
    if connection == nil, isIdle { connection = try connect() }
    if isIdle { lastAnswer = .now }
    sent.append(Sent(request: request, subject: subject))
    connection?.queue(request)
  }

  /// Waits until something can be sent or received, or `input` is ready, or it is time to show progress; then passes on
  /// the answers that have come.
  ///
  /// - Throws: `ClientError`, `.timedOut` if an answer takes too long.
  func wait(orFor input: Int32?, atMost interval: Duration, _ take: Taker) throws(ClientError) {
    if let connection {
      let remaining = timeout - lastAnswer.duration(to: .now)
      guard remaining > .zero || hasInput(connection) else { throw .timedOut(path: connection.path, after: timeout) }
      // poll(2) ignores negative descriptors.
      var entries = [
        pollfd(fd: connection.descriptor, events: connection.events, revents: 0),
        pollfd(fd: input ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&entries, 2, max(1, Deadline(min(remaining, interval)).milliseconds))
    }
    try move(take)
  }

  /// Gives up the connection for `reason`; what has no answer is sent again.
  private func giveUpConnection(_ reason: ClientError) { (connection, lossReason) = (nil, reason) }

  private func hasInput(_ connection: ServerConnection) -> Bool {
    var entry = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// Sends and receives what is possible without waiting; restores the connection if that is lost.
  private func move(_ take: Taker) throws(ClientError) {
    var isTaking = true
    if connection == nil { try restore() }
    do {
      try connection?.move { incoming in
        guard isTaking else { return }
        switch incoming {
        case .reply(_, let payload), .refusal(_, let payload), .unreadable(_, let payload):
          isTaking = pass(payload, take)
        case .event, .fault, .incomplete: break
        }
      }
    } catch {
      guard case .connectionLost = error else { throw error }
      (connection, lossReason) = (nil, error)
    }
    if !isTaking { connection = nil }
  }

  private func pass(_ payload: UnsafeRawBufferPointer, _ take: Taker) -> Bool {
    guard let oldest = sent.first, take(payload, oldest.subject) else { return false }
    sent.removeFirst()
    (lastAnswer, lossStart, lossReason, pause) = (.now, nil, nil, Self.shortestPause)
    return true
  }

  /// Connects again, and sends what has no answer yet; after each failure it pauses, for as long as the server may be
  /// away.
  private func restore() throws(ClientError) {
    let start = lossStart ?? .now
    // The first attempt is made at once: a socket of systemd's is there all the time.
    if lossStart != nil { pauseBeforeAttempt() }
    lossStart = start
    while connection == nil {
      let isTimeOver = start.duration(to: .now) >= patience
      if isTimeOver, let lossReason { throw lossReason }
      do {
        connection = try connect()
      } catch {
        guard error.mayPass, !isTimeOver else { throw error }
        pauseBeforeAttempt()
      }
    }
    for request in sent { connection?.queue(request.request) }
    lastAnswer = .now
  }

  private func pauseBeforeAttempt() {
    MonotonicClock.pause(milliseconds: pause)
    pause = min(2 * pause, Self.longestPause)
  }

  private func connect() throws(ClientError) -> ServerConnection {
    let made = try ServerConnection(location)
    // A shared server is never replaced by a private one: the two may hold different data.
    location.startsPrivateServer = made.isPrivate
    return made
  }
}

extension RequestPipeline {
  /// Gives up the connection after an error of the server's, and unless it is busy asks about the oldest request once
  /// more.
  ///
  /// The usual client does that: it waits for data that is on its way, and knows what to say of a server of another
  /// version. If it has an answer, the requests without one are sent again.
  ///
  /// - Parameters:
  ///   - refusal: The error.
  ///   - options: How the server is reached.
  ///   - context: The surroundings of the command.
  ///   - message: The request about a subject.
  /// - Throws: what the usual client throws if it has no answer either.
  func recover<Message: RequestMessage>(
    from refusal: WireError, _ options: ConnectionOptions, in context: Context, asking message: (Subject) -> Message
  ) throws(ClientError) {
    giveUpConnection(.server(refusal))
    guard refusal.code != .busy, let oldest = sent.first else { return }
    let message = message(oldest.subject)
    _ = try context.ask(options) { (client) throws(ClientError) in
      defer { client.disconnect() }
      return try client.send(message)
    }
  }
}
