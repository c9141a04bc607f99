import CBOR
import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesServer

/// A `city.near` with any rule.
private struct OddNear: RequestMessage {
  static let method = CityNear.method
  typealias Reply = CityNear.Reply
  var place: Place
  var rule: String
}

@Suite struct NearParamsTests {
  /// The request, whichever reader it came from.
  struct Asked: Equatable {
    var place: Place, rule: CityNear.Rule
    var limit: UInt64, radius: Double
    var provenance: Bool
  }

  /// Reads parameters as the handler does.
  static func asHandler(_ bytes: [UInt8]) -> Asked? {
    bytes.withUnsafeBytes { bytes in
      var reader = CBORReader(bytes)
      guard let params = try? CityNearParams(&reader), reader.isAtEnd else { return nil }
      let place =
        switch params.origin {
        case .position(let position): Place(at: position)
        case .named(let place): place
        }
      return Asked(
        place: place, rule: params.rule, limit: params.limit, radius: params.radius,
        provenance: params.provenance)
    }
  }

  /// Reads parameters as a message.
  static func asMessage(_ bytes: [UInt8]) -> Asked? {
    guard let near = try? CBORDecoder().decode(CityNear.self, from: bytes) else { return nil }
    let asked = Asked(
      place: near.place, rule: near.rule ?? .nearest, limit: near.limit ?? CityNear.defaultLimit,
      radius: near.radius ?? .infinity, provenance: near.provenance ?? false)
    return asked.limit <= CityNear.maximumLimit && asked.radius >= 0 ? asked : nil
  }

  static let corpus: [[UInt8]] = {
    let places = [
      Place(at: Position(lat: 59.437, lon: 24.7536)), Place(at: Position(lat: -90, lon: 180)), Place(id: 10),
      Place(title: "Alba, ES"),
    ]
    let messages = places.flatMap { place in
      [nil, CityNear.Rule.nearest, .place].flatMap { rule in
        [
          CityNear(place: place, rule: rule), CityNear(place: place, rule: rule, limit: 1_000, radius: 1.5),
          CityNear(place: place, rule: rule, limit: 0, provenance: true),
        ]
      }
    }
    return messages.compactMap { try? CBOREncoder().encode($0) }
  }()

  @Test func `parameters read in place are those of the message`() {
    for bytes in Self.corpus { #expect(Self.asHandler(bytes) != nil && Self.asHandler(bytes) == Self.asMessage(bytes)) }
  }

  @Test(arguments: Mutations.parts(of: .params))
  func `mutated parameters are those of the message, or both are refused`(part: Mutations) throws {
    try expectSame(part, Self.corpus, Self.asHandler, Self.asMessage)
  }

  @Test func `an unknown rule is refused with the words that there are`() throws {
    let client = try RunningServer().client()
    let error = try client.error(OddNear(place: Place(id: 10), rule: "biggest"))
    #expect(error?.data?.param == "rule" && error?.message.contains("\"nearest\" or \"place\"") ?? false)
  }
}
