public import CBOR
public import CitiesProtocol
import FrameService

extension CBORMapWriter {
  /// Appends a pair with the deterministic encoding of a value, or nothing without one.
  ///
  /// - Throws: `internal` if it has none, such as NaN.
  @inline(__always)
  mutating func write(_ key: Key, encoding value: (some Encodable)?) throws(WireError) {
    guard let value else { return }
    try write(key) { (writer) throws(WireError) in try writer.write(value) }
  }
}

/// The writer of a result that is one map.
func mapWriter<Key: CodingKey>(
  _ keys: Key.Type, _ body: @escaping (inout CBORMapWriter<Key>) throws(WireError) -> Void
) -> ResultWriter {
  { (reply: inout CBORWriter) throws(WireError) in try reply.writeMap(keys, body) }
}

extension Timestamp: CBORItem {
  /// Appends tag 0 and the text.
  public func write(into writer: inout CBORWriter) {
    writer.writeTag(0)
    writer.writeText(text)
  }
}
