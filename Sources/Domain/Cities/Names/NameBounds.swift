/// Upper bounds for the names below each node of the trie of names: their letters and their best score.
///
/// A search with typos uses them to skip a branch without reading a name.
struct NameBounds {
  /// Bytes per node: 32 bits for letters, 16 bits for a score.
  static let nodeBytes = 6

  private let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The classes of the letters that follow the parent's bytes in names below a node, and the best score of these names
  /// as the start of a name, except for codes.
  ///
  /// Without bounds in the file, a node has all letters and any score.
  @inline(__always)
  subscript(node: Int) -> (letters: UInt32, score: Int) {
    let start = node &* Self.nodeBytes
    guard start >= 0, start &+ Self.nodeBytes <= bytes.count else { return (.max, Int(UInt16.max)) }
    return (
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)),
      Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: start &+ 4, as: UInt16.self)))
    )
  }

  /// The class of a letter: the number of one of 32 bits.
  ///
  /// ASCII letters have a bit each, others share one. `letter` is the number formed by its bytes in UTF-8.
  @inline(__always)
  static func letterClass(_ letter: UInt32) -> UInt32 {
    letter < 0x80 ? letter & 31 : (letter &* 0x9E37_79B1) >> 27
  }

  /// The next letter of a text, as the number formed by its bytes, moving `offset` past it; `nil` at a zero byte.
  @inline(__always)
  static func letter(_ byte: (Int) -> UInt8, _ offset: inout Int) -> UInt32? {
    let lead = byte(offset)
    guard lead != 0 else { return nil }
    offset += 1
    var letter = UInt32(lead)
    guard lead >= 0xC0 else { return letter }
    for _ in 0..<(lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1) {
      let next = byte(offset)
      guard next != 0 else { break }
      letter = letter << 8 | UInt32(next)
      offset += 1
    }
    return letter
  }

  /// The bytes for a trie over `keys`; `score` returns the score of a name, or `nil` if it does not count.
  ///
  /// - Complexity: O(n) in the bytes of all names.
  static func encode(_ trie: RadixTrie, _ keys: PlainKeys, score: (Int) -> UInt16?) -> [UInt8] {
    guard let root = trie.root(over: 0..<keys.count) else { return [] }
    var nodes = [(node: root, parentBytes: 0)]
    var next = 0
    while next < nodes.count {
      let node = nodes[next].node
      nodes += node.children.map { (trie.child($0, of: node), node.depth) }
      next += 1
    }
    var letters = [UInt32](repeating: 0, count: trie.nodeCount)
    var scores = [UInt16](repeating: 0, count: trie.nodeCount)
    // Children come after their parents.
    for (node, parentBytes) in nodes.reversed() {
      let texts = node.children.isEmpty ? node.texts : node.texts.prefix(1)
      let end = node.children.isEmpty ? .max : node.depth
      for text in texts { letters[node.index] |= classes(of: keys.key(at: text), from: parentBytes, to: end) }
      scores[node.index] = node.children.isEmpty ? node.texts.compactMap(score).max() ?? 0 : 0
      for child in node.children {
        letters[node.index] |= letters[child]
        scores[node.index] = max(scores[node.index], scores[child])
      }
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(trie.nodeCount * nodeBytes)
    for node in letters.indices {
      bytes.append(littleEndian: letters[node])
      bytes.append(littleEndian: scores[node])
    }
    return bytes
  }

  /// The classes of the letters that end after byte `start`, up to the one that contains byte `end`.
  ///
  /// If the byte at `start` is not ASCII, the walk has not read its letter yet, and the letter before may be swapped
  /// with it.
  private static func classes(of text: ArenaText, from start: Int, to end: Int) -> UInt32 {
    var (classes, offset, last) = (UInt32(0), 0, UInt32(0))
    while offset < end, let letter = letter({ text.byte($0) }, &offset) {
      let bit: UInt32 = 1 << letterClass(letter)
      if offset > start { classes |= text.byte(start) < 0x80 ? bit : bit | last }
      last = bit
    }
    return classes
  }
}
