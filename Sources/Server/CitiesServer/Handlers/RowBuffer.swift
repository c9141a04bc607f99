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

  /// Writes the rows, which are complete, as the list of `key`.
  borrowing func write<Key>(_ key: Key, into map: inout CBORMapWriter<Key>) {
    map.write(key) { reply in
      reply.writeArray(count: count)
      writer.withUnsafeBytes { reply.writeEncoded($0) }
    }
  }

  /// Removes all rows.
  mutating func removeAll() {
    writer.removeAll()
    count = 0
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
