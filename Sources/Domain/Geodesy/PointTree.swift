package import Base

/// A k-d tree over positions on a sphere: the nearest items without a scan.
///
/// (J. L. Bentley, "Multidimensional binary search trees used for associative searching", CACM 18(9), 1975.)
///
/// Positions are compared as unit vectors in space, where neither the date line nor the poles are special. The tree has no
/// nodes: it is one array of items in which the middle of every range is the splitting point of that range, smaller
/// coordinates before it and larger ones after it. An entry's lower 30 bits are the item, the upper two the axis by which
/// its range is split, the one along which the range is widest.
///
/// What decides is the distance in whole metres, computed as a plain scan would; vectors only rule out what lies more
/// than a metre farther than all that can still be wanted, so the answer equals the scan's, item for item.
package struct PointTree {
  /// Bits of an entry that hold the item.
  package static let itemBits = 30
  /// The builder compares coordinates rounded to this many steps a unit: libm's last digit depends on the processor, and
  /// the same cities must give the same bytes everywhere.
  static let steps = Double(1 << 29)

  /// The entries.
  package let order: Column

  /// A view of what ``PointTreeBuilder`` wrote.
  package init(_ bytes: UnsafeRawBufferPointer) { order = Column(bytes) }

  /// Puts the `limit` items nearest to `origin`, at most `radius` whole metres away, into `neighbours`.
  ///
  /// The nearest come first, equal distances by item. Items that are not `isWanted` are passed over; it is asked only for
  /// those near enough.
  ///
  /// - Complexity: O(log n + k) nodes on average for k wanted among n evenly spread, O(n) where few are wanted; O(log n)
  ///   stack.
  package func nearest(
    to origin: GeoPoint, limit: Int, radius: Double, points: CoordinateTable, into neighbours: inout Neighbours,
    where isWanted: (Int) -> Bool = { _ in true }
  ) {
    let search = PointSearch(self, to: origin, points: points)
    search.begin(limit: limit, radius: radius, into: &neighbours)
    while !search.advance(nodes: .max, into: &neighbours, where: isWanted) {}
  }
}

/// One search in a ``PointTree`` that can stop after any number of nodes and continue later.
///
/// The ``Neighbours`` keep the items found and the ranges still to be searched:
///
///     let search = PointSearch(tree, to: origin, points: points)
///     search.begin(limit: 10, radius: 5_000, into: &neighbours)
///     while !search.advance(nodes: 1_000, into: &neighbours, where: isWanted) { pause() }
package struct PointSearch {
  /// Where from.
  package let origin: GeoPoint
  private let order: Column
  private let points: CoordinateTable
  private let vector: SIMD3<Double>

  /// A search in `tree`, whose items are at `points`.
  package init(_ tree: PointTree, to origin: GeoPoint, points: CoordinateTable) {
    (order, self.points, self.origin, vector) = (tree.order, points, origin, origin.vector)
  }

  /// Forgets what was found before, and starts at the root.
  package func begin(limit: Int, radius: Double, into neighbours: inout Neighbours) {
    neighbours.begin(limit: limit, radius: radius)
    if limit > 0, radius >= 0 { neighbours.pending.append(PendingBranch(range: 0..<order.count, gap: .zero)) }
  }

  /// Looks at up to `nodes` more nodes; items that are not `isWanted` are passed over.
  ///
  /// - Returns: whether the search is finished and the neighbours are in order.
  /// - Complexity: O(nodes); O(log n) memory.
  package func advance(nodes: Int, into neighbours: inout Neighbours, where isWanted: (Int) -> Bool) -> Bool {
    var left = nodes
    while let branch = neighbours.pending.popLast() {
      // Since the branch was put aside, nearer items may have been found.
      guard !((branch.gap * branch.gap).sum() > neighbours.squaredReach), !branch.range.isEmpty else { continue }
      visit(branch, &neighbours, isWanted)
      left -= 1
      if left == 0, !neighbours.pending.isEmpty { return false }
    }
    neighbours.finish()
    return true
  }

  /// Looks at the middle of a branch and puts its halves aside, the one that the origin is in last: it is taken first.
  @inline(__always)
  private func visit(_ branch: PendingBranch, _ neighbours: inout Neighbours, _ isWanted: (Int) -> Bool) {
    let range = branch.range
    let middle = (range.lowerBound + range.upperBound) / 2
    let entry = order[middle]
    let item = entry & (1 << PointTree.itemBits - 1)
    let axis = min(entry >> PointTree.itemBits, 2)
    let point = points.point(of: item)
    let offset = vector - point.vector
    neighbours.visited += 1
    if (offset * offset).sum() <= neighbours.squaredReach, isWanted(item) {
      neighbours.offer(item, metres: origin.metres(to: point))
    }
    let (before, after) = (range.lowerBound..<middle, (middle + 1)..<range.upperBound)
    let (near, far) = offset[axis] < 0 ? (before, after) : (after, before)
    // Rounded coordinates may stand a step on the wrong side.
    var farGap = branch.gap
    farGap[axis] = max(branch.gap[axis], abs(offset[axis]) - 2 / PointTree.steps)
    neighbours.pending.append(PendingBranch(range: far, gap: farGap))
    neighbours.pending.append(PendingBranch(range: near, gap: branch.gap))
  }
}

/// A part of the tree that a search has yet to look at.
struct PendingBranch {
  /// Its entries.
  let range: Range<Int>
  /// How far its box is from the origin along each axis, at least.
  let gap: SIMD3<Double>
}

/// Makes the bytes of a ``PointTree``.
package struct PointTreeBuilder {
  /// By item, the unit vector in whole steps.
  private let vectors: UnsafeBufferPointer<SIMD3<Int32>>

  /// The tree over `points`, at most 2³⁰ and all in range; items are their indices.
  ///
  /// - Complexity: O(n log n) on average.
  package static func build(_ points: [GeoPoint]) -> [UInt8] {
    let vectors = points.map { SIMD3<Int32>($0.vector * PointTree.steps, rounding: .toNearestOrEven) }
    var entries = Array(0..<UInt32(points.count))
    vectors.withUnsafeBufferPointer { vectors in
      entries.withUnsafeMutableBufferPointer { Self(vectors: vectors).split($0) }
    }
    return [UInt8](column: entries)
  }

  /// Puts the median of the widest axis in the middle, then does the same on both sides; halving bounds the depth.
  private func split(_ entries: UnsafeMutableBufferPointer<UInt32>) {
    guard !entries.isEmpty else { return }
    let axis = widestAxis(entries)
    let middle = entries.count / 2
    entries.select(middle) { (vectors[Int($0)][axis], $0) < (vectors[Int($1)][axis], $1) }
    split(UnsafeMutableBufferPointer(rebasing: entries[..<middle]))
    split(UnsafeMutableBufferPointer(rebasing: entries[(middle + 1)...]))
    entries[middle] |= UInt32(axis) << UInt32(PointTree.itemBits)
  }

  private func widestAxis(_ entries: UnsafeMutableBufferPointer<UInt32>) -> Int {
    var low = vectors[Int(entries[0])]
    var high = low
    for entry in entries {
      low = pointwiseMin(low, vectors[Int(entry)])
      high = pointwiseMax(high, vectors[Int(entry)])
    }
    let width = high &- low
    return width.x >= width.y && width.x >= width.z ? 0 : width.y >= width.z ? 1 : 2
  }
}
