package import Columns

/// A k-d tree over positions on a sphere: the nearest items without a scan.
///
/// (J. L. Bentley, "Multidimensional binary search trees used for associative searching", CACM 18(9), 1975.)
///
/// Positions are compared as unit vectors in space, where neither the date line nor the poles are special. The tree has no
/// nodes: it is one array of items in which the middle of every range is the splitting point of that range, smaller
/// coordinates before it and larger ones behind. An entry's lower 30 bits are the item, the upper two the axis by which
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
    neighbours.begin(limit: limit, radius: radius)
    guard limit > 0, radius >= 0 else { return }
    let walk = Walk(order: order, points: points, origin: origin, vector: origin.vector)
    walk.visit(0..<order.count, gap: .zero, &neighbours, isWanted)
    neighbours.finish()
  }

  /// One search: what stays the same on the way down.
  private struct Walk {
    let order: Column
    let points: CoordinateTable
    let origin: GeoPoint
    let vector: SIMD3<Double>

    /// Looks at `range`; `gap` is how far its box is from the origin along each axis, at least.
    func visit(
      _ range: Range<Int>, gap: SIMD3<Double>, _ neighbours: inout Neighbours, _ isWanted: (Int) -> Bool
    ) {
      guard !range.isEmpty else { return }
      let middle = (range.lowerBound + range.upperBound) / 2
      let entry = order[middle]
      let item = entry & (1 << itemBits - 1)
      let axis = min(entry >> itemBits, 2)
      let point = points.point(of: item)
      let offset = vector - point.vector
      neighbours.visited += 1
      if (offset * offset).sum() <= neighbours.squaredReach, isWanted(item) {
        neighbours.offer(item, metres: origin.metres(to: point))
      }

      let (before, behind) = (range.lowerBound..<middle, (middle + 1)..<range.upperBound)
      let (near, far) = offset[axis] < 0 ? (before, behind) : (behind, before)
      visit(near, gap: gap, &neighbours, isWanted)
      // Rounded coordinates may stand a step on the wrong side.
      var farGap = gap
      farGap[axis] = max(gap[axis], abs(offset[axis]) - 2 / steps)
      if !((farGap * farGap).sum() > neighbours.squaredReach) { visit(far, gap: farGap, &neighbours, isWanted) }
    }
  }
}
