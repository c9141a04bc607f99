import CBOR
import CitiesProtocol
import FrameService
import Money

// Rows are written key by key, in deterministic order (shorter keys first): a reply may have thousands of them, and the
// encoder of whole messages takes ten times as long. Tests compare the bytes with the encoder's.

extension CBORWriter {
  /// The tag of a decimal fraction (RFC 8949 §3.4.4).
  private static let decimalTag: UInt64 = 4

  /// Appends a decimal, keeping its scale.
  mutating func writeDecimal(_ value: ExactDecimal) {
    writeTag(Self.decimalTag)
    writeArray(count: 2)
    writeInteger(Int64(-value.scale))
    writeInteger(value.mantissa)
  }

  /// Appends a key and a decimal fraction.
  mutating func writePair(_ key: StaticString, _ value: ExactDecimal) {
    writeKey(key)
    writeDecimal(value)
  }

  /// Appends a key and the code of a currency.
  private mutating func writePair(_ key: StaticString, _ currency: CurrencyCode) {
    writeKey(key)
    writeCurrency(currency)
  }

  /// Appends a list of decimals.
  mutating func writeDecimals(_ values: [ExactDecimal]) {
    writeArray(count: values.count)
    for value in values { writeDecimal(value) }
  }

  /// Appends a currency's code.
  mutating func writeCurrency(_ currency: CurrencyCode) { writeText(currency.description) }

  /// Appends a path as a ``ConversionRow``.
  ///
  /// - Complexity: O(steps).
  mutating func writePath(_ path: ConversionPath) {
    writeRow(from: path.from, to: path.to, path.rate, steps: path.steps.count) { writer in
      for step in path.steps { writer.writeStep(step) }
    }
    writeFlags(derived: path.isDerived, rounded: path.isRounded)
  }

  /// Appends a given rate as a ``ConversionRow``.
  mutating func writeGiven(_ rate: Rate) {
    writeRow(from: rate.from, to: rate.to, rate.value, steps: 1) { writer in
      writer.writeStep(from: rate.from, to: rate.to, rate.value, given: rate.value, rounded: false, reversed: false)
    }
    writeFlags(derived: false, rounded: false)
  }

  private mutating func writeRow(
    from: CurrencyCode, to: CurrencyCode, _ rate: ExactDecimal, steps: Int, _ write: (inout CBORWriter) -> Void
  ) {
    writeMap(count: 6)
    writeEnds(from: from, to: to, rate)
    writeKey("steps")
    writeArray(count: steps)
    write(&self)
  }

  private mutating func writeEnds(from: CurrencyCode, to: CurrencyCode, _ rate: ExactDecimal) {
    writePair("to", to)
    writePair("from", from)
    writePair("rate", rate)
  }

  private mutating func writeFlags(derived: Bool, rounded: Bool) {
    writePair("derived", derived)
    writePair("rounded", rounded)
  }

  private mutating func writeStep(_ step: ConversionStep) {
    writeStep(
      from: step.from, to: step.to, step.rate, given: step.given.value, rounded: step.isRounded,
      reversed: step.isReversed)
  }

  private mutating func writeStep(
    from: CurrencyCode, to: CurrencyCode, _ rate: ExactDecimal, given: ExactDecimal, rounded: Bool, reversed: Bool
  ) {
    writeMap(count: 6)
    writeEnds(from: from, to: to, rate)
    writePair("given", given)
    writePair("rounded", rounded)
    writePair("reversed", reversed)
  }

  /// Appends a total in `currency` as a ``TotalRow``.
  ///
  /// - Complexity: O(remainders).
  mutating func writeTotal(_ total: ProductTotal, in currency: CurrencyCode) {
    writeMap(count: total.amount == nil ? 3 : 4)
    if let amount = total.amount {
      writePair("amount", amount)
    }
    writePair("partial", total.isPartial)
    writePair("currency", currency)
    writeKey("remainders")
    writeArray(count: total.remainders.count)
    for remainder in total.remainders { writeRemainder(remainder) }
  }

  private mutating func writeRemainder(_ remainder: Money.Remainder) {
    writeMap(count: remainder.sum == nil ? 3 : 4)
    if let sum = remainder.sum {
      writePair("sum", sum)
    }
    writePair("count", UInt64(remainder.count))
    writePair("reason", remainder.reason.rawValue)
    writePair("currency", remainder.currency)
  }

  /// Appends a product's row as a ``ProductGet/Row``; `trace` contains the intermediate values of its amount, if
  /// requested.
  mutating func writeSale(_ row: ConvertedTransaction, trace: [ExactDecimal]?) {
    writeMap(count: trace == nil ? 3 : 4)
    if let trace {
      writeKey("trace")
      writeDecimals(trace)
    }
    writePair("amount", row.transaction.amount)
    if case .unconverted(let reason) = row.outcome {
      writePair("reason", reason.rawValue)
    }
    writePair("currency", row.transaction.currency)
    if case .converted(let amount) = row.outcome {
      writePair("converted", amount)
    }
  }
}
