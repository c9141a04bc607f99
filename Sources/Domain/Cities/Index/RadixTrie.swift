import CPrefetch

/// Sorted texts under a ``RadixTrie``.
protocol KeyTable {
  var count: Int { get }
  /// The text at a position, in ascending order; any text if the position is invalid.
  func key(at position: Int) -> ArenaText
  /// Prefetches the texts at `positions`, which are compared next: all of a few, the first and the last of many.
  func prefetch(_ positions: Range<Int>)
}

extension KeyTable {
  /// Does nothing: the texts of small tables are mostly in the processor's caches.
  func prefetch(_ positions: Range<Int>) {}
}

/// A radix trie in flat arrays over sorted texts: finds the range of all texts with a prefix.
///
/// It is a blind trie (PATRICIA, D. R. Morrison, J. ACM 15(4), 1968): a node stores the byte at which the texts below
/// it first differ, not the bytes that they share before it. A look-up jumps from branching byte to branching byte and
/// compares with one text at the end, so it visits one node per *branch*, not per byte, and the trie stores nothing
/// that the texts already contain. A leaf has several texts (up to ``bucket`` by default), which are compared directly:
/// most nodes of a full trie would be there.
///
/// A node is three 32-bit numbers, little-endian, and its children are neighbours:
///
///     first           position of its first text; the last is the one before the first of its next sibling
///     child           index of its first child
///     fanout, depth   17 bits: its children, 0 for a leaf; 15 bits: how many bytes its texts have in common
///
/// The byte that leads to a node, its label, is in a separate column after all nodes: the labels of siblings are
/// adjacent there and are compared sixteen at a time. A bisection would need a step per halving, each waiting for the
/// one before.
///
/// The memory is untrusted: every number is checked before it is followed, children always come after their parent, and
/// ranges only shrink, so a look-up ends within the texts whatever the bytes are.
struct RadixTrie {
  /// The maximum number of texts in a leaf, unless they are all equal.
  static let bucket = 16
  /// Bytes of a node, including its label.
  static let nodeBytes = numberBytes + 1
  /// Bytes of a node's numbers.
  fileprivate static let numberBytes = 12

  private let bytes: UnsafeRawBufferPointer
  private let count: Int

