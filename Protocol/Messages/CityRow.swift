/// One city, as it stands in every reply about cities.
///
/// Its title is `name, country`, or the name where the source names no country. Keys are declared in the order of their
/// encodings, in which they are found fastest.
public struct CityRow: Codable, Equatable, Sendable {
  /// The source's id (GeoNames), from 1 up.
  public var id: UInt64
  /// Degrees north, WGS 84, from −90 to 90.
  public var lat: Double
  /// Degrees east, WGS 84, from −180 to 180.
  public var lon: Double
  /// The name, NFC.
  public var name: String
  /// The country's code, usually ISO 3166-1 alpha-2; empty where the source names none.
  public var country: String
  /// Inhabitants, where the source knows.
  public var population: UInt64?

  /// Makes a row.
  public init(id: UInt64, lat: Double, lon: Double, name: String, country: String, population: UInt64? = nil) {
    self.id = id
    self.lat = lat
    self.lon = lon
    self.name = name
    self.country = country
    self.population = population
  }

  /// What the city is found by: `name, country`, or the name alone.
  public var title: String { country.isEmpty ? name : "\(name), \(country)" }
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

/// A place in a request: exactly one of the three is given.
public struct Place: Codable, Equatable, Sendable {
  /// A position.
  public var at: Position?
  /// A city's id; `ambiguous` if several cities have it.
  public var id: UInt64?
  /// A city's title; candidates within 5 km of each other are one place, otherwise it is ambiguous.
  public var title: String?

  /// A position.
  public init(at: Position) { self.at = at }
  /// A city by id.
  public init(id: UInt64) { self.id = id }
  /// A city by title.
  public init(title: String) { self.title = title }
}
