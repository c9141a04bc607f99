/// Powers of ten and counts of digits, as far as a mantissa of 38 digits needs them.
enum PowersOfTen {
  /// The digits that every ``ExactDecimal`` keeps: ten to this power is the largest one below 2¹²⁸.
  static let maximumDigits = 38

  /// 10⁰ … 10³⁸.
  private static let table: [UInt128] = (0..<maximumDigits).reduce(into: [1]) { powers, index in
    powers.append(powers[index] * 10)
  }

  /// Ten to the power of `exponent`, which is within 0 … 38.
  static subscript(_ exponent: Int) -> UInt128 { table[exponent] }

  /// The decimal digits of `value`; 1 for zero, 39 from 10³⁸ on.
  static func digits(_ value: UInt128) -> Int {
    // ⌊bits · log₁₀ 2⌋ is the count of digits or one less; 1233 / 4096 is log₁₀ 2 closely enough for 128 bits.
    let estimate = ((UInt128.bitWidth - value.leadingZeroBitCount) * 1233) >> 12
    return value >= table[estimate] || value == 0 ? estimate + 1 : estimate
  }

  /// The zeros at the end of `value`, at most `limit` of them; none for zero.
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
