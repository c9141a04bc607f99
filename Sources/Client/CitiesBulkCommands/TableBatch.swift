internal import Framing

/// How much one request is about.
struct BatchLimits: Sendable {
  /// Bytes that a value takes beside its own: those of its head on the wire.
  static let bytesPerValue = 3

  /// Rows at most.
  var rows: Int
  /// Bytes of the wanted values at most, and of their heads; a row that has more by itself is a batch of its own.
  var valueBytes = Int.max
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
    /// Values that it has beyond those of the header: a negative number if some are missing, 0 without a header.
    var surplus: Int
  }

  /// A value without its quotes; a row that has no such column has a negative count.
  private struct Place {
    static let missing = Place(start: 0, count: -1, isCopied: false)

    var start: Int
    var count: Int32
    /// Whether it stands among the copies: more of its quotes are left out than those around it.
    var isCopied: Bool

    /// Its bytes, in the memory that it stands in.
    var range: Range<Int> { start..<start + Int(count) }
  }

  /// The number of the first row in the table, from 1.
  private(set) var firstNumber = 1
  // One thread uses a batch, and no access to it contains another; a check of each would cost more than reading a row.
  @exclusivity(unchecked) private(set) var rows: [Row] = []
  /// How rows are divided into values.
  let syntax: TableSyntax
  /// Whether the wanted values are texts.
  private let areTexts: Bool
  /// The wanted columns, counted from 0.
  let columns: [Int]
  /// Values of the header; `nil` without one.
  private let headerValues: Int?
  /// The last column that is looked at: with a header all values of a row are counted.
  private let lastColumn: Int
  /// Code points of a value in a message.
  static let excerptLength = 40
  /// May change while the batch is empty.
  var limits: BatchLimits
  /// Where the row that was not added last stops being UTF-8, in bytes from its start, if that is why.
  @exclusivity(unchecked) private(set) var invalidOffset: Int?
  @exclusivity(unchecked) private var places: [Place] = []
  private var valueBytes = 0
  @exclusivity(unchecked) private var memory = ByteBuffer(keeping: 2 * TableBatch.fullBytes)
  @exclusivity(unchecked) private var copies = ByteBuffer(keeping: TableBatch.fullBytes)

  /// Makes an empty batch of rows with `columns`, counted from 0.
  ///
  /// A row with another number of values than `headerValues` has none of the wanted ones, since it is not known which
  /// column each of its values belongs to; an empty row is not counted. If the wanted values are texts, a row where one
  /// of them is not UTF-8 is not added.
  init(
    _ syntax: TableSyntax, columns: [Int], headerValues: Int? = nil, areTexts: Bool = false, _ limits: BatchLimits
  ) {
    (self.syntax, self.columns, self.headerValues, self.limits) = (syntax, columns, headerValues, limits)
    self.areTexts = areTexts
    lastColumn = headerValues == nil ? columns.max() ?? -1 : .max
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
    return UnsafeRawBufferPointer(rebasing: (place.isCopied ? copies.bytes : bytes)[place.range])
  }

  /// The same as a text; `nil` too if it is not UTF-8.
  func text(_ row: Int, _ column: Int) -> String? {
    value(row, column).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The wanted values of a row for a message.
  func excerpt(ofRow row: Int) -> String {
    columns.indices.compactMap { text(row, $0)?.excerpt(Self.excerptLength) }.joined(separator: ", ")
  }

  /// Why a row does not fit the header, for a message; `nil` if it does.
  func misfit(ofRow row: Int) -> String? {
    guard let headerValues, rows[row].surplus != 0 else { return nil }
    let count = headerValues + rows[row].surplus
    return "has \(count) \(count == 1 ? "value" : "values") and the header \(headerValues)"
  }

  /// The values of the first row as texts.
  var names: [String] {
    guard let row = rows.first else { return [] }
    var names: [String] = []
    forEachValue(bytes, start(ofRow: firstNumber, bytes, row.start)..<row.valuesEnd) { value, _ in
      let value = UnsafeRawBufferPointer(rebasing: bytes[value])
      names.append(
        isQuoted(value)
          ? String(decoding: TableSyntax.unquoted(value), as: UTF8.self) : String(decoding: value, as: UTF8.self))
      return true
    }
    return names
  }

  /// Forgets the rows; the next one has the number `number` in the table.
  func start(at number: Int) {
    firstNumber = number
    rows.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    memory.consume(memory.count)
    copies.consume(copies.count)
    valueBytes = 0
  }

  /// Adds the row that `range` of `bytes` is, whose bytes ``take(_:)`` then brings.
  ///
  /// - Returns: Whether there is a place for it.
  /// - Complexity: O(bytes up to the last wanted column), with a header O(bytes).
  func add(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
    invalidOffset = nil
    guard !isFull else { return false }
    var end = range.upperBound
    if end > range.lowerBound, bytes[end - 1] == TableSyntax.lineFeed {
      end -= 1
      if end > range.lowerBound, bytes[end - 1] == TableSyntax.carriageReturn { end -= 1 }
    }
    let count = places.count
    for _ in columns { places.append(.missing) }
    let surplus = locate(bytes, start(ofRow: firstNumber + rows.count, bytes, range.lowerBound)..<end)
    guard invalidOffset == nil, limits.valueBytes == .max || fits(from: count) else {
      invalidOffset = invalidOffset.map { $0 - range.lowerBound }
      places.removeLast(columns.count)
      return false
    }
    let base = memory.count
    let (start, valuesEnd) = (base + range.lowerBound, base + end)
    rows.append(Row(start: start, valuesEnd: valuesEnd, end: base + range.upperBound, surplus: surplus))
    return true
  }

  /// Takes the bytes of the rows that were added since the last call.
  func take(_ bytes: UnsafeRawBufferPointer) { memory.append(bytes) }

  /// Whether the values from `first` on leave the batch within its limits; counts them if so.
  private func fits(from first: Int) -> Bool {
    let bytes = places[first...].reduce(0) { $0 + max(0, Int($1.count)) + BatchLimits.bytesPerValue }
    guard rows.isEmpty || valueBytes + bytes <= limits.valueBytes else { return false }
    valueBytes += bytes
    return true
  }

  /// Where the values of a row start: after the byte order mark, if it is the first of the table.
  private func start(ofRow number: Int, _ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int {
    number == 1 ? start + TableSyntax.markLength(bytes, start) : start
  }

  /// Finds the wanted values of the row without its line end at `range`; none of one that does not fit the header.
  ///
  /// - Returns: The values that it has beyond those of the header.
  private func locate(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int {
    var count = 0
    forEachValue(bytes, range) { value, column in
      for index in columns.indices where columns[index] == column {
        places[places.count - columns.count + index] = place(bytes, value)
        guard areTexts, invalidOffset == nil else { continue }
        invalidOffset = firstInvalidUTF8(UnsafeRawBufferPointer(rebasing: bytes[value])).map { value.lowerBound + $0 }
      }
      count = column + 1
      return column < lastColumn
    }
    guard let headerValues, count != headerValues, !range.isEmpty else { return 0 }
    for index in places.count - columns.count..<places.count { places[index] = .missing }
    return count - headerValues
  }

  /// Where a value of the row that is added is found: without its quotes, and copied if that is not a part of it.
  @inline(__always)
  private func place(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Place {
    let value = UnsafeRawBufferPointer(rebasing: bytes[range])
    let start = memory.count + range.lowerBound
    guard isQuoted(value) else { return Place(start: start, count: Int32(value.count), isCopied: false) }
    if value.count > 1, value.dropFirst().firstIndex(of: TableSyntax.quote) == value.count - 1 {
      return Place(start: start + 1, count: Int32(value.count - 2), isCopied: false)
    }
    let copy = TableSyntax.unquoted(value)
    let place = Place(start: copies.count, count: Int32(copy.count), isCopied: true)
    copy.withUnsafeBytes { copies.append($0) }
    return place
  }

  /// Calls `body` with one value of a row after the other, quotes included, and its column until it returns false.
  @inline(__always)
  private func forEachValue(
    _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ body: (Range<Int>, _ column: Int) -> Bool
  ) {
    let separator = syntax.separator
    var (column, start) = (0, range.lowerBound)
    while true {
      let value = UnsafeRawBufferPointer(rebasing: bytes[start..<range.upperBound])
      var end = start + (isQuoted(value) ? TableSyntax.quotedLength(value) : 0)
      while end < range.upperBound, bytes[end] != separator { end += 1 }
      guard body(start..<end, column), end < range.upperBound else { return }
      (column, start) = (column + 1, end + 1)
    }
  }

  /// Whether a value starts with a quote: elsewhere in it, a quote is a character like others.
  @inline(__always)
  private func isQuoted(_ value: UnsafeRawBufferPointer) -> Bool {
    syntax.hasQuotes && value.first == TableSyntax.quote
  }
}
