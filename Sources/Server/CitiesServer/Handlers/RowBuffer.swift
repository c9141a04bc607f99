import CBOR
import CitiesProtocol
import FrameService

/// Rows of a reply, written one at a time while the work on them continues.
struct RowBuffer: ~Copyable {
  /// Where the next row is appended.
  private(set) var writer = CBORWriter()
  /// Rows appended.
  private(set) var count = 0

  /// Appends a row of `generation`.
  ///
  /// - Throws: `frame-too-large` once the rows outgrow a reply, and what `write` throws.
  mutating func append<Data>(
    of generation: ServedGeneration<Data>, _ write: (inout CBORWriter) throws(WireError) -> Void
  ) throws(WireError) {
    try write(&writer)
    count += 1
    try generation.checkSize(writer.count)
  }

  /// Forgets the rows.
  mutating func removeAll() {
    writer.removeAll()
    count = 0
  }
}

extension CBORWriter {
  /// Appends rows that were written before as the list of `key`.
  mutating func writeRows(_ key: StaticString, _ rows: borrowing RowBuffer) {
    writeKey(key)
    writeArray(count: rows.count)
    rows.writer.withUnsafeBytes { writeEncoded($0) }
  }
}

extension ServedGeneration {
  /// Checks that the `length` bytes of rows so far fit a reply: before the next is written, not when all are.
  ///
  /// - Throws: `frame-too-large`.
  func checkSize(_ length: Int) throws(WireError) {
    guard length <= subject.replyBytes else { throw .replyTooLarge(length, maximum: subject.replyBytes) }
  }
}
