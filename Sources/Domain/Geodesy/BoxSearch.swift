import Base

/// A resumable search of a ``PointTree`` for the first items of a box, in the tree's order; reusable between queries.
///
/// Each node stores its first item, so the search always continues with the subtree whose item comes first (G. R.
/// Hjaltason, H. Samet, "Ranking in spatial databases", SSD 1995), and never visits items after the last one needed.
/// The child with the node's own first item skips the queue.
package struct BoxSearch {
  /// The items found, in the tree's order.
  package private(set) var items: [Int] = []
  /// Nodes and items visited.
  package private(set) var visited = 0
  private var box = GeoBox(south: 0, west: 0, north: 0, east: 0)
  private var stepped = SteppedBox(GeoBox(south: 0, west: 0, north: 0, east: 0))
  private var limit = 0
  /// The nodes and items still to visit; a binary heap with the lowest key on top.
  private var pending: [Entry] = []

  private struct Entry {
    /// The key of its first item.
    let key: UInt64
    /// A node's number, or, if negative, the complement of an item's position.
    let place: Int

    @inline(__always)
    static func isBefore(_ one: Entry, _ other: Entry) -> Bool { one.key < other.key }
  }

  /// Makes an idle search.
  package init() {}

  /// Starts a search for the first `limit` items in `box`; finds nothing if the box is invalid.
  ///
  /// `key` returns an item's sort key; the ascending keys must give the order in which the tree was built.
  package mutating func begin(_ box: GeoBox, limit: Int, _ tree: PointTree, key: (Int) -> UInt64) {
    items.removeAll(keepingCapacity: true)
    pending.removeAll(keepingCapacity: true)
    (self.box, self.limit, visited) = (box, limit, 0)
    guard limit > 0, box.isSound, tree.count > 0 else { return }
    stepped = SteppedBox(box)
    let root = tree.box(1)
    if stepped.mayMeet(root) { pending.append(Entry(key: key(root.firstItem), place: 1)) }
  }

  /// Visits up to about `steps` more nodes and leaves.
  ///
  /// `last` is the largest key of interest, and `point` returns an item's position.
  ///
  /// - Returns: whether the search is finished.
  /// - Complexity: O(steps log n).
  package mutating func advance(
    steps: Int, last: UInt64 = .max, _ tree: PointTree, key: (Int) -> UInt64, point: (Int) -> GeoPoint
  ) -> Bool {
    let end = visited &+ min(steps, Int.max &- visited)
    while items.count < limit, let entry = pending.popHeap(by: Entry.isBefore) {
      guard entry.key <= last else { return true }
      if entry.place < 0 {
        let position = ~entry.place
        items.append(tree.item(at: position))
        scan(tree.leaf(of: position), after: position, tree, key, point)
      } else {
        descend(from: entry.place, tree, key, point)
      }
      if visited >= end { return pending.isEmpty || items.count == limit }
    }
    return true
  }

  /// Descends while the child with the first item meets the box, and queues the others.
  private mutating func descend(
    from start: Int, _ tree: PointTree, _ key: (Int) -> UInt64, _ point: (Int) -> GeoPoint
  ) {
    var node = start
    var first = tree.box(node).firstItem
    while node < tree.leaves {
      visited &+= 1
      let left = tree.box(2 &* node)
      let isLeft = left.firstItem == first
      let (own, other) = (2 &* node &+ (isLeft ? 0 : 1), 2 &* node &+ (isLeft ? 1 : 0))
      let right = tree.box(2 &* node &+ 1)
      let (ownBox, otherBox) = isLeft ? (left, right) : (right, left)
      if stepped.mayMeet(otherBox) { push(key(otherBox.firstItem), other) }
      guard stepped.mayMeet(ownBox) else { return }
      (node, first) = (own, ownBox.firstItem)
    }
    visited &+= 1
    scan(node &- tree.leaves, after: nil, tree, key, point)
  }

  /// Queues the first item of a leaf, after a position, that is in the box.
  private mutating func scan(
    _ leaf: Int, after last: Int?, _ tree: PointTree, _ key: (Int) -> UInt64, _ point: (Int) -> GeoPoint
  ) {
    let vectors = tree.leafVectors(leaf, from: .zero)
    let positions = tree.positions(ofLeaf: leaf)
    for position in (last.map { $0 + 1 } ?? positions.lowerBound)..<positions.upperBound
    where stepped.mayContain(vectors[position]) {
      let item = tree.item(at: position)
      if box.contains(point(item)) { return push(key(item), ~position) }
    }
  }

  @inline(__always)
  private mutating func push(_ key: UInt64, _ place: Int) {
    pending.pushHeap(Entry(key: key, place: place), by: Entry.isBefore)
  }
}
