/// Decodes `Decodable` values from any well-formed CBOR item.
///
/// ```swift
/// let reply = try CBORDecoder().decode(CitySearch.Reply.self, from: payload)
/// ```
///
/// A receiver is lenient where that costs nothing (RFC 8949 §5.2): indefinite lengths, longer heads, any order of keys,
/// and integers for floats are accepted; keys that the type does not know are ignored. It refuses NaN, infinities, text
/// that is not UTF-8, duplicate keys and bytes after the item. Structures are maps with text keys; `nil` is a missing
/// key or `null`.
public struct CBORDecoder: Sendable {
  /// The limits on an item.
  public var limits: CBORLimits

  /// Makes a decoder.
  public init(limits: CBORLimits = .init()) { self.limits = limits }

  /// Decodes exactly one item that fills `bytes`.
  ///
  /// - Throws: ``CBORError`` with offset and path; other errors only if `Value` throws them itself.
  /// - Complexity: O(*n*) for keys in deterministic order.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try decode(type, from: bytes.span.bytes)
  }

  /// Decodes exactly one item that fills `bytes`; `bytes` are not retained.
  ///
  /// - Throws: as ``decode(_:from:)-([UInt8])``.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: RawSpan) throws -> Value {
    try bytes.withUnsafeBytes { bytes in
      var storage = try TapeScanner.scan(bytes, limits: limits)
      // `bytes` are valid only during this call; a decoder that escaped must not read them later.
      defer { if !isKnownUniquelyReferenced(&storage) { storage.forget() } }
      return try storage.decode(type, at: 0)
    }
  }
}

extension TapeStorage {
  /// Decodes the item at `index`.
  ///
  /// The containers of the standard library call this generically; the comparisons save the detour through a
  /// single-value container. For a known `Value` they fold away.
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
  fileprivate var reason: String {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context): context.debugDescription
    case .keyNotFound(_, let context), .dataCorrupted(let context): context.debugDescription
    @unknown default: "refused by its type"
    }
  }
}

/// The decoder for a value's `init(from:)`: one item of a tape.
///
/// Small enough for an existential without boxing.
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
  func decode<Value: CBORScalar>(_ type: Value.Type) throws -> Value { try Value.read(from: tape, at: index) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try storage.decode(type, at: index) }
}

extension Tape {
  /// Whether the item at `index` is `null`.
  @inline(__always)
  func isNull(_ index: Int) -> Bool { self[index].kind == .simple && self[index].argument == 22 }
}

/// The pairs of a map with text keys; other keys are ignored, like unknown ones.
struct KeyedItemDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let storage: TapeStorage
  let index: Int

  init(_ storage: TapeStorage, at index: Int) throws(CBORError) {
    guard storage.tape[index].kind == .map else { throw storage.tape.mismatch("map", at: index) }
    (self.storage, self.index) = (storage, index)
  }

  /// The most bytes of a key that may become a `String` before it is known.
  private static var longestWord: UInt64 { 32 }

  var tape: Tape { storage.tape }

  var codingPath: [any CodingKey] { ItemDecoder(storage: storage, index: index).codingPath }

  /// The keys, for dictionaries; one of more than ``longestWord`` bytes is ignored, like one that is not text: a
  /// dictionary would hash it by its canonical form.
  var allKeys: [Key] {
    var (keys, key) = ([Key](), index + 1)
    for _ in 0..<Int(tape[index].argument) {
      let kind = tape[key].kind
      let isWord = (kind == .text || kind == .chunkedText) && tape[key].argument <= Self.longestWord
      if isWord, let name = Key(stringValue: tape.string(at: key)) { keys.append(name) }
      key = Int(tape[Int(tape[key].next)].next)
    }
    return keys
  }

  func contains(_ key: Key) -> Bool { tape.value(of: key.stringValue, in: index) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { tape.isNull(try value(key)) }

  @inline(__always)
  func decode<Value: CBORScalar>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try Value.read(from: tape, at: value(key))
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try storage.decode(type, at: value(key))
  }

  // The default implementations look up a key three times, and the compiler prefers them to a generic method.
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try scalar(key) }
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try scalar(key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try scalar(key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try scalar(key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try scalar(key) }

  @inline(__always)
  private func scalar<Value: CBORScalar>(_ key: Key) throws -> Value? {
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

/// The elements of an array in order.
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
  mutating func decode<Value: CBORScalar>(_ type: Value.Type) throws -> Value { try read(type) }

  /// Reads a scalar element.
  @inline(__always)
  mutating func read<Value: CBORScalar>(_ type: Value.Type) throws(CBORError) -> Value {
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
