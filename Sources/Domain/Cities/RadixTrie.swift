/// Sorted texts that a ``RadixTrie`` stands over.
protocol KeyTable {
  /// Texts in all.
  var count: Int { get }
  /// The text at a position, ascending with it; any text for a position that is none.
  func key(at position: Int) -> ZeroTerminated
}

/// A radix trie in flat arrays over sorted texts: the range of all texts that begin with a prefix.
///
/// It is a blind trie (PATRICIA, D. R. Morrison, J. ACM 15(4), 1968): a node knows at which byte the texts below it first
/// differ, not what they share before that byte. A look-up jumps from branching byte to branching byte and compares with
/// one text at the end, so it touches a node a *branch* and not a byte, and nothing that the texts hold already is stored
/// twice. Up to ``bucket`` texts are a leaf, within which the texts themselves are compared: that is where most of the
/// nodes of a full trie would be.
///
/// A node is 12 bytes, little-endian, and its children are neighbours:
///
///     0  first   32 bits  position of its first text; it ends where its next sibling begins
///     4  child   32 bits  index of its first child
///     8  depth   16 bits  the byte at which its texts first differ
///     10 fanout  16 bits  children, 0 for a leaf
///
/// and behind all nodes stands one byte a node, the label: the branching byte that leads to it, ascending among siblings.
///
/// The memory is foreign: every number is checked when it is followed, children always come behind their parent, and
/// ranges only ever shrink, so that any bytes at all lead to an end within the texts.
struct RadixTrie {
  /// Texts in a leaf at most, unless they are all equal.
  static let bucket = 16
  /// Bytes a node takes with its label.
  static let nodeBytes = 13

  private let bytes: UnsafeRawBufferPointer
  private let count: Int

  /// A view of what ``RadixTrieBuilder`` wrote.
  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    count = bytes.count / Self.nodeBytes
  }

  /// The positions of all texts that begin with `prefix`; a zero byte at its end stands for the end of a text.
  ///
  /// - Complexity: O(m) in the bytes of `prefix`, whatever the number of texts.
  func range(of prefix: UnsafeRawBufferPointer, in keys: some KeyTable) -> Range<Int> {
    var range = 0..<keys.count
    var node = 0
    while node < count, !range.isEmpty {
      let fanout = fanout(node)
      if fanout == 0 { return search(range, prefix, keys) }
      let depth = depth(node)
      if depth >= prefix.count {
        return keys.key(at: range.lowerBound).compare(toPrefix: prefix) == 0 ? range : 0..<0
      }
      let children = child(node)..<(child(node) + fanout)
      guard children.lowerBound > node, children.upperBound <= count,
        let next = find(prefix[depth], in: children)
      else { return 0..<0 }
      let end = next + 1 < children.upperBound ? first(next + 1) : range.upperBound
      range = range.clamped(to: first(next)..<max(first(next), end))
      node = next
    }
    return 0..<0
  }

  /// The texts of `range` that begin with `prefix`, found by comparing.
  private func search(_ range: Range<Int>, _ prefix: UnsafeRawBufferPointer, _ keys: some KeyTable) -> Range<Int> {
    let low = partition(range) { keys.key(at: $0).compare(toPrefix: prefix) < 0 }
    let high = partition(low..<range.upperBound) { keys.key(at: $0).compare(toPrefix: prefix) <= 0 }
    return low..<high
  }

  /// The child with a label; labels ascend.
  @inline(__always)
  private func find(_ label: UInt8, in children: Range<Int>) -> Int? {
    let labels = 12 &* count
    let found = partition(children) { bytes[labels &+ $0] < label }
    return found < children.upperBound && bytes[labels &+ found] == label ? found : nil
  }

  @inline(__always)
  private func first(_ node: Int) -> Int { load(node, 0, UInt32.self) }
  @inline(__always)
  private func child(_ node: Int) -> Int { load(node, 4, UInt32.self) }
  @inline(__always)
  private func depth(_ node: Int) -> Int { load(node, 8, UInt16.self) }
  @inline(__always)
  private func fanout(_ node: Int) -> Int { load(node, 10, UInt16.self) }

  @inline(__always)
  private func load<Number: FixedWidthInteger & BitwiseCopyable>(_ node: Int, _ field: Int, _: Number.Type) -> Int {
    Int(Number(littleEndian: bytes.loadUnaligned(fromByteOffset: 12 &* node &+ field, as: Number.self)))
  }
}

/// The first index of `range` for which `isBelow` is false; it must not turn true again behind that.
///
/// - Complexity: O(log n).
@inline(__always)
func partition(_ range: Range<Int>, _ isBelow: (Int) -> Bool) -> Int {
  var (low, high) = (range.lowerBound, range.upperBound)
  while low < high {
    let middle = (low &+ high) / 2
    if isBelow(middle) { low = middle &+ 1 } else { high = middle }
  }
  return low
}
