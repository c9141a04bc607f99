import Base

/// The value of an item with some weight at some distance: weight / (1 + (distance / reach)²).
///
/// The heavier, and the nearer, the more. Any preferred item within a radius is worth more than any other one, and
/// beyond the radius the nearest is worth most, whatever it weighs.
package struct WeightRule: Sendable {
  /// Metres at which an item without weight is worth half of what it is worth at its place.
  package let reach: Double
  /// Metres that each unit of weight adds to that.
  package let reachPerWeight: Double

  /// Metres up to which weights count.
  package let radius: Double
  /// How many times more a preferred item is worth: more than the heaviest is worth than the lightest at 100 km.
  ///
  /// A power of 2, so that no digit of a worth is lost.
  static let preference = 16_777_216.0

  /// Makes a rule; all numbers are above 0.
  package init(reach: Double, reachPerWeight: Double, radius: Double = .infinity) {
    (self.reach, self.reachPerWeight, self.radius) = (reach, reachPerWeight, radius)
  }

  /// The worth of `weight` at a distance of `metres`; the same on every processor, for these operations are exact to
  /// the last digit (IEEE 754).
  ///
  /// - Complexity: O(1).
  package func worth(of weight: UInt32, at metres: Double, isPreferred: Bool = true) -> Double {
    guard metres <= radius else { return -metres }
    let weight = Double(weight)
    let share = metres / (reach + reachPerWeight * weight)
    return weight / (1 + share * share) * (isPreferred ? Self.preference : 1)
  }
}

