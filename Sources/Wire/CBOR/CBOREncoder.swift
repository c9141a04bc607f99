/// Encodes `Encodable` values as CBOR, RFC 8949 §4.2.1 core deterministic encoding.
public struct CBOREncoder: Sendable {
  /// Makes an encoder.
  public init() {}

  /// The one deterministic encoding of `value`.
  public func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
    fatalError("not written yet")
  }
}
