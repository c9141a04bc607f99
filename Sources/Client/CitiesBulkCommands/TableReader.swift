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
    /// One of its wanted values is not UTF-8 at this offset into it.
    case notUTF8(at: Int)
    /// The table does not have its encoding at this offset into it.
    case notDecodable(at: Int)
    /// The table is compressed.
    case compressed(TableMark)
  }

  /// Room for one read(2), in bytes.
  private static let room = 256 * 1024

  private let descriptor: Int32
  private var syntax: TableSyntax
  /// The encoding that the user names.
  private let encoding: TableEncoding?
  private var decoder: TableDecoder?
  /// Bytes to decode.
  private var encoded = ByteBuffer(keeping: .max)
  /// Whether the start of the table has been looked at.
  private var isMarkRead = false
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

  /// Reads a table from `descriptor`.
  init(descriptor: Int32, syntax: TableSyntax, encoding: TableEncoding? = nil) {
    (self.descriptor, self.syntax, self.encoding) = (descriptor, syntax, encoding)
  }

  /// Whether every row was handed out.
  var isAtEnd: Bool { hasEnded && buffer.isEmpty }

  /// Whether ``fill()`` would not wait.
  var isReady: Bool {
    hasEnded || decoder?.invalidOffset != nil || waitUntilReady(descriptor, for: POLLIN, milliseconds: 0)
  }

  /// Reads once, and waits for it.
  ///
  /// - Throws: `CommandFailure` if reading fails.
  mutating func fill() throws(CommandFailure) {
    guard !hasEnded, fault == nil, decoder?.invalidOffset == nil else { return }
    let descriptor = descriptor
    var number: Int32 = 0
    func read(_ memory: UnsafeMutableRawBufferPointer) -> Int {
      let count = Glibc.read(descriptor, memory.baseAddress, memory.count)
      number = errno
      return count
    }
    let count =
      decoder == nil
      ? buffer.fill(atLeast: Self.room, growingBy: Self.room, read)
      : encoded.fill(atLeast: Self.room, growingBy: Self.room, read)
    guard count >= 0 else { return try waitForInput(descriptor, after: number) }
    bytesRead += count
    hasEnded = count == 0
    if decoder != nil { decode() } else if !isMarkRead { readMark() }
  }

  /// Looks at the bytes that the table starts with, once they are there, and chooses what decodes it.
  private mutating func readMark() {
    let start = Array(buffer.bytes.prefix(TableMark.maximumBytes))
    let mark = TableMark.allCases.first { start.starts(with: $0.bytes) }
    guard mark != nil || hasEnded || !TableMark.allCases.contains(where: { $0.bytes.starts(with: start) }) else {
      return
    }
    isMarkRead = true
    switch mark {
    case .gzip?, .zip?: fault = mark.map { .compressed($0) }
    case .littleEndian?, .bigEndian?, nil:
      guard let encoding = encoding ?? mark.map({ _ in .utf16 }), encoding != .utf8 else { return }
      decoder = TableDecoder(encoding, isBigEndian: mark == .bigEndian)
      encoded.append(buffer.bytes)
      buffer.consume(buffer.count)
      decode()
    }
  }

  private mutating func decode() {
    decoder?.decode(encoded.bytes, isLast: hasEnded).withUnsafeBytes { buffer.append($0) }
    encoded.consume(encoded.count)
    // The row in which the encoding is wrong has no end.
    if decoder?.invalidOffset != nil { hasEnded = false }
  }

  /// Puts back the first row, which `row` is unless it has a fault, to read it and the others with another syntax.
  mutating func restart(_ row: UnsafeRawBufferPointer, as syntax: TableSyntax) {
    var whole = ByteBuffer(keeping: .max)
    whole.append(row)
    whole.append(buffer.bytes)
    buffer = whole
    (self.syntax, searched, isQuoted, quotedEnd, isAtFirstRow, fault) = (syntax, 0, false, -1, true, nil)
  }

  /// Moves the rows that have been read to `batch`, until that is full.
  ///
  /// Which rows are handed out does not depend on how the input is divided into reads.
  ///
  /// - Returns: Whether it is full, or has the last row, or that before one with a fault.
  /// - Complexity: O(bytes of the rows).
  mutating func move(to batch: TableBatch) -> Bool {
    guard isMarkRead else { return false }
    let bytes = buffer.bytes
    var start = 0
    var isFull = false
    while !isFull, fault == nil, let end = rowEnd(bytes, from: start) {
      fault = end - start > Self.maximumRowBytes ? .longRow : isQuoted ? .openQuote : nil
      if fault == nil, batch.add(bytes, start..<end) {
        (start, isAtFirstRow) = (end, false)
      } else {
        isFull = true
        if fault == nil, let offset = batch.invalidOffset { fault = .notUTF8(at: offset) }
      }
      (searched, isQuoted, quotedEnd) = (start, false, -1)
    }
    batch.take(UnsafeRawBufferPointer(rebasing: bytes[..<start]))
    buffer.consume(start)
    searched -= start
    quotedEnd -= start
    // Everything that is left belongs to a row without an end.
    if !isFull, fault == nil {
      if buffer.count > Self.maximumRowBytes {
        fault = .longRow
      } else {
        fault = decoder?.invalidOffset.map { .notDecodable(at: $0) }
      }
    }
    return isFull || batch.isFull || isAtEnd || fault != nil
  }

  /// Where the row ends that starts at `start`; `nil` if that was not read yet.
  private mutating func rowEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    while searched < bytes.count {
      let end = bytes.firstOffset(of: TableSyntax.lineFeed, from: searched) ?? bytes.count
      if syntax.hasQuotes { followQuotes(bytes, searched..<end, ofRowAt: start) }
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
    if position == start || bytes[position - 1] == syntax.separator { return true }
    return isAtFirstRow && position == start + TableSyntax.markLength(bytes, start)
  }
}
