/// `city.search`: the cities whose title begins with a prefix, a page of them, with their exact number.
public struct CitySearch: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "city.search"
  /// Rows when no limit is given.
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

  /// What the title begins with; empty matches all, spaces are significant.
  public var prefix: String
  /// How names are compared; `plain` if absent.
  public var match: MatchMode?
  /// Only cities of this country (code, any case).
  public var country: String?
  /// The order; `key` if absent.
  public var sort: Sort?
  /// What rows say beyond what they always do; nothing if absent.
  public var with: [CityPart]?
  /// Rows to skip; 0 if absent.
  public var offset: UInt64?
  /// Rows at most; ``defaultLimit`` if absent, at most ``maximumLimit``; 0 asks for the total alone.
  public var limit: UInt64?
  /// The generation that `offset` belongs to; answered with `stale-generation` if it is gone.
  public var generation: String?
  /// `true`: the reply says where its data comes from.
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
    /// When the data was last taken from its source; with ``sources`` alone, and only where it is known.
    public var asOf: Timestamp?
    /// All matches, exactly.
    public var total: UInt64
    /// The longest common prefix of all matches' folded titles, cut at a code point; at least the folded query
    /// if anything matches, else empty.
    public var common: String
    /// Where the data comes from; where the request asks for it, or an installed list is read because another file was
    /// refused.
    public var sources: Provenance?
    /// What the rows were read from, 16 hexadecimal digits.
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
