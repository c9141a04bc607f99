/// The progress of reading a map: pairs left, and the last key, which the next one must follow.
public struct CBORMapWalk {
  /// The declared number of pairs.
  public let count: Int
  /// Pairs that are not read yet.
  @usableFromInline
  var left: Int
  /// The last key that was read; empty before the first, and so before every key.
  public var lastKey: CBORKey { last }
  @usableFromInline
  var last = CBORKey(encoding: UnsafeRawBufferPointer(start: nil, count: 0), word: 0)

  /// Starts a map of `count` pairs.
  @inlinable @inline(__always)
  public init(count: Int = 0) { (self.count, left) = (count, count) }
}

/// A text key in place in a map.
public struct CBORKey {
  /// Its head and its text.
  @usableFromInline let encoding: UnsafeRawBufferPointer
  /// The first eight bytes of its encoding, most significant first, padded with zeros: keys of up to seven bytes are
  /// compared by it alone.
  public let word: UInt64

  @inlinable @inline(__always)
  init(encoding: UnsafeRawBufferPointer, word: UInt64) { (self.encoding, self.word) = (encoding, word) }

  /// The text.
  ///
  /// - Complexity: O(1).
  public var text: UnsafeRawBufferPointer {
    guard let head = try? Head(encoding, at: 0) else { return encoding }
    return UnsafeRawBufferPointer(rebasing: encoding[min(head.size, encoding.count)...])
  }

  /// Whether it must precede `other` in a map.
  @inlinable @inline(__always)
  func precedes(_ other: CBORKey) -> Bool {
    word == other.word ? MapOrder.precedes(encoding, other.encoding) : word < other.word
  }
}

extension CBORReader {
  /// Reads the head of a map; continue with ``nextKey(of:)``.
  ///
  /// - Throws: as ``readUnsigned()``; `.truncated` if fewer bytes follow than the declared pairs need.
  @inlinable @inline(__always)
  public mutating func readMap() throws(CBORError) -> CBORMapWalk {
    // Most maps are small, with a head of one byte.
    if position < bytes.count {
      let count = Int(bytes[position] &- 0xA0)
      if count < 24, 2 &* count < bytes.count &- position {
        position += 1
        return CBORMapWalk(count: count)
      }
    }
    return CBORMapWalk(count: try apart { (reader) throws(CBORError) in try reader.readLongMap() })
  }

  @usableFromInline @inline(never)
  mutating func readLongMap() throws(CBORError) -> Int { try readCount(.map, bytesEach: 2) }

  /// Reads the next text key of `map`, up to its value; nil at the end of the map.
  ///
  /// Read or ``skip()`` the value before the next call. Keys must ascend strictly, which rules out duplicates. Pairs
  /// whose key is not text are skipped, like unknown keys: no message of this project has one.
  /// - Throws: `.notDeterministic` for a key out of order, and as ``readText()``.
  public mutating func nextKey(of map: inout CBORMapWalk) throws(CBORError) -> UnsafeRawBufferPointer? {
    try nextKeyWord(of: &map)?.text
  }

  /// Reads the next text key of `map`, for comparison by its first bytes.
  @inlinable @inline(__always)
  public mutating func nextKeyWord(of map: inout CBORMapWalk) throws(CBORError) -> CBORKey? {
    guard map.left > 0 else { return nil }
    guard let key = readShortKey(), map.last.precedes(key) else {
      var walk = map
      defer { map = walk }
      return try apart { (reader) throws(CBORError) in try reader.nextUnusualKey(of: &walk) }
    }
    position += key.encoding.count
    map.left -= 1
    map.last = key
    return key
  }

