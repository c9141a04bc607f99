/// A city as imported.
public struct City: Equatable, Sendable {
  /// The id in the source.
  public var id: UInt64
  /// The name, NFC, not empty, without U+0000 and U+0001.
  public var name: String
  /// The country's code; empty if the source names none.
  public var country: String
  /// Degrees north, −90 to 90.
  public var latitude: Double
  /// Degrees east, −180 to 180.
  public var longitude: Double
  /// The population, if known.
  public var population: UInt64?
  /// Alternate names and codes, NFC, none empty, without U+0000 and U+0001.
  public var alternates: [String] = []
  /// The alternate names in use, each with the number of languages that use it.
  package var languages: [TextKey: Int] = [:]
  /// The code of the region within the country, such as `TX`; empty if the source names none.
  public var regionCode = ""
  /// The name of the region; empty if unknown.
  public var region = ""
  /// The code of the county within the region, GeoNames' second level of areas; empty if the source names none.
  public var countyCode = ""
  /// The time zone, such as `Europe/Tallinn`; empty if the source names none.
  public var zone = ""

  /// Makes a city.
  public init(id: UInt64, name: String, country: String, latitude: Double, longitude: Double, population: UInt64? = nil)
  {
    self.id = id
    self.name = name
    self.country = country
    self.latitude = latitude
    self.longitude = longitude
    self.population = population
  }
}

/// The constraints on a city in the index; the rest of the domain relies on them.
public enum CityRule {
  /// The maximum number of bytes of a name in UTF-8; the longest real name has 74.
  public static let maximumNameBytes = 512
  /// The maximum number of bytes of a country's code in UTF-8; real ones have 2.
  public static let maximumCountryBytes = 64
  /// The maximum number of cities in one index: ranks are stored in 30 bits.
  public static let maximumCities = 1 << 28
  /// The largest population: stored in 32 bits together with a value for "unknown"; no real city comes near it.
  public static let maximumPopulation: UInt64 = 4_000_000_000

  /// The maximum number of bytes of an alternate name in UTF-8; the longest real one has 418.
  public static let maximumAlternateBytes = 512
  /// The maximum number of alternate names of one city; the real maximum is 267.
  public static let maximumAlternates = 1_024
  /// The largest number of languages that is counted for an alternate name: it has four bits in the index.
  public static let maximumLanguages = 13
  /// The maximum number of bytes of the code of a region or county, and of a time zone's name.
  public static let maximumLabelBytes = 64
  /// The maximum number of bytes of a region's name.
  public static let maximumRegionBytes = 256

  /// The maximum number of bytes of a folded key, which bounds the length of a query that can match.
  ///
  /// Folding makes a text at most three times as long in UTF-8 (Unicode 3.13 and UAX #15, "maximum expansion factors");
  /// base letters are never longer than that.
  static let maximumKeyBytes = 4 * (maximumNameBytes + maximumCountryBytes)

  /// The reason why `city` cannot be in the index; `nil` if it can.
  ///
  /// - Complexity: O(n) in the bytes of the name.
  public static func problem(with city: City) -> CityProblem? {
    if city.id == 0 { return .zeroID }
    if city.name.isEmpty { return .emptyName }
    if let problem = problem(with: city.name, as: .name) { return problem }
    if let problem = problem(with: city.country, as: .country) { return problem }
    // The negated comparison refuses NaN as well.
    if !(abs(city.latitude) <= 90) { return .latitudeOutOfRange(city.latitude) }
    if !(abs(city.longitude) <= 180) { return .longitudeOutOfRange(city.longitude) }
    if let population = city.population, population > maximumPopulation { return .populationOutOfRange(population) }
    return problemWithOtherTexts(of: city)
  }

  private static func problemWithOtherTexts(of city: City) -> CityProblem? {
    if let problem = problem(with: city.regionCode, as: .regionCode) { return problem }
    if let problem = problem(with: city.region, as: .region) { return problem }
    if let problem = problem(with: city.countyCode, as: .countyCode) { return problem }
    if let problem = problem(with: city.zone, as: .zone) { return problem }
    guard city.alternates.count <= maximumAlternates else { return .tooManyAlternates(city.alternates.count) }
    for name in city.alternates {
      if name.isEmpty { return .emptyAlternate }
      if let problem = problem(with: name, as: .alternate) { return problem }
    }
    return nil
  }

