@_exported public import Base

/// A decimal number as people write it, with a sign, at most 38 digits and a scale: an amount, a rate or a total.
///
///     let price = try ExactDecimal(parsing: "10.00")     // magnitude 1000, scale 2
///     print(price)                                       // 10.00
///
/// It is ± ``magnitude`` · 10^−``scale``. The scale is kept as written, for display; `==`, `<` and the hash use the
/// value, so 10.00 equals 10. Input, arithmetic and output never use binary floating point (a rate of `0.1` or
/// `1.0000000000000002` survives), and there is no NaN, infinity or negative zero. Decimal128 (IEEE 754-2019 §3.5)
/// keeps 34 digits.
package struct ExactDecimal: Sendable {
  /// The digits without sign and point, at most ``maximumMagnitude``.
  package let magnitude: UInt128
  /// The number of digits after the point, within ``scales``; if negative, that many zeros follow the digits.
  package let scale: Int
  /// Whether it is below zero; zero never is.
  package let isNegative: Bool

  /// 38 nines.
  package static let maximumMagnitude = UInt128(99_999_999_999_999_999_999_999_999_999_999_999_999)
  /// The valid scales: those of decimal128, which no real chain of rates exceeds.
  package static let scales = -6144...6176
  /// Zero, of scale 0.
  package static let zero = ExactDecimal(magnitude: 0, scale: 0, isNegative: false)
  /// One, of scale 0.
  package static let one = ExactDecimal(magnitude: 1, scale: 0, isNegative: false)

  /// Makes a decimal from parts known to be in range.
  init(magnitude: UInt128, scale: Int, isNegative: Bool) {
    (self.magnitude, self.scale, self.isNegative) = (magnitude, scale, isNegative && magnitude != 0)
  }

  /// Makes a decimal from a magnitude in range and any scale.
  ///
  /// - Throws: ``MoneyError/overflow`` if `scale` is out of range.
  init(checked magnitude: UInt128, scale: Int, _ isNegative: Bool) throws(MoneyError) {
    guard Self.scales.contains(scale) else { throw .overflow }
    self.init(magnitude: magnitude, scale: scale, isNegative: isNegative)
  }

  /// Makes `mantissa` · 10^−`scale`, also from untrusted numbers.
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

  /// The same value at the smallest exact scale of at least 0: 1.50 becomes 1.5, and 100 stays.
  package var normalized: ExactDecimal {
    let zeros = isZero ? max(0, scale) : PowersOfTen.trailingZeros(magnitude, limit: max(0, scale))
    return ExactDecimal(
      magnitude: isZero ? 0 : magnitude / PowersOfTen[zeros], scale: scale - zeros, isNegative: isNegative)
  }
}

extension ExactDecimal: Comparable, Hashable {
  /// Whether both have the same value, regardless of their scales.
  package static func == (left: ExactDecimal, right: ExactDecimal) -> Bool { left.compared(to: right) == 0 }

  /// Whether `left` is the smaller value, regardless of the scales.
  package static func < (left: ExactDecimal, right: ExactDecimal) -> Bool { left.compared(to: right) < 0 }

  /// Hashes the value, regardless of its scale.
  package func hash(into hasher: inout Hasher) {
    let zeros = PowersOfTen.trailingZeros(magnitude, limit: PowersOfTen.maximumDigits)
    hasher.combine(isNegative)
    hasher.combine(magnitude / PowersOfTen[zeros])
    hasher.combine(isZero ? 0 : scale - zeros)
  }

  /// Negative, 0 or positive if this is less than, equal to or greater than `other`.
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
    // The leading digits have the same weight, so extend the shorter one to the length of the longer one: at most 38
    // digits.
    let left = magnitude * PowersOfTen[max(0, otherDigits - digits)]
    return Self.order(left, other.magnitude * PowersOfTen[max(0, digits - otherDigits)])
  }

  private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left == right ? 0 : left < right ? -1 : 1
  }
}

extension ExactDecimal {
  /// The most digits after the point that are accepted.
  package static let maximumWrittenScale = 38

  /// Reads plain decimal notation: an optional minus sign, digits, and at most one point with digits on both sides.
  ///
  /// That is the form of a JSON number without exponent (RFC 8259 §6), in a number or a string; leading zeros are
  /// allowed, as in `007.50`. Spaces, a plus sign, separators, a decimal comma and an exponent are refused.
  ///
  /// - Throws: ``MoneyError/malformedNumber(_:reason:)``, with the found and the expected text.
  /// - Complexity: O(bytes of the text).
  package init(parsing text: String) throws(MoneyError) {
    var (magnitude, places, digits) = (UInt128(0), 0, 0)
    var (isNegative, hasPoint, problem) = (false, false, text.utf8.isEmpty ? "it is empty" : nil)
    for (index, byte) in text.utf8.enumerated() where problem == nil {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let digit = UInt128(byte - UInt8(ascii: "0"))
        digits += 1
        places += hasPoint ? 1 : 0
        guard places <= Self.maximumWrittenScale, magnitude <= (Self.maximumMagnitude - digit) / 10 else {
          problem = "at most 38 digits are kept"
          break
        }
        magnitude = magnitude * 10 + digit
      case UInt8(ascii: ".") where !hasPoint && digits > 0: (hasPoint, digits) = (true, 0)
      case UInt8(ascii: "-") where index == 0: isNegative = true
      default: problem = Self.reason(against: byte, hasPoint)
      }
    }
    if let problem = problem ?? (digits == 0 ? "a digit is missing at its end" : nil) {
      throw .malformedNumber(MoneyError.excerpt(of: text), reason: problem)
    }
    self.init(magnitude: magnitude, scale: places, isNegative: isNegative)
  }

  private static func reason(against byte: UInt8, _ hasPoint: Bool) -> String {
    switch byte {
    case UInt8(ascii: ","): "write a point, not a comma, and no separators"
    case UInt8(ascii: "."): hasPoint ? "it has a second point" : "a digit is missing before the point"
    case UInt8(ascii: "e"), UInt8(ascii: "E"): "an exponent is not read; write all digits"
    case UInt8(ascii: "+"): "write no plus sign"
    case UInt8(ascii: "-"): "a minus sign may only stand first"
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): "it contains a space"
    default: "only digits, one point and a minus sign before them are read"
    }
  }
}

