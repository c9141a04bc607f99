/// Decodes `Decodable` values from any well-formed CBOR item.
public struct CBORDecoder: Sendable {
  /// What an item may ask for.
  public var limits: CBORLimits

  /// Makes a decoder.
  public init(limits: CBORLimits = .init()) { self.limits = limits }

  /// Decodes exactly one item that fills `bytes`.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    fatalError("not written yet")
  }

  /// Decodes exactly one item that fills `bytes`; nothing of `bytes` is kept.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
    fatalError("not written yet")
  }
}
