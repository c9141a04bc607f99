internal import CBOR
internal import CitiesClient
package import CitiesCommands
internal import CitiesProtocol

/// `citiesctl locate`: copies a table and adds the city at each position, some thousand rows at a time.
struct LocateFilter {
  /// Rows of one request: as many as fit the usual limit.
  static let rowsPerRequest = 4_000
  /// Rows without a position that standard error names.
  static let namedFailures = 5
  /// The names of the columns that are added.
  static let headings = ["id", "title", "distance"]

  let context: Context
  let connection: ConnectionOptions
  let form: TableForm
  let rule: CityNear.Rule?
  private var generation: String?
  /// Rows read, and those of them without a position.
  private var count = 0
  private var failures = 0

  init(_ verb: LocateVerb, _ context: Context) throws {
    (self.context, connection) = (context, verb.connection)
    (form, rule) = (try verb.form, try verb.rule)
  }

  /// Copies the table.
  ///
  /// - Returns: ``ExitStatus/partial`` if a row has no position.
  /// - Throws: `CommandFailure` for a column that there is not, `ClientError`, `OutputError`.
  mutating func copy(_ columns: (lat: LocateVerb.Column, lon: LocateVerb.Column)) throws -> ExitStatus {
    var reader = TableReader(descriptor: context.input, form: form)
    var places = (lat: 0, lon: 0)
    if case (.number(let lat), .number(let lon)) = columns {
      places = (lat - 1, lon - 1)
    } else if let head = try reader.next() {
      places = try readHead(TableRow(head, form), columns)
    }
    var rows: [TableRow] = []
    while let bytes = try reader.next() {
      rows.append(TableRow(bytes, form))
      if rows.count == Self.rowsPerRequest { try write(&rows, places) }
    }
    try write(&rows, places)
    guard failures > 0 else { return .found }
    context.diagnostics.note("no-position", "\(failures) of \(count) rows have no position")
    return .partial
  }

  /// Copies the row with the names, and finds the columns.
  private mutating func readHead(
    _ head: TableRow, _ columns: (lat: LocateVerb.Column, lon: LocateVerb.Column)
  ) throws -> (lat: Int, lon: Int) {
    let names = head.values.map { String(decoding: $0, as: UTF8.self) }
    func place(_ column: LocateVerb.Column) throws(CommandFailure) -> Int {
      guard case .name(let name) = column else { return 0 }
      guard let place = names.firstIndex(of: name) else {
        throw .usage("no column is named '\(name)'; there are \(names.joined(separator: ", "))")
      }
      return place
    }
    let places = (lat: try place(columns.lat), lon: try place(columns.lon))
    count += 1
    append(head, Self.headings.map { Array($0.utf8) })
    return places
  }

  /// Asks for the cities of some rows, and writes these.
  private mutating func write(_ rows: inout [TableRow], _ places: (lat: Int, lon: Int)) throws {
    guard !rows.isEmpty else { return }
    var (lat, lon): ([Double], [Double]) = ([], [])
    for row in rows {
      let (one, other) = row.values(places.lat, places.lon)
      lat.append(one.flatMap(DegreeText.number) ?? .nan)
      lon.append(other.flatMap(DegreeText.number) ?? .nan)
    }
    let request = CityLocate(lat: .doubles(lat), lon: .doubles(lon), rows: true, rule: rule)
    let reply = try context.ask(connection) { (client) throws(ClientError) in try client.send(request) }
    try check(reply, rows.count)
    let cities = (reply.rows ?? []).map { city in
      [Array("\(city.id)".utf8), Self.value(city.title, form)]
    }
    for (position, row) in rows.enumerated() {
      count += 1
      let place = Int(reply.index?.elements[position] ?? CityLocate.nothing)
      if cities.indices.contains(place) {
        append(row, cities[place] + [Array("\(reply.metres.elements[position])".utf8)])
      } else {
        reportFailure()
        append(row, [[], [], []])
      }
    }
    rows.removeAll(keepingCapacity: true)
    if context.output.bytes.count > 1 << 16 { try context.output.flush() }
  }

  /// Refuses a reply of another length, and says if the data has changed.
  private mutating func check(_ reply: CityLocate.Reply, _ expected: Int) throws {
    guard reply.ids.elements.count == expected, reply.metres.elements.count == expected,
      reply.index?.elements.count == expected
    else {
      throw CommandFailure(.protocolMismatch, code: "unreadable-reply", "the reply has not as many cities as rows")
    }
    if let generation, generation != reply.generation {
      context.diagnostics.note(
        "changed", "the data has changed; rows from \(count + 1) on have the cities of the new data")
    }
    generation = reply.generation
  }

  private mutating func reportFailure() {
    failures += 1
    if failures <= Self.namedFailures { context.diagnostics.note("no-position", "row \(count): not a position") }
  }

  /// Collects a row with more values at its end.
  private func append(_ row: TableRow, _ values: [[UInt8]]) {
    context.output.bytes += row.bytes[..<row.end]
    for value in values {
      context.output.bytes.append(TableRow.separator(form))
      context.output.bytes += value
    }
    context.output.bytes += row.end < row.bytes.count ? row.bytes[row.end...] : [UInt8(ascii: "\n")]
  }

  /// A text as a value of the table: foreign names may hold anything.
  static func value(_ text: String, _ form: TableForm) -> [UInt8] {
    let plain = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : String($0) }.joined()
    guard form == .csv, plain.contains(where: { $0 == "," || $0 == "\"" }) else { return Array(plain.utf8) }
    return Array(
      ("\"" + plain.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\"").utf8)
  }
}

/// Reads degrees.
enum DegreeText {
  /// The number that `text` is, with spaces around it allowed; `nil` if it is none.
  ///
  /// Up to 15 digits are read exactly as one whole number divided by a power of ten; others by the standard library.
  static func number(_ text: ArraySlice<UInt8>) -> Double? {
    let space = UInt8(ascii: " ")
    let digits = text.drop { $0 == space }
    var (mantissa, count, fraction, index) = (0, 0, 0, digits.startIndex)
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { index += 1 }
    var hasPoint = false
    while index < digits.endIndex, digits[index] != space {
      let byte = digits[index]
      if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else if (0x30...0x39).contains(byte), count < 15 {
        mantissa = mantissa * 10 + Int(byte - 0x30)
        count += 1
        if hasPoint { fraction += 1 }
      } else {
        return Double(String(decoding: digits.prefix { $0 != space }, as: UTF8.self))
      }
      index += 1
    }
    guard count > 0, digits[index...].allSatisfy({ $0 == space }) else { return nil }
    let number = Double(mantissa) / powers[fraction]
    return isNegative ? -number : number
  }

  /// The powers of ten from 0 to 15, which are exact.
  private static let powers = (1...15).reduce(into: [1.0]) { powers, _ in powers.append(powers[powers.count - 1] * 10) }
}

/// Performs the verbs about tables; `nil` for others.
///
/// - Throws: `CommandFailure`, `ClientError` or `OutputError`.
package func filterTable(_ verb: any Verb, in context: Context) throws -> ExitStatus? {
  guard let verb = verb as? LocateVerb else { return nil }
  var filter = try LocateFilter(verb, context)
  return try filter.copy(try verb.columns)
}
