import Money

/// The good records of a feed of money, with their positions, and notes about the others.
struct MoneyList<Value> {
  /// The good records in the order of the list; positions count from 1.
  let records: [(position: Int, value: Value)]
  /// What was odd.
  private(set) var notes: ImportNotes

  /// Reads the list in `bytes` record by record; `name` is what messages call it.
  ///
  /// A list without a single good record is refused, also an empty one: an upstream that is out of order looks the same,
  /// and taking it would empty what is served.
  ///
  /// - Throws: ``FeedError`` of reason `badData` if nothing is to be taken from it.
  /// - Complexity: O(count of `bytes`).
  init(
    _ bytes: [UInt8], name: String, _ value: (MoneyRecord) throws(MoneyRecord.Problem) -> Value
  ) throws(FeedError) {
    var records: [(position: Int, value: Value)] = []
    var notes = ImportNotes(source: name)
    do {
      try JSONRecords.read(bytes) { position, element in
        notes.countRecord()
        do throws(MoneyRecord.Problem) {
          records.append((position, try value(MoneyRecord(element))))
        } catch {
          notes.skip(position, error.text)
        }
      }
    } catch {
      throw FeedError(.badData, "\(name): the JSON is broken \(error); nothing was taken from it")
    }
    guard !records.isEmpty else {
      let found = notes.skipped == 0 ? "the list is empty" : "not one of \(notes.skipped) records is good"
      let lines = ["\(name): \(found); nothing was taken from it"] + notes.lines
      throw FeedError(.badData, lines.joined(separator: "\n"))
    }
    (self.records, self.notes) = (records, notes)
  }

  /// Remarks on the `currencies` of kept records that are no three letters, each once: a feed may use codes that are not
  /// ISO 4217's, or it may have a mistake.
  mutating func remarkOnCurrencies(_ currencies: (Value) -> [CurrencyCode]) {
    var remarked: Set<CurrencyCode> = []
    for (position, value) in records {
      for code in currencies(value) where !code.isThreeLetters && remarked.insert(code).inserted {
        notes.remark(position, "the currency \"\(code)\" is not three capital letters; it is kept")
      }
    }
  }
}
