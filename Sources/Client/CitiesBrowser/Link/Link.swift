internal import CBOR
internal import CitiesClient
internal import CitiesProtocol

/// The browser's connection: questions out, events in, and made anew whenever it breaks. It never waits.
final class Link {
  /// Pauses between attempts to reach the server again.
  private static let pauses = Duration.milliseconds(20)...Duration.milliseconds(500)
  /// How long an answer may take before the user is told.
  private static let patience = Duration.milliseconds(700)
  /// The id of the request for news; questions have others.
  private static let watchID: UInt64 = .max

  private let location: SocketLocation
  private var connection: PolledConnection?
  private var asked: [UInt64: (question: Question, since: ContinuousClock.Instant)] = [:]
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

  /// What is polled, if there is a connection.
  var polled: (descriptor: Int32, events: Int16)? { connection.map { ($0.descriptor, $0.events) } }

  /// When something is to be done without an event; `nil` if never.
  var deadline: ContinuousClock.Instant? {
    guard connection != nil else { return nextAttempt }
    return isSlow ? nil : asked.values.map(\.since).min().map { $0 + Self.patience }
  }

  /// Sends a question; a connection that breaks is told of by the next ``move()``.
  func send(_ asked: Asked) {
    guard let connection else { return }
    self.asked[asked.id] = (asked.question, .now)
    do {
      switch asked.question {
      case .cities(let question): try connection.send(question, id: asked.id)
      case .neighbours(let question): try connection.send(question, id: asked.id)
      }
    } catch {
      // What the server said before it went is still to be read.
    }
  }

  /// Does what can be done without waiting.
  func move() -> [Event] {
    guard let connection else { return ContinuousClock.now >= nextAttempt ? reconnect() : [] }
    var events: [Event] = []
    do {
      try connection.move { payload in if let event = self.event(payload) { events.append(event) } }
    } catch {
      return events + [lose(error)]
    }
    return events + slowness()
  }

  private func connect() throws(ClientError) {
    let made = try PolledConnection(location)
    try made.send(Watch(), id: Self.watchID)
    connection = made
    asked = [:]
  }

  private func reconnect() -> [Event] {
    do {
      try connect()
      return []
    } catch {
      nextAttempt = .now + pause
      pause = min(pause * 2, Self.pauses.upperBound)
      return []
    }
  }

  private func lose(_ error: ClientError) -> Event {
    (connection, asked, isSlow) = (nil, [:], false)
    nextAttempt = .now + pause
    return .disconnected(reason: error.shortReason)
  }

  private func slowness() -> [Event] {
    let oldest = asked.values.map(\.since).min()
    let isSlow = oldest.map { $0 + Self.patience <= .now } ?? false
    defer { self.isSlow = isSlow }
    return isSlow == self.isSlow ? [] : [.waiting(isSlow)]
  }

  private func event(_ payload: UnsafeRawBufferPointer) -> Event? {
    guard let head = try? CBORDecoder().decode(Head.self, from: payload) else { return nil }
    if head.id == Self.watchID { return news(payload) }
    guard let question = asked.removeValue(forKey: head.id)?.question else { return nil }
    switch question {
    case .cities: return answer(CitySearch.self, head.id, payload, Answer.cities)
    case .neighbours: return answer(CityNear.self, head.id, payload, Answer.neighbours)
    }
  }

  private func answer<Message: RequestMessage>(
    _ type: Message.Type, _ id: UInt64, _ payload: UnsafeRawBufferPointer, _ wrap: (Message.Reply) -> Answer
  ) -> Event {
    do {
      let envelope = try CBORDecoder().decode(ServerEnvelope<Message>.self, from: payload)
      if let result = envelope.result { return .answer(id: id, .success(wrap(result))) }
      if let error = envelope.error { return .answer(id: id, .failure(error)) }
      return .answer(id: id, .failure(WireError(.malformed, Words.unreadable("an event"))))
    } catch {
      return .answer(id: id, .failure(WireError(.malformed, Words.unreadable("\(error)"))))
    }
  }

  private func news(_ payload: UnsafeRawBufferPointer) -> Event? {
    guard let envelope = try? CBORDecoder().decode(ServerEnvelope<Watch>.self, from: payload) else { return nil }
    if let event = envelope.event { return .news(event) }
    guard let state = envelope.result else { return nil }
    pause = Self.pauses.lowerBound
    return .connected(state)
  }
}

/// The part of a reply that tells whose it is.
private struct Head: Decodable {
  var id: UInt64
}
