/// `product.list`: a page of products in alphabetical order, with their totals.
public struct ProductList: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "product.list"
  /// The default currency.
  public static let defaultCurrency = "EUR"
  /// The most currencies.
  public static let maximumCurrencies = 16
  /// The default limit.
  public static let defaultLimit: UInt64 = 20
  /// The largest limit.
  public static let maximumLimit: UInt64 = 1_000

  /// The distinct currencies of the totals; ``defaultCurrency`` if absent, at most ``maximumCurrencies``.
  public var `in`: [String]?
  /// The most rows: ``defaultLimit`` if absent, at most ``maximumLimit``; 0 for only the total.
  public var limit: UInt64?
  /// Rows to skip; 0 if absent.
  public var offset: UInt64?
  /// When amounts are rounded; `once` if absent.
  public var rounding: RoundingMode?
  /// The generation that `offset` belongs to; `stale-generation` if it is no longer current.
  public var generation: String?

  /// Asks for products.
  public init(
    in currencies: [String]? = nil, rounding: RoundingMode? = nil, offset: UInt64? = nil, limit: UInt64? = nil,
    generation: String? = nil
  ) {
    (self.in, self.rounding) = (currencies, rounding)
    (self.offset, self.limit, self.generation) = (offset, limit, generation)
  }

  /// A product.
  public struct Row: Codable, Equatable, Sendable {
    /// Its code.
    public var sku: String
    /// The number of its transactions.
    public var count: UInt64
    /// Its totals, in the order of the requested currencies.
    public var totals: [TotalRow]

    /// Makes a row.
    public init(sku: String, count: UInt64, totals: [TotalRow]) {
      (self.sku, self.count, self.totals) = (sku, count, totals)
    }
  }

  /// A page of products.
  public struct Reply: Codable, Equatable, Sendable {
    /// The rows, in order.
    public var rows: [Row]
    /// When the data was last taken from its sources, the older of them.
    public var asOf: Timestamp?
    /// The exact number of products.
    public var total: UInt64
    /// The origin of rates and transactions, with their ages.
    public var sources: Provenance
    /// The generation of the data, 16 hexadecimal digits.
    public var generation: String

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case rows, total, sources, generation
      case asOf = "as_of"
    }

    /// Makes a reply.
    public init(rows: [Row], total: UInt64, sources: Provenance, generation: String) {
      (self.rows, self.total, self.sources, self.generation) = (rows, total, sources, generation)
      asOf = sources.asOf
    }
  }
}
