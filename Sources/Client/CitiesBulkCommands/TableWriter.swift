internal import CitiesCommands
internal import Framing
internal import System

/// Writes rows of a table with values added at their ends.
///
/// ```swift
/// table.row(0, of: batch)
/// table.value(number: city.id)
/// table.end()
/// ```
struct TableWriter: ~Copyable {
  /// Bytes that are collected before they are written.
  private static let threshold = 256 * 1024
  /// Rows without an answer that are named.
  static let namedFailures = 5

  private let descriptor: Int32
  private let form: TableForm
  private let addedColumns: Int
  private var memory = ByteBuffer(keeping: .max)
  /// The line end of the row that is being written.
  private var lineEnd = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Rows written.
  private(set) var rows = 0
  /// Rows without an answer, and the first of them: their numbers and the values that have no answer.
  private(set) var failures = 0
  private(set) var failedRows: [(number: Int, values: String)] = []

  /// Writes a table of `form` to `descriptor`, with a number of columns added.
  init(descriptor: Int32, form: TableForm, addedColumns: Int) {
    (self.descriptor, self.form, self.addedColumns) = (descriptor, form, addedColumns)
  }

  /// Starts a row with the bytes of that at `index`; ``end()`` ends it.
  mutating func row(_ index: Int, of batch: TableBatch) {
    let row = batch.rows[index]
    memory.append(UnsafeRawBufferPointer(rebasing: batch.bytes[row.start..<row.valuesEnd]))
    lineEnd = UnsafeRawBufferPointer(rebasing: batch.bytes[row.valuesEnd..<row.end])
    rows += 1
  }

  /// Adds a value that has the separator before it and is written as it is.
  mutating func values(_ bytes: UnsafeRawBufferPointer) { memory.append(bytes) }

  /// Adds a text.
  mutating func value(text: String) {
    append(TableSyntax.separator(form))
    var value: [UInt8] = []
    value.append(Array(text.utf8)[...], asValueOf: form)
    value.withUnsafeBytes { memory.append($0) }
  }

  /// Adds a text that needs no quotes.
  mutating func value(word: [UInt8]) {
    append(TableSyntax.separator(form))
    word.withUnsafeBytes { memory.append($0) }
  }

  /// Adds a number.
  mutating func value(number: UInt64) {
    append(TableSyntax.separator(form))
    withDigits(of: number) { memory.append($0) }
  }

  /// Ends the row as it was ended in the table that is read; the last one may have had no end.
  mutating func end() {
    if lineEnd.isEmpty { append(TableSyntax.lineFeed) } else { memory.append(lineEnd) }
  }

  /// Writes a row that has no answer, with empty columns.
  mutating func failed(_ index: Int, of batch: TableBatch) {
    row(index, of: batch)
    for _ in 0..<addedColumns { append(TableSyntax.separator(form)) }
    end()
    failures += 1
    if failedRows.count < Self.namedFailures {
      failedRows.append((batch.firstNumber + index, batch.excerpt(ofRow: index)))
    }
  }

  /// Writes what is collected if that is much, or in any case.
  ///
  /// - Throws: `OutputError`.
  mutating func flush(always: Bool) throws(OutputError) {
    guard always ? !memory.isEmpty : memory.count >= Self.threshold else { return }
    defer { memory.consume(memory.count) }
    try OutputStream.write(memory.bytes, to: descriptor)
  }

  private mutating func append(_ byte: UInt8) { withUnsafeBytes(of: byte) { memory.append($0) } }
}

extension [UInt8] {
  /// Appends a text as a value of a table.
  mutating func append(_ text: ArraySlice<UInt8>, asValueOf form: TableForm) {
    let start = count
    append(contentsOf: text)
    makeValue(from: start, of: form)
  }

  /// Makes the bytes from `start` on a value of a table: control characters, which foreign names may hold, become spaces.
  mutating func makeValue(from start: Int, of form: TableForm) {
    var needsQuotes = false
    for index in start..<count {
      let byte = self[index]
      if byte < 0x20 || byte == 0x7F { self[index] = UInt8(ascii: " ") }
      needsQuotes = needsQuotes || byte == UInt8(ascii: ",") || byte == TableSyntax.quote
    }
    guard needsQuotes, form == .csv else { return }
    let value = self[start...].flatMap { $0 == TableSyntax.quote ? [$0, $0] : [$0] }
    removeSubrange(start...)
    self += [TableSyntax.quote] + value + [TableSyntax.quote]
  }

  /// Appends the digits of `number`.
  mutating func append(decimal number: UInt64) { withDigits(of: number) { append(contentsOf: $0) } }
}

/// Passes the decimal digits of `number` to `body`.
func withDigits(of number: UInt64, _ body: (UnsafeRawBufferPointer) -> Void) {
  // The largest number has 20 digits.
  withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
    var (rest, start) = (number, digits.count)
    repeat {
      start -= 1
      digits[start] = UInt8(truncatingIfNeeded: rest % 10) + UInt8(ascii: "0")
      rest /= 10
    } while rest > 0
    body(UnsafeRawBufferPointer(rebasing: digits[start...]))
  }
}
