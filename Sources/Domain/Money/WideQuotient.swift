/// An exact fraction `numerator` / `denominator`, from which digits are taken with a single rounding.
///
/// Every operation that can lose digits is one of these: a product has the denominator 1, a reversed rate the
/// numerator 1, and an amount that goes along a path is multiplied and divided before anything is rounded.
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
      // The rest is below the denominator, so these are `step` digits at most and the sum stays below 10³⁸.
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

  /// The fraction · 10^−`scale` with as many of 38 digits as it needs: no more than it has if it terminates.
  ///
  /// - Throws: ``MoneyError/overflow`` if no scale holds the result.
  func decimal(scale: Int, isNegative: Bool) throws(MoneyError) -> RoundedDecimal {
    if denominator == 1, numerator.high == 0, numerator.low <= ExactDecimal.maximumMagnitude {
      return RoundedDecimal(try ExactDecimal(checked: numerator.low, scale: scale, isNegative), isExact: true)
    }
    // A quotient of numbers of m and n digits has m − n digits or one more; rounding up may add one as well.
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

/// A decimal, and whether digits were lost when it was made.
package struct RoundedDecimal: Sendable {
  /// The value, of at most 38 digits.
  package let value: ExactDecimal
  /// Whether ``value`` is the true result; otherwise that was rounded half to even, to 38 digits or to given places.
  package let isExact: Bool

  init(_ value: ExactDecimal, isExact: Bool) { (self.value, self.isExact) = (value, isExact) }
}
