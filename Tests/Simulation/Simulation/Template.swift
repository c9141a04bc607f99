import CBOR
import CitiesProtocol
import Framing

/// A request that clients send, with any id of two bytes.
struct Template {
  /// What its answer has to be.
  enum Kind: Equatable {
    /// The bytes that the oracle has for the generation served.
    case data(Subject)
    /// The same, of the variant that it names.
    case page(Subject, variant: Int)
    /// The same bytes always.
    case constant
    /// A result that depends on the moment, or `busy`.
    case momentary
    /// A result, or `busy`; events follow.
    case watch
    /// An error that belongs to no request.
    case broken
    /// The same, after which the server closes the connection.
    case fatal
  }

  let name: String
  let kind: Kind
  /// The frame, with the id 256.
  let frame: [UInt8]

  /// The name of a short request that takes a quarter of the memory in which requests are received.
  static let bulky = "bulky city.search"

  /// Where the two bytes of the id stand, in requests and replies.
  static let idOffset = 9

  init<Message: RequestMessage>(_ message: Message, _ kind: Kind, _ name: String = Message.method) throws {
    (self.name, self.kind) = (name, kind)
    frame = try EncodedRequest(message, id: 256).frame
  }

  init(_ name: String, _ kind: Kind, frame: [UInt8]) { (self.name, self.kind, self.frame) = (name, kind, frame) }

  /// The frame with `id`.
  func request(_ id: Int) -> [UInt8] {
    var frame = frame
    guard kind != .broken, kind != .fatal else { return frame }
    frame[Self.idOffset] = UInt8(id >> 8)
    frame[Self.idOffset + 1] = UInt8(id & 255)
    return frame
  }

  /// The subject whose data answers it.
  var subject: Subject? {
    switch kind {
    case .data(let subject), .page(let subject, _): subject
    default: nil
    }
  }
}

extension Template {
  /// Requests of every kind; `images` for those that name a generation.
  static func all(_ images: [Subject: [Image]]) throws -> [Template] {
    try cities(images) + banks() + trade(images) + server() + broken()
  }

  private static func cities(_ images: [Subject: [Image]]) throws -> [Template] {
    let names = (0..<90).map { Image.name($0 * 5, variant: $0 % 3) + ($0 % 3 == 0 ? "x" : "") }
    let place = Place(at: Position(lat: 50, lon: 10))
    let far = Place(at: Position(lat: -40, lon: -120))
    let points = (0..<1_500).map { ($0 * 7 % 179 - 89, $0 * 31 % 359 - 179) }
    let locate = CityLocate(
      lat: .doubles(points.map { Double($0.0) }), lon: .doubles(points.map { Double($0.1) }), rows: true)
    var all: [Template] = [
      try Template(CitySearch(prefix: "al"), .data(.cities)),
      try Template(CitySearch(prefix: "b", match: .folded, limit: 5), .data(.cities)),
      try Template(CitySearch(prefix: "", sort: .population, limit: 160, with: [.region, .zone]), .data(.cities)),
      try Template(CityFind(query: "Alt17"), .data(.cities)),
      try Template(CitySearch(prefix: String(repeating: "al", count: 8_000)), .data(.cities), bulky),
      try Template(CityFind(query: "Burgelo", typos: true), .data(.cities)),
      try Template(CityFind(query: "Marnorx"), .data(.cities)), try Template(CityGet(id: 42), .data(.cities)),
      try Template(CityGet(id: 9_999), .data(.cities)), try Template(CityGet(query: "Alt3"), .data(.cities)),
      try Template(CityNear(place: place), .data(.cities)),
      try Template(CityNear(place: far, rule: .place, limit: 100), .data(.cities)),
      try Template(
        CityWithin(box: .init(south: -80, west: -170, north: 80, east: 170), limit: 160), .data(.cities)),
      try Template(locate, .data(.cities)),
      try Template(CityMatch(names: TextLines(names), rows: true), .data(.cities)),
      try Template(
        CityTime(places: [Place(id: 12), Place(zone: "Europe/Tallinn")], at: "2026-03-29T01:00:00Z"), .data(.cities)),
    ]
    for image in images[.cities] ?? [] {
      let page = CitySearch(prefix: "", offset: 20, limit: 30, generation: image.generation)
      all.append(try Template(page, .page(.cities, variant: image.variant)))
    }
    return all
  }

  private static func banks() throws -> [Template] {
    let day = "2026-03-26T12:00:00Z"
    return [
      try Template(BankRegions(), .data(.banks)),
      try Template(BankList(filter: BankConditions(country: "EE", at: day), limit: 10), .data(.banks)),
      try Template(BankList(filter: BankConditions(at: day), limit: 120), .data(.banks)),
      try Template(BankSearch(query: "office 1", filter: BankConditions(at: day), limit: 30), .data(.banks)),
      try Template(
        BankNear(place: Place(at: Position(lat: 57, lon: 25)), filter: BankConditions(at: day), limit: 50),
        .data(.banks)),
      try Template(BankGet(id: "unknown", at: day), .data(.banks)),
    ]
  }

  private static func trade(_ images: [Subject: [Image]]) throws -> [Template] {
    var all: [Template] = [
      try Template(ProductList(in: ["EUR", "USD", "XTS"], limit: 40), .data(.trade)),
      try Template(ProductGet(sku: "P7", in: "USD", explain: true), .data(.trade)),
      try Template(ProductGet(sku: "none"), .data(.trade)), try Template(RateList(base: "EUR"), .data(.trade)),
      try Template(
        RateConvert(amount: Decimal38(mantissa: 123_456, exponent: -2), from: "GBP", to: "JPY"), .data(.trade)),
    ]
    for image in images[.trade] ?? [] {
      let page = ProductList(offset: 10, limit: 10, generation: image.generation)
      all.append(try Template(page, .page(.trade, variant: image.variant)))
    }
    return all
  }

  private static func server() throws -> [Template] {
    [
      try Template(Introspect(), .constant), try Template(Hello(client: "simulation"), .momentary),
      try Template(Status(), .momentary), try Template(Watch(), .watch),
      try Template(Watch(subjects: [.cities]), .watch), try Template(Refresh(), .momentary),
      try Template(Refresh(feeds: [.rates]), .momentary),
    ]
  }

  private static func broken() throws -> [Template] {
    [
      Template("empty frame", .broken, frame: [0, 0, 0, 0]),
      Template("not CBOR", .broken, frame: Frame.framed([0xFF, 0x01, 0x02])),
      Template("oversize frame", .fatal, frame: [0x7F, 0, 0, 0]),
    ]
  }
}
