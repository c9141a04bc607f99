/// `city.find`: the cities that people may mean by a name in any language, its start, or a name with small errors; best
/// first.
///
/// The last words of a query may name the region or the country: `springfield illinois`, `köln deutschland`. There is
/// no total and no paging: ``CitySearch`` has both.
public struct CityFind: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "city.find"
  /// Rows when no limit is given.
  public static let defaultLimit: UInt64 = 10
  /// The largest limit.
  public static let maximumLimit: UInt64 = 100

  /// The words that people type; accents, case, hyphens, apostrophes and full stops do not matter.
  ///
  /// Without a letter or a digit it is `invalid-params`.
  public var query: String
  /// Rows at most; ``defaultLimit`` if absent, at most ``maximumLimit``.
  public var limit: UInt64?
  /// Cities near this place are preferred: a distance lowers the score of a row.
  public var near: Place?
  /// `false`: names with typing errors are not looked for, even if nothing else is found.
  public var typos: Bool?
  /// Only cities of this region: its code or one of its names.
  public var region: String?
  /// Only cities of this country: its code or one of its names.
  public var country: String?
  /// `true`: the reply says where its data comes from.
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

    /// By its title, exactly and as the only one; in ``ResolvedCity`` alone.
    public static let title = Kind(rawValue: "title")
    /// By the name in its title.
    public static let name = Kind(rawValue: "name")
    /// By another name.
    public static let alternate = Kind(rawValue: "alternate")
    /// By a code, such as that of its airport.
    public static let code = Kind(rawValue: "code")
    /// As one of the largest cities of the country or region that the query names.
    public static let area = Kind(rawValue: "area")
    /// By a name that differs from the query by typing errors.
    public static let typo = Kind(rawValue: "typo")
  }

  /// A city that was found.
  public struct Row: Codable, Equatable, Sendable {
    /// How it was found.
    public var by: Kind
    /// The city, with its region and its time zone where they are known; those of older servers are beside it alone.
    public var city: CityRow
    /// Its time zone once more, as `Europe/Tallinn`.
    public var zone: String?
    /// The name of its region once more.
    public var region: String?
    /// The name that matched, as the source spells it, unless it is the name in the title.
    public var matched: String?
    /// The code of its region within the country once more.
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
    /// When the data was last taken from its source; with ``sources`` alone, and only where it is known.
    public var asOf: Timestamp?
    /// Where the data comes from; where the request asks for it, or an installed list is read because another file was
    /// refused.
    public var sources: Provenance?
    /// The city that the query of `near` was taken for.
    public var resolved: ResolvedCity?
    /// The text that was looked for instead, as a search key, where some of the words or the keyboard layout did not
    /// count.
    public var searched: String?
    /// `false`: the search was cut before it had looked at everything that could be better.
    public var complete: Bool
    /// What the rows were read from, 16 hexadecimal digits.
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
