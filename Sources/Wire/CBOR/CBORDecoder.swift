/// Decodes `Decodable` values from any well-formed CBOR item.
///
/// ```swift
/// let reply = try CBORDecoder().decode(CitySearch.Reply.self, from: payload)
/// ```
///
/// A receiver is lenient where it costs nothing (RFC 8949 §5.2): indefinite lengths, longer heads and any order of keys
/// are accepted, an integer is taken where a float is expected, keys that the type does not know are ignored. It
/// refuses NaN, infinities, text that is not UTF-8, duplicate keys and bytes behind the item. Structures are maps with
/// text keys; `nil` is an absent key or `null`.
public struct CBORDecoder: Sendable {
  /// What an item may ask for.
  public var limits: CBORLimits

  /// Makes a decoder.
  public init(limits: CBORLimits = .init()) { self.limits = limits }

  /// Decodes exactly one item that fills `bytes`.
  ///
  /// - Throws: ``CBORError`` with offset and path; other errors only if `Value` throws them itself.
  /// - Complexity: O(*n*) for keys in deterministic order.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try bytes.withUnsafeBytes { try decode(type, from: $0) }
  }

  /// Decodes exactly one item that fills `bytes`; nothing of `bytes` is kept.
  ///
  /// - Throws: as ``decode(_:from:)-([UInt8])``.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
    var storage = try TapeScanner.scan(bytes, limits: limits)
    // `bytes` may go away when this returns; a decoder that somebody kept must not look at them then.
    defer { if !isKnownUniquelyReferenced(&storage) { storage.forget() } }
    return try storage.decode(type, at: 0)
  }
}

extension TapeStorage {
  /// Decodes the item at `index`.
  ///
  /// Standard library containers call this without knowing `Value`; the comparisons spare them the way through a
  /// single-value container. Where `Value` is known they fold away.
  @inline(__always)
  func decode<Value: Decodable>(_ type: Value.Type, at index: Int) throws -> Value {
    if Value.self == String.self, let text = try String.read(from: tape, at: index) as? Value { return text }
    if Value.self == Double.self, let number = try Double.read(from: tape, at: index) as? Value { return number }
    if Value.self == UInt64.self, let number = try UInt64.read(from: tape, at: index) as? Value { return number }
    if Value.self == Int.self, let number = try Int.read(from: tape, at: index) as? Value { return number }
    if Value.self == Bool.self, let flag = try Bool.read(from: tape, at: index) as? Value { return flag }
    return try decodeComposite(type, at: index)
  }

  private func decodeComposite<Value: Decodable>(_ type: Value.Type, at index: Int) throws -> Value {
    do {
      return try Value(from: ItemDecoder(storage: self, index: index))
    } catch let error as DecodingError {
      throw tape.error(.refused(error.reason), at: index)
    }
  }
}

extension DecodingError {
  /// What the type that threw it says.
  fileprivate var reason: String {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context): context.debugDescription
    case .keyNotFound(_, let context), .dataCorrupted(let context): context.debugDescription
    @unknown default: "refused by its type"
    }
  }
}
