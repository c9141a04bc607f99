import Money

/// The feed `rates`: `[{"from": "EUR", "to": "USD", "rate": "1.359"}, …]`, a rate as text or as a number.
///
/// Other keys are ignored. A bad record is noted with its position and skipped; the same pair with different rates is
/// one rate, the lowest, whatever their order, and is noted.
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
    let list = try MoneyList(bytes, name: name) { (record) throws(MoneyRecord.Problem) in
      let (from, to) = (try record.currency("from"), try record.currency("to"))
      let value = try record.decimal("rate")
      do { return try Rate(from: from, to: to, value: value) } catch { throw MoneyRecord.Problem("\(error)") }
    }
    do {
      table = try RateTable(list.records.lazy.map(\.value))
    } catch {
      throw FeedError(.badData, "\(name): \(error); nothing was taken from it")
    }
    var notes = list.notes
    for conflict in table.conflicts {
      let kept = conflict.kept
      let other = list.records.first {
        $0.value.from == kept.from && $0.value.to == kept.to && $0.value.value != kept.value
      }
      let values = conflict.refused.map(\.description).joined(separator: ", ")
      notes.remark(
        other?.position ?? 0, "\(kept.from) to \(kept.to) is given as \(values) and \(kept.value): the lowest is kept")
    }
    self.notes = notes
  }
}
