import CBOR
import CitiesProtocol
import FrameService

/// The parameters of `city.near`.
///
/// A place given by its position, the usual case, is parsed in place; any other is left to the message's own type.
struct CityNearParams {
  /// The place from which distances are measured.
  private(set) var origin = Origin.position(Position(lat: 0, lon: 0))
  /// The order of the cities.
  private(set) var rule = CityNear.Rule.nearest
  /// The largest number of rows.
  private(set) var limit = CityNear.defaultLimit
  /// The largest distance in metres.
  private(set) var radius = Double.infinity
  /// The fewest inhabitants of a city.
  private(set) var population: UInt64 = 0
  /// Whether the reply names its sources.
  private(set) var provenance = false
  /// The additional fields of the rows.
  private(set) var parts = CityParts()

  /// A place as a request names it.
  enum Origin {
    /// A position.
    case position(Position)
    /// A place by its id, title or name, or in a form that is not parsed in place.
    case named(Place)
  }

  /// Parses the map of a request's parameters.
  ///
  /// - Throws: `invalid-params` that names the parameter.
  /// - Complexity: O(bytes); no allocation for a place given by its position.
  init(_ reader: inout CBORReader) throws(WireError) {
    var ahead = reader
    if let isRead = try? readUsual(&ahead), isRead {
      reader = ahead
    } else {
      try readAny(&reader)
    }
    limit = try limitInRange(limit, CityNear.defaultLimit, maximum: CityNear.maximumLimit)
    guard radius >= 0 else { throw .invalidParam("radius", "\(radius) is less than 0") }
    guard population == 0 || rule == .nearest else {
      throw .invalidParam("population", "it goes with the rule \"nearest\" only")
    }
  }

  /// Parses parameters with a position, without `population`, `provenance` and `with`.
  ///
  /// - Returns: Whether it could; if not, the values must be parsed again.
  @inline(__always)
  private mutating func readUsual(_ reader: inout CBORReader) throws(CBORError) -> Bool {
    var map = try reader.readMap()
    var hasPlace = false
    while let key = try reader.nextKeyWord(of: &map) {
      switch key.word {
      case KeyWord.place:
        guard try readPosition(&reader) else { return false }
        hasPlace = true
      case KeyWord.limit: limit = try reader.readUnsigned()
      case KeyWord.radius: radius = try reader.readDouble()
      case KeyWord.rule:
        let word = try reader.readText()
        let isPlace = CBORReader.text(word, is: "place")
        guard isPlace || CBORReader.text(word, is: "nearest") else { return false }
        rule = isPlace ? .place : .nearest
      default: return false
      }
    }
    return hasPlace
  }

  @inline(__always)
  private mutating func readPosition(_ reader: inout CBORReader) throws(CBORError) -> Bool {
    var map = try reader.readMap()
    guard map.count == 1, let key = try reader.nextKeyWord(of: &map), key.word == KeyWord.at else { return false }
    var inner = try reader.readMap()
    guard inner.count == 2, let first = try reader.nextKeyWord(of: &inner), first.word == KeyWord.lat else {
      return false
    }
    let lat = try reader.readDouble()
    guard let second = try reader.nextKeyWord(of: &inner), second.word == KeyWord.lon else { return false }
    origin = .position(Position(lat: lat, lon: try reader.readDouble()))
    return true
  }

  /// Parses any parameters with the message's own type.
  private mutating func readAny(_ reader: inout CBORReader) throws(WireError) {
    let message = try UncheckedRequest.decoding {
      try CBORDecoder().decode(CityNear.self, from: try reader.readItem().bytes)
    }
    origin = .named(message.place)
    rule = message.rule ?? .nearest
    limit = message.limit ?? CityNear.defaultLimit
    radius = message.radius ?? .infinity
    population = message.population ?? 0
    provenance = message.provenance ?? false
    parts = CityParts(message.with)
  }
}
