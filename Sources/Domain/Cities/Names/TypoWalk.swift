import Base

/// A search for the names that differ from a key by a few typing errors, which can stop and continue.
///
/// An error is a letter too many, too few or wrong, or two neighbours swapped, and no part of a name is changed twice: the
/// optimal string alignment distance. The first letter must be right. A short key may have no error: see
/// ``allowedEdits(_:)``.
///
/// The walk goes down the trie of names and keeps one row of the distance matrix per letter of the path; where a whole row is
/// above the bound, no name below can be near, and the branch is left (K. Oflazer, "Error-tolerant finite-state recognition",
/// Computational Linguistics 22(1), 1996). Rows are computed only as far from the diagonal as the bound, and the letter that
/// leads to a branch is tried before any name below it is read.
struct TypoWalk {
  /// Letters of the longest key that is looked for.
  private static let maximumLetters = 64

  /// A node whose children are yet to be looked at.
  private struct Frame {
    let node: RadixTrie.Node
    /// Children that are left.
    var children: Range<Int>
    /// Letters of the path, and bytes that they take.
    let letters: Int
    let bytes: Int
  }

  private var pattern: [UInt32] = []
  private var path: [UInt32] = []
  private var rows: [UInt8] = []
  private var frames: [Frame] = []
  private var limit = 0
  /// Letters of the key, without spaces.
  private var letters = 0
  /// Positions in a leaf that are yet to be looked at, and the path to it.
  private var leaf = (texts: 0..<0, letters: 0, bytes: 0)

  /// Typing errors between two keys, of which the longer has that number of letters; spaces do not count.
  static func allowedEdits(_ letters: Int) -> Int { letters < 5 ? 0 : letters < 9 ? 1 : mostEdits }
  private static let mostEdits = 2

  /// Starts a walk for `key`, which is folded.
  mutating func begin(_ key: UnsafeRawBufferPointer, _ names: NameTable) {
    frames.removeAll(keepingCapacity: true)
    pattern.removeAll(keepingCapacity: true)
    leaf = (0..<0, 0, 0)
    var offset = 0
    while let letter = Self.letter({ $0 < key.count ? key[$0] : 0 }, &offset) { pattern.append(letter) }
    letters = pattern.count { $0 != Self.space }
    // An error may be a letter that the key lacks: the name may have one letter more for each.
    limit = (1...Self.mostEdits).last { $0 <= Self.allowedEdits(letters + $0) } ?? 0
    guard limit > 0, pattern.count <= Self.maximumLetters, let root = names.trie.root(over: 0..<names.keys.count) else {
      return
    }
    let depth = pattern.count + limit + 2
    path = [UInt32](repeating: 0, count: depth)
    rows = [UInt8](repeating: UInt8(limit + 1), count: depth * (pattern.count + 2))
    for column in 0...min(pattern.count, limit) { rows[column] = UInt8(column) }
    enter(root, letters: 0, bytes: 0, names)
  }

  /// Looks at up to `left` nodes and names, of which it takes those from `left`.
  ///
  /// - Returns: whether the walk is finished.
  mutating func advance(
    _ left: inout Int, _ names: NameTable, _ found: (_ entries: Range<Int>, _ edits: Int) -> Void
  ) -> Bool {
    while left > 0 {
      left -= 1
      if !leaf.texts.isEmpty {
        compareNextName(names, found)
      } else if let frame = frames.popLast() {
        visitNextChild(of: frame, names)
      } else {
        return true
      }
    }
    return false
  }

  private mutating func visitNextChild(of frame: Frame, _ names: NameTable) {
    var frame = frame
    let index = frame.children.lowerBound
    frame.children = index + 1..<frame.children.upperBound
    if !frame.children.isEmpty { frames.append(frame) }
    let label = names.trie.label(of: index)
    // The letter is known without a look at a name if it is one byte and the path has none left over.
    if label > 0, label < 0x80, frame.bytes == frame.node.depth, !accepts(UInt32(label), at: frame.letters + 1) {
      return
    }
    enter(names.trie.child(index, of: frame.node), letters: frame.letters, bytes: frame.bytes, names)
  }

