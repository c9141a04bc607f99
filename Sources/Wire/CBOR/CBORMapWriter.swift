/// Appends the pairs of one map by the keys of its type, and counts them.
///
/// ```swift
/// writer.writeMap(City.CodingKeys.self) { map in
///   map.write(.id, 7)
///   map.write(.name, name)  // no pair if it is nil
/// }
/// ```
///
/// Keys are written in the order of their encodings, which debug builds check: shorter ones first, then bytewise. If
/// the compiler knows a key, it writes the encoding in a few stores, and the number of pairs costs nothing either.
public struct CBORMapWriter<Key: CodingKey>: ~Copyable {
  @usableFromInline let writer: UnsafeMutablePointer<CBORWriter>
  @usableFromInline var count = 0
  /// The last key, in debug builds.
  @usableFromInline var last: Key?

  @inlinable @inline(__always)
  init(_ writer: UnsafeMutablePointer<CBORWriter>) { self.writer = writer }

  /// Appends a key and the item that `body` appends.
  @inlinable @inline(__always)
  public mutating func write<Failure: Error>(
    _ key: Key, _ body: (inout CBORWriter) throws(Failure) -> Void
  ) throws(Failure) {
    assert(follows(key), "a key that is not in the order of the encodings: \(key.stringValue)")
    count &+= 1
    writer.pointee.writeKey(key)
    try body(&writer.pointee)
  }

  /// Appends a pair, or nothing without a value.
  @inlinable @inline(__always)
  public mutating func write(_ key: Key, _ value: (some CBORItem)?) {
    guard let value else { return }
    write(key) { value.write(into: &$0) }
  }

  /// Appends a key and an array with the item that `body` appends for each of `items`.
  @inlinable @inline(__always)
  public mutating func write<Items: Collection, Failure: Error>(
    _ key: Key, arrayOf items: Items, _ body: (Items.Element, inout CBORWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try write(key) { (writer) throws(Failure) in
      writer.writeArray(count: items.count)
      for item in items { try body(item, &writer) }
    }
  }

  /// Appends encoded pairs, such as a part of a stored row.
  @inlinable @inline(__always)
  public mutating func writeEncoded(pairs: Int, _ content: UnsafeRawBufferPointer) {
    count &+= pairs
    writer.pointee.writeEncoded(content)
  }

  /// Whether `key` may follow the last one, which it becomes.
  @usableFromInline
  mutating func follows(_ key: Key) -> Bool {
    defer { last = key }
    guard let before = last?.stringValue.utf8 else { return true }
    let after = key.stringValue.utf8
    return before.count == after.count ? before.lexicographicallyPrecedes(after) : before.count < after.count
  }
}

extension CBORWriter {
  /// The most pairs of a map whose head is one byte.
  @usableFromInline static var shortMap: Int { 23 }

  /// Appends a map with the pairs that `body` appends: at most 23, so that its head is one byte.
  @inlinable @inline(__always)
  public mutating func writeMap<Key: CodingKey, Failure: Error>(
    _ keys: Key.Type, _ body: (inout CBORMapWriter<Key>) throws(Failure) -> Void
  ) throws(Failure) {
    let start = end
    writeHead(.map, 0)
    let pairs = try withUnsafeMutablePointer(to: &self) { (writer) throws(Failure) in
      var map = CBORMapWriter<Key>(writer)
      try body(&map)
      return map.count
    }
    assert(pairs <= Self.shortMap, "more pairs than a short head can count")
    base.storeBytes(of: UInt8(truncatingIfNeeded: 0xA0 | pairs), toByteOffset: start, as: UInt8.self)
  }

  /// Appends a key of a map.
  @inlinable @inline(__always)
  public mutating func writeKey(_ key: some CodingKey) {
    // Native strings are contiguous. Unlike `withUTF8`, this neither copies nor releases the string.
    _ = key.stringValue.utf8.withContiguousStorageIfAvailable { writeText(utf8: UnsafeRawBufferPointer($0)) }
  }
}
