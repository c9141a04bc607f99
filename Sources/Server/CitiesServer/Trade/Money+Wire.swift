package import CBOR
import CitiesProtocol
package import Money

// A reply may have thousands of these rows, and the encoder of whole messages takes ten times as long. Tests compare
// the bytes with the encoder's.

extension ExactDecimal: CBORItem {
  /// The tag of a decimal fraction (RFC 8949 §3.4.4).
  private static let tag: UInt64 = 4

  /// Appends a decimal fraction, keeping the scale.
  package func write(into writer: inout CBORWriter) {
    writer.writeTag(Self.tag)
    writer.writeArray(count: 2)
    writer.writeInteger(Int64(-scale))
    writer.writeInteger(mantissa)
  }
}

extension CurrencyCode: CBORItem {
  /// Appends the code.
  package func write(into writer: inout CBORWriter) { writer.writeText(description) }
}

extension CBORWriter {
  /// Appends a path as a ``ConversionRow``; it would have used the rates that are left out.
  ///
  /// - Complexity: O(steps).
  mutating func writePath(_ path: ConversionPath, leftOut: [Rate]) {
    writeConversion(
      from: path.from, to: path.to, path.rate, path.steps, isDerived: path.isDerived, isRounded: path.isRounded, leftOut
    )
  }

  /// Appends a given rate as a ``ConversionRow``.
  mutating func writeGiven(_ rate: Rate) {
    let steps = CollectionOfOne(ConversionStep(along: rate))
    writeConversion(from: rate.from, to: rate.to, rate.value, steps, isDerived: false, isRounded: false, [])
  }

  private mutating func writeConversion(
    from: CurrencyCode, to: CurrencyCode, _ rate: ExactDecimal, _ steps: some Collection<ConversionStep>,
    isDerived: Bool, isRounded: Bool, _ leftOut: [Rate]
  ) {
    writeMap(ConversionRow.CodingKeys.self) { row in
      row.write(.to, to)
      row.write(.from, from)
      row.write(.rate, rate)
      row.write(.steps, arrayOf: steps) { step, writer in
        writer.writeMap(ConversionRow.Step.CodingKeys.self) { map in
          map.write(.to, step.to)
          map.write(.from, step.from)
          map.write(.rate, step.rate)
          map.write(.given, step.given.value)
          map.write(.rounded, step.isRounded)
          map.write(.reversed, step.isReversed)
        }
      }
      row.write(.derived, isDerived)
      row.write(.rounded, isRounded)
      row.writeLeftOut(.leftOutRates, leftOut)
    }
  }

  /// Appends a total in `currency` as a ``TotalRow``.
  ///
  /// - Complexity: O(remainders).
  mutating func writeTotal(_ total: ProductTotal, in currency: CurrencyCode) {
    writeMap(TotalRow.CodingKeys.self) { row in
      row.write(.amount, total.amount)
      row.write(.partial, total.isPartial)
      row.write(.currency, currency)
      row.write(.leftOut, total.leftOut == 0 ? nil : total.leftOut)
      row.write(.remainders, arrayOf: total.remainders) { $1.writeRemainder($0) }
      row.writeLeftOut(.leftOutRates, total.leftOutRates)
    }
  }

  private mutating func writeRemainder(_ remainder: Money.Remainder) {
    writeMap(TotalRow.Remainder.CodingKeys.self) { row in
      row.write(.sum, remainder.sum)
      row.write(.count, remainder.count)
      row.write(.reason, remainder.reason.rawValue)
      row.write(.currency, remainder.currency)
    }
  }

  /// Appends a product's row as a ``ProductGet/Row``; `trace` contains the intermediate values of its amount, if
  /// requested.
  mutating func writeSale(_ row: ConvertedTransaction, trace: [ExactDecimal]?) {
    writeMap(ProductGet.Row.CodingKeys.self) { map in
      if let trace { map.write(.trace, arrayOf: trace) { $0.write(into: &$1) } }
      map.write(.amount, row.transaction.amount)
      if case .unconverted(let reason) = row.outcome { map.write(.reason, reason.rawValue) }
      map.write(.currency, row.transaction.currency)
      if case .converted(let amount) = row.outcome { map.write(.converted, amount) }
    }
  }
}

extension CBORMapWriter {
  /// Appends the rates that could not be read, if there are any.
  fileprivate mutating func writeLeftOut(_ key: Key, _ rates: [Rate]) {
    guard !rates.isEmpty else { return }
    write(key, arrayOf: rates) { rate, writer in
      writer.writeMap(LeftOutRate.CodingKeys.self) { row in
        row.write(.to, rate.to)
        row.write(.from, rate.from)
      }
    }
  }
}
