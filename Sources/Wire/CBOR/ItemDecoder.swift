/// What a value's `init(from:)` gets: one item of a tape.
///
/// Small enough to travel in an existential without a box.
struct ItemDecoder: Decoder, SingleValueDecodingContainer {
  let storage: TapeStorage
  let index: Int

  var tape: Tape { storage.tape }

  var codingPath: [any CodingKey] { tape.steps(to: index).map(PathKey.init) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(try KeyedItemDecoder<Key>(storage, at: index))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try UnkeyedItemDecoder(storage, at: index) }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { tape.isNull(index) }
  @inline(__always)
  func decode<Value: TapeScalar>(_ type: Value.Type) throws -> Value { try Value.read(from: tape, at: index) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try storage.decode(type, at: index) }
}

extension Tape {
  /// Whether the item at `index` is `null`.
  @inline(__always)
  func isNull(_ index: Int) -> Bool { self[index].kind == .simple && self[index].argument == 22 }
}

/// The pairs of a map whose keys are text; others are unknown keys, and ignored like these.
struct KeyedItemDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let storage: TapeStorage
  let index: Int

  init(_ storage: TapeStorage, at index: Int) throws(CBORError) {
    guard storage.tape[index].kind == .map else { throw storage.tape.mismatch("map", at: index) }
    (self.storage, self.index) = (storage, index)
  }

  var tape: Tape { storage.tape }

  var codingPath: [any CodingKey] { ItemDecoder(storage: storage, index: index).codingPath }

  var allKeys: [Key] {
    var (keys, key) = ([Key](), index + 1)
    for _ in 0..<Int(tape[index].argument) {
      let kind = tape[key].kind
      if kind == .text || kind == .chunkedText, let name = Key(stringValue: tape.string(at: key)) { keys.append(name) }
      key = Int(tape[Int(tape[key].next)].next)
    }
    return keys
  }

  func contains(_ key: Key) -> Bool { tape.value(of: key.stringValue, in: index) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { tape.isNull(try value(key)) }

  @inline(__always)
  func decode<Value: TapeScalar>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try Value.read(from: tape, at: value(key))
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try storage.decode(type, at: value(key))
  }

  // The defaults of these look a key up three times.
  @inline(__always)
  func decodeIfPresent<Value: TapeScalar>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let found = tape.value(of: key.stringValue, in: index), !tape.isNull(found) else { return nil }
    return try Value.read(from: tape, at: found)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let found = tape.value(of: key.stringValue, in: index), !tape.isNull(found) else { return nil }
    return try storage.decode(type, at: found)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(try KeyedItemDecoder<Nested>(storage, at: value(key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try UnkeyedItemDecoder(storage, at: value(key))
  }

  func superDecoder() throws -> any Decoder { ItemDecoder(storage: storage, index: try value(named: "super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { ItemDecoder(storage: storage, index: try value(key)) }

  @inline(__always)
  func value(_ key: Key) throws(CBORError) -> Int { try value(named: key.stringValue) }

  @inline(__always)
  private func value(named name: String) throws(CBORError) -> Int {
    guard let found = tape.value(of: name, in: index) else { throw tape.error(.missingKey(name), at: index) }
    return found
  }
}

/// The elements of an array, one after the other.
struct UnkeyedItemDecoder: UnkeyedDecodingContainer {
  private let storage: TapeStorage
  private let index: UInt32
  private var next: UInt32
  private var position: UInt32 = 0

  init(_ storage: TapeStorage, at index: Int) throws(CBORError) {
    guard storage.tape[index].kind == .array else { throw storage.tape.mismatch("array", at: index) }
    self.storage = storage
    self.index = UInt32(truncatingIfNeeded: index)
    next = UInt32(truncatingIfNeeded: index + 1)
  }

  var tape: Tape { storage.tape }
  var codingPath: [any CodingKey] { ItemDecoder(storage: storage, index: Int(index)).codingPath }
  var count: Int? { Int(tape[Int(index)].argument) }
  var currentIndex: Int { Int(position) }
  var isAtEnd: Bool { position >= tape[Int(index)].argument }

  mutating func decodeNil() throws -> Bool {
    let isNull = tape.isNull(try current())
    if isNull { advance() }
    return isNull
  }

  @inline(__always)
  mutating func decode<Value: TapeScalar>(_ type: Value.Type) throws -> Value { try read(type) }

  /// Reads an element that is a single item.
  @inline(__always)
  mutating func read<Value: TapeScalar>(_ type: Value.Type) throws(CBORError) -> Value {
    let value = try Value.read(from: tape, at: current())
    advance()
    return value
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try storage.decode(type, at: current())
    advance()
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try KeyedItemDecoder<Nested>(storage, at: current())
    advance()
    return KeyedDecodingContainer(container)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try UnkeyedItemDecoder(storage, at: current())
    advance()
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = ItemDecoder(storage: storage, index: try current())
    advance()
    return decoder
  }

  /// The next element; a missing one is reported like a missing key.
  private func current() throws(CBORError) -> Int {
    guard !isAtEnd else { throw tape.error(.missingKey("[\(position)]"), at: Int(index)) }
    return Int(next)
  }

  private mutating func advance() {
    next = tape[Int(next)].next
    position += 1
  }
}