  /// The next item if it is a text of up to seven ASCII bytes; the cursor stays before it.
  @inlinable @inline(__always)
  func readShortKey() -> CBORKey? {
    guard bytes.count - position >= 8 else { return nil }
    let next = bytes.load(bigEndian: UInt64.self, at: position)
    let length = next >> 56 &- 0x60
    guard length < 8 else { return nil }
    let shift = 56 &- 8 &* length
    let word = (next >> shift) << shift
    guard word & 0x8080_8080_8080_8080 == 0 else { return nil }
    // Eight bytes are available, so the slices need no bounds checks.
    let start = bytes.baseAddress.unsafelyUnwrapped + position
    return CBORKey(encoding: UnsafeRawBufferPointer(start: start, count: 1 &+ Int(length)), word: word)
  }

  /// The next text key if it is long, out of order or not ASCII, or follows keys of other types.
  @usableFromInline @inline(never)
  mutating func nextUnusualKey(of map: inout CBORMapWalk) throws(CBORError) -> CBORKey? {
    while map.left > 0 {
      map.left -= 1
      let start = offset
      if try peek() == .text {
        _ = try readText()
        return try advance(&map, over: start)
      }
      try skip()
      _ = try advance(&map, over: start)
      try skip()
    }
    return nil
  }

  /// Checks that the key from `start` to the cursor follows the last one.
  mutating func advance(_ map: inout CBORMapWalk, over start: Int) throws(CBORError) -> CBORKey {
    let encoding = UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    var word: UInt64 = 0
    for index in 0..<8 { word = word << 8 | (index < encoding.count ? UInt64(encoding[index]) : 0) }
    let key = CBORKey(encoding: encoding, word: word)
    guard map.last.precedes(key) else { throw CBORError(.notDeterministic, offset: start) }
    map.last = key
    return key
  }
}

/// The position of a map's pair in a byte buffer; it extends to the next pair's key.
struct MapEntry {
  /// Offset of the key's first byte.
  var key: Int
  /// Offset of the value's first byte, which ends the key.
  var value: Int
}

/// Sorts the pairs of an encoded map as in RFC 8949 §4.2.1: bytewise by the keys' encodings.
@usableFromInline
enum MapOrder {
  /// Sorts `entries`, which must be adjacent and at the end of `writer`.
  ///
  /// - Returns: the offset of a key that occurs twice, nil if there is none.
  /// - Complexity: O(*n*) if they are already sorted, else O(*n* log *n*).
  static func arrange(_ writer: inout CBORWriter, _ entries: ArraySlice<MapEntry>) -> Int? {
    guard let first = entries.first else { return nil }
    if writer.withUnsafeBytes({ isAscending($0, entries) }) { return nil }
    let bytes = writer.bytes
    let end = bytes.count
    let ends = entries.dropFirst().map(\.key) + [end]
    let sorted = bytes.withUnsafeBytes { all in
      zip(entries, ends).sorted { precedes(key($0.0, in: all), key($1.0, in: all)) }
    }
    let twin = bytes.withUnsafeBytes { all in
      zip(sorted, sorted.dropFirst()).first { !precedes(key($0.0, in: all), key($1.0, in: all)) }
    }
    if let twin { return max(twin.0.0.key, twin.1.0.key) }
    writer.truncate(to: first.key)
    bytes.withUnsafeBytes { all in
      for (entry, entryEnd) in sorted {
        writer.writeEncoded(UnsafeRawBufferPointer(rebasing: all[entry.key..<entryEnd]))
      }
    }
    return nil
  }

  private static func isAscending(_ bytes: UnsafeRawBufferPointer, _ entries: ArraySlice<MapEntry>) -> Bool {
    var index = entries.startIndex + 1
    while index < entries.endIndex {
      guard precedes(key(entries[index - 1], in: bytes), key(entries[index], in: bytes)) else { return false }
      index += 1
    }
    return true
  }

  private static func key(_ entry: MapEntry, in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[entry.key..<entry.value])
  }

  /// Whether `left` precedes `right` in bytewise order.
  @inlinable @inline(__always)
  static func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    let shared = min(left.count, right.count)
    var index = 0
    while index < shared {
      if left[index] != right[index] { return left[index] < right[index] }
      index += 1
    }
    return left.count < right.count
  }
}
