/// One city in every reply about cities.
///
/// Its title is `name, country`, or the name if the source gives no country. Keys are declared in the order of their
/// encodings, in which they are found fastest.
public struct CityRow: Codable, Equatable, Sendable {
  /// The source's id (GeoNames), at least 1.
  public var id: UInt64
  /// Degrees north, WGS 84, from −90 to 90.
  public var lat: Double
  /// Degrees east, WGS 84, from −180 to 180.
  public var lon: Double
  /// The name, NFC.
  public var name: String
  /// The time zone, such as `Europe/Tallinn`, if requested and given by the source.
  public var zone: String?
  /// The name of the region, if requested and known.
  public var region: String?
  /// The country's code, usually ISO 3166-1 alpha-2; empty if the source gives none.
  public var country: String
  /// Other names and codes, sorted by their search keys, if requested; empty if the source has none.
  public var alternates: [String]?
  /// The number of inhabitants, if known.
  public var population: UInt64?
  /// The code of the region within the country, if requested and given by the source.
  public var regionCode: String?

  /// Names on the wire.
  public enum CodingKeys: String, CodingKey {
    case id, lat, lon, name, zone, region, country, alternates, population
    case regionCode = "region_code"
  }

  /// Makes a row.
  public init(id: UInt64, lat: Double, lon: Double, name: String, country: String, population: UInt64? = nil) {
    self.id = id
    self.lat = lat
    self.lon = lon
    self.name = name
    self.country = country
    self.population = population
  }

  /// The title: `name, country`, or the name alone.
  public var title: String { country.isEmpty ? name : "\(name), \(country)" }
}

/// The parts of a city's row that are included only if named in a request's `with`.
public enum CityPart: String, Codable, Sendable, CaseIterable, ClosedWord {
  /// The name of the region, and its code.
  case region
  /// The time zone.
  case zone
  /// Other names.
  case alternates

  /// Reads a word.
  public init(from decoder: any Decoder) throws { self = try Self.read(from: decoder) }
}

/// A position in degrees, WGS 84.
public struct Position: Codable, Equatable, Sendable {
  /// Degrees north, from −90 to 90.
  public var lat: Double
  /// Degrees east, from −180 to 180.
  public var lon: Double

  /// Makes a position.
  public init(lat: Double, lon: Double) {
    self.lat = lat
    self.lon = lon
  }
}

/// How names are compared.
public enum MatchMode: String, Codable, Sendable, CaseIterable {
  /// Case is folded, diacritics are significant.
  case plain
  /// Case and diacritics are folded.
  case folded
}

/// A place in a request: exactly one of these must be given.
public struct Place: Codable, Equatable, Sendable {
  /// A position.
  public var at: Position?
  /// A city's id; `ambiguous` if several cities have it.
  public var id: UInt64?
  /// A city's title; candidates within 5 km of each other count as one place, otherwise it is `ambiguous`.
  public var title: String?
  /// A name of a city: a title, or a whole name in any language; see ``ResolvedCity``.
  public var query: String?
  /// A time zone, only in ``CityTime``: a name of the IANA database such as `Europe/Tallinn`, or an offset such as
  /// `+05:30`.
  public var zone: String?

  /// A position.
  public init(at: Position) { self.at = at }
  /// A city by id.
  public init(id: UInt64) { self.id = id }
  /// A city by title.
  public init(title: String) { self.title = title }
  /// A city by any of its names.
  public init(query: String) { self.query = query }
  /// A time zone.
  public init(zone: String) { self.zone = zone }
}

/// The city to which the `query` of a request was resolved.
///
/// An exact title always wins. Otherwise it is the city with that name in any language, if it is the only one or has
/// ten times the inhabitants of the next; else the query is `ambiguous`.
public struct ResolvedCity: Codable, Equatable, Sendable {
  /// How a city was found.
  public typealias Kind = CityFind.Kind

  /// How it was found; ``CityFind/Kind/title`` if it was not guessed.
  public var by: Kind
  /// The city.
  public var city: CityRow
  /// The name that matched, as spelt in the source, unless it is the name in the title.
  public var matched: String?

  /// Makes a value.
  public init(by: Kind, city: CityRow, matched: String? = nil) {
    (self.by, self.city, self.matched) = (by, city, matched)
  }
}
