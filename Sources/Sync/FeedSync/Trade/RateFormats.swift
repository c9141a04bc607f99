import Money

/// The forms in which rates are published.
///
/// - a list of `from`, `to` and `rate`; or of `base`, `quote` and `rate`; in JSON, or as CSV with a header row
/// - an object of a base and its rates, as of the Frankfurter API and Open Exchange Rates:
///   `{"base": "EUR", "rates": {"USD": 1.08, …}}`, also within `data`; or with the base before each currency,
///   `{"source": "EUR", "quotes": {"EURUSD": 1.08, …}}`; or as the key of the rates, `{"eur": {"usd": 1.08, …}}`
/// - the reference rates of the European Central Bank in XML: `<Cube currency='USD' rate='1.08'/>`, of the euro
enum RateFormats {
  private static let from = ["from", "base", "base_currency", "source"]
  private static let to = ["to", "quote", "quote_currency", "target"]
  private static let rate = ["rate", "value"]
  private static let amounts = ["amount", "unit", "units", "nominal"]
  private static let bases = ["base", "base_code", "base_currency", "currency", "source"]
  private static let lists = ["rates", "conversion_rates", "quotes", "data"]

  /// Reads the records in `bytes`, in whichever form they are.
  ///
  /// - Throws: ``FeedError`` of reason `badData` if it is none of them.
  /// - Complexity: O(count of `bytes`).
  static func read(_ bytes: [UInt8], _ take: (MoneyRecord.Element) -> Void) throws(FeedError) {
    let first = bytes.dropFirst(bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0).first { !" \t\r\n".utf8.contains($0) }
    switch first {
    case UInt8(ascii: "{"): try readObject(bytes, take)
    case UInt8(ascii: "<") where bytes.contains("Cube".utf8): try readCubes(bytes, take)
    case UInt8(ascii: "["): try MoneyRecord.readList(bytes, [from, to, rate, amounts], take)
    default: try readTable(bytes, take)
    }
  }

  private static func readTable(_ bytes: [UInt8], _ take: (MoneyRecord.Element) -> Void) throws(FeedError) {
    var reader = CSVReader(bytes)
    let header = try? reader.nextRow()
    let columns = [from, to, rate, amounts].map { names in
      header?.firstIndex { field in names.contains { (field.text ?? "").isKey($0) } }
    }
    guard let header, !columns[..<3].contains(nil) else { return try MoneyRecord.readList(bytes, [], take) }
    while let row = try reader.nextRow() {
      guard row.count == header.count else {
        take(.failure(RecordProblem("\(row.count) fields, the header row has \(header.count)")))
        continue
      }
      let values = columns.map { column in
        column.map { row[$0].text.map(JSONField.text) ?? .invalidText(offset: row[$0].offset) } ?? .missing
      }
      take(.success(MoneyRecord(Array(zip([from[0], to[0], rate[0], amounts[0]], values)))))
    }
  }

  private static func record(_ base: String, _ currency: String, _ rate: JSONField) -> MoneyRecord {
    MoneyRecord([("from", .text(base)), ("to", .text(currency)), ("rate", rate)])
  }

  /// The members of an object, as far as they may be rates or say of what.
  private struct RateObject {
    var base: String?
    var amount = JSONField.missing
    var rates: [(currency: String, rate: JSONField)]?
    /// The members that are none of these.
    var others: [(currency: String, rate: JSONField)] = []
    /// Objects whose keys may be their base.
    var keyed: [(base: String, rates: [(currency: String, rate: JSONField)])] = []

    init(_ scanner: inout JSONScanner, isOuter: Bool = true) throws(JSONFault) {
      try scanner.readObject { (scanner, key) throws(JSONFault) in
        let (name, kind) = (key.text, try scanner.peek())
        if kind == .string, bases.contains(where: name.isKey) {
          base = try scanner.readString().text
        } else if amounts.contains(where: name.isKey) {
          amount = try scanner.readField()
        } else if kind == .object, lists.contains(where: name.isKey) {
          let inner = try RateObject(&scanner, isOuter: false)
          base = inner.base ?? base
          rates = inner.rates ?? inner.others
        } else if kind == .object, isOuter, name.utf8.count == 3 {
          keyed.append((name, try RateObject(&scanner, isOuter: false).others))
        } else {
          others.append((name, try Self.readRate(&scanner)))
        }
      }
    }

    /// A rate, or the rate of an object that has more about the currency.
    private static func readRate(_ scanner: inout JSONScanner) throws(JSONFault) -> JSONField {
      guard try scanner.peek() == .object else { return try scanner.readField() }
      var found = JSONField.other(.object)
      try scanner.readObject { (scanner, key) throws(JSONFault) in
        let name = key.text
        guard rate.contains(where: name.isKey) else { return try scanner.skipValue() }
        found = try scanner.readField()
      }
      return found
    }
  }

  private static func readObject(_ bytes: [UInt8], _ take: (MoneyRecord.Element) -> Void) throws(FeedError) {
    var read: RateObject?
    try SourceJSON.read(bytes) { (scanner) throws(JSONFault) in read = try RateObject(&scanner) }
    guard var object = read else { return }
    if object.rates == nil, object.keyed.count == 1 { (object.base, object.rates) = object.keyed[0] }
    guard let base = object.base, let rates = object.rates else {
      throw FeedError(.badData, "expected a JSON array of records, found an object without a base and its rates")
    }
    guard object.amount == .missing || object.amount.isOne else {
      throw FeedError(
        .badData, "expected rates of one \(base.excerpt(8)), found those of \(object.amount.text.excerpt(20))")
    }
    for (name, rate) in rates {
      let isPair = name.utf8.count == 2 * base.utf8.count && name.hasPrefix(base)
      take(.success(record(base, isPair ? String(name.dropFirst(base.count)) : name, rate)))
    }
  }

  /// Reads the elements with a currency; of several days, those of the first, which is the latest.
  private static func readCubes(_ bytes: [UInt8], _ take: (MoneyRecord.Element) -> Void) throws(FeedError) {
    var (tags, days) = (XMLTags(bytes), 0)
    while let tag = try tags.next() {
      guard tag.name == "Cube" else { continue }
      days += tag["time"] == nil ? 0 : 1
      guard days < 2, let currency = tag["currency"] else { continue }
      take(.success(record("EUR", currency, tag["rate"].map(JSONField.text) ?? .missing)))
    }
  }
}

extension JSONField {
  /// The text, or the number as written; empty for other values.
  fileprivate var text: String {
    switch self {
    case .text(let text): text
    case .number(let number): number.text
    default: ""
    }
  }

  /// Whether it is the number 1.
  fileprivate var isOne: Bool { (try? ExactDecimal(written: text)).map { $0 == .one } ?? false }
}
