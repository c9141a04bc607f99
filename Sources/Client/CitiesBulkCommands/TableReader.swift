package import CitiesCommands
internal import Glibc
internal import System

/// Reads the rows of a table from a descriptor, each with the bytes that end it.
///
/// In csv a line end between quotes belongs to its row.
package struct TableReader {
  /// Bytes that a row may have.
  package static let maximumRowBytes = 1 << 20
  private static let room = 256 * 1024

  private let descriptor: Int32
  private let form: TableForm
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  /// Reads a table of `form` from `descriptor`.
  package init(descriptor: Int32, form: TableForm) { (self.descriptor, self.form) = (descriptor, form) }

  /// The next row with its line end, if it has one; `nil` at the end.
  ///
  /// - Throws: `CommandFailure` for a row that is too long, and if reading fails.
  /// - Complexity: O(bytes of the row), amortized.
  package mutating func next() throws(CommandFailure) -> [UInt8]? {
    var searched = start
    var isQuoted = false
    while true {
      if let end = rowEnd(from: &searched, &isQuoted) {
        defer { start = end }
        return Array(buffer[start..<end])
      }
      if isAtEnd {
        defer { start = buffer.count }
        return start < buffer.count ? Array(buffer[start...]) : nil
      }
      guard buffer.count - start <= Self.maximumRowBytes else {
        throw CommandFailure(.badData, code: "bad-data", "a row has more than \(Self.maximumRowBytes) bytes")
      }
      searched -= start
      try fill()
    }
  }

  /// Where the row ends that starts at ``start``; continues from `searched`, which is between quotes if `isQuoted`.
  private func rowEnd(from searched: inout Int, _ isQuoted: inout Bool) -> Int? {
    buffer.withUnsafeBufferPointer { bytes in
      while searched < bytes.count {
        let byte = bytes[searched]
        searched += 1
        if byte == UInt8(ascii: "\n"), !isQuoted { return searched }
        if byte == UInt8(ascii: "\""), form == .csv { isQuoted.toggle() }
      }
      return nil
    }
  }

  private mutating func fill() throws(CommandFailure) {
    buffer.removeFirst(start)
    start = 0
    let old = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: Self.room))
    let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + old }, Self.room) }
    let number = errno
    buffer.removeLast(Self.room - max(0, count))
    if count == 0 { isAtEnd = true }
    guard count < 0, number != EINTR else { return }
    throw CommandFailure(.inputOutput, code: "input-output", "standard input: \(SystemError.text(number))")
  }
}

/// One row of a table, in its bytes.
package struct TableRow {
  /// The row with its line end.
  package let bytes: [UInt8]
  /// Its values are before this offset.
  package let end: Int
  private let form: TableForm

  /// Takes a row as ``TableReader`` gives it.
  package init(_ bytes: [UInt8], _ form: TableForm) {
    (self.bytes, self.form) = (bytes, form)
    var end = bytes.count
    if end > 0, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
    if end > 0, end < bytes.count, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    self.end = end
  }

  /// The byte between values.
  package static func separator(_ form: TableForm) -> UInt8 { form == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t") }

  /// The values at two places, counted from 0, without quotes; `nil` where the row has not as many.
  ///
  /// - Complexity: O(bytes of the row).
  package func values(_ one: Int, _ other: Int) -> (ArraySlice<UInt8>?, ArraySlice<UInt8>?) {
    var (first, second): (ArraySlice<UInt8>?, ArraySlice<UInt8>?) = (nil, nil)
    forEachValue { index, value in
      if index == one { first = value }
      if index == other { second = value }
      return index < max(one, other)
    }
    return (first, second)
  }

  /// All values, without quotes.
  package var values: [ArraySlice<UInt8>] {
    var all: [ArraySlice<UInt8>] = []
    forEachValue { _, value in
      all.append(value)
      return true
    }
    return all
  }

  /// Calls `body` with one value after the other until it returns false.
  private func forEachValue(_ body: (Int, ArraySlice<UInt8>) -> Bool) {
    let separator = Self.separator(form)
    var (index, start, isQuoted) = (0, 0, false)
    for position in 0...end {
      if position < end, bytes[position] == UInt8(ascii: "\""), form == .csv { isQuoted.toggle() }
      guard position == end || bytes[position] == separator && !isQuoted else { continue }
      guard body(index, unquoted(bytes[start..<position])) else { return }
      (index, start) = (index + 1, position + 1)
    }
  }

  private func unquoted(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let quote = UInt8(ascii: "\"")
    guard form == .csv, value.count >= 2, value.first == quote, value.last == quote else { return value }
    return value.dropFirst().dropLast()
  }
}
