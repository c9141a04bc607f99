internal import CBOR
internal import CitiesClient
internal import CitiesProtocol

/// One connection with the questions that are under way on it.
final class Channel {
  /// The id of the request for news; questions have others.
  private static let newsID: UInt64 = .max

  private let connection: PolledConnection
  private var asked: [UInt64: (question: Question, since: ContinuousClock.Instant)] = [:]

  /// Connects.
  ///
  /// - Throws: `ClientError` if nobody is there.
  init(_ location: SocketLocation) throws(ClientError) { connection = try PolledConnection(location) }

  /// What is polled.
  var polled: (descriptor: Int32, events: Int16) { (connection.descriptor, connection.events) }
  /// When the oldest question that has no answer was asked.
  var oldest: ContinuousClock.Instant? { asked.values.map(\.since).min() }
  /// Whether every question has its answer.
  var isIdle: Bool { asked.isEmpty }

  /// Asks for news of all subjects.
  ///
  /// - Throws: `ClientError` if the connection is lost.
  func watch() throws(ClientError) { try connection.send(Watch(), id: Self.newsID) }

  /// Sends a question.
  ///
  /// A connection that breaks is told of by ``move()``, after what the server may have said before.
  func send(_ asked: Asked) {
    self.asked[asked.id] = (asked.question, .now)
    do {
      switch asked.question {
      case .cities(let question): try connection.send(question, id: asked.id)
      case .neighbours(let question): try connection.send(question, id: asked.id)
      case .regions(let question): try connection.send(question, id: asked.id)
      case .locations(let question): try connection.send(question, id: asked.id)
      case .nearLocations(let question): try connection.send(question, id: asked.id)
      case .location(let question): try connection.send(question, id: asked.id)
      case .products(let question): try connection.send(question, id: asked.id)
      case .transactions(let question): try connection.send(question, id: asked.id)
      case .rates(let question): try connection.send(question, id: asked.id)
      case .refresh(let question): try connection.send(question, id: asked.id)
      }
    } catch {}
  }

  /// Moves what can be moved without waiting, and hands over what came.
  ///
  /// - Throws: `ClientError` if the connection is lost.
  func move(_ take: (Event) -> Void) throws(ClientError) {
    try connection.move { payload in if let event = self.event(payload) { take(event) } }
  }

  private func event(_ payload: UnsafeRawBufferPointer) -> Event? {
    guard let head = try? CBORDecoder().decode(Head.self, from: payload) else { return nil }
    if head.id == Self.newsID { return news(payload) }
    guard let question = asked.removeValue(forKey: head.id)?.question else { return nil }
    return switch question {
    case .cities: answer(CitySearch.self, head.id, payload, Answer.cities)
    case .neighbours: answer(CityNear.self, head.id, payload, Answer.neighbours)
    case .regions: answer(BankRegions.self, head.id, payload, Answer.regions)
    case .locations: answer(BankSearch.self, head.id, payload, Answer.locations)
    case .nearLocations: answer(BankNear.self, head.id, payload, Answer.nearLocations)
    case .location: answer(BankGet.self, head.id, payload, Answer.location)
    case .products: answer(ProductList.self, head.id, payload, Answer.products)
    case .transactions: answer(ProductGet.self, head.id, payload, Answer.transactions)
    case .rates: answer(RateList.self, head.id, payload, Answer.rates)
    case .refresh: answer(Refresh.self, head.id, payload, Answer.refresh)
    }
  }

  private func answer<Message: RequestMessage>(
    _ type: Message.Type, _ id: UInt64, _ payload: UnsafeRawBufferPointer, _ wrap: (Message.Reply) -> Answer
  ) -> Event {
    do {
      let envelope = try CBORDecoder().decode(ServerEnvelope<Message>.self, from: payload)
      if let result = envelope.result { return .answer(id: id, .success(wrap(result))) }
      let error = envelope.error ?? WireError(.malformed, Words.unreadable("an event"))
      return .answer(id: id, .failure(error))
    } catch {
      return .answer(id: id, .failure(WireError(.malformed, Words.unreadable("\(error)"))))
    }
  }

  private func news(_ payload: UnsafeRawBufferPointer) -> Event? {
    guard let envelope = try? CBORDecoder().decode(ServerEnvelope<Watch>.self, from: payload) else { return nil }
    return envelope.event.map(Event.news) ?? envelope.result.map(Event.connected)
  }
}

/// The part of a reply that tells whose it is.
private struct Head: Decodable {
  var id: UInt64
}
