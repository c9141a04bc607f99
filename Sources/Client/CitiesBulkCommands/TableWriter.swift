@_exported public import Base
internal import CitiesCommands
internal import Framing

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
  /// Whether a terminal shows the table.
  let isTerminal: Bool
  /// How values are separated and quoted; changes before the first row only.
  var syntax: TableSyntax
  private let addedColumns: Int
  private var memory = ByteBuffer(keeping: .max)
  /// The line end of the row that is being written.
  private var lineEnd = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Rows written.
  private(set) var rows = 0
  /// Rows without an answer, and the first of them: their numbers, the values that have no answer, and why one does not
  /// fit the header.
  private(set) var failures = 0
  private(set) var failedRows: [(number: Int, values: String, misfit: String?)] = []

  /// Writes a table to `descriptor`, with a number of columns added.
  init(descriptor: Int32, isTerminal: Bool, syntax: TableSyntax, addedColumns: Int) {
    (self.descriptor, self.isTerminal, self.syntax, self.addedColumns) = (descriptor, isTerminal, syntax, addedColumns)
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

  /// Adds a text that needs no quotes and no escapes.
  mutating func value(word: [UInt8]) {
    append(syntax.separator)
    word.withUnsafeBytes { memory.append($0) }
  }

  /// Adds a number.
  mutating func value(number: UInt64) {
    append(syntax.separator)
    withDigits(of: number) { memory.append($0) }
  }

  /// Adds values that are missing.
  mutating func emptyValues(_ count: Int) { for _ in 0..<count { append(syntax.separator) } }

  /// Ends the row as it was ended in the table that is read; the last one may have had no end.
  mutating func end() {
    if lineEnd.isEmpty { append(TableSyntax.lineFeed) } else { memory.append(lineEnd) }
  }

  /// Writes a row that has no answer, with empty columns but for the `last` one; first with those of the header that it
  /// lacks.
  ///
  /// - Throws: `OutputError`: a short row may become much longer, and so what is collected is written if that is much.
  mutating func failed(_ index: Int, of batch: TableBatch, last: [UInt8] = []) throws(OutputError) {
    row(index, of: batch)
    let missing = max(0, -batch.rows[index].surplus)
    emptyValues(missing + addedColumns)
    last.withUnsafeBytes { memory.append($0) }
    end()
    failures += 1
    if failedRows.count < Self.namedFailures {
      failedRows.append((batch.firstNumber + index, batch.excerpt(ofRow: index), batch.misfit(ofRow: index)))
    }
    try flush(always: false)
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
  /// Makes the bytes from `start` on a value of a table, escaped as in the other formats of the same name.
  mutating func makeValue(from start: Int, of syntax: TableSyntax, onTerminal: Bool) {
    guard self[start...].contains(where: { $0.mayActOnTerminal || $0 == UInt8(ascii: "\\") }) else {
      if syntax.hasQuotes { quoteCSV(from: start, separator: syntax.separator) }
      return
    }
    let text = String(decoding: self[start...], as: UTF8.self)
    removeSubrange(start...)
    if syntax.hasQuotes {
      appendCSV(text, separator: syntax.separator, onTerminal: onTerminal)
    } else {
      appendTSV(text, onTerminal: onTerminal)
    }
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
