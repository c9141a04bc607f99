/// `bank.regions`: the countries and regions, with the number of locations in each.
public struct BankRegions: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "bank.regions"

  /// A filter; all locations if absent.
  ///
  /// Countries and regions without matches are left out.
  public var filter: BankConditions?

  /// Asks for the headings of locations.
  public init(filter: BankConditions? = nil) { self.filter = filter }

  /// Countries and regions, sorted alphabetically: ignoring case and accents first, then exactly.
  public struct Reply: Codable, Equatable, Sendable {
    /// When the data was last taken from its sources, the oldest of them.
    public var asOf: Timestamp?
    /// The exact number of matches.
    public var total: UInt64
    /// Where the data comes from.
    public var sources: Provenance
    /// The countries.
    public var countries: [Country]
    /// The version of the data that was read, 16 hexadecimal digits.
    public var generation: String
    /// The number of locations not counted only because their hours are unknown; present only if the filter is for open
    /// ones.
    public var unknownHours: UInt64?

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case total, sources, countries, generation
      case asOf = "as_of"
      case unknownHours = "unknown_hours"
    }

    /// Makes a reply.
    public init(countries: [Country], total: UInt64, sources: Provenance, generation: String) {
      (self.countries, self.total, self.sources, self.generation) = (countries, total, sources, generation)
      asOf = sources.asOf
    }
  }

  /// A country and its regions.
  public struct Country: Codable, Equatable, Sendable {
    /// The English name.
    public var name: String
    /// Locations in it.
    public var count: UInt64
    /// Its regions; locations without one come last.
    public var regions: [Region]
    /// The code (ISO 3166-1 alpha-2).
    public var country: String

    /// Makes a country.
    public init(country: String, name: String, count: UInt64, regions: [Region]) {
      (self.country, self.name, self.count, self.regions) = (country, name, count, regions)
    }
  }

  /// A region.
  public struct Region: Codable, Equatable, Sendable {
    /// Its name as the source spells it; absent for locations without one.
    public var name: String?
    /// Locations in it.
    public var count: UInt64

    /// Makes a region.
    public init(name: String?, count: UInt64) { (self.name, self.count) = (name, count) }
  }
}
