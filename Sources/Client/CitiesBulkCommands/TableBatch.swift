internal import CitiesCommands
internal import Framing

/// How much one request is about.
struct BatchLimits: Sendable {
  /// Bytes that a value takes beside its own: those of its head on the wire.
  static let bytesPerValue = 3

  /// Rows at most.
  let rows: Int
  /// Bytes of the wanted values at most, and of their heads; a row that has more by itself is a batch of its own.
  let valueBytes: Int

  /// Names the limits.
  init(rows: Int, valueBytes: Int = .max) { (self.rows, self.valueBytes) = (rows, valueBytes) }
}

/// The rows of a table that one request is about: their bytes, and where the wanted values stand in them.
///
/// Its memory is used again for later rows, so that a row allocates nothing.
final class TableBatch {
  /// Bytes of rows at which a batch is full, whatever its limits.
  static let fullBytes = 1 << 20

  /// A row by offsets into ``bytes``: its values stand before `valuesEnd`, and its line end from there to `end`.
  struct Row {
    var start: Int
    var valuesEnd: Int
    var end: Int
  }

  /// A value without its quotes; a row that has no such column has a negative count.
  private struct Place {
    static let missing = Place(start: 0, count: -1)

    var start: Int
    var count: Int
  }

  /// The number of the first row in the table, from 1.
  private(set) var firstNumber = 1
  // One thread uses a batch, and no access to it contains another; a check of each would cost more than reading a row.
  @exclusivity(unchecked) private(set) var rows: [Row] = []
  private let form: TableForm
  /// The wanted columns, counted from 0.
  private let columns: [Int]
  /// Code points of a value in a message.
  private static let excerptLength = 40
  private let lastColumn: Int
  private let limits: BatchLimits
  @exclusivity(unchecked) private var places: [Place] = []
  private var valueBytes = 0
  @exclusivity(unchecked) private var memory = ByteBuffer(keeping: 2 * TableBatch.fullBytes)

  /// Makes an empty batch of rows with `columns`, counted from 0.
  init(_ form: TableForm, columns: [Int], _ limits: BatchLimits) {
    (self.form, self.columns, self.limits) = (form, columns, limits)
    lastColumn = columns.max() ?? -1
  }

  /// Rows in the batch.
  var count: Int { rows.count }

  /// Whether no further row belongs to it.
  var isFull: Bool { rows.count >= limits.rows || (rows.last?.end ?? 0) >= Self.fullBytes }

  /// The bytes of the rows; valid until the batch changes.
  var bytes: UnsafeRawBufferPointer { memory.bytes }

  /// The value of a row in the wanted column at `column` of the list, without quotes; `nil` if the row is too short.
  ///
  /// The bytes are valid until the batch changes.
  ///
  /// - Complexity: O(1).
  func value(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
    let place = places[row * columns.count + column]
    guard place.count >= 0 else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[place.start..<place.start + place.count])
  }

  /// The same as a text, in which a doubled quote is one; `nil` too if it is not UTF-8.
  func text(_ row: Int, _ column: Int) -> String? {
    guard let value = value(row, column), let text = String(validating: value, as: UTF8.self) else { return nil }
    let start = places[row * columns.count + column].start
    let isQuoted = form == .csv && start > rows[row].start && bytes[start - 1] == TableSyntax.quote
    return isQuoted ? text.split(separator: "\"\"", omittingEmptySubsequences: false).joined(separator: "\"") : text
  }

  /// The wanted values of a row for a message, each cut after ``excerptLength`` code points.
  func excerpt(ofRow row: Int) -> String {
    columns.indices.compactMap { column in
      text(row, column).map { String(String.UnicodeScalarView($0.unicodeScalars.prefix(Self.excerptLength))) }
    }.joined(separator: ", ")
  }

  /// The values of the first row as texts, without a byte order mark, which spreadsheets put before all.
  var names: [String] {
    guard let row = rows.first else { return [] }
    var names: [String] = []
    forEachValue(bytes, row.start..<row.valuesEnd) { range, _ in
      let hasQuotes = hasQuotes(bytes, range)
      let value = bytes[(range.lowerBound + (hasQuotes ? 1 : 0))..<(range.upperBound - (hasQuotes ? 1 : 0))]
      names.append(String(decoding: value, as: UTF8.self))
      return true
    }
    if let first = names.first, first.unicodeScalars.first == "\u{FEFF}" {
      names[0] = String(first.unicodeScalars.dropFirst())
    }
    return names
  }

  /// Forgets the rows; the next one has the number `number` in the table.
  func start(at number: Int) {
    firstNumber = number
    rows.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    memory.consume(memory.count)
    valueBytes = 0
  }

  /// Adds the row that `range` of `bytes` is, whose bytes ``take(_:)`` then brings.
  ///
  /// - Returns: Whether there is a place for it.
  /// - Complexity: O(bytes up to the last wanted column).
  func add(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
    guard !isFull else { return false }
    var end = range.upperBound
    if end > range.lowerBound, bytes[end - 1] == TableSyntax.lineFeed {
      end -= 1
      if end > range.lowerBound, bytes[end - 1] == TableSyntax.carriageReturn { end -= 1 }
    }
    let count = places.count
    for _ in columns { places.append(.missing) }
    locate(bytes, range.lowerBound..<end)
    guard limits.valueBytes == .max || fits(from: count) else {
      places.removeLast(columns.count)
      return false
    }
    let base = memory.count
    rows.append(Row(start: base + range.lowerBound, valuesEnd: base + end, end: base + range.upperBound))
    return true
  }

  /// Takes the bytes of the rows that were added since the last call.
  func take(_ bytes: UnsafeRawBufferPointer) { memory.append(bytes) }

  /// Whether the values from `first` on leave the batch within its limits; counts them if so.
  private func fits(from first: Int) -> Bool {
    let bytes = places[first...].reduce(0) { $0 + max(0, $1.count) + BatchLimits.bytesPerValue }
    guard rows.isEmpty || valueBytes + bytes <= limits.valueBytes else { return false }
    valueBytes += bytes
    return true
  }

  /// Finds the wanted values of the row without its line end at `range`.
  private func locate(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    forEachValue(bytes, range) { value, column in
      for index in columns.indices where columns[index] == column {
        let quotes = hasQuotes(bytes, value) ? 1 : 0
        places[places.count - columns.count + index] = Place(
          start: memory.count + value.lowerBound + quotes, count: value.count - 2 * quotes)
      }
      return column < lastColumn
    }
  }

  /// Calls `body` with one value of a row after the other, quotes included, and its column until it returns false.
  @inline(__always)
  private func forEachValue(
    _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ body: (Range<Int>, _ column: Int) -> Bool
  ) {
    let separator = TableSyntax.separator(form)
    var (column, start, isQuoted) = (0, range.lowerBound, false)
    for position in range {
      let byte = bytes[position]
      if byte == TableSyntax.quote, form == .csv { isQuoted.toggle() }
      guard byte == separator, !isQuoted else { continue }
      guard body(start..<position, column) else { return }
      (column, start) = (column + 1, position + 1)
    }
    _ = body(start..<range.upperBound, column)
  }

  private func hasQuotes(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) -> Bool {
    form == .csv && value.count >= 2 && bytes[value.lowerBound] == TableSyntax.quote
      && bytes[value.upperBound - 1] == TableSyntax.quote
  }
}

/// The bytes that a table is made of.
enum TableSyntax {
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let quote = UInt8(ascii: "\"")

  /// The byte between values.
  static func separator(_ form: TableForm) -> UInt8 { form == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t") }
}
