import Geodesy

/// Locations as CSV (RFC 4180): a header row with the names of the columns, then one row per location.
///
/// ```
/// lat,lon,kind,name,address,hours
/// 59.4274,24.7456,branch,Liivalaia,"Liivalaia 8, Tallinn",Mo-Fr 09:00-17:00
/// ```
///
/// `lat`, `lon` and `kind` are required; the optional columns are those of ``PlainLocation``. Columns may be in any
/// order, and others are ignored. Fields are separated by commas, semicolons or tabs, by which the header row is
/// separated; with the latter two, a coordinate may have a decimal comma. A field in double quotes may hold separators,
/// line breaks and doubled quotes. Empty lines are not rows.
struct CSVFile: BankFile {
  /// Most bytes in a field.
  static let maximumField = 65_536
  /// The names of the coordinates.
  private static let coordinates = [
    (name: "lat", names: ["lat", "latitude", "y"]), (name: "lon", names: ["lon", "long", "lng", "longitude", "x"]),
  ]
  /// The length of the longest name of a column, in bytes.
  private static let maximumHeading = 32

  func readRecords(in bytes: [UInt8], of place: BankPlace, _ take: (Int, Record) -> Void) throws {
    if let first = bytes.first(where: { !" \t\r\n".utf8.contains($0) }), "<{[".utf8.contains(first) {
      throw FeedError(.badData, "expected CSV with a header row, found JSON or a page of HTML or XML")
    }
    var reader = CSVReader(bytes)
    guard let header = try reader.nextRow() else { throw FeedError(.badData, "expected a header row, found nothing") }
    let columns = try Self.columns(header)
    var position = 0
    while let row = try reader.nextRow() {
      position += 1
      take(position) { (remarks) throws(RecordProblem) in
        try Self.location(row, columns, header.count).location(in: place, &remarks)
      }
    }
  }

  /// The indices of the known columns, by name.
  private static func columns(_ header: [CSVReader.Field]) throws(FeedError) -> [TextKey: Int] {
    var columns: [TextKey: Int] = [:]
    for (index, field) in header.enumerated() {
      let text = (field.text ?? "").trimmingSpace
      guard text.utf8.count <= maximumHeading else { continue }
      let heading = String(decoding: text.lowercased().utf8.map { $0 == 0x20 ? 0x5F : $0 }, as: UTF8.self)
      let coordinate = coordinates.first { $0.names.contains(heading) }?.name
      guard let name = coordinate ?? (PlainLocation.isName(heading) ? heading : nil) else { continue }
      guard columns.updateValue(index, forKey: TextKey(name)) == nil else {
        throw FeedError(.badData, "the column \(name) is given twice")
      }
    }
    for name in ["lat", "lon", "kind"] where columns[name] == nil && (name != "kind" || columns["amenity"] == nil) {
      if name == "kind", columns["type"] != nil { continue }
      throw FeedError(.badData, "the header row has no column \(name)\(separatorHint(header))")
    }
    return columns
  }

  /// What the columns may be separated by instead.
  private static func separatorHint(_ header: [CSVReader.Field]) -> String {
    guard header.count == 1, let text = header[0].text, let mark = "|:/&~^".first(where: text.contains) else {
      return ""
    }
    return "; its columns seem to be separated by \"\(mark)\", expected commas, semicolons or tabs"
  }

  private static func location(
    _ row: [CSVReader.Field], _ columns: [TextKey: Int], _ count: Int
  ) throws(RecordProblem) -> PlainLocation {
    guard row.count == count else { throw RecordProblem("\(row.count) fields, the header row has \(count)") }
    func text(_ name: String) throws(RecordProblem) -> String? {
      guard let field = columns[name].map({ row[$0] }) else { return nil }
      guard let text = field.text else { throw .invalidText(name, at: field.offset) }
      return Markup.plain(text)
    }
    func degrees(_ name: String) throws(RecordProblem) -> Double {
      guard let text = try text(name)?.trimmingSpace, !text.isEmpty else { throw RecordProblem("\(name) is missing") }
      guard let degrees = Double(coordinate: text) else {
        throw RecordProblem("\(name): not a number: \"\(text.excerpt(40))\"")
      }
      return degrees
    }
    return try PlainLocation(point: GeoPoint(latitude: degrees("lat"), longitude: degrees("lon")), text)
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
  private let separator: UInt8
  private var offset: Int

  /// Reads `text` after a byte-order mark, with the separator that is most frequent in its first line.
  init(_ text: [UInt8]) {
    self.text = text
    let start = text.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    let header = text[start...].drop { $0 == 0x0A || $0 == 0x0D }.prefix { $0 != 0x0A && $0 != 0x0D }
    let counts = ",;\t".utf8.map { mark in (mark, header.count { $0 == mark }) }
    separator = counts.reduce(counts[0]) { $1.1 > $0.1 ? $1 : $0 }.0
    offset = start
    // A line that spreadsheets write before the header: sep=;
    if header.starts(with: "sep=".utf8), header.count == 5 { offset = header.endIndex }
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
      guard offset < text.count, text[offset] == separator else { return fields }
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

  private func isEnd(_ byte: UInt8) -> Bool { byte == separator || byte == 0x0A || byte == 0x0D }

  private func broken(_ problem: String) -> FeedError {
    var lines = LineCounter(text)
    return FeedError(.badData, "the CSV is broken \(lines.place(at: offset)): \(problem)")
  }
}
