/// A natural number of 256 bits: the product of two mantissas, before digits are dropped.
///
/// The product of two mantissas of 38 digits is less than 10⁷⁶, which is below 2²⁵³; larger numbers do not occur.
struct WideNatural {
  /// The upper 128 bits.
  let high: UInt128
  /// The lower 128 bits.
  let low: UInt128

  init(_ value: UInt128) { (high, low) = (0, value) }

  init(_ left: UInt128, times right: UInt128) { (high, low) = left.multipliedFullWidth(by: right) }

  private init(high: UInt128, low: UInt128) { (self.high, self.low) = (high, low) }

  var isZero: Bool { high == 0 && low == 0 }

  /// The number of decimal digits; 1 for zero.
  var digits: Int {
    guard high != 0 else { return PowersOfTen.digits(low) }
    return PowersOfTen.maximumDigits + divided(by: PowersOfTen[PowersOfTen.maximumDigits]).quotient.digits
  }

  /// Long division with two digits of 128 bits; `divisor` is not zero.
  func divided(by divisor: UInt128) -> (quotient: WideNatural, remainder: UInt128) {
    guard high != 0 else {
      let (quotient, remainder) = low.quotientAndRemainder(dividingBy: divisor)
      return (WideNatural(quotient), remainder)
    }
    let (upper, rest) = high.quotientAndRemainder(dividingBy: divisor)
    // `rest` is below the divisor, so the lower quotient fits; otherwise the full-width division would trap.
    let (lower, remainder) = divisor.dividingFullWidth((rest, low))
    return (WideNatural(high: upper, low: lower), remainder)
  }

  /// This number without its last `count` digits, and the lost part; `tail` is the part lost earlier.
  func dropping(_ count: Int, tail: LostPart) -> (kept: WideNatural, lost: LostPart) {
    guard count > 0 else { return (self, tail) }
    // Below 10⁷⁶, a number is less than a tenth of 10⁷⁷.
    guard count <= 76 else {
      return (WideNatural(0), LostPart(remainder: isZero ? 0 : 1, of: 10, behind: tail))
    }
    let step = min(count, PowersOfTen.maximumDigits)
    let (quotient, remainder) = divided(by: PowersOfTen[step])
    let lost = LostPart(remainder: remainder, of: PowersOfTen[step], behind: tail)
    return quotient.dropping(count - step, tail: lost)
  }
}

/// The value of the dropped digits relative to half a unit of the last kept digit, for rounding.
enum LostPart {
  case nothing
  case belowHalf
  case half
  case aboveHalf

  /// The part `remainder` / `divisor`, followed by a part that was lost earlier; `divisor` is at most 10³⁸.
  init(remainder: UInt128, of divisor: UInt128, behind tail: LostPart = .nothing) {
    let isClean = if case .nothing = tail { true } else { false }
    let (twice, _) = remainder.multipliedReportingOverflow(by: 2)
    if remainder == 0 {
      self = isClean ? .nothing : .belowHalf
    } else if twice == divisor {
      self = isClean ? .half : .aboveHalf
    } else {
      self = twice < divisor ? .belowHalf : .aboveHalf
    }
  }

  /// Whether half to even (IEEE 754 §4.3.1, roundTiesToEven) rounds `kept` up.
  func roundsUp(_ kept: UInt128) -> Bool {
    switch self {
    case .nothing, .belowHalf: false
    case .half: kept & 1 == 1
    case .aboveHalf: true
    }
  }
}

/// An exact fraction `numerator` / `denominator`, converted to digits with a single rounding.
///
/// Every operation that can lose digits uses it: a product has the denominator 1, a reversed rate the numerator 1, and
/// an amount on a path is multiplied and divided before it is rounded.
struct WideQuotient {
  /// Below 10⁷⁶.
  let numerator: WideNatural
  /// Within 1 … 10³⁸ − 1.
  let denominator: UInt128

  /// The fraction · 10^`shift`, rounded half to even to an integer; `nil` if that has more than 38 digits.
  func integer(shiftedBy shift: Int) -> (magnitude: UInt128, isExact: Bool)? {
    let (whole, rest) = denominator == 1 ? (numerator, 0) : numerator.divided(by: denominator)
    guard shift > 0 else {
      let (kept, lost) = whole.dropping(-shift, tail: LostPart(remainder: rest, of: denominator))
      return Self.rounded(kept, lost)
    }
    guard let (longer, rest) = appended(shift, to: whole, rest) else { return nil }
    return Self.rounded(WideNatural(longer), LostPart(remainder: rest, of: denominator))
  }

