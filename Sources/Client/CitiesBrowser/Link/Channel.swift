internal import CBOR
internal import CitiesClient
internal import CitiesProtocol
internal import Framing

/// One connection, and the questions that are waiting for an answer on it.
final class Channel {
  /// The id of the request for news; questions have others.
  private static let newsID: UInt64 = .max

  private let connection: ServerConnection
  /// Questions without an answer, by id.
  private var pending: [UInt64: Question] = [:]

  /// Connects.
  ///
  /// - Throws: `ClientError` if no server listens.
  init(_ location: SocketLocation) throws(ClientError) { connection = try ServerConnection(location) }

  /// The descriptor to poll, and the events to poll it for.
  var polled: (descriptor: Int32, events: Int16) { (connection.descriptor, connection.events) }
  /// How long the oldest question without an answer has been waiting.
  var longestWait: Duration? { connection.longestWait }
  /// Whether every question has its answer.
  var isIdle: Bool { connection.isIdle }

  /// Asks for news of all subjects.
  func watch() { queue(Watch(), Self.newsID) }

  /// Sends a question; the next ``move(_:)`` reports a connection that is lost.
  func send(_ asked: Asked) {
    pending[asked.id] = asked.question
    switch asked.question {
    case .cities(let question): queue(question, asked.id)
    case .neighbours(let question): queue(question, asked.id)
    case .regions(let question): queue(question, asked.id)
    case .locations(let question): queue(question, asked.id)
    case .nearLocations(let question): queue(question, asked.id)
    case .location(let question): queue(question, asked.id)
    case .products(let question): queue(question, asked.id)
    case .transactions(let question): queue(question, asked.id)
    case .rates(let question): queue(question, asked.id)
    case .refresh(let question): queue(question, asked.id)
    }
  }

  /// A question that is too large for the wire is not sent, and never answered: no screen takes so much text.
  private func queue<Message: RequestMessage>(_ message: Message, _ id: UInt64) {
    if let request = try? EncodedRequest(message, id: id) { connection.queue(request) }
  }

  /// Sends and receives what is possible without waiting, and passes on what has arrived.
  ///
  /// - Throws: `ClientError` if the connection is lost.
  func move(_ take: (Event) -> Void) throws(ClientError) {
    try connection.move { arrival in if let event = self.event(arrival) { take(event) } }
  }

  private func event(_ arrival: FramedClient.Arrival) -> Event? {
    switch arrival {
    case .event(_, let payload): return news(payload)
    case .reply(Self.newsID, let payload): return news(payload)
    case .reply(let id, let payload), .refusal(let id?, let payload), .unreadable(let id?, let payload):
      return pending.removeValue(forKey: id).map { answer(to: $0, id, payload) }
    case .refusal, .unreadable, .fault, .incomplete: return nil
    }
  }

  private func answer(to question: Question, _ id: UInt64, _ payload: UnsafeRawBufferPointer) -> Event {
    switch question {
    case .cities: answer(CitySearch.self, id, payload, Answer.cities)
    case .neighbours: answer(CityNear.self, id, payload, Answer.neighbours)
    case .regions: answer(BankRegions.self, id, payload, Answer.regions)
    case .locations: answer(BankSearch.self, id, payload, Answer.locations)
    case .nearLocations: answer(BankNear.self, id, payload, Answer.nearLocations)
    case .location: answer(BankGet.self, id, payload, Answer.location)
    case .products: answer(ProductList.self, id, payload, Answer.products)
    case .transactions: answer(ProductGet.self, id, payload, Answer.transactions)
    case .rates: answer(RateList.self, id, payload, Answer.rates)
    case .refresh: answer(Refresh.self, id, payload, Answer.refresh)
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
