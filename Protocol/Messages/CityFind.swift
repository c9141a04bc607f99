/// `city.find`: the cities that people may mean by a name in any language, its start, or a name with small errors; best
/// first.
///
/// The last words of a query may name the region or the country: `springfield illinois`, `köln deutschland`. It has no
/// total and no paging, unlike ``CitySearch``.
public struct CityFind: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "city.find"
  /// The default limit.
  public static let defaultLimit: UInt64 = 10
  /// The largest limit.
  public static let maximumLimit: UInt64 = 100

  /// The query as typed; accents, case, hyphens, apostrophes and full stops are ignored.
  ///
  /// Without a letter or a digit, the error is `invalid-params`.
  public var query: String
  /// The most rows: ``defaultLimit`` if absent, at most ``maximumLimit``.
  public var limit: UInt64?
  /// Prefers cities near this place: distance lowers the score of a row.
  public var near: Place?
  /// `false`: do not correct typos, even if nothing else is found.
  public var typos: Bool?
  /// Only cities in this region (code or name).
  public var region: String?
  /// Only cities in this country (code or name).
  public var country: String?
  /// `true`: the reply includes the origin of its data.
  public var provenance: Bool?

  /// Asks for `query`.
  public init(
    query: String, limit: UInt64? = nil, near: Place? = nil, typos: Bool? = nil, region: String? = nil,
    country: String? = nil, provenance: Bool? = nil
  ) {
    self.query = query
    self.limit = limit
    self.near = near
    self.typos = typos
    self.region = region
    self.country = country
    self.provenance = provenance
  }

  /// How a city was found: an open set of names.
  public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
    /// The name on the wire.
    public var rawValue: String
    /// Any name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// By its exact and unique title; only in ``ResolvedCity``.
    public static let title = Kind(rawValue: "title")
    /// By the name in its title.
    public static let name = Kind(rawValue: "name")
    /// By another name.
    public static let alternate = Kind(rawValue: "alternate")
    /// By a code, such as that of its airport.
    public static let code = Kind(rawValue: "code")
    /// As one of the largest cities of the country or region that the query names.
    public static let area = Kind(rawValue: "area")
    /// By a name that differs from the query by typos.
    public static let typo = Kind(rawValue: "typo")
  }

  /// A city that was found.
  public struct Row: Codable, Equatable, Sendable {
    /// How it was found.
    public var by: Kind
    /// The city, with its region and time zone, if known; older servers give those only in the fields below.
    public var city: CityRow
    /// Its time zone again, such as `Europe/Tallinn`.
    public var zone: String?
    /// The name of its region again.
    public var region: String?
    /// The name that matched, as spelt in the source, unless it is the name in the title.
    public var matched: String?
    /// The code of its region within the country again.
    public var regionCode: String?

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case by, city, zone, region, matched
      case regionCode = "region_code"
    }

    /// Makes a row.
    public init(
      by: Kind, city: CityRow, matched: String? = nil, region: String? = nil, regionCode: String? = nil,
      zone: String? = nil
    ) {
      (self.by, self.city, self.matched) = (by, city, matched)
      (self.region, self.regionCode, self.zone) = (region, regionCode, zone)
    }
  }

  /// The cities, best first.
  public struct Reply: Codable, Equatable, Sendable {
    /// The rows.
    public var rows: [Row]
    /// When the data was last taken from its source; only with ``sources``, and if known.
    public var asOf: Timestamp?
    /// The origin of the data; if requested, or if an installed list is used because another file was refused.
    public var sources: Provenance?
    /// The city to which the query of `near` was resolved.
    public var resolved: ResolvedCity?
    /// The search key that was used instead, if some words or the keyboard layout were ignored.
    public var searched: String?
    /// `false`: the search stopped before it had checked everything that might be better.
    public var complete: Bool
    /// The generation of the data, 16 hexadecimal digits.
    public var generation: String

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case rows, sources, resolved, searched, complete, generation
      case asOf = "as_of"
    }

    /// Makes a reply.
    public init(rows: [Row], complete: Bool = true, generation: String, sources: Provenance? = nil) {
      (self.rows, self.complete, self.generation, self.sources) = (rows, complete, generation, sources)
      asOf = sources?.asOf
    }
  }
}
