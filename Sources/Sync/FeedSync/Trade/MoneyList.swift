import CitiesProtocol
import Money

/// The good records of a feed of rates or amounts, with their positions, and notes on the others.
struct MoneyList<Value, Subject> {
  /// The good records in the order of the list; positions count from 1.
  let records: [(position: Int, value: Value)]
  /// What the records are about that could not be read, as far as it is known.
  let leftOut: [Subject]
  private(set) var notes: ImportNotes

  /// Takes the records that `read` finds, one by one; `name` is what messages call their source.
  ///
  /// If `value` fails, `subject` has what is known of the record.
  ///
  /// - Throws: ``FeedError`` of reason `badData` if `read` fails.
  @inline(__always)
  init(
    name: String, subject: @escaping (MoneyRecord) throws(RecordProblem) -> Subject?,
    value: @escaping (MoneyRecord) throws(RecordProblem) -> Value,
    _ read: (_ take: (MoneyRecord.Element) -> Void) throws(FeedError) -> Void
  ) throws(FeedError) {
    var (records, leftOut): ([(position: Int, value: Value)], [Subject]) = ([], [])
    var notes = ImportNotes(source: name)
    do throws(FeedError) {
      try read { element in
        notes.countRecord()
        let position = Int(notes.read)
        do throws(RecordProblem) {
          records.append((position, try value(element.get())))
        } catch {
          notes.note(position, .skipped, error.description)
          if let known = try? element.get(), let subject = try? subject(known) { leftOut.append(subject) }
        }
      }
    } catch {
      throw FeedError(.badData, "\(name): \(error); nothing was imported")
    }
    (self.records, self.leftOut, self.notes) = (records, leftOut, notes)
  }

