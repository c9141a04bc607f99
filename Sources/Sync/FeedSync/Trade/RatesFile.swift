import Money

/// The feed `rates`: `[{"from": "EUR", "to": "USD", "rate": "1.359"}, …]`, a rate as text or as a number.
///
/// Other keys are ignored. A bad record is skipped. Of several rates for one pair the lowest stands, whatever their order:
/// equal ones are repeated, higher ones replaced. The rate from a currency to itself, which is 1, counts as repeated.
struct RatesFile {
  /// The rates, with the paths between all currencies.
  let table: RateTable
  /// What was odd.
  let notes: ImportNotes

  /// Reads the list in `bytes`; `name` is what messages call it.
  ///
  /// - Throws: ``FeedError`` of reason `badData` if it is no JSON array, has no good record, or more than
  ///   ``RateTable/maximumCurrencies`` currencies.
  /// - Complexity: O(bytes + R log R + V³) for R rates of V currencies.
  init(_ bytes: [UInt8], name: String) throws(FeedError) {
    var list = try MoneyList(bytes, name: name) { (record) throws(MoneyRecord.Problem) in
      let (from, to) = (try record.currency("from"), try record.currency("to"))
      let value = try record.decimal("rate")
      do { return try Rate(from: from, to: to, value: value) } catch { throw MoneyRecord.Problem("\(error)") }
    }
    list.remarkOnCurrencies { [$0.from, $0.to] }
    do {
      table = try RateTable(list.records.lazy.map(\.value))
    } catch {
      throw FeedError(.badData, "\(name): \(error); nothing was taken from it")
    }
    notes = Self.notes(of: list, table)
  }

  /// The notes of `list`, with the records in whose place another rate of the same pair stands in `table`.
  private static func notes(of list: MoneyList<Rate>, _ table: RateTable) -> ImportNotes {
    var notes = list.notes
    var positions: [Rate: Int] = [:]
    for (position, rate) in list.records {
      guard let kept = table.given(from: rate.from, to: rate.to) else {
        notes.repeat(position, "the rate from \(rate.from) to itself is 1 in any case")
        continue
      }
      // Equal rates may be written with different places; the table has one of them as it is written.
      if rate.value == kept.value, rate.value.scale == kept.value.scale, positions[kept] == nil {
        positions[kept] = position
        continue
      }
      let pair = "\(rate.from) to \(rate.to)"
      if rate.value == kept.value {
        notes.repeat(position, "another record gives the same rate from \(pair), \(kept.value)")
      } else {
        notes.replace(
          position, "another record gives a lower rate from \(pair), \(kept.value) instead of \(rate.value)")
      }
    }
    return notes
  }
}