/// One search for the items of a ``PointTree`` that are worth most near a place by a ``WeightRule``, of equals the
/// nearer, then the lower item.
///
/// It stops and continues as ``PointSearch`` does. A box promises at most the worth of its heaviest weight at its
/// nearest point, so that subtrees which promise less than what was found are never looked into.
package struct WeightedSearch {
  /// Where from.
  package let origin: GeoPoint
  private let rule: WeightRule
  private let tree: PointTree
  private let points: CoordinateTable
  private let vector: SteppedVector

  /// A search in `tree`, which has weights and whose items are at `points`.
  package init(_ tree: PointTree, around origin: GeoPoint, by rule: WeightRule, points: CoordinateTable) {
    (self.tree, self.points, self.origin, self.rule) = (tree, points, origin, rule)
    vector = SteppedVector(origin.vector)
  }

  /// Forgets what was found before, and starts at the root.
  package func begin(limit: Int, radius: Double, into neighbours: inout Neighbours) {
    neighbours.begin(limit: limit, radius: radius)
    guard limit > 0, radius >= 0, vector.isNumber, tree.count > 0 else { return }
    neighbours.pending.push(.infinity, 1)
  }

  /// Looks into up to `leaves` more leaves; `weight` gives the weight of an item, as the tree was built with.
  ///
  /// Items that are `isPreferred` come before others; where none is, all leaves within the rule's radius are looked
  /// into.
  ///
  /// - Returns: whether the search is finished and the neighbours are in order, the best first.
  /// - Complexity: O(leaves log n); no allocation once the neighbours have grown.
  package func advance(
    leaves: Int, into neighbours: inout Neighbours, weight: (Int) -> UInt32,
    isPreferred: (Int) -> Bool = { _ in true }
  ) -> Bool {
    guard !neighbours.isFinished else { return true }
    let (origin, reach, limit) = (vector.lanes, neighbours.reach, neighbours.limit)
    var least = leastPromise(neighbours, limit)
    var left = leaves
    while let branch = neighbours.pending.pop() {
      guard branch.key >= least, let leaf = descend(from: branch.node, origin, reach, least, &neighbours) else {
        continue
      }
      neighbours.visited &+= 1
      let (vectors, heaviest) = (tree.leafVectors(leaf, from: origin), tree.box(tree.leaves &+ leaf).weight)
      for position in tree.positions(ofLeaf: leaf) {
        let square = vectors.square(position)
        guard square <= reach, promise(heaviest, square) >= least else { continue }
        let item = tree.item(at: position)
        let weight = weight(item)
        guard promise(weight, square) >= least else { continue }
        offer(item, weight, isPreferred(item), &neighbours)
        least = leastPromise(neighbours, limit)
      }
      left &-= 1
      if left == 0, !neighbours.pending.isEmpty { return false }
    }
    neighbours.weighted.sort { $0.isBetter(than: $1) }
    neighbours.finish(ordered: neighbours.weighted.map { UInt64($0.metres) << 32 | UInt64($0.item) })
    return true
  }

  /// The most that a preferred item of `weight` can be worth if its chord is not shorter than that of `square`, and a
  /// little more.
  ///
  /// Arcs are longer than chords, and `Float` rounds.
  @inline(__always)
  private func promise(_ weight: UInt32, _ square: Float) -> Float {
    let metres = max((square.squareRoot() - SteppedChord.error) * SteppedChord.metres - 1, 0)
    guard metres <= Float(rule.radius) else { return -metres * Self.shortened }
    let weight = Float(weight)
    let share = metres / (Float(rule.reach) + Float(rule.reachPerWeight) * weight)
    return weight * Self.tolerance * Float(WeightRule.preference) / (1 + share * share)
  }

  private static let tolerance: Float = 1 + 1e-5
  private static let shortened: Float = 1 - 1e-5

  /// The least value of an item among the best.
  @inline(__always)
  private func leastPromise(_ neighbours: Neighbours, _ limit: Int) -> Float {
    guard neighbours.weighted.count == limit, let worst = neighbours.weighted.first else { return -.infinity }
    return Float(worst.worth)
  }

  /// Goes down to a leaf, each time to the child that promises more, and puts the other one aside.
  @inline(__always)
  private func descend(
    from start: Int, _ origin: SIMD4<Int32>, _ reach: Float, _ least: Float, _ neighbours: inout Neighbours
  ) -> Int? {
    var node = start
    while node < tree.leaves {
      let (left, right) = (promise(of: 2 &* node, origin, reach), promise(of: 2 &* node &+ 1, origin, reach))
      let isLeft = left >= right
      let (more, less) = isLeft ? (left, right) : (right, left)
      if less >= least, less > -.infinity { neighbours.pending.push(less, 2 &* node &+ (isLeft ? 1 : 0)) }
      guard more >= least, more > -.infinity else { return nil }
      node = 2 &* node &+ (isLeft ? 0 : 1)
    }
    return node &- tree.leaves
  }

  /// The bound of a box; -∞ if it is too far away.
  @inline(__always)
  private func promise(of node: Int, _ origin: SIMD4<Int32>, _ reach: Float) -> Float {
    let box = tree.box(node)
    let square = PointTree.gap(box, from: origin)
    return square <= reach ? promise(box.weight, square) : -.infinity
  }

  private func offer(_ item: Int, _ weight: UInt32, _ isPreferred: Bool, _ neighbours: inout Neighbours) {
    let metres = origin.metres(to: points.point(of: item))
    guard Double(metres) <= neighbours.radius else { return }
    let worth = rule.worth(of: weight, at: Double(metres), isPreferred: isPreferred)
    let offered = WeightedItem(worth: worth, metres: metres, item: UInt32(truncatingIfNeeded: item))
    let isWorse = { (one: WeightedItem, other: WeightedItem) in other.isBetter(than: one) }
    if neighbours.weighted.count < neighbours.limit {
      neighbours.weighted.pushHeap(offered, by: isWorse)
    } else if offered.isBetter(than: neighbours.weighted[0]) {
      neighbours.weighted.replaceTop(with: offered, end: neighbours.limit, by: isWorse)
    }
  }
}

/// An item that a ``WeightedSearch`` has found.
struct WeightedItem {
  let worth: Double
  let metres: UInt32
  let item: UInt32

  /// Whether it comes before the other one.
  @inline(__always)
  func isBetter(than other: WeightedItem) -> Bool {
    worth == other.worth ? (metres, item) < (other.metres, other.item) : worth > other.worth
  }
}
