internal import CitiesCommands
internal import Framing
internal import Glibc
internal import System

/// Reads the rows of a table from a descriptor, each with the bytes that end it, into batches.
///
/// In csv a line end between quotes belongs to its row.
struct TableReader: ~Copyable {
  /// Bytes that a row may have, with those that end it.
  static let maximumRowBytes = 1 << 20
  /// Room for one read(2), in bytes.
  private static let room = 256 * 1024

  private let descriptor: Int32
  private let form: TableForm
  private var buffer = ByteBuffer(keeping: .max)
  /// Bytes of the buffer in which no row ends, and whether they end between quotes.
  private var searched = 0
  private var isQuoted = false
  private var hasEnded = false
  /// Whether the next row has more bytes than it may have: it and the rows after it are not handed out.
  private(set) var isAtLongRow = false
  /// Bytes read so far.
  private(set) var bytesRead = 0

  /// Reads a table of `form` from `descriptor`.
  init(descriptor: Int32, form: TableForm) { (self.descriptor, self.form) = (descriptor, form) }

  /// Whether every row was handed out.
  var isAtEnd: Bool { hasEnded && buffer.isEmpty }

  /// Whether ``fill()`` would not wait.
  var isReady: Bool {
    if hasEnded { return true }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) != 0
  }

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
    guard count < 0, number != EINTR else { return }
    guard number == EAGAIN else {
      throw CommandFailure(.inputOutput, code: "input-output", "standard input: \(SystemError.text(number))")
    }
    waitUntilReady(descriptor, for: POLLIN)
  }

  /// Moves the rows that have been read to `batch`, until that is full.
  ///
  /// Which rows are handed out does not depend on how the input is divided into reads.
  ///
  /// - Returns: Whether it is full, or has the last row, or that before one that is too long.
  /// - Complexity: O(bytes of the rows).
  mutating func move(to batch: TableBatch) -> Bool {
    let bytes = buffer.bytes
    var start = 0
    var isFull = false
    while !isFull, !isAtLongRow, let end = rowEnd(bytes, from: start) {
      isAtLongRow = end - start > Self.maximumRowBytes
      if !isAtLongRow, batch.add(bytes, start..<end) { start = end } else { isFull = true }
      (searched, isQuoted) = (start, false)
    }
    batch.take(UnsafeRawBufferPointer(rebasing: bytes[..<start]))
    buffer.consume(start)
    searched -= start
    // Everything that is left belongs to a row without an end.
    if !isFull, buffer.count > Self.maximumRowBytes { isAtLongRow = true }
    return isFull || batch.isFull || isAtEnd || isAtLongRow
  }

  /// Where the row ends that starts at `start`; `nil` if that was not read yet.
  private mutating func rowEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    while searched < bytes.count {
      let end = bytes.firstOffset(of: TableSyntax.lineFeed, from: searched) ?? bytes.count
      if form == .csv { countQuotes(bytes, searched..<end) }
      searched = min(end + 1, bytes.count)
      if end < bytes.count, !isQuoted { return end + 1 }
    }
    return hasEnded ? bytes.count : nil
  }

  private mutating func countQuotes(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    // Later rows have their own turn: if each row looked through all of them, the time would be quadratic.
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<range.upperBound])
    var position = range.lowerBound
    while let quote = bytes.firstOffset(of: TableSyntax.quote, from: position) {
      isQuoted.toggle()
      position = quote + 1
    }
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
