internal import CitiesCommands
internal import Framing
internal import Glibc
internal import System

/// Reads the rows of a table from a descriptor, each with the bytes that end it, into batches.
///
/// In csv a line end in a part in quotes belongs to its row.
struct TableReader: ~Copyable {
  /// Bytes that a row may have, with those that end it.
  static let maximumRowBytes = 1 << 20
  /// Why no further row is handed out.
  enum Fault: Equatable {
    /// The next row has more bytes than it may have.
    case longRow
    /// The quote that opens one of its values is not closed before the end of the table.
    case openQuote
  }

  /// Room for one read(2), in bytes.
  private static let room = 256 * 1024

  private let descriptor: Int32
  private let form: TableForm
  private var buffer = ByteBuffer(keeping: .max)
  /// Bytes of the buffer in which no row ends, and whether they end in a part in quotes.
  private var searched = 0
  private var isQuoted = false
  /// Where the last part in quotes of the row ended: a quote that stands there is the second of two, and reopens it.
  private var quotedEnd = -1
  private var isAtFirstRow = true
  private var hasEnded = false
  /// The fault of the next row: it and the rows after it are not handed out.
  private(set) var fault: Fault?
  /// Bytes read so far.
  private(set) var bytesRead = 0

  /// Reads a table of `form` from `descriptor`.
  init(descriptor: Int32, form: TableForm) { (self.descriptor, self.form) = (descriptor, form) }

  /// Whether every row was handed out.
  var isAtEnd: Bool { hasEnded && buffer.isEmpty }

  /// Whether ``fill()`` would not wait.
  var isReady: Bool { hasEnded || waitUntilReady(descriptor, for: POLLIN, milliseconds: 0) }

  /// Reads once, and waits for it.
  ///
  /// - Throws: `CommandFailure` if reading fails.
  mutating func fill() throws(CommandFailure) {
    guard !hasEnded else { return }
    let descriptor = descriptor
    var number: Int32 = 0
    let count = buffer.fill(atLeast: Self.room, growingBy: Self.room) { memory in
      let count = read(descriptor, memory.baseAddress, memory.count)
      number = errno
      return count
    }
    bytesRead += max(0, count)
    if count == 0 { hasEnded = true }
    if count < 0 { try waitForInput(descriptor, after: number) }
  }

  /// Moves the rows that have been read to `batch`, until that is full.
  ///
  /// Which rows are handed out does not depend on how the input is divided into reads.
  ///
  /// - Returns: Whether it is full, or has the last row, or that before one with a fault.
  /// - Complexity: O(bytes of the rows).
  mutating func move(to batch: TableBatch) -> Bool {
    let bytes = buffer.bytes
    var start = 0
    var isFull = false
    while !isFull, fault == nil, let end = rowEnd(bytes, from: start) {
      fault = end - start > Self.maximumRowBytes ? .longRow : isQuoted ? .openQuote : nil
      if fault == nil, batch.add(bytes, start..<end) { (start, isAtFirstRow) = (end, false) } else { isFull = true }
      (searched, isQuoted, quotedEnd) = (start, false, -1)
    }
    batch.take(UnsafeRawBufferPointer(rebasing: bytes[..<start]))
    buffer.consume(start)
    searched -= start
    quotedEnd -= start
    // Everything that is left belongs to a row without an end.
    if !isFull, buffer.count > Self.maximumRowBytes { fault = .longRow }
    return isFull || batch.isFull || isAtEnd || fault != nil
  }

  /// Where the row ends that starts at `start`; `nil` if that was not read yet.
  private mutating func rowEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    while searched < bytes.count {
      let end = bytes.firstOffset(of: TableSyntax.lineFeed, from: searched) ?? bytes.count
      if form == .csv { followQuotes(bytes, searched..<end, ofRowAt: start) }
      searched = min(end + 1, bytes.count)
      if end < bytes.count, !isQuoted { return end + 1 }
    }
    return hasEnded ? bytes.count : nil
  }

  private mutating func followQuotes(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, ofRowAt start: Int) {
    // Later rows have their own turn: if each row looked through all of them, the time would be quadratic.
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<range.upperBound])
    var position = range.lowerBound
    while let quote = bytes.firstOffset(of: TableSyntax.quote, from: position) {
      position = quote + 1
      if isQuoted {
        (isQuoted, quotedEnd) = (false, position)
      } else {
        isQuoted = quote == quotedEnd || startsValue(bytes, quote, ofRowAt: start)
      }
    }
  }

  /// Whether a value starts at `position`, which is not in quotes.
  private func startsValue(_ bytes: UnsafeRawBufferPointer, _ position: Int, ofRowAt start: Int) -> Bool {
    if position == start || bytes[position - 1] == TableSyntax.separator(form) { return true }
    return isAtFirstRow && position == start + TableSyntax.markLength(bytes, start)
  }
}

extension UnsafeRawBufferPointer {
  /// Where the first `byte` at or after `start` stands.
  fileprivate func firstOffset(of byte: UInt8, from start: Int) -> Int? {
    guard let base = baseAddress, start < count, let found = memchr(base + start, Int32(byte), count - start) else {
      return nil
    }
    return UnsafeRawPointer(found) - base
  }
}
