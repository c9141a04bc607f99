import Base
import CitiesProtocol
import Money

/// The good records of a feed of rates or amounts, with their positions, and notes on the others.
struct MoneyList<Value> {
  /// The good records in the order of the list; positions count from 1.
  let records: [(position: Int, value: Value)]
  private(set) var notes: ImportNotes

  /// Reads the list in `bytes` record by record; `name` is what messages call it.
  ///
  /// - Throws: ``FeedError`` of reason `badData` if it is not a JSON array.
  /// - Complexity: O(count of `bytes`).
  init(
    _ bytes: [UInt8], name: String, _ value: (MoneyRecord) throws(RecordProblem) -> Value
  ) throws(FeedError) {
    var records: [(position: Int, value: Value)] = []
    var notes = ImportNotes(source: name)
    var lines = LineCounter(bytes)
    do throws(FeedError) {
      try bytes.requireJSON(.array, of: "records")
      try SourceJSON.readRecords(bytes) { (scanner, position) throws(JSONFault) in
        notes.countRecord()
        let element = try MoneyRecord.read(&scanner, &lines)
        do throws(RecordProblem) {
          records.append((position, try value(element.get())))
        } catch {
          notes.note(position, .skipped, error.description)
        }
      }
    } catch {
      throw FeedError(.badData, "\(name): \(error); nothing was imported")
    }
    (self.records, self.notes) = (records, notes)
  }

  /// Remarks on the `currencies` of kept records that do not have three letters, each once: a feed may use codes that
  /// are not ISO 4217's, or it may have a mistake.
  mutating func remarkOnCurrencies(_ currencies: (Value) -> [CurrencyCode]) {
    var remarked: Set<CurrencyCode> = []
    for (position, value) in records {
      for code in currencies(value) where !code.isThreeLetters && remarked.insert(code).inserted {
        notes.remark(position, "the currency \"\(code)\" is not three capital letters; it is kept")
      }
    }
  }
}

extension JSONKind {
  /// The kind in importers' messages.
  var sourceNoun: String { self == .bool ? "a truth value" : description }
}

/// One record of a feed of rates or amounts: named fields, each read exactly or refused with a reason.
struct MoneyRecord {
  private var fields: [String: JSONField] = [:]
  /// The positions of invalid UTF-8, by key.
  private var invalidText: [String: String] = [:]

  /// Reads an element of a list: a ``RecordProblem`` if it is not an object, or repeats a key.
  ///
  /// - Throws: `JSONFault` where the text stops being JSON.
  static func read(
    _ scanner: inout JSONScanner, _ lines: inout LineCounter
  ) throws(JSONFault) -> Result<MoneyRecord, RecordProblem> {
    let kind = try scanner.peek()
    guard kind == .object else {
      try scanner.skipValue()
      return .failure(RecordProblem("expected an object, found \(kind.sourceNoun)"))
    }
    var record = MoneyRecord()
    var repeated: String?
    try scanner.readObject { (scanner, key) throws(JSONFault) in
      let key = key.text
      let field = try scanner.readField()
      if case .invalidText(let offset) = field { record.invalidText[key] = lines.place(at: offset) }
      if record.fields.updateValue(field, forKey: key) != nil { repeated = key }
    }
    return repeated.map { .failure(RecordProblem("\"\($0.excerpt(32))\" occurs twice")) } ?? .success(record)
  }

  /// The text of a field.
  func text(_ key: String) throws(RecordProblem) -> String {
    switch fields[key] {
    case .text(let text): return text
    case .number: throw RecordProblem("\(key): expected text, found a number")
    case let other?: throw RecordProblem("\(key): expected text, found \(noun(other, key))")
    case nil: throw RecordProblem("\(key) is missing")
    }
  }

  /// A field's currency, in the form of the wire schema; lower case is refused, as it may be a mistake.
  func currency(_ key: String) throws(RecordProblem) -> CurrencyCode {
    let text = try text(key)
    guard let code = try? CurrencyCode(text), code.description == text else {
      let excerpt = MoneyError.excerpt(of: text)
      throw RecordProblem("\(key): \(excerpt) is not 1 to 8 capital letters and digits, a letter first")
    }
    return code
  }

  /// A field's number with its scale as written, from a JSON number or text.
  func decimal(_ key: String) throws(RecordProblem) -> ExactDecimal {
    let read: () throws(MoneyError) -> ExactDecimal
    switch fields[key] {
    case .text(let text): read = { () throws(MoneyError) in try ExactDecimal(parsing: text) }
    case .number(let number): read = { () throws(MoneyError) in try ExactDecimal(jsonNumber: number.text) }
    case let other?: throw RecordProblem("\(key): expected a number, found \(noun(other, key))")
    case nil: throw RecordProblem("\(key) is missing")
    }
    do throws(MoneyError) { return try read() } catch { throw RecordProblem("\(key): \(error)") }
  }

  private func noun(_ field: JSONField, _ key: String) -> String {
    switch field {
    case .invalidText: "text that is not UTF-8 \(invalidText[key] ?? "")"
    case .null: JSONKind.null.sourceNoun
    case .other(let kind): kind.sourceNoun
    case .missing, .text, .number: "a value"
    }
  }
}

extension ExactDecimal {
  /// Reads a JSON number as written (RFC 8259 §6): `10.00` keeps its two decimal places.
  ///
  /// An exponent, written by programs that print binary floating point, moves the point: `1.50e-3` is 0.00150, and
  /// `1e2` is 100 with no decimal places. Quoted text has no exponents: it is meant as plain decimals.
  ///
  /// - Throws: ``MoneyError/malformedNumber(_:reason:)`` or ``MoneyError/overflow`` if more than 38 digits are before
  ///   or after the point.
  /// - Complexity: O(bytes of the text).
  init(jsonNumber text: String) throws(MoneyError) {
    guard let mark = text.utf8.firstIndex(where: { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }) else {
      self = try ExactDecimal(parsing: text)
      return
    }
    let written = try ExactDecimal(parsing: text[..<mark])
    // An exponent of more than three digits is out of range; a zero with one is refused too.
    guard let exponent = Int(text[text.index(after: mark)...]), (-999...999).contains(exponent) else { throw .overflow }
    let scale = written.scale - exponent
    guard scale <= Self.maximumWrittenScale else { throw .overflow }
    let moved = try ExactDecimal(mantissa: written.mantissa, scale: scale)
    // Adding zero normalizes a negative scale to 0.
    self = scale < 0 ? try moved.adding(.zero) : moved
  }
}
