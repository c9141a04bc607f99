/// `bank.near`: the locations nearest to a place by great circle on a sphere of 6,371,008.8 m.
public struct BankNear: RequestMessage {
  /// The method's name.
  public static let method = "bank.near"
  /// Rows when no limit is given.
  public static let defaultLimit: UInt64 = 10
  /// The largest limit.
  public static let maximumLimit: UInt64 = 1_000

  /// Rows at most; ``defaultLimit`` if absent, at most ``maximumLimit``.
  public var limit: UInt64?
  /// The place; a city's id or title is resolved in the server.
  public var place: Place
  /// Which locations; all if absent.
  public var filter: BankConditions?
  /// The radius in metres; unlimited if absent.
  public var radius: Double?

  /// Asks for the neighbours of `place`.
  public init(place: Place, filter: BankConditions? = nil, limit: UInt64? = nil, radius: Double? = nil) {
    (self.place, self.filter, self.limit, self.radius) = (place, filter, limit, radius)
  }

  /// The neighbours, nearest first, equal distances in the order of headings.
  public struct Reply: Codable, Equatable, Sendable {
    /// The rows, each with its distance.
    public var rows: [BankEntry]
    /// When the data was last taken from its sources, the oldest of them.
    public var asOf: Timestamp?
    /// Where distances are measured from.
    public var origin: Position
    /// Where the data comes from.
    public var sources: Provenance
    /// The city that the query of the place was taken for.
    public var resolved: ResolvedCity?
    /// What the rows were read from, 16 hexadecimal digits.
    public var generation: String
    /// Locations that fit in every other way, and are left out because their hours are not known; only where the filter
    /// asks for open ones.
    ///
    /// Those count that are not farther away than the last row, or than `radius` where there are fewer rows than
    /// `limit`.
    public var unknownHours: UInt64?

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case rows, origin, sources, resolved, generation
      case asOf = "as_of"
      case unknownHours = "unknown_hours"
    }

    /// Makes a reply.
    public init(rows: [BankEntry], origin: Position, sources: Provenance, generation: String) {
      (self.rows, self.origin, self.sources, self.generation) = (rows, origin, sources, generation)
      asOf = sources.asOf
    }
  }
}
