/// `rate.convert`: an amount in another currency.
///
/// The error is `no-conversion` if no path of rates connects the currencies.
public struct RateConvert: RequestMessage, Equatable {
  /// The method's name.
  public static let method = "rate.convert"

  /// The currency to convert to.
  public var to: String
  /// The currency to convert from.
  public var from: String
  /// The amount in `from`.
  public var amount: Decimal38
  /// When the amount is rounded; `once` if absent.
  public var rounding: RoundingMode?

  /// Asks for `amount` of `from` in `to`.
  public init(amount: Decimal38, from: String, to: String, rounding: RoundingMode? = nil) {
    (self.amount, self.from, self.to, self.rounding) = (amount, from, to, rounding)
  }

  /// The converted amount and its derivation.
  public struct Reply: Codable, Equatable, Sendable {
    /// The path of rates.
    public var path: ConversionRow
    /// When the data was last taken from its sources, the older of them.
    public var asOf: Timestamp?
    /// The amount after each step; the last one unrounded.
    public var trace: [Decimal38]
    /// The requested amount.
    public var amount: Decimal38
    /// The amount in the other currency, with two places.
    public var result: Decimal38
    /// Where the data comes from.
    public var sources: Provenance
    /// When the amount was rounded.
    public var rounding: RoundingMode
    /// The version of the data that was read, 16 hexadecimal digits.
    public var generation: String

    /// Names on the wire.
    public enum CodingKeys: String, CodingKey {
      case path, trace, amount, result, sources, rounding, generation
      case asOf = "as_of"
    }

    /// Makes a reply.
    public init(
      amount: Decimal38, result: Decimal38, path: ConversionRow, trace: [Decimal38], rounding: RoundingMode,
      sources: Provenance, generation: String
    ) {
      (self.amount, self.result, self.path, self.trace) = (amount, result, path, trace)
      (self.rounding, self.sources, self.generation) = (rounding, sources, generation)
      asOf = sources.asOf
    }
  }
}