  /// Follows the letters that the names of a node share; the rest of the path goes to its children or its names.
  private mutating func enter(_ node: RadixTrie.Node, letters: Int, bytes: Int, _ names: NameTable) {
    guard !node.texts.isEmpty else { return }
    let text = names.keys.key(at: node.texts.lowerBound)
    var (letters, bytes) = (letters, bytes)
    while bytes < node.depth {
      var end = bytes
      guard let letter = Self.letter({ text.byte($0) }, &end), end <= node.depth else { break }
      guard accepts(letter, at: letters + 1) else { return }
      (letters, bytes) = (letters + 1, end)
    }
    if node.children.isEmpty {
      leaf = (node.texts, letters, bytes)
    } else {
      frames.append(Frame(node: node, children: node.children, letters: letters, bytes: bytes))
    }
  }

  /// Compares the next name of the leaf, and passes over those with the same key.
  private mutating func compareNextName(
    _ names: NameTable, _ found: (_ entries: Range<Int>, _ edits: Int) -> Void
  ) {
    let offset = names.keys.offsets[leaf.texts.lowerBound]
    let end = partitionPoint(leaf.texts) { names.keys.offsets[$0] == offset }
    let entries = leaf.texts.lowerBound..<max(end, leaf.texts.lowerBound + 1)
    leaf.texts = entries.upperBound..<leaf.texts.upperBound
    let text = names.keys.key(at: entries.lowerBound)
    var (letters, bytes) = (leaf.letters, leaf.bytes)
    while let letter = Self.letter({ text.byte($0) }, &bytes) {
      guard accepts(letter, at: letters + 1) else { return }
      letters += 1
    }
    let edits = Int(rows[letters * (pattern.count + 2) + pattern.count])
    guard edits <= limit else { return }
    let own = letters - path[1..<letters + 1].count { $0 == Self.space }
    if edits <= Self.allowedEdits(max(self.letters, own)) { found(entries, edits) }
  }

  private static let space = UInt32(UInt8(ascii: " "))

  /// Computes the row of the path's letter at `depth`, from 1; whether names that continue in this way can still be
  /// near enough.
  ///
  /// The column after the last one that is computed is set to a value above the bound, as the next row reads it.
  @inline(__always)
  private mutating func accepts(_ letter: UInt32, at depth: Int) -> Bool {
    let width = pattern.count + 2
    guard depth < path.count, depth > 1 || letter == pattern[0] else { return false }
    path[depth] = letter
    let beyond = UInt8(limit + 1)
    let (first, last) = (max(1, depth - limit), min(pattern.count, depth + limit))
    guard first <= last else { return false }
    let (row, above) = (depth * width, (depth - 1) * width)
    rows[row + first - 1] = first == 1 ? UInt8(min(depth, limit + 1)) : beyond
    var least = rows[row + first - 1]
    for column in first...last {
      let wanted = pattern[column - 1]
      var cost = rows[above + column - 1] &+ (wanted == letter ? 0 : 1)
      cost = min(cost, rows[above + column] &+ 1, rows[row + column - 1] &+ 1)
      if depth > 1, column > 1, wanted == path[depth - 1], pattern[column - 2] == letter {
        cost = min(cost, rows[row - 2 * width + column - 2] &+ 1)
      }
      rows[row + column] = min(cost, beyond)
      least = min(least, cost)
    }
    rows[row + last + 1] = beyond
    return least <= UInt8(limit)
  }

  /// The next letter of a text, as the number that its bytes make, and the offset after it; `nil` at a zero byte.
  @inline(__always)
  private static func letter(_ byte: (Int) -> UInt8, _ offset: inout Int) -> UInt32? {
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
}
