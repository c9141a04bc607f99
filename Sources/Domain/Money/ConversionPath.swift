/// The path of an amount from one currency to another, with all of its steps.
///
/// The amount is multiplied by the product of the rates used in their direction and divided by the product of those
/// used in reverse; only then digits are dropped. So 0.045 against a rate of 3 is the tie 0.015 and becomes 0.02;
/// multiplying by 0.333…3 would give 0.01.
package struct ConversionPath: Hashable, Sendable {
  /// The currency that it begins in.
  package let from: CurrencyCode
  /// The currency that it ends in.
  package let to: CurrencyCode
  /// The conversions in order; none from a currency to itself.
  package let steps: [ConversionStep]
  /// One ``from`` in ``to``, with at most 38 digits; exactly 1 without steps.
  package let rate: ExactDecimal
  /// Whether ``rate`` was rounded to 38 digits, half to even.
  package let isRounded: Bool
  private let factor: PathFactor

  /// Joins steps of which each begins where the one before it ended.
  ///
  /// - Throws: ``MoneyError/overflow`` if the rates multiply to a number beyond every scale.
  init(from: CurrencyCode, to: CurrencyCode, steps: [ConversionStep]) throws(MoneyError) {
    (self.from, self.to, self.steps) = (from, to, steps)
    var factor = PathFactor()
    for step in steps { try factor.append(step) }
    self.factor = factor
    if let only = steps.first, steps.count == 1 {
      // A single given rate is shown as it was written.
      (rate, isRounded) = (only.rate, only.isRounded)
    } else {
      let quotient = try factor.numerator.divided(by: factor.denominator)
      (rate, isRounded) = (quotient.value, factor.isRounded || !quotient.isExact)
    }
  }

  /// The number of reversed rates.
  package var reversedCount: Int { steps.count { $0.isReversed } }

  /// Whether this is more than one given rate: what a table marks as derived.
  package var isDerived: Bool { steps.count > 1 || reversedCount > 0 }

  /// `amount` in ``to``, with exactly two places, half to even.
  ///
  /// An amount that already is in ``to`` is rounded the same way: totals have two places.
  ///
  /// - Throws: ``MoneyError/overflow`` if the result has more than 38 digits.
  /// - Complexity: O(1), or O(steps) when every step is rounded.
  package func convert(_ amount: ExactDecimal, rounding: Rounding = .once) throws(MoneyError) -> ExactDecimal {
    guard rounding == .step, steps.count > 1 else {
      return try amount.scaled(by: factor.numerator, over: factor.denominator, places: Rounding.places).value
    }
    var value = amount
    for step in steps { value = try step.converted(value).value }
    return value
  }

  /// What `amount` has become after each step: with up to 38 digits, or with two places when every step is rounded.
  ///
  /// With `once` the last value is not yet rounded to two places; ``convert(_:rounding:)`` rounds the true value, not
  /// the shown one.
  ///
  /// - Throws: ``MoneyError/overflow`` if a value has more than 38 digits before its point.
  /// - Complexity: O(steps).
  package func trace(_ amount: ExactDecimal, rounding: Rounding = .once) throws(MoneyError) -> [RoundedDecimal] {
    var values: [RoundedDecimal] = []
    var last = amount
    var factor = PathFactor()
    for step in steps {
      let value: RoundedDecimal
      switch rounding {
      case .once:
        try factor.append(step)
        value = try factor.applied(to: amount)
      case .step: value = try step.converted(last)
      }
      values.append(value)
      last = value.value
    }
    return values
  }
}

/// The product of the rates on a path, as a fraction: the given ones above, the reversed ones below.
struct PathFactor: Hashable {
  private(set) var numerator = ExactDecimal.one
  private(set) var denominator = ExactDecimal.one
  /// Whether a product had more than 38 digits.
  private(set) var isRounded = false

  /// Goes one step further.
  mutating func append(_ step: ConversionStep) throws(MoneyError) {
    // Zeros at the end of a written rate would use up digits of the product.
    let value = step.given.value.normalized
    let product = try (step.isReversed ? denominator : numerator).multiplied(by: value)
    if step.isReversed { denominator = product.value } else { numerator = product.value }
    isRounded = isRounded || !product.isExact
  }

  /// `amount` · ``numerator`` / ``denominator`` with at most 38 digits.
  func applied(to amount: ExactDecimal) throws(MoneyError) -> RoundedDecimal {
    let product = WideNatural(amount.magnitude, times: numerator.magnitude)
    let result = try WideQuotient(numerator: product, denominator: denominator.magnitude)
      .decimal(scale: amount.scale + numerator.scale - denominator.scale, isNegative: amount.isNegative)
    return RoundedDecimal(result.value, isExact: result.isExact && !isRounded)
  }
}

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
