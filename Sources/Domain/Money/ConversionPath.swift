/// The steps that convert an amount from one currency to another.
///
/// The amount is multiplied by the product of the forward rates and divided by the product of the reversed ones; digits
/// are dropped only after that. So 0.045 against a rate of 3 is the tie 0.015 and becomes 0.02; multiplying by 0.333…3
/// would give 0.01.
package struct ConversionPath: Hashable, Sendable {
  /// The first currency.
  package let from: CurrencyCode
  /// The last currency.
  package let to: CurrencyCode
  /// The conversions in order; none from a currency to itself.
  package let steps: [ConversionStep]
  /// The value of one ``from`` in ``to``, with at most 38 digits; exactly 1 without steps.
  package let rate: ExactDecimal
  /// Whether ``rate`` was rounded to 38 digits, half to even.
  package let isRounded: Bool
  private let factor: PathFactor
  private let decimals: Int

  /// Joins steps, each of which starts where the previous one ends.
  ///
  /// - Throws: ``MoneyError/overflow`` if the product of the rates exceeds every scale.
  init(from: CurrencyCode, to: CurrencyCode, steps: [ConversionStep]) throws(MoneyError) {
    (self.from, self.to, self.steps) = (from, to, steps)
    var factor = PathFactor()
    for step in steps { try factor.append(step) }
    (self.factor, decimals) = (factor, to.decimals)
    if let only = steps.first, steps.count == 1 {
      // A single given rate is shown as written.
      (rate, isRounded) = (only.rate, only.isRounded)
    } else {
      let quotient = try factor.numerator.divided(by: factor.denominator)
      (rate, isRounded) = (quotient.value, factor.isRounded || !quotient.isExact)
    }
  }

  /// Whether this is not a single given rate, so that tables mark it as derived.
  package var isDerived: Bool { steps.count > 1 || steps.contains(where: \.isReversed) }

  /// `amount` converted to ``to``, rounded half to even to the places of `rounding`.
  ///
  /// An amount already in ``to`` is rounded as well: totals have those places.
  ///
  /// - Throws: ``MoneyError/overflow`` if the result has more than 38 digits.
  /// - Complexity: O(1), or O(steps) when every step is rounded.
  package func convert(_ amount: ExactDecimal, rounding: Rounding = .once) throws(MoneyError) -> ExactDecimal {
    guard rounding == .step, steps.count > 1 else {
      return try amount.scaled(by: factor.numerator, over: factor.denominator, places: rounding.places(decimals)).value
    }
    var value = amount
    for step in steps { value = try step.converted(value).value }
    return value
  }

  /// The value of `amount` after each step: with up to 38 digits, or with two places when every step is rounded.
  ///
  /// With `once` the last value is not yet rounded; ``convert(_:rounding:)`` rounds the true value, not
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

/// The product of the rates on a path, as a fraction: forward rates in the numerator, reversed ones in the denominator.
struct PathFactor: Hashable {
  private(set) var numerator = ExactDecimal.one
  private(set) var denominator = ExactDecimal.one
  /// Whether a product had more than 38 digits.
  private(set) var isRounded = false

  /// Multiplies by one more step.
  mutating func append(_ step: ConversionStep) throws(MoneyError) {
    // Trailing zeros of a rate would use up digits of the product.
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

/// One conversion on a path, by a given rate or its reverse.
package struct ConversionStep: Hashable, Sendable {
  /// The currency before the conversion.
  package let from: CurrencyCode
  /// The currency after the conversion.
  package let to: CurrencyCode
  /// The rate as it was given; from ``to`` to ``from`` if ``isReversed``.
  package let given: Rate
  /// The value of one ``from`` in ``to``: the given value, or 1 / value with at most 38 digits.
  package let rate: ExactDecimal
  /// Whether the given rate is for the opposite direction.
  package let isReversed: Bool
  /// Whether ``rate`` was rounded to 38 digits, such as 1 / 3; the conversion itself divides by the given value.
  package let isRounded: Bool

  /// A step by a given rate.
  package init(along rate: Rate) {
    (from, to, given, self.rate) = (rate.from, rate.to, rate, rate.value)
    (isReversed, isRounded) = (false, false)
  }

  /// A step by the reverse of a given rate.
  ///
  /// - Throws: ``MoneyError/overflow`` if 1 / value exceeds every scale.
  init(against rate: Rate) throws(MoneyError) {
    let reciprocal = try ExactDecimal.one.divided(by: rate.value)
    (from, to, given, self.rate) = (rate.to, rate.from, rate, reciprocal.value)
    (isReversed, isRounded) = (true, !reciprocal.isExact)
  }

  /// `value` after this conversion, rounded half to even to two places.
  func converted(_ value: ExactDecimal) throws(MoneyError) -> RoundedDecimal {
    isReversed
      ? try value.scaled(by: .one, over: given.value, places: Rounding.stepPlaces)
      : try value.scaled(by: given.value, over: .one, places: Rounding.stepPlaces)
  }
}

/// When a converted amount is rounded, half to even.
package enum Rounding: String, CaseIterable, Sendable {
  /// Once, after the last conversion, from the unrounded value, to the places of its currency.
  case once
  /// After every conversion, to two places in any currency.
  case step

  static let stepPlaces = 2

  /// The decimal places of converted amounts and totals in a currency with `decimals`.
  func places(_ decimals: Int) -> Int { self == .step ? Self.stepPlaces : decimals }
}
