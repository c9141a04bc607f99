/// What a value's `encode(to:)` gets.
///
/// Small enough to travel in an existential without a box.
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

  /// Checks that this value's place is still free.
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
  func encode<Value: ItemScalar>(_ value: Value) throws {
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
  func encode<Value: ItemScalar>(_ value: Value, forKey key: Key) throws {
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
    nest(key.stringValue).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nest(key.stringValue).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { nest("super") }
  func superEncoder(forKey key: Key) -> any Encoder { nest(key.stringValue) }

  private func nest(_ name: String) -> ItemEncoder {
    do { try state.output.pointee.beginPair(name, in: level) } catch { state.output.pointee.fail(error.kind) }
    return ItemEncoder(state: state.output.pointee.nest(), level: 0, start: 0)
  }
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
  func encode<Value: ItemScalar>(_ value: Value) throws {
    try state.output.pointee.beginElement(in: level)
    try value.write(to: &state.output.pointee)
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    try state.output.pointee.beginElement(in: level)
    try state.encode(value)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    nest().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nest().unkeyedContainer() }
  func superEncoder() -> any Encoder { nest() }

  private func nest() -> ItemEncoder {
    do { try state.output.pointee.beginElement(in: level) } catch { state.output.pointee.fail(error.kind) }
    return ItemEncoder(state: state.output.pointee.nest(), level: 0, start: 0)
  }
}

extension ItemEncoder {
  /// Writes this value as bytes of its own making.
  func write(_ body: (inout CBORWriter) -> Void) throws(CBORError) {
    try begin()
    body(&state.output.pointee.writer)
  }
}
