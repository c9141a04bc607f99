import CBOR
import CitiesProtocol
import Money

extension Decimal38 {
  /// The wire's form of a decimal, of the same scale.
  init(_ value: ExactDecimal) { self.init(mantissa: value.mantissa, exponent: -value.scale) }
}

extension ConversionRow {
  /// The wire's form of a path.
  init(_ path: ConversionPath) {
    self.init(
      from: path.from.description, to: path.to.description, rate: Decimal38(path.rate),
      steps: path.steps.map { Step($0) }, derived: path.isDerived, rounded: path.isRounded)
  }
}

extension ConversionRow.Step {
  /// The wire's form of a step.
  init(_ step: ConversionStep) {
    self.init(
      from: step.from.description, to: step.to.description, rate: Decimal38(step.rate),
      given: Decimal38(step.given.value), reversed: step.isReversed, rounded: step.isRounded)
  }
}

extension TotalRow {
  /// The wire's form of a total in `currency`.
  init(_ total: ProductTotal, in currency: CurrencyCode) {
    self.init(
      currency: currency.description, amount: total.amount.map { Decimal38($0) }, partial: total.isPartial,
      remainders: total.remainders.map { Remainder($0) })
  }
}

extension TotalRow.Remainder {
  /// The wire's form of what is not in a total.
  init(_ remainder: Money.Remainder) {
    self.init(
      currency: remainder.currency.description, reason: remainder.reason.word, count: UInt64(remainder.count),
      sum: remainder.sum.map { Decimal38($0) })
  }
}

extension ProductGet.Row {
  /// The wire's form of a row; `trace` says what its amount was on the way, where that is asked for.
  init(_ row: ConvertedTransaction, trace: [ExactDecimal]?) {
    self.init(
      amount: Decimal38(row.transaction.amount), currency: row.transaction.currency.description,
      trace: trace?.map { Decimal38($0) })
    switch row.outcome {
    case .converted(let amount): converted = Decimal38(amount)
    case .unconverted(let why): reason = why.word
    }
  }
}

extension UnconvertedReason {
  /// The word on the wire.
  var word: String {
    switch self {
    case .unreachable: "unreachable"
    case .tooLarge: "overflow"
    }
  }
}
