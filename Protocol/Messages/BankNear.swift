/// `bank.near`: the locations nearest to a place by great circle on a sphere of 6,371,008.8 m.
public struct BankNear: RequestMessage {
  /// The method's name.
  public static let method = "bank.near"
  /// The default limit.
  public static let defaultLimit: UInt64 = 10
  /// The largest limit.
  public static let maximumLimit: UInt64 = 1_000

  /// The most rows: ``defaultLimit`` if absent, at most ``maximumLimit``.
  public var limit: UInt64?
  /// The place; the server resolves a city's id or title.
  public var place: Place
  /// A filter; all locations if absent.
  public var filter: BankConditions?
  /// The radius in metres; unlimited if absent.
  public var radius: Double?

  /// Asks for the neighbours of `place`.
  public init(place: Place, filter: BankConditions? = nil, limit: UInt64? = nil, radius: Double? = nil) {
    (self.place, self.filter, self.limit, self.radius) = (place, filter, limit, radius)
  }

  /// The neighbours, nearest first, ties by country, region and title.
  public struct Reply: Codable, Equatable, Sendable {
    /// The rows, each with its distance.
    public var rows: [BankEntry]
    /// When the data was last taken from its sources, the oldest of them.
    public var asOf: Timestamp?
    /// The position from which distances are measured.
    public var origin: Position
    /// Where the data comes from.
    public var sources: Provenance
    /// The city to which the place's query was resolved.
    public var resolved: ResolvedCity?
    /// The generation of the data, 16 hexadecimal digits.
    public var generation: String
    /// The number of locations left out only because their hours are unknown; present only if the filter is for open
    /// ones.
    ///
    /// It counts those up to the distance of the last row, or `radius` if there are fewer rows than `limit`.
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
