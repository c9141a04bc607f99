extension ExactDecimal {
  /// The value with the other sign; zero stays zero.
  package static prefix func - (value: ExactDecimal) -> ExactDecimal {
    ExactDecimal(magnitude: value.magnitude, scale: value.scale, isNegative: !value.isNegative)
  }

  /// The exact sum, at the larger of both scales (or a smaller one if only that holds it).
  ///
  /// A sum is never rounded: what a reader adds up by hand must come out to the last digit.
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

  /// The digits at a scale that is not smaller; `nil` beyond 38 digits.
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

  /// The value with exactly `places` digits after the point, rounded half to even: 1.005 becomes 1.00, 1.015 becomes
  /// 1.02.
  ///
  /// - Throws: ``MoneyError/overflow`` if that has more than 38 digits.
  package func rounded(places: Int) throws(MoneyError) -> ExactDecimal {
    try scaled(by: .one, over: .one, places: places).value
  }

  /// This · `numerator` / `denominator` with exactly `places` digits after the point, rounded once, half to even.
  ///
  /// The product is 256 bits wide and is divided before any digit is dropped, so that a tie is seen as a tie.
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