extension ExactDecimal: CustomStringConvertible {
  /// Plain decimal notation with ``scale`` digits after the point, such as `-10.00`; never with an exponent.
  ///
  /// - Complexity: O(digits written), at most 6,182.
  package var description: String {
    (isNegative ? "-" : "") + unlimitedDecimal(digits: String(magnitude), -scale)
  }
}

extension ExactDecimal {
  /// The exact sum, at the larger of both scales (or a smaller one if the sum fits only there).
  ///
  /// Sums are never rounded: a manual check must agree to the last digit.
  ///
  /// - Throws: ``MoneyError/overflow`` if the exact sum has more than 38 digits.
  package func adding(_ other: ExactDecimal) throws(MoneyError) -> ExactDecimal {
    if let sum = aligned(with: other) { return sum }
    guard let sum = normalized.aligned(with: other.normalized) else { throw .overflow }
    return sum
  }

  /// The sum at the larger scale; `nil` if an operand or the sum has more than 38 digits there.
  private func aligned(with other: ExactDecimal) -> ExactDecimal? {
    let common = max(scale, other.scale)
    guard let left = magnitude(atScale: common), let right = other.magnitude(atScale: common) else { return nil }
    guard isNegative != other.isNegative else {
      // Both are below 10³⁸, so their sum is below 2¹²⁸.
      guard left + right <= Self.maximumMagnitude else { return nil }
      return ExactDecimal(magnitude: left + right, scale: common, isNegative: isNegative)
    }
    return left >= right
      ? ExactDecimal(magnitude: left - right, scale: common, isNegative: isNegative)
      : ExactDecimal(magnitude: right - left, scale: common, isNegative: other.isNegative)
  }

  /// The magnitude at a scale that is not smaller; `nil` beyond 38 digits.
  private func magnitude(atScale finer: Int) -> UInt128? {
    guard finer > scale, !isZero else { return magnitude }
    guard PowersOfTen.digits(magnitude) + finer - scale <= PowersOfTen.maximumDigits else { return nil }
    return magnitude * PowersOfTen[finer - scale]
  }

  /// The product: exact up to 38 digits, rounded half to even beyond.
  ///
  /// - Throws: ``MoneyError/overflow`` if its scale is not within ``scales``.
  package func multiplied(by other: ExactDecimal) throws(MoneyError) -> RoundedDecimal {
    try WideQuotient(numerator: WideNatural(magnitude, times: other.magnitude), denominator: 1)
      .decimal(scale: scale + other.scale, isNegative: isNegative != other.isNegative)
  }

  /// The quotient: exact if it terminates within 38 digits, rounded half to even to 38 digits otherwise.
  ///
  /// - Throws: ``MoneyError/divisionByZero``; ``MoneyError/overflow`` if its scale is not within ``scales``.
  package func divided(by other: ExactDecimal) throws(MoneyError) -> RoundedDecimal {
    guard !other.isZero else { throw .divisionByZero }
    return try WideQuotient(numerator: WideNatural(magnitude), denominator: other.magnitude)
      .decimal(scale: scale - other.scale, isNegative: isNegative != other.isNegative)
  }

  /// This · `numerator` / `denominator` with exactly `places` digits after the point, rounded once, half to even.
  ///
  /// 1.005 becomes 1.00, 1.015 becomes 1.02. The product is 256 bits wide and is divided before any digit is dropped,
  /// so that a tie is recognized as one.
  ///
  /// - Throws: ``MoneyError/divisionByZero``; ``MoneyError/overflow`` if the result has more than 38 digits.
  func scaled(
    by numerator: ExactDecimal, over denominator: ExactDecimal, places: Int
  ) throws(MoneyError) -> RoundedDecimal {
    guard !denominator.isZero else { throw .divisionByZero }
    let exact = WideQuotient(
      numerator: WideNatural(magnitude, times: numerator.magnitude), denominator: denominator.magnitude)
    let shift = places - (scale + numerator.scale - denominator.scale)
    guard let (rounded, isExact) = exact.integer(shiftedBy: shift) else { throw .overflow }
    let sign = isNegative != (numerator.isNegative != denominator.isNegative)
    return RoundedDecimal(try ExactDecimal(checked: rounded, scale: places, sign), isExact: isExact)
  }
}
