import CBOR
import CitiesProtocol
import FrameService

/// The rows of a reply that is computed in slices, written one at a time.
struct RowBuffer: ~Copyable {
  /// Receives the next row.
  private(set) var writer = CBORWriter()
  private(set) var count = 0

  /// Appends a row of `generation`.
  ///
  /// - Throws: `frame-too-large` if the rows exceed a reply, and the errors of `write`.
  mutating func append<Data>(
    of generation: ServedGeneration<Data>, _ write: (inout CBORWriter) throws(WireError) -> Void
  ) throws(WireError) {
    try write(&writer)
    count += 1
    try generation.checkSize(writer.count)
  }

  /// Removes all rows.
  mutating func removeAll() {
    writer.removeAll()
    count = 0
  }
}

extension CBORWriter {
  /// Appends rows that are complete, as the list of `key`.
  mutating func writeRows(_ key: StaticString, _ rows: borrowing RowBuffer) {
    writeKey(key)
    writeArray(count: rows.count)
    rows.writer.withUnsafeBytes { writeEncoded($0) }
  }
}

extension ServedGeneration {
  /// Checks that the `length` bytes of rows so far fit in a reply: before the next is written, not after the last.
  ///
  /// - Throws: `frame-too-large`.
  func checkSize(_ length: Int) throws(WireError) {
    let maximum = subject.configuration.limits.replyBytes
    guard length <= maximum else { throw .replyTooLarge(length, maximum: maximum) }
  }
}
