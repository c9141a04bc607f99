/// `product.get`: the transactions of one product, each in its own currency and converted, and their total.
public struct ProductGet: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "product.get"
  /// The default limit.
  public static let defaultLimit: UInt64 = 1_000
  /// The largest limit.
  public static let maximumLimit: UInt64 = 5_000
  /// Valid lengths of a product's code in bytes of UTF-8; for others, the error is `invalid-params`.
  public static let codeLength = 1...128

  /// The order of all rows, of which a page is returned.
  public enum Sort: String, Codable, Sendable, CaseIterable, ClosedWord {
    /// The order of the source: the default.
    case source
    /// By amount as the source gave it, regardless of its currency, then by currency.
    case amount
    /// By currency, then by amount as the source gave it.
    case currency

    /// Reads an order.
    ///
    /// - Throws: for any other text, with the valid orders.
    public init(from decoder: any Decoder) throws { self = try Self.read(from: decoder) }
  }

  /// The currency; ``ProductList/defaultCurrency`` if absent.
  public var `in`: String?
  /// The product's code, compared exactly.
  public var sku: String
  /// The order of the rows; that of the source if absent.
  public var sort: Sort?
  /// The most rows: ``defaultLimit`` if absent, at most ``maximumLimit``; 0 for only the total.
  public var limit: UInt64?
  /// Rows to skip; 0 if absent.
  public var offset: UInt64?
  /// Whether rows carry every step of their conversion.
  public var explain: Bool?
  /// When amounts are rounded; `once` if absent.
  public var rounding: RoundingMode?
  /// The generation that `offset` belongs to; `stale-generation` if it is no longer current.
  public var generation: String?

  /// Asks for `sku`.
  public init(
    sku: String, in currency: String? = nil, rounding: RoundingMode? = nil, explain: Bool? = nil, sort: Sort? = nil,
    offset: UInt64? = nil, limit: UInt64? = nil, generation: String? = nil
  ) {
    self.sort = sort
    (self.sku, self.in, self.rounding, self.explain) = (sku, currency, rounding, explain)
    (self.offset, self.limit, self.generation) = (offset, limit, generation)
  }

  /// One transaction.
  public struct Row: Codable, Equatable, Sendable {
    /// The amount after each step of the path, with `explain`; the last one unrounded.
    public var trace: [Decimal38]?
    /// The amount as the source gave it.
    public var amount: Decimal38
    /// Why there is no converted amount: `unreachable` or `overflow`; open.
    public var reason: String?
    /// The currency of ``amount``.
    public var currency: String
    /// The amount in the requested currency, with two places; absent if it could not be converted.
    public var converted: Decimal38?

    /// Makes a row.
    public init(
      amount: Decimal38, currency: String, converted: Decimal38? = nil, reason: String? = nil,
      trace: [Decimal38]? = nil
    ) {
      (self.amount, self.currency, self.converted) = (amount, currency, converted)
      (self.reason, self.trace) = (reason, trace)
    }
  }

  /// The product.
  public struct Reply: Codable, Equatable, Sendable {
    /// Its code.
    public var sku: String
    /// The transactions, in the requested order.
    public var rows: [Row]
    /// When the data was last taken from its sources, the older of them.
    public var asOf: Timestamp?
    /// The exact number of its transactions.
    public var count: UInt64
    /// The path from each convertible currency of its transactions, sorted by code.
    public var paths: [ConversionRow]
    /// The sum of all its rows, regardless of the page.
    public var total: TotalRow
    /// The origin of rates and transactions, with their ages.
    public var sources: Provenance
    /// When amounts were rounded.
    public var rounding: RoundingMode
    /// The version of the data that was read, 16 hexadecimal digits.
    public var generation: String

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case sku, rows, count, paths, total, sources, rounding, generation
      case asOf = "as_of"
    }

    /// Makes a reply.
    public init(
      sku: String, rows: [Row], count: UInt64, paths: [ConversionRow], total: TotalRow, rounding: RoundingMode,
      sources: Provenance, generation: String
    ) {
      (self.sku, self.rows, self.count, self.paths, self.total) = (sku, rows, count, paths, total)
      (self.rounding, self.sources, self.generation) = (rounding, sources, generation)
      asOf = sources.asOf
    }
  }
}
