import Base
import Geodesy

/// Locations as CSV (RFC 4180): a header row with the names of the columns, then one row per location.
///
/// ```
/// lat,lon,kind,name,address,hours
/// 59.4274,24.7456,branch,Liivalaia,"Liivalaia 8, Tallinn",Mo-Fr 09:00-17:00
/// ```
///
/// `lat`, `lon` and `kind` are required; the optional columns are those of ``PlainLocation``. Columns may be in any
/// order, and others are ignored. The text is UTF-8. Fields are separated by commas, and a field in double quotes may
/// hold commas, line breaks and doubled quotes. Empty lines are not rows.
struct CSVFile: BankFile {
  /// Most bytes in a field.
  static let maximumField = 65_536

  func readRecords(in bytes: [UInt8], of place: BankPlace, _ take: (Int, BankRecord) -> Void) throws {
    if let first = bytes.first(where: { !" \t\r\n".utf8.contains($0) }), "<{[".utf8.contains(first) {
      throw FeedError(.badData, "expected CSV with a header row, found JSON or a page of HTML or XML")
    }
    var reader = CSVReader(bytes)
    guard let header = try reader.nextRow() else { throw FeedError(.badData, "expected a header row, found nothing") }
    let columns = try Self.columns(header)
    var position = 0
    while let row = try reader.nextRow() {
      position += 1
      take(
        position,
        BankRecord { (remarks) throws(RecordProblem) in
          try Self.location(row, columns, header.count).location(in: place, &remarks)
        })
    }
  }

  /// The names of the known columns, by index.
  private static func columns(_ header: [CSVReader.Field]) throws(FeedError) -> [Int: String] {
    let known = Set(PlainLocation.names + ["lat", "lon"])
    var columns: [Int: String] = [:]
    for (index, field) in header.enumerated() {
      let name = (field.text ?? "").trimmingSpace.lowercased()
      guard known.contains(name) else { continue }
      guard !columns.values.contains(name) else { throw FeedError(.badData, "the column \(name) is given twice") }
      columns[index] = name
    }
    for name in ["lat", "lon", "kind"] where !columns.values.contains(name) {
      throw FeedError(.badData, "the header row has no column \(name)")
    }
    return columns
  }

  private static func location(
    _ row: [CSVReader.Field], _ columns: [Int: String], _ count: Int
  ) throws(RecordProblem) -> PlainLocation {
    guard row.count == count else { throw RecordProblem("\(row.count) fields, the header row has \(count)") }
    var values: [String: String] = [:]
    for (index, name) in columns {
      guard let text = row[index].text else { throw .invalidText(name, at: row[index].offset) }
      let trimmed = text.trimmingSpace
      if !trimmed.isEmpty { values[name] = trimmed }
    }
    let point = GeoPoint(latitude: try number("lat", &values), longitude: try number("lon", &values))
    return PlainLocation(point: point, values: values)
  }

  private static func number(_ name: String, _ values: inout [String: String]) throws(RecordProblem) -> Double {
    guard let text = values.removeValue(forKey: name) else { throw RecordProblem("\(name) is missing") }
    // `Double` also accepts 0x1p3 and nan.
    guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(text) else {
      throw RecordProblem("\(name): not a number: \"\(text.excerpt(40))\"")
    }
    return number
  }
}

/// Reads CSV text row by row.
struct CSVReader {
  /// A field, and the offset of its first byte.
  struct Field {
    let bytes: [UInt8]
    let offset: Int
    /// The text; `nil` if it is not UTF-8.
    var text: String? { String(validating: bytes, as: UTF8.self) }
  }

  /// Most fields in a row.
  static let maximumFields = 1_000

  private let text: [UInt8]
  private var offset: Int

  /// Reads `text` after a byte-order mark.
  init(_ text: [UInt8]) {
    self.text = text
    offset = text.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
  }

  /// The next row that is not empty; `nil` at the end.
  ///
  /// - Throws: ``FeedError`` for an unclosed quote, a quote within a field, or an exceeded limit.
  mutating func nextRow() throws(FeedError) -> [Field]? {
    while offset < text.count, text[offset] == 0x0A || text[offset] == 0x0D { offset += 1 }
    guard offset < text.count else { return nil }
    var fields: [Field] = []
    while true {
      fields.append(try nextField())
      guard fields.count <= Self.maximumFields else {
        throw broken("more than the \(Self.maximumFields) fields of a row that are accepted")
      }
      guard offset < text.count, text[offset] == UInt8(ascii: ",") else { return fields }
      offset += 1
    }
  }

  private mutating func nextField() throws(FeedError) -> Field {
    let start = offset
    guard offset < text.count, text[offset] == UInt8(ascii: "\"") else {
      while offset < text.count, !isEnd(text[offset]) {
        guard text[offset] != UInt8(ascii: "\"") else {
          throw broken("a quote within a field that does not start with one")
        }
        offset += 1
      }
      return try field(Array(text[start..<offset]), start)
    }
    var bytes: [UInt8] = []
    offset += 1
    while offset < text.count {
      if text[offset] == UInt8(ascii: "\"") {
        offset += 1
        guard offset < text.count, text[offset] == UInt8(ascii: "\"") else {
          guard offset == text.count || isEnd(text[offset]) else { throw broken("text after the closing quote") }
          return try field(bytes, start)
        }
      }
      bytes.append(text[offset])
      offset += 1
    }
    offset = start
    throw broken("a quote that is not closed")
  }

  private func field(_ bytes: [UInt8], _ start: Int) throws(FeedError) -> Field {
    guard bytes.count <= CSVFile.maximumField else {
      throw broken("a field of more than the \(CSVFile.maximumField) bytes that are accepted")
    }
    return Field(bytes: bytes, offset: start)
  }

  private func isEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ",") || byte == 0x0A || byte == 0x0D }

  private func broken(_ problem: String) -> FeedError {
    var lines = LineCounter(text)
    return FeedError(.badData, "the CSV is broken \(lines.place(at: offset)): \(problem)")
  }
}
