/// A decimal number as people write it, a sign, at most 38 digits and a scale: an amount, a rate or a total.
///
///     let price = try ExactDecimal(parsing: "10.00")     // magnitude 1000, scale 2
///     print(price)                                       // 10.00
///
/// It is ± ``magnitude`` · 10^−``scale``. The scale is kept as it was written, for display; `==`, `<` and the hash go
/// by value, so that 10.00 equals 10. There is no binary floating point on any way in, through or out (a rate of `0.1`
/// or `1.0000000000000002` survives), and no NaN, infinity or negative zero. Decimal128 (IEEE 754-2019 §3.5) keeps 34
/// digits.
package struct ExactDecimal: Sendable {
  /// The digits without sign and point, at most ``maximumMagnitude``.
  package let magnitude: UInt128
  /// How many of the digits stand after the point, within ``scales``; below 0, that many zeros follow the digits.
  package let scale: Int
  /// Whether it is below zero; zero never is.
  package let isNegative: Bool

  /// 38 nines.
  package static let maximumMagnitude = UInt128(99_999_999_999_999_999_999_999_999_999_999_999_999)
  /// The scales there are: those of decimal128, so that no chain of rates that anybody writes leaves them.
  package static let scales = -6144...6176
  /// Zero, of scale 0.
  package static let zero = ExactDecimal(magnitude: 0, scale: 0, isNegative: false)
  /// One, of scale 0.
  package static let one = ExactDecimal(magnitude: 1, scale: 0, isNegative: false)

  /// Takes parts that are known to be in range.
  init(magnitude: UInt128, scale: Int, isNegative: Bool) {
    (self.magnitude, self.scale, self.isNegative) = (magnitude, scale, isNegative && magnitude != 0)
  }

  /// Takes a magnitude in range and any scale.
  ///
  /// - Throws: ``MoneyError/overflow`` if `scale` is out of range.
  init(checked magnitude: UInt128, scale: Int, _ isNegative: Bool) throws(MoneyError) {
    guard Self.scales.contains(scale) else { throw .overflow }
    self.init(magnitude: magnitude, scale: scale, isNegative: isNegative)
  }

  /// Makes `mantissa` · 10^−`scale`, from foreign bytes as well.
  ///
  /// - Throws: ``MoneyError/overflow`` if there are more than 38 digits or `scale` is not within ``scales``.
  package init(mantissa: Int128, scale: Int) throws(MoneyError) {
    guard mantissa.magnitude <= Self.maximumMagnitude else { throw .overflow }
    try self.init(checked: mantissa.magnitude, scale: scale, mantissa < 0)
  }

  /// The digits with their sign: the mantissa of a decimal fraction (RFC 8949 §3.4.4) whose exponent is −``scale``.
  package var mantissa: Int128 { isNegative ? -Int128(magnitude) : Int128(magnitude) }

  /// Whether it is zero, at any scale.
  package var isZero: Bool { magnitude == 0 }

  /// The same value at the smallest scale from 0 up that holds it: 1.50 becomes 1.5, and 100 stays.
  package var normalized: ExactDecimal {
    let zeros = isZero ? max(0, scale) : PowersOfTen.trailingZeros(magnitude, limit: max(0, scale))
    return ExactDecimal(
      magnitude: isZero ? 0 : magnitude / PowersOfTen[zeros], scale: scale - zeros, isNegative: isNegative)
  }
}

extension ExactDecimal: Comparable, Hashable {
  /// Whether both have the same value, whatever their scales.
  package static func == (left: ExactDecimal, right: ExactDecimal) -> Bool { left.compared(to: right) == 0 }

  /// Whether `left` is the smaller value, whatever the scales.
  package static func < (left: ExactDecimal, right: ExactDecimal) -> Bool { left.compared(to: right) < 0 }

  /// Feeds the value without its scale.
  package func hash(into hasher: inout Hasher) {
    let zeros = PowersOfTen.trailingZeros(magnitude, limit: PowersOfTen.maximumDigits)
    hasher.combine(isNegative)
    hasher.combine(magnitude / PowersOfTen[zeros])
    hasher.combine(isZero ? 0 : scale - zeros)
  }

  /// Below, at or above 0 as this is below, at or above `other`.
  private func compared(to other: ExactDecimal) -> Int {
    guard isNegative == other.isNegative else { return isNegative ? -1 : 1 }
    let order = comparedMagnitude(to: other)
    return isNegative ? -order : order
  }

  private func comparedMagnitude(to other: ExactDecimal) -> Int {
    if scale == other.scale || isZero || other.isZero { return Self.order(magnitude, other.magnitude) }
    let (digits, otherDigits) = (PowersOfTen.digits(magnitude), PowersOfTen.digits(other.magnitude))
    let order = Self.order(digits - scale, otherDigits - other.scale)
    guard order == 0 else { return order }
    // The leading digits have the same worth, so the shorter one becomes as long as the longer one: 38 digits at most.
    let left = magnitude * PowersOfTen[max(0, otherDigits - digits)]
    return Self.order(left, other.magnitude * PowersOfTen[max(0, digits - otherDigits)])
  }

  private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left == right ? 0 : left < right ? -1 : 1
  }
}
