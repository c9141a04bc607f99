import Base

/// The worth of an item by weight and distance: weight / (1 + (distance / reach)²), and half as much again within the
/// core of a heavy item.
///
/// Heavier and nearer items are worth more. Within a radius, any preferred item is worth more than any other; beyond
/// it, the nearest is worth most, regardless of weight.
package struct WeightRule: Sendable {
  /// The distance in metres at which the worth of an item is halved, for weight 0.
  package let reach: Double
  /// Metres that each unit of weight adds to ``reach``.
  package let reachPerWeight: Double
  /// The longest reach, in metres.
  package let mostReach: Double
  /// The distance in metres up to which an item of ``coreWeight`` or more is worth half as much again.
  package let core: Double
  /// The least weight of an item with a core.
  package let coreWeight: UInt32

  /// The distance in metres up to which weights count.
  package let radius: Double
  /// The factor for a preferred item: above the ratio between the heaviest item and the lightest at 100 km.
  ///
  /// A power of 2, so that multiplying is exact.
  static let preference = 16_777_216.0

  /// Makes a rule; all numbers must be above 0.
  package init(
    reach: Double, reachPerWeight: Double, mostReach: Double, core: Double, coreWeight: UInt32,
    radius: Double = .infinity
  ) {
    (self.reach, self.reachPerWeight, self.mostReach, self.radius) = (reach, reachPerWeight, mostReach, radius)
    (self.core, self.coreWeight) = (core, coreWeight)
  }

  /// The factor for an item of `weight` at a distance of `metres`.
  @inline(__always)
  func factor(_ weight: UInt32, _ metres: Double) -> Double {
    metres <= core && weight >= coreWeight ? Self.coreFactor : 1
  }

  private static let coreFactor = 1.5

  /// The worth of `weight` at a distance of `metres`; the same on every processor, because IEEE 754 defines these
  /// operations exactly.
  ///
  /// - Complexity: O(1).
  package func worth(of weight: UInt32, at metres: Double, isPreferred: Bool = true) -> Double {
    guard metres <= radius else { return -metres }
    let share = metres / min(reach + reachPerWeight * Double(weight), mostReach)
    return Double(weight) / (1 + share * share) * factor(weight, metres) * (isPreferred ? Self.preference : 1)
  }
}

/// A search for the items of a ``PointTree`` worth most near a place by a ``WeightRule``; ties by distance, then by
/// item.
///
/// It is resumable like ``PointSearch``. The worth in a box is at most that of its heaviest weight at its nearest
/// point, so subtrees with a lower bound than the results are never searched.
package struct WeightedSearch {
  /// The place.
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

  /// Clears earlier results and starts at the root.
  package func begin(limit: Int, radius: Double, into neighbours: inout Neighbours) {
    neighbours.begin(limit: limit, radius: radius)
    guard limit > 0, radius >= 0, vector.isNumber, tree.count > 0 else { return }
    neighbours.pending.push(.infinity, 1)
  }

  /// Does the work of about `leaves` more leaves; `weight` returns the weight of an item, as in the tree.
  ///
  /// Items that are `isPreferred` come before others; without any, all leaves within the rule's radius are searched.
  ///
  /// - Returns: whether the search is finished and the neighbours are sorted, best first.
  /// - Complexity: O(leaves log n); no allocation once the neighbours have grown.
  package func advance(
    leaves: Int, into neighbours: inout Neighbours, weight: (Int) -> UInt32,
    isPreferred: (Int) -> Bool = { _ in true }
  ) -> Bool {
    guard !neighbours.isFinished else { return true }
    let (origin, reach, limit) = (vector.lanes, neighbours.reach, neighbours.limit)
    var least = leastPromise(neighbours, limit)
    let end = neighbours.work(after: leaves)
    while neighbours.work < end, let branch = neighbours.pending.pop() {
      neighbours.work &+= 1
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
    }
    guard neighbours.pending.isEmpty else { return false }
    neighbours.weighted.sort { $0.isBetter(than: $1) }
    neighbours.finish(ordered: neighbours.weighted.map { UInt64($0.metres) << 32 | UInt64($0.item) })
    return true
  }

  /// An upper bound of the worth of a preferred item of `weight` whose squared chord is at least `square`.
  ///
  /// Slightly above the true worth: arcs are longer than chords, and `Float` rounds.
  @inline(__always)
  private func promise(_ weight: UInt32, _ square: Float) -> Float {
    let metres = max((square.squareRoot() - SteppedChord.error) * SteppedChord.metres - 1, 0)
    guard metres <= Float(rule.radius) else { return -metres * Self.shortened }
    let share = metres / min(Float(rule.reach) + Float(rule.reachPerWeight) * Float(weight), Float(rule.mostReach))
    let most = Float(weight) * Float(rule.factor(weight, Double(metres)))
    return most * Self.tolerance * Float(WeightRule.preference) / (1 + share * share)
  }

  private static let tolerance: Float = 1 + 1e-5
  private static let shortened: Float = 1 - 1e-5

  /// The least worth among the best items.
  @inline(__always)
  private func leastPromise(_ neighbours: Neighbours, _ limit: Int) -> Float {
    guard neighbours.weighted.count == limit, let worst = neighbours.weighted.first else { return -.infinity }
    return Float(worst.worth)
  }

  /// Descends to a leaf, always to the child with the higher bound, and puts the other one aside.
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

  /// The bound of a node; -∞ if it is too far away.
  @inline(__always)
  private func promise(of node: Int, _ origin: SIMD4<Int32>, _ reach: Float) -> Float {
    let box = tree.box(node)
    let square = PointTree.gap(box, from: origin)
    return square <= reach ? promise(box.weight, square) : -.infinity
  }

  private func offer(_ item: Int, _ weight: UInt32, _ isPreferred: Bool, _ neighbours: inout Neighbours) {
    neighbours.work &+= 1
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
