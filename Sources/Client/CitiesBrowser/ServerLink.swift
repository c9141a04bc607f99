internal import CitiesClient
internal import CitiesProtocol
internal import Framing

/// The full screen's connection to the server: sends requests, receives events, and reconnects when the connection
/// breaks.
///
/// It never blocks. A refresh, which may take long, has its own connection, because replies arrive in the order of the
/// requests of a connection.
final class ServerLink {
  /// The shortest and the longest pause between attempts to reconnect.
  private static let pauses = Duration.milliseconds(20)...Duration.milliseconds(500)
  /// How long a reply may take before the screen says that the server is slow.
  private static let slowThreshold = Duration.milliseconds(700)

  private var location: SocketLocation
  private let subjects: [Subject]
  private var main: RequestChannel?
  private var slow: RequestChannel?
  private var pause = ServerLink.pauses.lowerBound
  private var nextAttempt = ContinuousClock.now
  private var isSlow = false

  /// Connects for the first time; events about `subjects` are requested with the first ``move()``, after the first
  /// screen.
  ///
  /// The request for events about banks and trade makes the server download them for the first time.
  ///
  /// - Throws: `ClientError` if there is no server.
  init(_ location: SocketLocation, newsOf subjects: [Subject]) throws(ClientError) {
    self.location = location
    self.subjects = subjects
    try connect()
  }

  /// The descriptors to poll, and the events to poll them for.
  var polled: [(descriptor: Int32, events: Int16)] {
    [main, slow].compactMap { $0.map { ($0.connection.descriptor, $0.connection.events) } }
  }

  /// When ``move()`` is due without an event; `nil` if never.
  var deadline: ContinuousClock.Instant? {
    guard let main else { return nextAttempt }
    return isSlow ? nil : main.connection.longestWait.map { .now + (Self.slowThreshold - $0) }
  }

  /// Whether a reply is pending, other than that to a refresh.
  var isWaiting: Bool { main.map { !$0.connection.isIdle } ?? false }

  func send(_ issued: IssuedRequest) {
    if issued.message is Refresh {
      // Without a second connection, a refresh shares the first one and delays other requests.
      if slow == nil, !location.startsPrivateServer { slow = try? RequestChannel(location) }
      (slow ?? main)?.send(issued)
    } else {
      main?.send(issued)
    }
  }

  /// Sends, receives and reconnects as far as possible without blocking.
  func move() -> [BrowserEvent] {
    guard let main else {
      if ContinuousClock.now >= nextAttempt { reconnect() }
      return []
    }
    var events: [BrowserEvent] = []
    do {
      try main.move(into: &events)
      try slow?.move(into: &events)
    } catch {
      return events + [lose(error)]
    }
    if slow?.connection.isIdle == true { slow = nil }
    if events.contains(where: { if case .connected = $0 { true } else { false } }) { pause = Self.pauses.lowerBound }
    return events + slowness(main)
  }

  private func connect() throws(ClientError) {
    let made = try RequestChannel(location)
    made.watch(subjects)
    main = made
    // A shared server is never replaced by a private one, nor is a private one joined by a second.
    location.startsPrivateServer = made.connection.isPrivate
  }

  private func reconnect() { do { try connect() } catch { backOff() } }

  private func backOff() {
    nextAttempt = .now + pause
    pause = min(pause * 2, Self.pauses.upperBound)
  }

  private func lose(_ error: ClientError) -> BrowserEvent {
    (main, slow, isSlow) = (nil, nil, false)
    backOff()
    return .disconnected(reason: error.reasonOnScreen)
  }

  private func slowness(_ channel: RequestChannel) -> [BrowserEvent] {
    let isSlow = channel.connection.longestWait.map { $0 >= Self.slowThreshold } ?? false
    defer { self.isSlow = isSlow }
    return isSlow == self.isSlow ? [] : [.waiting(isSlow)]
  }
}

extension ClientError {
  /// The error for the screen, without the paths of its description.
  fileprivate var reasonOnScreen: String {
    switch self {
    case .permissionDenied: "access to the server is denied"
    case .protocolMismatch: "the server speaks another version"
    case .unreadableReply: "unreadable reply from the server"
    default: shortReason
    }
  }
}

/// A connection and its requests without a reply.
final class RequestChannel {
  /// The id of the request for events.
  private static let newsID: UInt64 = .max

  let connection: ServerConnection
  /// Requests without a reply, by id.
  private var pending: [UInt64: any RequestMessage] = [:]

  /// Connects.
  ///
  /// - Throws: `ClientError` if no server listens.
  init(_ location: SocketLocation) throws(ClientError) { connection = try ServerConnection(location) }

  /// Requests events about `subjects`.
  func watch(_ subjects: [Subject]) { queue(Watch(subjects: subjects), Self.newsID) }

  /// Queues a request for the next ``move(into:)``.
  func send(_ issued: IssuedRequest) {
    pending[issued.id] = issued.message
    queue(issued.message, issued.id)
  }

  /// Drops a request that is too large for the wire: no input line is that long.
  private func queue(_ message: some RequestMessage, _ id: UInt64) {
    if let request = try? EncodedRequest(message, id: id) { connection.queue(request) }
  }

  /// Sends and receives as much as possible without blocking, and adds what has arrived.
  ///
  /// - Throws: `ClientError` if the connection is lost.
  func move(into events: inout [BrowserEvent]) throws(ClientError) {
    while let incoming = try connection.next() {
      if let event = event(incoming) { events.append(event) }
    }
  }

  private func event(_ incoming: FramedClient.Incoming) -> BrowserEvent? {
    switch incoming {
    case .event(_, let payload): return news(payload)
    case .reply(Self.newsID, let payload), .refusal(Self.newsID?, let payload), .unreadable(Self.newsID?, let payload):
      return news(payload)
    case .reply(let id, let payload), .refusal(let id?, let payload), .unreadable(let id?, let payload):
      return pending.removeValue(forKey: id).map { answer(to: $0, id, payload) }
    case .refusal, .unreadable, .fault, .incomplete: return nil
    }
  }

  private func answer<Message: RequestMessage>(
    to message: Message, _ id: UInt64, _ payload: UnsafeRawBufferPointer
  ) -> BrowserEvent {
    do {
      return .answer(id: id, try ServerEnvelope<Message>.answer(in: payload).map { $0 })
    } catch {
      return .answer(id: id, .failure(WireError(.malformed, Strings.unreadable("\(error)"))))
    }
  }

  private func news(_ payload: UnsafeRawBufferPointer) -> BrowserEvent {
    let envelope = try? ServerEnvelope<Watch>(payload: payload)
    // A server that refuses to send news still answers other requests.
    return envelope?.event.map(BrowserEvent.news)
      ?? .connected(envelope?.result ?? Watch.Reply(ready: [:], generations: [:]))
  }
}
