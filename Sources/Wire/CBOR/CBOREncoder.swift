/// Encodes `Encodable` values as CBOR, RFC 8949 §4.2.1 core deterministic encoding.
///
/// ```swift
/// let payload = try CBOREncoder().encode(RequestEnvelope(id: 1, CitySearch(prefix: "al")))
/// ```
///
/// The same value gives the same bytes: shortest heads and floats, definite lengths, map keys in bytewise order. Keyed
/// containers become maps with text keys, so a dictionary with keys that are neither strings nor integers becomes an
/// array, as with every Codable encoder. A value that encodes nothing becomes an empty map. `nestedContainer` and
/// `superEncoder`, which nothing here uses, fail.
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

  /// Appends the encoding of `value` to `writer`, which is unchanged on an error.
  ///
  /// - Throws: as ``encode(_:)``.
  public func encode<Value: Encodable>(_ value: Value, into writer: inout CBORWriter) throws {
    let start = writer.count
    let state = EncodingState()
    // Move the buffer in and out, so that it has one owner and is never copied.
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

/// The encoder for a value's `encode(to:)`.
///
/// Small enough for an existential without boxing.
struct ItemEncoder: Encoder, SingleValueEncodingContainer {
  let state: EncodingState
  private let level: UInt32
  private let start: UInt32

  init(state: EncodingState, level: Int, start: Int) {
    self.state = state
    self.level = UInt32(truncatingIfNeeded: level)
    self.start = UInt32(truncatingIfNeeded: start)
  }

  var codingPath: [any CodingKey] { state.output.pointee.steps(to: Int(level)).map(PathKey.init) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    let level = state.output.pointee.openContainer(isMap: true, level: Int(level), start: Int(start))
    return KeyedEncodingContainer(KeyedItemEncoder<Key>(state: state, level: level))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedItemEncoder(
      state: state, level: state.output.pointee.openContainer(isMap: false, level: Int(level), start: Int(start)))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// Checks that this value has not been written yet.
  fileprivate func begin() throws(CBORError) {
    guard state.output.pointee.open.count == Int(level), state.output.pointee.writer.count == Int(start) else {
      throw state.output.pointee.error(.unencodable("a second value in the place of one"))
    }
  }

  func encodeNil() throws {
    try begin()
    state.output.pointee.writer.writeNull()
  }

  @inline(__always)
  func encode<Value: CBORScalar>(_ value: Value) throws {
    try begin()
    try value.write(to: &state.output.pointee)
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    try begin()
    try state.encode(value)
  }
}

/// The pairs of a map.
struct KeyedItemEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let state: EncodingState
  let level: Int

  var codingPath: [any CodingKey] { state.output.pointee.steps(to: level).map(PathKey.init) }

  func encodeNil(forKey key: Key) throws {
    try state.output.pointee.beginPair(key.stringValue, in: level)
    state.output.pointee.writer.writeNull()
  }

  @inline(__always)
  func encode<Value: CBORScalar>(_ value: Value, forKey key: Key) throws {
    try state.output.pointee.beginPair(key.stringValue, in: level)
    try value.write(to: &state.output.pointee)
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try state.output.pointee.beginPair(key.stringValue, in: level)
    try state.encode(value)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    state.refuseNesting().container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    state.refuseNesting().unkeyedContainer()
  }

  func superEncoder() -> any Encoder { state.refuseNesting() }
  func superEncoder(forKey key: Key) -> any Encoder { state.refuseNesting() }
}

/// The elements of an array.
struct UnkeyedItemEncoder: UnkeyedEncodingContainer {
  let state: EncodingState
  let level: Int

  var codingPath: [any CodingKey] { state.output.pointee.steps(to: level).map(PathKey.init) }
  var count: Int { state.output.pointee.count(in: level) }

  func encodeNil() throws {
    try state.output.pointee.beginElement(in: level)
    state.output.pointee.writer.writeNull()
  }

  @inline(__always)
  func encode<Value: CBORScalar>(_ value: Value) throws {
    try state.output.pointee.beginElement(in: level)
    try value.write(to: &state.output.pointee)
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    try state.output.pointee.beginElement(in: level)
    try state.encode(value)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    state.refuseNesting().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { state.refuseNesting().unkeyedContainer() }
  func superEncoder() -> any Encoder { state.refuseNesting() }
}

extension ItemEncoder {
  /// Writes this value with `body`.
  func write(_ body: (inout CBORWriter) -> Void) throws(CBORError) {
    try begin()
    body(&state.output.pointee.writer)
  }
}
