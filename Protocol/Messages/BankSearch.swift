/// `bank.search`: a page of locations with every word of a query in their name and address, sorted by title.
///
/// Words are separated by white space; case and diacritics are ignored.
public struct BankSearch: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "bank.search"
  /// The default limit.
  public static let defaultLimit: UInt64 = 20
  /// The largest limit.
  public static let maximumLimit: UInt64 = 1_000

  /// The most rows: ``defaultLimit`` if absent, at most ``maximumLimit``; 0 for only the total.
  public var limit: UInt64?
  /// The words; without any, all locations match.
  public var query: String
  /// A filter; all locations if absent.
  public var filter: BankConditions?
  /// Rows to skip; 0 if absent.
  public var offset: UInt64?
  /// The generation that `offset` belongs to; `stale-generation` if it is no longer current.
  public var generation: String?

  /// Asks for `query`.
  public init(
    query: String, filter: BankConditions? = nil, offset: UInt64? = nil, limit: UInt64? = nil,
    generation: String? = nil
  ) {
    (self.query, self.filter) = (query, filter)
    (self.offset, self.limit, self.generation) = (offset, limit, generation)
  }

  /// A page of locations.
  public typealias Reply = BankPage
}
