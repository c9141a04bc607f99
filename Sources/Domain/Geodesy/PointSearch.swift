/// A search for the nearest items of a ``PointTree``, resumable after any amount of work.
///
/// The ``Neighbours`` keep the items found and the subtrees still to be searched:
///
///     let search = PointSearch(tree, to: origin, points: points)
///     search.begin(limit: 10, radius: 5_000, into: &neighbours)
///     while !search.advance(leaves: 1_000, into: &neighbours, where: isWanted) { pause() }
///
/// Results are ranked by the distance in whole metres, computed as in a plain scan, so that the answer equals the
/// scan's, item for item. Chords only rule out items more than a metre too far away; metres are computed once, at the
/// end, for the few that remain.
package struct PointSearch {
  private let distances: Distances
  private let tree: PointTree
  private let points: CoordinateTable
  private let vector: SteppedVector

  /// A search in `tree`, whose items are at `points`.
  package init(_ tree: PointTree, to origin: GeoPoint, points: CoordinateTable) {
    (self.tree, self.points, distances) = (tree, points, Distances(from: origin))
    vector = SteppedVector(distances.vector)
  }

  /// The place.
  package var origin: GeoPoint { distances.origin }

  /// Clears earlier results and starts at the root.
  package func begin(limit: Int, radius: Double, into neighbours: inout Neighbours) {
    neighbours.begin(limit: limit, radius: radius)
    guard limit > 0, radius >= 0, vector.isNumber, tree.count > 0 else { return }
    neighbours.pending.push(Float.zero, 1)
  }

  /// Does the work of about `leaves` more leaves; items that are not `isWanted` are skipped.
  ///
  /// The nearest come first, ties by item.
  ///
  /// - Returns: whether the search is finished and the neighbours are sorted.
  /// - Complexity: O(leaves log n), plus O(l) distances in metres at the end for a limit of l; no allocation once the
  ///   neighbours have grown.
  package func advance(leaves: Int, into neighbours: inout Neighbours, where isWanted: (Int) -> Bool) -> Bool {
    proceed(leaves, into: &neighbours, where: isWanted)
  }

  /// Does the work of about `leaves` more leaves, for all items.
  package func advance(leaves: Int, into neighbours: inout Neighbours) -> Bool {
    proceed(leaves, into: &neighbours) { _ in true }
  }

  @inline(__always)
  private func proceed(_ leaves: Int, into neighbours: inout Neighbours, where isWanted: (Int) -> Bool) -> Bool {
    guard !neighbours.isFinished else { return true }
    let origin = vector.lanes
    let end = neighbours.work(after: leaves)
    while neighbours.work < end, let branch = neighbours.pending.pop() {
      neighbours.work &+= 1
      // Nearer items may have been found since the branch was put aside.
      guard branch.key <= neighbours.reach, !isDominated(branch.node, neighbours, where: isWanted),
        let leaf = neighbours.pending.descend(tree, from: branch.node, to: origin, within: neighbours.reach)
      else { continue }
      neighbours.visited &+= 1
      search(into: leaf, origin, &neighbours, where: isWanted)
    }
    guard neighbours.pending.isEmpty else { return false }
    neighbours.finish(prefetch: { points.prefetch(tree.item(at: $0)) }, metres: { metres($0) })
    return true
  }

  /// Whether the items of a node come after one that this search finds: thousands may lie in one place.
  @inline(__always)
  private func isDominated(_ node: Int, _ neighbours: borrowing Neighbours, where isWanted: (Int) -> Bool) -> Bool {
    guard neighbours.limit == 1, let leaf = tree.leaf(before: node) else { return false }
    let least = tree.leastMetres(to: node, from: distances.vector)
    return tree.positions(ofLeaf: leaf).contains { isWanted(tree.item(at: $0)) && metres($0) >> 32 == least }
  }

  /// Offers the items of a leaf that are near enough.
  @inline(__always)
  private func search(
    into leaf: Int, _ origin: SIMD4<Int32>, _ neighbours: inout Neighbours, where isWanted: (Int) -> Bool
  ) {
    let (vectors, positions) = (tree.leafVectors(leaf, from: origin), tree.positions(ofLeaf: leaf))
    var position = positions.lowerBound
    while position < positions.upperBound {
      guard position &+ 4 <= tree.count else {
        offer(vectors.square(position), position, &neighbours, where: isWanted)
        position &+= 1
        continue
      }
      let squares = vectors.squares(position)
      let near = unsafeBitCast(squares .<= neighbours.reach, to: SIMD2<UInt64>.self)
      if near.x | near.y != 0 {
        // Lanes after the leaf's last item belong to another leaf.
        let own = min(positions.upperBound &- position, 4)
        offer(squares.x, position, &neighbours, where: isWanted)
        if own > 1 { offer(squares.y, position &+ 1, &neighbours, where: isWanted) }
        if own > 2 { offer(squares.z, position &+ 2, &neighbours, where: isWanted) }
        if own > 3 { offer(squares.w, position &+ 3, &neighbours, where: isWanted) }
      }
      position &+= 4
    }
  }

  @inline(__always)
  private func offer(
    _ square: Float, _ position: Int, _ neighbours: inout Neighbours, where isWanted: (Int) -> Bool
  ) {
    guard square <= neighbours.reach, isWanted(tree.item(at: position)) else { return }
    take(square, position, &neighbours)
  }

  @inline(never)
  private func take(_ square: Float, _ position: Int, _ neighbours: inout Neighbours) {
    neighbours.offer(square, position) { metres($0) }
  }

  /// The metres to the item at a position in the upper 32 bits, the item in the lower.
  private func metres(_ position: Int) -> UInt64 {
    let item = tree.item(at: position)
    return UInt64(distances.metres(to: points.point(of: item))) << 32 | UInt64(item)
  }
}
