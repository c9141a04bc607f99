/// `bank.search`: locations whose name and address hold every word of a query, by title, a page of them.
///
/// Words are parted by white space, and case and diacritics do not matter.
public struct BankSearch: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "bank.search"
  /// Rows when no limit is given.
  public static let defaultLimit: UInt64 = 20
  /// The largest limit.
  public static let maximumLimit: UInt64 = 1_000

  /// Rows at most; ``defaultLimit`` if absent, at most ``maximumLimit``; 0 asks for the total alone.
  public var limit: UInt64?
  /// The words; without any, all locations match.
  public var query: String
  /// Which locations; all if absent.
  public var filter: BankConditions?
  /// Rows to skip; 0 if absent.
  public var offset: UInt64?
  /// The generation that `offset` belongs to; answered with `stale-generation` if it is gone.
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
