/// A stack of subtrees of a ``PointTree`` that a search has put aside, each with its bound.
///
/// A search descends into one child and puts the other aside, so there is at most one per level, and a fixed size
/// suffices.
struct PendingBranches {
  /// More than the levels of a tree of 2²⁸ items.
  private static let capacity = 32
  // Inline: an array would be checked for uniqueness before each store.
  private var entries = InlineArray<32, Entry>(repeating: Entry(key: 0, node: 0))
  private var count = 0

  struct Entry {
    /// The search's key: a square or a bound.
    let key: Float
    let number: UInt32
    /// The number of the subtree's root.
    var node: Int { Int(number) }

    init(key: Float, node: Int) { (self.key, number) = (key, UInt32(truncatingIfNeeded: node)) }
  }

  var isEmpty: Bool { count == 0 }

  mutating func removeAll() { count = 0 }

  @inline(__always)
  mutating func push(_ key: Float, _ node: Int) { push(key, node, if: true) }

  /// Puts a subtree aside if a condition holds; branch-free, because the condition is unpredictable.
  @inline(__always)
  mutating func push(_ key: Float, _ node: Int, if isWanted: Bool) {
    entries[count & (Self.capacity - 1)] = Entry(key: key, node: node)
    count &+= isWanted ? 1 : 0
  }

  /// Descends from a node to the nearer children while they are within `reach`, a square, and puts the farther ones
  /// aside.
  ///
  /// - Returns: the leaf, counted from 0; `nil` if everything is too far away.
  @inline(__always)
  mutating func descend(_ tree: PointTree, from start: Int, to origin: SIMD4<Int32>, within reach: Float) -> Int? {
    var node = start
    let reach = reach.bitPattern
    while node < tree.leaves {
      tree.prefetchGrandchildren(of: node)
      let children = tree.children(of: node, from: origin)
      push(Float(bitPattern: children.far), children.nearer ^ 1, if: children.far <= reach)
      guard children.near <= reach else { return nil }
      node = children.nearer
    }
    return node &- tree.leaves
  }

  @inline(__always)
  mutating func pop() -> Entry? {
    guard count > 0 else { return nil }
    count &-= 1
    return entries[count & (Self.capacity - 1)]
  }
}
