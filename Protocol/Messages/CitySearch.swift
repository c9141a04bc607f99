/// `city.search`: a page of the cities whose title starts with a prefix, with the exact total.
public struct CitySearch: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "city.search"
  /// The default limit.
  public static let defaultLimit: UInt64 = 20
  /// The largest limit.
  public static let maximumLimit: UInt64 = 1_000

  /// How rows are ordered.
  public enum Sort: String, Codable, Sendable, CaseIterable {
    /// By folded name, folded country, id: the default.
    case key
    /// Most inhabitants first, unknown last, then by key; linear in the matches.
    case population
  }

  /// The prefix of the title; empty matches all; spaces are significant.
  public var prefix: String
  /// How names are compared; `plain` if absent.
  public var match: MatchMode?
  /// Only cities of this country (code, any case).
  public var country: String?
  /// The order; `key` if absent.
  public var sort: Sort?
  /// Further parts of rows; none if absent.
  public var with: [CityPart]?
  /// Rows to skip; 0 if absent.
  public var offset: UInt64?
  /// The most rows: ``defaultLimit`` if absent, at most ``maximumLimit``; 0 for only the total.
  public var limit: UInt64?
  /// The generation that `offset` belongs to; `stale-generation` if it is no longer current.
  public var generation: String?
  /// `true`: the reply includes the origin of its data.
  public var provenance: Bool?

  /// Asks for `prefix`.
  public init(
    prefix: String, match: MatchMode? = nil, country: String? = nil, sort: Sort? = nil, offset: UInt64? = nil,
    limit: UInt64? = nil, generation: String? = nil, provenance: Bool? = nil, with parts: [CityPart]? = nil
  ) {
    self.prefix = prefix
    self.match = match
    self.country = country
    self.sort = sort
    self.offset = offset
    self.limit = limit
    self.generation = generation
    self.provenance = provenance
    with = parts
  }

  /// A page of rows.
  public struct Reply: Codable, Equatable, Sendable {
    /// The rows, in order.
    public var rows: [CityRow]
    /// When the data was last taken from its source; only with ``sources``, and if known.
    public var asOf: Timestamp?
    /// The exact number of matches.
    public var total: UInt64
    /// The longest common prefix of all matches' folded titles, cut at a code point; at least the folded query
    /// if anything matches, else empty.
    public var common: String
    /// The origin of the data; if requested, or if an installed list is used because another file was refused.
    public var sources: Provenance?
    /// The generation of the data, 16 hexadecimal digits.
    public var generation: String

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case rows, total, common, sources, generation
      case asOf = "as_of"
    }

    /// Makes a reply.
    public init(rows: [CityRow], total: UInt64, common: String, generation: String, sources: Provenance? = nil) {
      self.rows = rows
      self.total = total
      self.common = common
      self.generation = generation
      self.sources = sources
      asOf = sources?.asOf
    }
  }
}
