extension Tape {
  /// Checks that no key of the map at `map` occurs twice, whatever the encodings of the two.
  ///
  /// - Throws: `.malformed` with the offset of the second.
  /// - Complexity: O(*k*) comparisons for *k* keys that ascend in their shortest encodings, else O(*k* log *k*).
  func checkKeys(of map: Int) throws(CBORError) {
    if keysAscend(in: map) { return }
    var keys = canonicalKeys(of: map)
    keys.sort { $0.encoding.lexicographicallyPrecedes($1.encoding) }
    for (left, right) in zip(keys, keys.dropFirst()) where left.encoding == right.encoding {
      throw CBORError(.malformed("a map key that occurs twice"), offset: max(left.offset, right.offset))
    }
  }

  /// Whether the keys are scalars in their shortest form and ascend strictly, as every deterministic sender's do.
  private func keysAscend(in map: Int) -> Bool {
    var (key, last) = (map + 1, UnsafeRawBufferPointer(start: nil, count: 0))
    for _ in 0..<Int(self[map].argument) {
      guard isShortScalar(key) else { return false }
      let encoding = encoding(at: key)
      guard MapOrder.precedes(last, encoding) else { return false }
      last = encoding
      key = Int(self[Int(self[key].next)].next)
    }
    return true
  }

  private func isShortScalar(_ index: Int) -> Bool {
    let item = self[index]
    switch item.kind {
    case .text, .bytes: return item.argument < 24 ? item.mark == item.offset + 1 : isShortHead(item)
    case .unsigned, .negative: return isShortHead(item)
    case .chunkedBytes, .chunkedText, .array, .map, .tag, .float, .simple: return false
    }
  }

  private func isShortHead(_ item: Item) -> Bool { (try? Head(bytes, at: Int(item.offset)))?.isShortest ?? false }

  private func canonicalKeys(of map: Int) -> [(offset: Int, encoding: [UInt8])] {
    var keys: [(offset: Int, encoding: [UInt8])] = []
    var key = map + 1
    for _ in 0..<Int(self[map].argument) {
      var writer = CBORWriter()
      writeCanonical(key, into: &writer)
      keys.append((Int(self[key].offset), writer.bytes))
      key = Int(self[Int(self[key].next)].next)
    }
    return keys
  }
}