  /// A view of the bytes of ``RadixTrieBuilder``.
  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    count = bytes.count / Self.nodeBytes
  }

  /// The positions of all texts that start with `prefix`; a zero byte at its end stands for the end of a text.
  ///
  /// - Complexity: O(m) in the bytes of `prefix`, regardless of the number of texts.
  @inline(__always)
  func range(of prefix: UnsafeRawBufferPointer, in keys: some KeyTable) -> Range<Int> {
    var (low, high) = (0, keys.count)
    var node = 0
    while node < count, low < high {
      let shape = shape(node)
      // A leaf is searched from the first byte that its texts do not share; any other node is the result or leads
      // further.
      if shape.fanout == 0 || shape.depth >= prefix.count {
        return search(low..<high, sharing: shape.depth, prefix, keys)
      }
      let child = child(node)
      guard child > node, child + shape.fanout <= count else { return 0..<0 }
      let children = child..<(child + shape.fanout)
      prefetchNumbers(of: children)
      guard let next = find(prefix[shape.depth], in: children) else { return 0..<0 }
      // Clamping keeps the range within its parent's, whatever the bytes are.
      if next + 1 < child + shape.fanout { high = min(high, first(next + 1)) }
      low = max(low, first(next))
      node = next
    }
    return 0..<0
  }

  /// The texts of `range`, which share their first `depth` bytes, that start with `prefix`.
  ///
  /// The descent compared branching bytes only; the bytes between them are compared here, once.
  @inline(__always)
  private func search(
    _ range: Range<Int>, sharing depth: Int, _ prefix: UnsafeRawBufferPointer, _ keys: some KeyTable
  ) -> Range<Int> {
    keys.prefetch(range)
    let shared = min(depth, prefix.count)
    let head = UnsafeRawBufferPointer(rebasing: prefix[..<shared])
    guard keys.key(at: range.lowerBound).compare(toPrefix: head) == 0 else { return 0..<0 }
    if shared == prefix.count { return range }
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low &+ high) >> 1
      let order = keys.key(at: middle).compare(toPrefix: prefix, known: shared)
      if order == 0 {
        low = partitionPoint(low..<middle) { keys.key(at: $0).compare(toPrefix: prefix, known: shared) < 0 }
        let above = (middle + 1)..<high
        return low..<partitionPoint(above) { keys.key(at: $0).compare(toPrefix: prefix, known: shared) <= 0 }
      }
      if order < 0 { low = middle &+ 1 } else { high = middle }
    }
    return 0..<0
  }

  /// Prefetches the numbers of `nodes` while their labels are compared: in a large trie each would be a cache miss of
  /// its own.
  @inline(__always)
  private func prefetchNumbers(of nodes: Range<Int>) {
    guard let base = bytes.baseAddress else { return }
    cities_prefetch_bytes(
      base + nodes.lowerBound &* Self.numberBytes, min(nodes.count, Self.prefetchedNodes) &* Self.numberBytes)
  }

  /// The number of siblings whose numbers are prefetched: more than an alphabet has letters.
  private static let prefetchedNodes = 32

  /// The child with a label.
  @inline(__always)
  private func find(_ label: UInt8, in children: Range<Int>) -> Int? {
    let wanted = SIMD16(repeating: label)
    var start = children.lowerBound
    // The labels after the last child's belong to other nodes: a match there is ignored.
    while start &+ 16 <= count {
      let labels = bytes.loadUnaligned(fromByteOffset: Self.numberBytes &* count &+ start, as: SIMD16<UInt8>.self)
      let equal = unsafeBitCast(labels .== wanted, to: SIMD2<UInt64>.self)
      let (low, high) = (UInt64(littleEndian: equal[0]), UInt64(littleEndian: equal[1]))
      if low | high != 0 {
        let bits = low != 0 ? low.trailingZeroBitCount : 64 &+ high.trailingZeroBitCount
        let found = start &+ bits >> 3
        return found < children.upperBound ? found : nil
      }
      start &+= 16
      if start >= children.upperBound { return nil }
    }
    while start < children.upperBound {
      if self.label(of: start) == label { return start }
      start &+= 1
    }
    return nil
  }

  @inline(__always)
  private func first(_ node: Int) -> Int { Int(word(node, 0)) }
  @inline(__always)
  private func child(_ node: Int) -> Int { Int(word(node, 4)) }
  @inline(__always)
  func label(of node: Int) -> UInt8 {
    bytes.loadUnaligned(fromByteOffset: Self.numberBytes &* count &+ node, as: UInt8.self)
  }
  @inline(__always)
  private func shape(_ node: Int) -> (fanout: Int, depth: Int) {
    let word = word(node, 8)
    return (Int(word & 0x1_FFFF), Int(word >> 17))
  }

  @inline(__always)
  private func word(_ node: Int, _ field: Int) -> UInt32 {
    bytes.load(littleEndian: UInt32.self, at: Self.numberBytes &* node &+ field)
  }
}

extension RadixTrie {
  /// A node during a walk.
  struct Node {
    let index: Int
    let texts: Range<Int>
    /// The number of bytes that its texts share.
    let depth: Int
    /// Its children; empty for a leaf.
    let children: Range<Int>
  }

  var nodeCount: Int { count }

  /// The root over `texts`; `nil` if the trie is empty.
  func root(over texts: Range<Int>) -> Node? { count == 0 ? nil : node(0, texts) }

  /// The child of `parent` with node number `index`.
  @inline(__always)
  func child(_ index: Int, of parent: Node) -> Node {
    let start = max(parent.texts.lowerBound, first(index))
    let end = index + 1 < parent.children.upperBound ? first(index + 1) : parent.texts.upperBound
    let upper = min(parent.texts.upperBound, end)
    return node(index, min(start, upper)..<upper)
  }

