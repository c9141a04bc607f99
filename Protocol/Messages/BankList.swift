/// `bank.list`: a page of locations, sorted by country, region and title, with the exact total.
public struct BankList: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "bank.list"
  /// The default limit.
  public static let defaultLimit: UInt64 = 20
  /// The largest limit.
  public static let maximumLimit: UInt64 = 1_000

  /// The most rows: ``defaultLimit`` if absent, at most ``maximumLimit``; 0 for only the total.
  public var limit: UInt64?
  /// A filter; all locations if absent.
  public var filter: BankConditions?
  /// Rows to skip; 0 if absent.
  public var offset: UInt64?
  /// The generation that `offset` belongs to; `stale-generation` if it is no longer current.
  public var generation: String?

  /// Asks for locations.
  public init(
    filter: BankConditions? = nil, offset: UInt64? = nil, limit: UInt64? = nil, generation: String? = nil
  ) {
    (self.filter, self.offset, self.limit, self.generation) = (filter, offset, limit, generation)
  }

  /// A page of locations.
  public typealias Reply = BankPage
}

/// A page of locations.
public struct BankPage: Codable, Equatable, Sendable {
  /// The rows, in order.
  public var rows: [BankEntry]
  /// When the data was last taken from its sources, the oldest of them.
  public var asOf: Timestamp?
  /// The exact number of matches.
  public var total: UInt64
  /// Where the data comes from.
  public var sources: Provenance
  /// The generation of the data, 16 hexadecimal digits.
  public var generation: String
  /// The number of locations left out only because their hours are unknown; present only if the filter is for open
  /// ones.
  public var unknownHours: UInt64?

  /// Names on the wire.
  public enum CodingKeys: String, CodingKey {
    case rows, total, sources, generation
    case asOf = "as_of"
    case unknownHours = "unknown_hours"
  }

  /// Makes a page.
  public init(rows: [BankEntry], total: UInt64, sources: Provenance, generation: String) {
    (self.rows, self.total, self.sources, self.generation) = (rows, total, sources, generation)
    asOf = sources.asOf
  }
}
