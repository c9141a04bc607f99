/// Encodes `Encodable` values as CBOR, RFC 8949 §4.2.1 core deterministic encoding.
///
/// ```swift
/// let payload = try CBOREncoder().encode(RequestEnvelope(id: 1, CitySearch(prefix: "al")))
/// ```
///
/// The same value gives the same bytes: shortest heads and floats, definite lengths, map keys in bytewise order. Keyed
/// containers become maps with text keys, so a dictionary with keys that are neither strings nor integers becomes an
/// array, as with every Codable encoder. A value that encodes nothing becomes an empty map.
public struct CBOREncoder: Sendable {
  /// Makes an encoder.
  public init() {}

  /// The one deterministic encoding of `value`.
  ///
  /// - Throws: ``CBORError`` `.unencodable` with the path for NaN, infinities and a key that is written twice, `.limit`
  ///   for nesting beyond ``CBORLimits/maximumDepth``; other errors only if `Value` throws them itself.
  /// - Complexity: O(*n*) in the bytes if keys are written in order, else O(*n* log *n*).
  public func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
    var writer = CBORWriter(capacity: 256)
    try encode(value, into: &writer)
    return writer.bytes
  }

  /// Appends the encoding of `value` to what `writer` holds; on an error `writer` is as before.
  ///
  /// - Throws: as ``encode(_:)``.
  public func encode<Value: Encodable>(_ value: Value, into writer: inout CBORWriter) throws {
    let start = writer.count
    let state = EncodingState()
    // The buffer moves in and out, so that it is never held twice and copied.
    swap(&state.output.pointee.writer, &writer)
    defer { swap(&state.output.pointee.writer, &writer) }
    do {
      try state.encode(value)
      if let failure = state.output.pointee.failure { throw failure }
    } catch {
      state.output.pointee.writer.truncate(to: start)
      throw error
    }
  }
}
