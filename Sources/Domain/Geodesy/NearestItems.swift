/// Finds the nearest items of a few places at once, for callers with thousands of places.
///
/// ```swift
/// var nearest = NearestItems(tree, points: points)
/// for (lane, place) in places.enumerated() { nearest.set(place, at: lane) }
/// let found = nearest.search(count: places.count)
/// for lane in places.indices { use(found[lane]) }
/// ```
///
/// The results equal those of a ``PointSearch`` for one item, with the same distances. All places descend the tree in
/// lockstep, by the one axis that splits a node, without data-dependent branches: while one waits for memory, the
/// others continue. Each reaches a leaf near its place. The skipped subtrees are then compared with the distance found
/// there, first along the axis only (as in J. H. Friedman, J. L. Bentley, R. A. Finkel, "An algorithm for finding best
/// matches in logarithmic expected time", ACM TOMS 3(3), 1977): most are farther away, and their boxes are not even
/// read.
///
/// A place equally far from thousands of items is abandoned after some leaves, to bound the work.
package struct NearestItems {
  /// The largest number of places.
  @inline(__always)
  package static var size: Int { 8 }
  /// Most leaves searched for one place.
  private static let maximumLeaves = 64
  /// Most items of a place that may be the nearest in whole metres.
  private static let maximumCandidates = 32
  /// Numbers per place in `gaps`: more than the levels of a tree of 2²⁸ items.
  private static let maximumLevels = 32

  private let tree: PointTree
  private let points: CoordinateTable
  private let axes: TreeAxes
  /// The distances from each place.
  private var distances: InlineArray<8, Distances>
  /// The places in the tree's terms.
  private var vectors = InlineArray<8, SIMD4<Int32>>(repeating: .zero)
  /// The current node of each place.
  private var nodes = InlineArray<8, Int>(repeating: 1)
  /// By place and level, the gap to the skipped subtree along its axis, in steps.
  private var gaps = InlineArray<256, Int32>(repeating: 0)
  /// Candidates: squares in the upper 32 bits, positions in the lower.
  private var candidates = InlineArray<32, UInt64>(repeating: 0)
  private var pending = PendingBranches()
  /// Leaves and branches searched by the last ``search(count:)``.
  package private(set) var visited = 0

  /// The nearest item, and its distance in whole metres.
  package struct Found: Equatable {
    /// The item.
    package let item: Int
    /// Its distance.
    package let metres: UInt32
  }

  /// The state of the search for one place.
  private struct Reach {
    /// The square of the longest chord of interest.
    var square = Float.infinity
    /// The same along one axis, in steps.
    var steps = Int32.max
    /// The number of candidates.
    var candidates = 0
    var leaves = 0
  }

  /// Searches in `tree`, whose items are at `points` and whose axes are `axes`.
  package init(_ tree: PointTree, points: CoordinateTable, axes: TreeAxes) {
    (self.tree, self.points, self.axes) = (tree, points, axes)
    distances = InlineArray(repeating: Distances(from: GeoPoint(latitude: 0, longitude: 0)))
  }

  /// Sets the place at index `lane`, 0 to ``size`` − 1; its coordinates must be in range.
  @inline(__always)
  package mutating func set(_ place: GeoPoint, at lane: Int) {
    let from = Distances(from: place)
    distances[lane & (Self.size - 1)] = from
    vectors[lane & (Self.size - 1)] = SteppedVector.stepped(from.vector)
  }

  /// Searches for the first `count` places.
  ///
  /// - Returns: the nearest item of each; `nil` if there is none, or if the search was abandoned.
  /// - Complexity: O(log n) on average for each, at most 64 leaves; allocates nothing.
  package mutating func search(count: Int) -> InlineArray<8, Found?> {
    var found = InlineArray<8, Found?>(repeating: nil)
    // Leaves of smaller trees may have too few items to compare four at a time.
    guard tree.count >= PointTree.leafItems else { return found }
    let count = min(count, Self.size)
    visited = 0
    descendAll(count)
    for lane in 0..<count { tree.prefetch(leaf: nodes[lane] &- tree.leaves) }
    for lane in 0..<count { found[lane] = nearest(lane) }
    return found
  }

  /// Brings each place to a leaf near it.
  @inline(__always)
  private mutating func descendAll(_ count: Int) {
    for lane in 0..<count { nodes[lane] = 1 }
    for level in 0..<tree.levels {
      for lane in 0..<count {
        let node = nodes[lane]
        let axis = axes.axis(of: node, tree)
        let (left, right) = tree.gaps(node, along: axis, from: vectors[lane][axis & 3])
        let isLeft = left <= right
        gaps[Self.place(lane, level)] = isLeft ? right : left
        nodes[lane] = 2 &* node &+ (isLeft ? 0 : 1)
      }
    }
  }

  /// The index of the gap of a place on a level.
  @inline(__always)
  private static func place(_ lane: Int, _ level: Int) -> Int {
    (lane &* maximumLevels &+ level) & (size * maximumLevels - 1)
  }

  /// The nearest item of a place that has reached a leaf.
  @inline(__always)
  private mutating func nearest(_ lane: Int) -> Found? {
    let (vector, last) = (vectors[lane], nodes[lane])
    var reach = Reach()
    defer { visited &+= reach.leaves }
    guard search(leaf: last &- tree.leaves, vector, &reach) else { return nil }
    for level in stride(from: tree.levels &- 1, through: 0, by: -1)
    where gaps[Self.place(lane, level)] <= reach.steps {
      let aside = (last >> (tree.levels &- 1 &- level)) ^ 1
      guard search(subtree: aside, vector, &reach) else { return nil }
    }
    return best(distances[lane], reach)
  }

  /// Searches all leaves of a subtree that are near enough; `false` if there are too many.
  private mutating func search(subtree node: Int, _ vector: SIMD4<Int32>, _ reach: inout Reach) -> Bool {
    let gap = PointTree.gap(tree.box(node), from: vector)
    guard gap <= reach.square else { return true }
    pending.removeAll()
    pending.push(gap, node)
    while reach.leaves <= Self.maximumLeaves, let branch = pending.pop() {
      guard branch.key <= reach.square else { continue }
      guard let leaf = pending.descend(tree, from: branch.node, to: vector, within: reach.square) else {
        // A branch without a near leaf takes time as well.
        reach.leaves &+= 1
        continue
      }
      guard search(leaf: leaf, vector, &reach) else { return false }
    }
    return reach.leaves <= Self.maximumLeaves
  }

  /// Adds the items of a leaf that are near enough to the candidates; `false` if there are too many.
  @inline(__always)
  private mutating func search(leaf: Int, _ vector: SIMD4<Int32>, _ reach: inout Reach) -> Bool {
    reach.leaves &+= 1
    guard reach.leaves <= Self.maximumLeaves else { return false }
    let (vectors, positions) = (tree.leafVectors(leaf, from: vector), tree.positions(ofLeaf: leaf))
    // A leaf of a tree of that size has at least eight items. The last four may overlap with earlier ones.
    let last = positions.upperBound &- 4
    let (first, second) = (positions.lowerBound, positions.lowerBound &+ 4)
    let (third, fourth) = (min(positions.lowerBound &+ 8, last), last)
    let squares = (
      vectors.squares(first), vectors.squares(second), vectors.squares(third), vectors.squares(fourth)
    )
    let least = Self.least(Self.least(squares.0, squares.1), Self.least(squares.2, squares.3))
    let nearest = min(min(least.x, least.y), min(least.z, least.w))
    guard nearest <= reach.square else { return true }
    tighten(nearest, &reach)
    return take(squares.0, first, &reach) && take(squares.1, second, &reach) && take(squares.2, third, &reach)
      && take(squares.3, fourth, &reach)
  }

  @inline(__always)
  private static func least(_ one: SIMD4<Float>, _ other: SIMD4<Float>) -> SIMD4<Float> {
    one.replacing(with: other, where: other .< one)
  }

  @inline(__always)
  private func tighten(_ square: Float, _ reach: inout Reach) {
    let bound = SteppedChord.reach(of: square)
    guard bound < reach.square else { return }
    reach.square = bound
    // One step more, because the root is rounded.
    reach.steps = Int32(min(bound.squareRoot() * SteppedChord.tolerance, SteppedChord.farthest)) &+ 1
  }

  /// Adds those of four items that are near enough.
  @inline(__always)
  private mutating func take(_ squares: SIMD4<Float>, _ position: Int, _ reach: inout Reach) -> Bool {
    let near = unsafeBitCast(squares .<= reach.square, to: SIMD2<UInt64>.self)
    guard near.x | near.y != 0 else { return true }
    for lane in 0..<4 where squares[lane] <= reach.square {
      guard add(squares[lane], position &+ lane, &reach) else { return false }
    }
    return true
  }

  private mutating func add(_ square: Float, _ position: Int, _ reach: inout Reach) -> Bool {
    if reach.candidates == Self.maximumCandidates {
      // Drop candidates that are now too far.
      var kept = 0
      for index in 0..<reach.candidates where Self.square(candidates[index]) <= reach.square {
        candidates[kept] = candidates[index]
        kept &+= 1
      }
      guard kept < Self.maximumCandidates else { return false }
      reach.candidates = kept
    }
    candidates[reach.candidates] = UInt64(square.bitPattern) << 32 | UInt64(truncatingIfNeeded: position)
    reach.candidates &+= 1
    return true
  }

  @inline(__always)
  private static func square(_ entry: UInt64) -> Float { Float(bitPattern: UInt32(truncatingIfNeeded: entry >> 32)) }

  /// The candidate with the least distance in metres, ties by the lowest item.
  @inline(__always)
  private mutating func best(_ distances: Distances, _ reach: Reach) -> Found? {
    // `mutating` only to avoid copying `candidates`.
    var best = UInt64.max
    for index in 0..<reach.candidates where Self.square(candidates[index]) <= reach.square {
      let item = tree.item(at: Int(candidates[index] & 0xFFFF_FFFF))
      best = min(best, UInt64(distances.metres(to: points.point(of: item))) << 32 | UInt64(item))
    }
    return best == .max ? nil : Found(item: Int(best & 0xFFFF_FFFF), metres: UInt32(best >> 32))
  }
}