  private func node(_ index: Int, _ texts: Range<Int>) -> Node {
    let shape = shape(index)
    let start = child(index)
    // If children did not come after their parent, a walk in a corrupt file might not end.
    let isSound = shape.fanout > 0 && start > index && start + shape.fanout <= count
    return Node(
      index: index, texts: texts, depth: shape.depth, children: isSound ? start..<start + shape.fanout : 0..<0)
  }

  /// The positions of all texts that start with `prefix`, and the node with exactly these texts; `nil` if they are only
  /// part of a leaf, or if there are none.
  ///
  /// - Complexity: O(m) in the bytes of `prefix`.
  func locate(_ prefix: UnsafeRawBufferPointer, in keys: some KeyTable) -> (texts: Range<Int>, node: Int?) {
    guard var node = root(over: 0..<keys.count), !node.texts.isEmpty else { return (0..<0, nil) }
    while !node.children.isEmpty, node.depth < prefix.count {
      prefetchNumbers(of: node.children)
      guard let next = find(prefix[node.depth], in: node.children) else { return (0..<0, nil) }
      node = child(next, of: node)
    }
    guard !node.texts.isEmpty else { return (0..<0, nil) }
    let texts = search(node.texts, sharing: node.depth, prefix, keys)
    return (texts, texts == node.texts ? node.index : nil)
  }
}

/// Builds the bytes of a ``RadixTrie`` over sorted texts.
struct RadixTrieBuilder<Keys: KeyTable> {
  private struct Node {
    var texts: Range<Int>
    var label: UInt8
    var child = 0
    var depth = 0
    var fanout = 0
  }

  private let keys: Keys
  private let bucket: Int
  private var nodes: [Node]

  private init(_ keys: Keys, _ bucket: Int) {
    (self.keys, self.bucket) = (keys, bucket)
    nodes = keys.count == 0 ? [] : [Node(texts: 0..<keys.count, label: 0)]
  }

  /// The trie over `keys`, which must ascend, with up to `bucket` texts per leaf, or more if they are all equal.
  ///
  /// Nodes are split in the order of their creation, so that siblings are adjacent, children follow their parent, and
  /// the upper levels, which every look-up visits, share few cache lines.
  ///
  /// - Complexity: O(n) in the bytes of all texts.
  static func build(_ keys: Keys, bucket: Int = RadixTrie.bucket) -> [UInt8] {
    var builder = Self(keys, bucket)
    var index = 0
    while index < builder.nodes.count {
      builder.split(index)
      index += 1
    }
    return builder.encoded()
  }

  private mutating func split(_ index: Int) {
    let texts = nodes[index].texts
    let first = keys.key(at: texts.lowerBound)
    let depth = first.commonPrefix(with: keys.key(at: texts.upperBound - 1))
    nodes[index].depth = depth
    let allEqual = first[depth] == 0 && keys.key(at: texts.upperBound - 1)[depth] == 0
    guard texts.count > bucket, !allEqual else { return }
    nodes[index].child = nodes.count
    var start = texts.lowerBound
    while start < texts.upperBound {
      let label = keys.key(at: start)[depth]
      let end = partitionPoint(start..<texts.upperBound) { keys.key(at: $0)[depth] <= label }
      nodes.append(Node(texts: start..<end, label: label))
      start = end
    }
    nodes[index].fanout = nodes.count - nodes[index].child
  }

  private func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(nodes.count * RadixTrie.nodeBytes)
    for node in nodes {
      bytes.append(littleEndian: UInt32(node.texts.lowerBound))
      bytes.append(littleEndian: UInt32(node.child))
      bytes.append(littleEndian: UInt32(node.fanout) | UInt32(node.depth) << 17)
    }
    bytes += nodes.map(\.label)
    return bytes
  }
}
