internal import CitiesClient

/// The way to the server: questions out, events in, and made anew whenever it breaks.
///
/// It never waits. A refresh, which may take long, has a connection of its own: answers to one connection come in the
/// order of its questions.
final class Link {
  /// Pauses between attempts to reach the server again.
  private static let pauses = Duration.milliseconds(20)...Duration.milliseconds(500)
  /// How long an answer may take before the user is told.
  private static let patience = Duration.milliseconds(700)

  private let location: SocketLocation
  private var main: Channel?
  private var slow: Channel?
  private var pause = Link.pauses.lowerBound
  private var nextAttempt = ContinuousClock.now
  private var isSlow = false

  /// Connects for the first time.
  ///
  /// - Throws: `ClientError` if there is no server.
  init(_ location: SocketLocation) throws(ClientError) {
    self.location = location
    try connect()
  }

  /// What is polled.
  var polled: [(descriptor: Int32, events: Int16)] { [main, slow].compactMap { $0?.polled } }

  /// When something is to be done without an event; `nil` if never.
  var deadline: ContinuousClock.Instant? {
    guard let main else { return nextAttempt }
    return isSlow ? nil : main.longestWait.map { .now + (Self.patience - $0) }
  }

  /// Sends a question.
  func send(_ asked: Asked) {
    if case .refresh = asked.question {
      // Without a second connection it goes the way of all others, and delays them.
      if slow == nil { slow = try? Channel(location) }
      (slow ?? main)?.send(asked)
    } else {
      main?.send(asked)
    }
  }

  /// Does what can be done without waiting.
  func move() -> [Event] {
    guard let main else {
      if ContinuousClock.now >= nextAttempt { reconnect() }
      return []
    }
    var events: [Event] = []
    do {
      try main.move { events.append($0) }
      try slow?.move { events.append($0) }
    } catch {
      return events + [lose(error)]
    }
    if slow?.isIdle == true { slow = nil }
    if events.contains(where: \.isConnected) { pause = Self.pauses.lowerBound }
    return events + slowness(main)
  }

  private func connect() throws(ClientError) {
    let made = try Channel(location)
    made.watch()
    main = made
  }

  private func reconnect() {
    do { try connect() } catch {
      nextAttempt = .now + pause
      pause = min(pause * 2, Self.pauses.upperBound)
    }
  }

  private func lose(_ error: ClientError) -> Event {
    (main, slow, isSlow) = (nil, nil, false)
    nextAttempt = .now + pause
    return .disconnected(reason: error.shortReason)
  }

  private func slowness(_ channel: Channel) -> [Event] {
    let isSlow = channel.longestWait.map { $0 >= Self.patience } ?? false
    defer { self.isSlow = isSlow }
    return isSlow == self.isSlow ? [] : [.waiting(isSlow)]
  }
}

extension Event {
  fileprivate var isConnected: Bool {
    if case .connected = self { return true }
    return false
  }
}
