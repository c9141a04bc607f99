import Base

/// The nearest item for each of a few places, found for all of them at once: for those who ask for thousands.
///
/// ```swift
/// var nearest = NearestItems(tree, points: points)
/// for (lane, place) in places.enumerated() { nearest.set(place, at: lane) }
/// let found = nearest.search(count: places.count)
/// for lane in places.indices { use(found[lane]) }
/// ```
///
/// It finds what a ``PointSearch`` for one item finds, in the same tree, with the same distances. All places go down
/// the tree in step, by the one axis that divides a node, without a branch that depends on the data: while one waits
/// for memory, the others go on. That leads to a leaf near the place. The subtrees that were left aside are then
/// compared with the distance found there, first along the axis only (as in J. H. Friedman, J. L. Bentley, R. A.
/// Finkel, "An algorithm for finding best matches in logarithmic expected time", ACM TOMS 3(3), 1977): most of them lie
/// beyond it, and their boxes are not even read.
///
/// A place of which thousands of items are equally far away is given up after some leaves, so that the work stays
/// bounded.
package struct NearestItems {
  /// The largest number of places.
  @inline(__always)
  package static var size: Int { 8 }
  /// Leaves that are looked into for one place.
  private static let maximumLeaves = 64
  /// Items of a place that may be the nearest, by their distance in whole metres.
  private static let maximumCandidates = 32
  /// Numbers per place in `gaps`: more than a tree of 2²⁸ items has levels.
  private static let maximumLevels = 32

  private let tree: PointTree
  private let points: CoordinateTable
  private let axes: TreeAxes
  /// By place, how far away items are.
  private var distances: InlineArray<8, Distances>
  /// The places as the tree compares them.
  private var vectors = InlineArray<8, SIMD4<Int32>>(repeating: .zero)
  /// By place, where its way down has come to.
  private var nodes = InlineArray<8, Int>(repeating: 1)
  /// By place and level, how far the subtree that was left aside lies along its axis, in steps.
  private var gaps = InlineArray<256, Int32>(repeating: 0)
  /// Squares in the upper 32 bits, positions in the lower.
  private var candidates = InlineArray<32, UInt64>(repeating: 0)
  private var pending = PendingBranches()

  /// The nearest item, and its distance in whole metres.
  package struct Found: Equatable {
    /// The item.
    package let item: Int
    /// Its distance.
    package let metres: UInt32
  }

  /// The state of the search for one place.
  private struct Reach {
    /// The square of the chord beyond which nothing is wanted any more.
    var square = Float.infinity
    /// The same along one axis, in steps.
    var steps = Int32.max
    /// How many candidates there are.
    var candidates = 0
    var leaves = 0
  }

  /// Searches in `tree`, whose items are at `points` and whose axes are `axes`.
  package init(_ tree: PointTree, points: CoordinateTable, axes: TreeAxes) {
    (self.tree, self.points, self.axes) = (tree, points, axes)
    distances = InlineArray(repeating: Distances(from: GeoPoint(latitude: 0, longitude: 0)))
  }

  /// Sets one of the places, 0 to ``size`` − 1; its coordinates are in range.
  @inline(__always)
  package mutating func set(_ place: GeoPoint, at lane: Int) {
    let from = Distances(from: place)
    distances[lane & (Self.size - 1)] = from
    vectors[lane & (Self.size - 1)] = SteppedVector.stepped(from.vector)
  }

  /// Searches for the first `count` places.
  ///
  /// - Returns: for each the nearest item; `nil` if there is none, or if the search was given up.
  /// - Complexity: O(log n) on average for each, O(``size``) leaves at most; allocates nothing.
  package mutating func search(count: Int) -> InlineArray<8, Found?> {
    var found = InlineArray<8, Found?>(repeating: nil)
    // Smaller trees have a leaf in which the items are not compared by fours.
    guard tree.count >= PointTree.leafItems else { return found }
    let count = min(count, Self.size)
    goDown(count)
    for lane in 0..<count { tree.prefetch(leaf: nodes[lane] &- tree.leaves) }
    for lane in 0..<count { found[lane] = nearest(lane) }
    return found
  }

  /// Brings all places to a leaf near them.
  @inline(__always)
  private mutating func goDown(_ count: Int) {
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

  /// Where the gap of a place on a level is.
  @inline(__always)
  private static func place(_ lane: Int, _ level: Int) -> Int {
    (lane &* maximumLevels &+ level) & (size * maximumLevels - 1)
  }

  /// The nearest item of a place that has come to a leaf.
  @inline(__always)
  private mutating func nearest(_ lane: Int) -> Found? {
    let (vector, last) = (vectors[lane], nodes[lane])
    var reach = Reach()
    guard look(into: last &- tree.leaves, vector, &reach) else { return nil }
    for level in stride(from: tree.levels &- 1, through: 0, by: -1)
    where gaps[Self.place(lane, level)] <= reach.steps {
      let aside = (last >> (tree.levels &- 1 &- level)) ^ 1
      guard look(below: aside, vector, &reach) else { return nil }
    }
    return best(distances[lane], reach)
  }

  /// Looks into all leaves of a subtree that are near enough; `false` if there are too many.
  private mutating func look(below node: Int, _ vector: SIMD4<Int32>, _ reach: inout Reach) -> Bool {
    let gap = PointTree.gap(tree.box(node), from: vector)
    guard gap <= reach.square else { return true }
    pending.removeAll()
    pending.push(gap, node)
    while let branch = pending.pop() {
      guard branch.key <= reach.square,
        let leaf = pending.descend(tree, from: branch.node, to: vector, within: reach.square)
      else { continue }
      guard look(into: leaf, vector, &reach) else { return false }
    }
    return true
  }

  /// Takes the items of a leaf that are near enough as candidates; `false` if there are too many.
  @inline(__always)
  private mutating func look(into leaf: Int, _ vector: SIMD4<Int32>, _ reach: inout Reach) -> Bool {
    reach.leaves &+= 1
    guard reach.leaves <= Self.maximumLeaves else { return false }
    let (vectors, positions) = (tree.leafVectors(leaf, from: vector), tree.positions(ofLeaf: leaf))
    // A leaf of a tree of that size has eight items or more. The last four of them may overlap with those before.
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
    // A step more than the root, which is rounded.
    reach.steps = Int32(min(bound.squareRoot() * SteppedChord.tolerance, SteppedChord.farthest)) &+ 1
  }

  /// Takes those of four items that are near enough.
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
      // Nearer ones have come since.
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

  /// The candidate with the least distance in metres, of several the lowest item.
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

/// The axes along which the upper nodes of a tree are divided: a byte for each, where the tree has boxes of 32.
package struct TreeAxes: Sendable {
  /// Nodes at most: the upper 14 levels, which are all of a tree of 260,000 items.
  private static let maximumNodes = 1 << 14

  private let axes: [UInt8]

  /// The axes of `tree`.
  ///
  /// - Complexity: O(n), and O(1) for large trees; a tenth of a millisecond at most.
  package init(_ tree: PointTree) {
    axes = (0..<min(tree.leaves, Self.maximumNodes)).map { UInt8(tree.box(max($0, 1)).widestAxis) }
  }

  /// The axis of an inner node that there is: 0 to 2.
  @inline(__always)
  fileprivate func axis(of node: Int, _ tree: PointTree) -> Int {
    UInt(bitPattern: node) < UInt(bitPattern: axes.count) ? Int(axes[node]) : tree.box(node).widestAxis
  }
}

extension PointTree {
  /// How far a coordinate is from the two children of an inner node along an axis, in steps: less than 0 within the
  /// left one and beyond.
  @inline(__always)
  fileprivate func gaps(_ node: Int, along axis: Int, from coordinate: Int32) -> (left: Int32, right: Int32) {
    let (high, low) = (self.high(2 &* node, axis), self.low(2 &* node &+ 1, axis))
    return (coordinate &- high, low &- coordinate)
  }
}