/// The axes along which the upper nodes of a tree are split: a byte each, instead of boxes of 32 bytes.
package struct TreeAxes: Sendable {
  /// Most nodes: the upper 14 levels, all of a tree of 260,000 items.
  private static let maximumNodes = 1 << 14

  private let axes: [UInt8]

  /// The axes of `tree`.
  ///
  /// - Complexity: O(n), and O(1) for large trees; at most 0.1 ms.
  package init(_ tree: PointTree) {
    axes = (0..<min(tree.leaves, Self.maximumNodes)).map { UInt8(tree.box(max($0, 1)).widestAxis) }
  }

  /// The axis of an existing inner node: 0 to 2.
  @inline(__always)
  fileprivate func axis(of node: Int, _ tree: PointTree) -> Int {
    UInt(bitPattern: node) < UInt(bitPattern: axes.count) ? Int(axes[node]) : tree.box(node).widestAxis
  }
}

extension PointTree {
  /// The gaps between a coordinate and the two children of an inner node along an axis, in steps; negative within a
  /// child or beyond its far side.
  @inline(__always)
  fileprivate func gaps(_ node: Int, along axis: Int, from coordinate: Int32) -> (left: Int32, right: Int32) {
    let (high, low) = (self.high(2 &* node, axis), self.low(2 &* node &+ 1, axis))
    return (coordinate &- high, low &- coordinate)
  }
}
