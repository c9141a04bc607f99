/// A natural number of 256 bits: the product of two mantissas, before digits are dropped.
///
/// Two mantissas of 38 digits multiply to less than 10⁷⁶, which is below 2²⁵³; nothing here holds more.
struct WideNatural {
  /// The upper 128 bits.
  let high: UInt128
  /// The lower 128 bits.
  let low: UInt128

  init(_ value: UInt128) { (high, low) = (0, value) }

  init(_ left: UInt128, times right: UInt128) { (high, low) = left.multipliedFullWidth(by: right) }

  private init(high: UInt128, low: UInt128) { (self.high, self.low) = (high, low) }

  var isZero: Bool { high == 0 && low == 0 }

  /// The decimal digits; 1 for zero.
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
    // `rest` is below the divisor, so the lower quotient fits: the full-width division would trap otherwise.
    let (lower, remainder) = divisor.dividingFullWidth((rest, low))
    return (WideNatural(high: upper, low: lower), remainder)
  }

  /// This number without its last `count` digits, and what they were worth; `tail` was lost behind them before.
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

/// What digits that were lost were worth, in units of the last digit that was kept: all that rounding needs to know.
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

  /// Whether half to even (IEEE 754 §4.3.1, roundTiesToEven) takes `kept` one up.
  func roundsUp(_ kept: UInt128) -> Bool {
    switch self {
    case .nothing, .belowHalf: false
    case .half: kept & 1 == 1
    case .aboveHalf: true
    }
  }
}