  /// Remarks on the `currencies` of kept records that do not have three letters, each once: a feed may use codes that
  /// are not ISO 4217's, or it may have a mistake.
  mutating func remarkOnCurrencies(_ currencies: (Value) -> [CurrencyCode]) {
    var remarked: Set<CurrencyCode> = []
    for (position, value) in records {
      for code in currencies(value) where !code.isThreeLetters && remarked.insert(code).inserted {
        notes.remark(position, ["the currency \"\(code)\" is not three capital letters; it is kept"])
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
  /// A record, or why it is none.
  typealias Element = Result<MoneyRecord, RecordProblem>

  private struct Field {
    var value = JSONField.missing
    /// Whether the key was written exactly so.
    var isExact = false
    /// Whether the key occurs twice.
    var isRepeated = false

    var isMissing: Bool { if case .missing = value { true } else { false } }
  }

  /// The names of each field; the first is the one in messages.
  private let keys: [[String]]
  private var fields: [Field]
  /// The positions of invalid UTF-8, by key.
  private var invalidText: [TextKey: String] = [:]

  private init(_ keys: [[String]]) { (self.keys, fields) = (keys, Array(repeating: Field(), count: keys.count)) }

  /// Makes a record of fields by name.
  init(_ fields: [(key: String, value: JSONField)]) {
    self.init(fields.map { [$0.key] })
    self.fields = fields.map { Field(value: $0.value) }
  }

  /// Reads the records of a JSON list one by one; `keys` are the names of each field.
  ///
  /// - Throws: ``FeedError`` of reason `badData` if it is not a JSON array.
  /// - Complexity: O(count of `bytes`).
  static func readList(_ bytes: [UInt8], _ keys: [[String]], _ take: (Element) -> Void) throws(FeedError) {
    var lines = LineCounter(bytes)
    try bytes.requireJSON(.array, of: "records")
    try SourceJSON.readRecords(bytes) { (scanner, _) throws(JSONFault) in take(try read(&scanner, keys, &lines)) }
  }

  /// Reads an element of a list: a ``RecordProblem`` if it is not an object.
  ///
  /// A field whose key is repeated cannot be read. Of a key with white space around it or with capital letters, the
  /// value counts unless the exact one is there, too.
  ///
  /// - Throws: `JSONFault` where the text stops being JSON.
  private static func read(
    _ scanner: inout JSONScanner, _ keys: [[String]], _ lines: inout LineCounter
  ) throws(JSONFault) -> Element {
    let kind = try scanner.peek()
    guard kind == .object else {
      try scanner.skipValue()
      return .failure(RecordProblem("expected an object, found \(kind.sourceNoun)"))
    }
    var record = MoneyRecord(keys)
    try scanner.readObject { (scanner, key) throws(JSONFault) in
      let name = key.text
      let exact = keys.firstIndex { $0.contains { $0 == name } }
      guard let index = exact ?? keys.firstIndex(where: { $0.contains(where: name.isKey) }) else {
        return try scanner.skipValue()
      }
      let isExact = exact != nil
      let (isNew, wasExact) = (record.fields[index].isMissing, record.fields[index].isExact)
      guard isNew || isExact || !wasExact else { return try scanner.skipValue() }
      let field = try scanner.readField()
      if case .invalidText(let offset) = field { record.invalidText[keys[index][0]] = lines.place(at: offset) }
      record.fields[index] = Field(
        value: field, isExact: isExact, isRepeated: !isNew && isExact == wasExact)
    }
    return .success(record)
  }

  /// Whether there is a field.
  func has(_ key: String) -> Bool { keys.firstIndex { $0[0] == key }.map { !fields[$0].isMissing } ?? false }

  private func field(_ key: String) throws(RecordProblem) -> JSONField? {
    guard let index = keys.firstIndex(where: { $0[0] == key }), !fields[index].isMissing else { return nil }
    guard !fields[index].isRepeated else { throw RecordProblem("\"\(key)\" occurs twice") }
    return fields[index].value
  }

  /// The text of a field, or the digits of a whole number.
  func text(_ key: String) throws(RecordProblem) -> String {
    switch try field(key) {
    case .text(let text): return text
    case .number(let number) where number.isInteger: return number.text
    case .number: throw RecordProblem("\(key): expected text, found a number")
    case let other?: throw RecordProblem("\(key): expected text, found \(noun(other, key))")
    case nil: throw RecordProblem("\(key) is missing")
    }
  }

  /// A field's currency in any case, with or without blanks around it.
  func currency(_ key: String) throws(RecordProblem) -> CurrencyCode {
    let text = try text(key).trimmingSpace
    guard let code = try? CurrencyCode(text) else {
      let excerpt = MoneyError.excerpt(of: text)
      throw RecordProblem("\(key): \(excerpt) is not 1 to 8 letters and digits, a letter first")
    }
    return code
  }

  /// A field's number with its scale as written, from a JSON number or text.
  func decimal(_ key: String) throws(RecordProblem) -> ExactDecimal {
    let read: () throws(MoneyError) -> ExactDecimal
    switch try field(key) {
    case .text(let text): read = { () throws(MoneyError) in try ExactDecimal(written: text) }
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
  /// `1e2` is 100 with no decimal places.
  ///
  /// - Throws: ``MoneyError/malformedNumber(_:reason:)`` or ``MoneyError/overflow`` if more than 38 digits are before
  ///   or after the point.
  /// - Complexity: O(bytes of the text).
  init(jsonNumber text: String) throws(MoneyError) {
    guard let mark = text.utf8.firstIndex(where: { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }) else {
      self = try ExactDecimal(parsing: text)
      return
    }
    let written = try ExactDecimal(parsing: String(text[..<mark]))
    // An exponent of more than three digits is out of range; a zero with one is refused too.
    guard let exponent = Int(text[text.index(after: mark)...]), (-999...999).contains(exponent) else { throw .overflow }
    let scale = written.scale - exponent
    guard scale <= Self.maximumWrittenScale else { throw .overflow }
    let moved = try ExactDecimal(mantissa: written.mantissa, scale: scale)
    // Adding zero normalizes a negative scale to 0.
    self = scale < 0 ? try moved.adding(.zero) : moved
  }
}