  /// `whole` with `count` more digits of the quotient; `nil` beyond 38 digits.
  private func appended(_ count: Int, to whole: WideNatural, _ rest: UInt128) -> (UInt128, UInt128)? {
    guard whole.high == 0, whole.low <= ExactDecimal.maximumMagnitude else { return nil }
    var (result, rest, missing) = (whole.low, rest, count)
    while missing > 0, result != 0 || rest != 0 {
      let step = min(missing, PowersOfTen.maximumDigits)
      guard result == 0 || PowersOfTen.digits(result) + missing <= PowersOfTen.maximumDigits else { return nil }
      let (digits, remainder) = WideNatural(rest, times: PowersOfTen[step]).divided(by: denominator)
      // The rest is below the denominator, so these are at most `step` digits and the sum stays below 10³⁸.
      result = (result == 0 ? 0 : result * PowersOfTen[step]) + digits.low
      (rest, missing) = (remainder, missing - step)
    }
    return (result, rest)
  }

  private static func rounded(_ kept: WideNatural, _ lost: LostPart) -> (magnitude: UInt128, isExact: Bool)? {
    guard kept.high == 0, kept.low <= ExactDecimal.maximumMagnitude else { return nil }
    let magnitude = kept.low + (lost.roundsUp(kept.low) ? 1 : 0)
    guard magnitude <= ExactDecimal.maximumMagnitude else { return nil }
    return (magnitude, lost == .nothing)
  }

  /// The fraction · 10^−`scale` with as many digits as needed, at most 38.
  ///
  /// - Throws: ``MoneyError/overflow`` if the result exceeds every scale.
  func decimal(scale: Int, isNegative: Bool) throws(MoneyError) -> RoundedDecimal {
    if denominator == 1, numerator.high == 0, numerator.low <= ExactDecimal.maximumMagnitude {
      return RoundedDecimal(try ExactDecimal(checked: numerator.low, scale: scale, isNegative), isExact: true)
    }
    // A quotient of numbers of m and n digits has m − n digits or one more; rounding up may add another.
    let finest = PowersOfTen.maximumDigits - numerator.digits + PowersOfTen.digits(denominator)
    for shift in [finest, finest - 1] {
      guard let (magnitude, isExact) = integer(shiftedBy: shift) else { continue }
      let zeros = isExact ? PowersOfTen.trailingZeros(magnitude, limit: max(0, shift)) : 0
      let value = try ExactDecimal(
        checked: magnitude / PowersOfTen[zeros], scale: scale + (magnitude == 0 ? 0 : shift - zeros), isNegative)
      return RoundedDecimal(value, isExact: isExact)
    }
    throw .overflow
  }
}

/// A decimal, and whether it is exact.
package struct RoundedDecimal: Sendable {
  /// The value, of at most 38 digits.
  package let value: ExactDecimal
  /// Whether ``value`` is exact; otherwise it was rounded half to even, to 38 digits or given places.
  package let isExact: Bool

  init(_ value: ExactDecimal, isExact: Bool) { (self.value, self.isExact) = (value, isExact) }
}

/// Powers of ten and counts of digits, for mantissas of 38 digits.
enum PowersOfTen {
  /// The digits of every ``ExactDecimal``: ten to this power is the largest below 2¹²⁸.
  static let maximumDigits = 38

  /// 10⁰ … 10³⁸.
  private static let table: [UInt128] = (0..<maximumDigits).reduce(into: [1]) { powers, index in
    powers.append(powers[index] * 10)
  }

  /// Ten to the power of `exponent`, which must be within 0 … 38.
  static subscript(_ exponent: Int) -> UInt128 { table[exponent] }

  /// The number of decimal digits of `value`; 1 for zero, 39 from 10³⁸ on.
  static func digits(_ value: UInt128) -> Int {
    // ⌊bits · log₁₀ 2⌋ is the number of digits or one less; 1233 / 4096 is close enough to log₁₀ 2 for 128 bits.
    let estimate = ((UInt128.bitWidth - value.leadingZeroBitCount) * 1233) >> 12
    return value >= table[estimate] || value == 0 ? estimate + 1 : estimate
  }

  /// The number of trailing zeros of `value`, at most `limit`; 0 for zero.
  static func trailingZeros(_ value: UInt128, limit: Int) -> Int {
    var rest = value
    var zeros = 0
    for step in [32, 16, 8, 4, 2, 1] where value != 0 && zeros + step <= limit {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: table[step])
      guard remainder == 0 else { continue }
      rest = quotient
      zeros += step
    }
    return zeros
  }
}
