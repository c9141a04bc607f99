public import CBOR

/// An exact amount or rate on the wire: a decimal fraction of up to 38 digits (RFC 8949 §3.4.4, tag 4).
///
/// Numbers from a source keep their written scale; totals and converted amounts have the exponent −2.
public typealias Decimal38 = CBORDecimal

/// When a conversion is rounded to two places, half to even.
public enum RoundingMode: String, Codable, Sendable, CaseIterable, ClosedWord {
  /// Once, after the last conversion of the path: the default.
  case once
  /// After every conversion of the path.
  case step

  /// Reads a mode.
  ///
  /// - Throws: for any other text, with the valid modes.
  public init(from decoder: any Decoder) throws { self = try Self.read(from: decoder) }
}

/// The conversion from one currency to another.
public struct ConversionRow: Codable, Equatable, Sendable {
  /// The currency to convert to.
  public var to: String
  /// The currency to convert from.
  public var from: String
  /// The product of the steps' rates, to 38 digits, for people; amounts are converted by the steps themselves.
  public var rate: Decimal38
  /// The conversions in their order; empty from a currency to itself.
  public var steps: [Step]
  /// Whether it is not a single given rate.
  public var derived: Bool
  /// Whether `rate` was rounded to 38 digits.
  public var rounded: Bool

  /// Makes a row.
  public init(from: String, to: String, rate: Decimal38, steps: [Step], derived: Bool, rounded: Bool) {
    (self.from, self.to, self.rate, self.steps) = (from, to, rate, steps)
    (self.derived, self.rounded) = (derived, rounded)
  }

  /// One conversion of a path.
  public struct Step: Codable, Equatable, Sendable {
    /// The currency after the step.
    public var to: String
    /// The currency before the step.
    public var from: String
    /// The factor for an amount; 1/`given` if the rate is reversed.
    public var rate: Decimal38
    /// The source's rate, as written.
    public var given: Decimal38
    /// Whether `rate` was rounded to 38 digits.
    public var rounded: Bool
    /// Whether `given` is for the opposite direction.
    public var reversed: Bool

    /// Makes a step.
    public init(from: String, to: String, rate: Decimal38, given: Decimal38, reversed: Bool, rounded: Bool) {
      (self.from, self.to, self.rate, self.given) = (from, to, rate, given)
      (self.reversed, self.rounded) = (reversed, rounded)
    }
  }
}

/// The total of a product's transactions in one currency, and the amounts that it leaves out.
public struct TotalRow: Codable, Equatable, Sendable {
  /// The sum of the converted amounts, with two places; absent if it has more than 38 digits.
  public var amount: Decimal38?
  /// Whether `amount` leaves anything out.
  public var partial: Bool
  /// The currency.
  public var currency: String
  /// The amounts that could not be converted, by currency; empty if nothing was left out.
  public var remainders: [Remainder]

  /// Makes a total.
  public init(currency: String, amount: Decimal38?, partial: Bool, remainders: [Remainder]) {
    (self.currency, self.amount, self.partial, self.remainders) = (currency, amount, partial, remainders)
  }

  /// Amounts of one currency that are not in a total.
  public struct Remainder: Codable, Equatable, Sendable {
    /// Their exact sum, unrounded; absent if it has more than 38 digits.
    public var sum: Decimal38?
    /// The number of amounts.
    public var count: UInt64
    /// The reason: `unreachable` (no path of rates) or `overflow` (more than 38 digits); open.
    public var reason: String
    /// The currency of the amounts.
    public var currency: String

    /// Makes a remainder.
    public init(currency: String, reason: String, count: UInt64, sum: Decimal38?) {
      (self.currency, self.reason, self.count, self.sum) = (currency, reason, count, sum)
    }
  }
}
