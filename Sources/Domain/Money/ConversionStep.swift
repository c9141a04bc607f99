/// One conversion on a path: along a given rate, or against it.
package struct ConversionStep: Hashable, Sendable {
  /// The currency before it.
  package let from: CurrencyCode
  /// The currency after it.
  package let to: CurrencyCode
  /// The rate as it was given; from ``to`` to ``from`` if ``isReversed``.
  package let given: Rate
  /// One ``from`` in ``to``: the given value, or 1 / value with at most 38 digits.
  package let rate: ExactDecimal
  /// Whether the given rate goes the other way.
  package let isReversed: Bool
  /// Whether ``rate`` was rounded to 38 digits, as 1 / 3 must be; the conversion itself divides by the given value.
  package let isRounded: Bool

  /// Goes along a given rate.
  init(along rate: Rate) {
    (from, to, given, self.rate) = (rate.from, rate.to, rate, rate.value)
    (isReversed, isRounded) = (false, false)
  }

  /// Goes against a given rate.
  ///
  /// - Throws: ``MoneyError/overflow`` if 1 / value lies beyond every scale.
  init(against rate: Rate) throws(MoneyError) {
    let reciprocal = try ExactDecimal.one.divided(by: rate.value)
    (from, to, given, self.rate) = (rate.to, rate.from, rate, reciprocal.value)
    (isReversed, isRounded) = (true, !reciprocal.isExact)
  }

  /// `value` after this conversion, rounded half to even to two places.
  func converted(_ value: ExactDecimal) throws(MoneyError) -> RoundedDecimal {
    isReversed
      ? try value.scaled(by: .one, over: given.value, places: Rounding.places)
      : try value.scaled(by: given.value, over: .one, places: Rounding.places)
  }
}

/// When a converted amount is rounded to two places, half to even.
package enum Rounding: String, CaseIterable, Sendable {
  /// Once, after the last conversion, from the unrounded value.
  case once
  /// After every conversion.
  case step

  /// The digits after the point of every converted amount and total.
  package static let places = 2
}
