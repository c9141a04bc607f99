/// How far a map is read: pairs left, and the last key, which the next must follow.
public struct CBORMapWalk {
  /// Pairs that were announced.
  public let count: Int
  /// Pairs whose key is not read yet.
  public internal(set) var remaining: Int {
    get { left }
    set { left = newValue }
  }
  /// The same, for code that is compiled into other modules.
  @usableFromInline
  var left: Int
  /// The encoding of the last key; empty before the first, and so before every key.
  var lastKey = UnsafeRawBufferPointer(start: nil, count: 0)
}

extension CBORReader {
  /// Reads the head of a map; go on with ``nextKey(of:)``.
  ///
  /// - Throws: as ``readUnsigned()``; `.truncated` if fewer bytes follow than pairs are announced.
  public mutating func readMap() throws(CBORError) -> CBORMapWalk {
    let count = try readCount(.map, bytesEach: 2)
    return CBORMapWalk(count: count, left: count)
  }

  /// Reads the next text key of `map` and leaves the cursor at its value; nil when the map is over.
  ///
  /// Read or ``skip()`` the value before asking again. Keys must ascend strictly, which makes duplicates impossible.
  /// Pairs whose key is no text are skipped: no message of this project has one, and unknown keys are ignored.
  /// - Throws: `.notDeterministic` for a key out of order, and as ``readText()``.
  @inlinable
  public mutating func nextKey(of map: inout CBORMapWalk) throws(CBORError) -> UnsafeRawBufferPointer? {
    guard map.left > 0 else { return nil }
    let start = position
    guard let key = readShortASCII() else { return try nextUnusualKey(of: &map) }
    map.left -= 1
    try advance(&map, over: start)
    return key
  }

  /// The next text key if it is long or not ASCII, or stands behind keys that are no text.
  @usableFromInline
  mutating func nextUnusualKey(of map: inout CBORMapWalk) throws(CBORError) -> UnsafeRawBufferPointer? {
    while map.remaining > 0 {
      map.remaining -= 1
      let start = offset
      if try peek() == .text {
        let text = try readText()
        try advance(&map, over: start)
        return text
      }
      try skip()
      try advance(&map, over: start)
      try skip()
    }
    return nil
  }

  /// Checks that the key from `start` to the cursor follows the last one.
  @usableFromInline
  mutating func advance(_ map: inout CBORMapWalk, over start: Int) throws(CBORError) {
    let key = UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    guard MapOrder.precedes(map.lastKey, key) else { throw CBORError(.notDeterministic, offset: start) }
    map.lastKey = key
  }
}