  /// The reason why `text` cannot be in a field of a city; `nil` if it can, as an empty text always can.
  ///
  /// - Complexity: O(n) in the bytes of the text, O(1) if it is too long.
  public static func problem(with text: String, as field: CityProblem.Field) -> CityProblem? {
    let bytes = text.utf8.count
    if bytes > field.maximum { return .tooLong(field, bytes: bytes) }
    let isRefused = text.utf8.withContiguousStorageIfAvailable { field.refuses(anyOf: $0) }
    return isRefused ?? text.utf8.contains(where: field.refuses) ? .controlCharacter(field) : nil
  }
}

/// The reason why a city is rejected.
public enum CityProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// A text field of a city.
  public enum Field: String, Sendable {
    /// The name.
    case name
    /// The country's code.
    case country
    /// An alternate name.
    case alternate = "alternate name"
    /// The region's code.
    case regionCode = "region code"
    /// The region's name.
    case region
    /// The county's code.
    case countyCode = "county code"
    /// The time zone.
    case zone = "time zone"
  }

  /// The id is 0; ids start at 1.
  case zeroID
  /// The name is empty.
  case emptyName
  /// An alternate name is empty.
  case emptyAlternate
  /// More alternate names than ``CityRule/maximumAlternates``.
  case tooManyAlternates(Int)
  /// The text is longer than its limit.
  case tooLong(Field, bytes: Int)
  /// A name contains U+0000 or U+0001, which separate the parts of a key, or another text an ASCII control character.
  case controlCharacter(Field)
  /// The latitude is NaN or not between −90 and 90.
  case latitudeOutOfRange(Double)
  /// The longitude is NaN or not between −180 and 180.
  case longitudeOutOfRange(Double)
  /// The population exceeds ``CityRule/maximumPopulation``.
  case populationOutOfRange(UInt64)

  /// The fault in one clause for a report, with the allowed and the actual value.
  public var description: String {
    switch self {
    case .zeroID: "the id is 0; ids start at 1"
    case .emptyName: "the name is empty"
    case .tooLong(let field, let bytes): "the \(field.rawValue) has \(bytes) bytes, at most \(field.maximum) are kept"
    case .emptyAlternate: "an alternate name is empty"
    case .tooManyAlternates(let count): "\(count) alternate names, at most \(CityRule.maximumAlternates) are kept"
    case .controlCharacter(.name): "the name contains U+0000 or U+0001"
    case .controlCharacter(let field): "the \(field.rawValue) contains a control character"
    case .latitudeOutOfRange(let value): "latitude \(value) is not between -90 and 90"
    case .longitudeOutOfRange(let value): "longitude \(value) is not between -180 and 180"
    case .populationOutOfRange(let value): "population \(value) is above \(CityRule.maximumPopulation)"
    }
  }
}

extension CityProblem.Field {
  fileprivate var maximum: Int {
    switch self {
    case .name: CityRule.maximumNameBytes
    case .country: CityRule.maximumCountryBytes
    case .alternate: CityRule.maximumAlternateBytes
    case .region: CityRule.maximumRegionBytes
    case .regionCode, .countyCode, .zone: CityRule.maximumLabelBytes
    }
  }

  /// Whether `byte` is invalid in the field: codes are typed and compared, names are kept as they are.
  fileprivate func refuses(_ byte: UInt8) -> Bool {
    isName ? byte <= 1 : byte < 0x20 || byte == 0x7F
  }

  /// Whether any byte is invalid; branch-free for names, because every name of a list is checked twice.
  fileprivate func refuses(anyOf bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard isName else { return bytes.contains(where: refuses) }
    var found: UInt8 = 0
    for byte in bytes { found |= byte <= 1 ? 1 : 0 }
    return found != 0
  }

  private var isName: Bool { self == .name || self == .alternate }
}
