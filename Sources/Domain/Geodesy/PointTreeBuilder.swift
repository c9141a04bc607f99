import Base

/// Builds the bytes of a ``PointTree``.
package struct PointTreeBuilder {
  /// The weight of each item; empty in a tree without weights.
  private let weights: [UInt32]
  /// The place of each item in the order within leaves; empty for the order of items.
  private let places: [UInt32]
  private let levels: Int
  /// The item at each position.
  private var items: [Item]
  /// The nodes by number.
  private var nodes: [Node]

  /// The unit vector of an item in whole steps, and the item as the fourth number: searched and moved together, as each
  /// item of a large tree would be a cache miss of its own.
  private typealias Item = SIMD4<Int32>

  private struct Node {
    var low = SIMD3<Int32>(repeating: .max)
    var high = SIMD3<Int32>(repeating: .min)
    var weight: UInt32 = 0
    var first: UInt32 = 0

    mutating func add(_ item: Item) {
      low = pointwiseMin(low, item.vector)
      high = pointwiseMax(high, item.vector)
    }

    var box: PointBox {
      PointBox(low: SIMD4(low, Int32(bitPattern: weight)), high: SIMD4(high, Int32(bitPattern: first)))
    }
  }

  /// The tree over `points`, at most 2²⁸ and all in range; items are their indices.
  ///
  /// `weights` are the items' weights for a ``WeightedSearch``, `places` their unique places in the order of a
  /// ``BoxSearch``.
  ///
  /// - Precondition: there are as many weights and places as points, or none.
  /// - Complexity: O(n log n) on average.
  package static func build(_ points: [GeoPoint], weights: [UInt32] = [], places: [UInt32] = []) -> [UInt8] {
    precondition(weights.isEmpty || weights.count == points.count, "a weight for each point, or none")
    precondition(places.isEmpty || places.count == points.count, "a place for each point, or none")
    guard !points.isEmpty else { return [] }
    var builder = Self(points, weights, places)
    builder.split(1, level: 0, leaf: 0)
    return builder.encoded()
  }

  private init(_ points: [GeoPoint], _ weights: [UInt32], _ places: [UInt32]) {
    items = points.enumerated().map { index, point in
      var item = SteppedVector.stepped(point.vector)
      item.w = Int32(index)
      return item
    }
    (self.weights, self.places) = (weights, places)
    levels = PointTree.levels(of: points.count)
    nodes = Array(repeating: Node(), count: 2 << levels)
  }

  private func start(ofLeaf leaf: Int) -> Int { (leaf * items.count) >> levels }

  private func place(of item: UInt32) -> UInt32 { places.isEmpty ? item : places[Int(item)] }

  private func isBefore(_ one: Item, _ other: Item) -> Bool { place(of: one.number) < place(of: other.number) }

  /// Partitions the items of a node along its widest axis between its children; `leaf` is the first leaf below it.
  private mutating func split(_ node: Int, level: Int, leaf: Int) {
    let below = 1 << (levels - level)
    let range = start(ofLeaf: leaf)..<start(ofLeaf: leaf + below)
    for item in items[range] { nodes[node].add(item) }
    guard level < levels else { return finish(node, range) }
    let (axis, middle) = (nodes[node].box.widestAxis, start(ofLeaf: leaf + below / 2) - range.lowerBound)
    items.withUnsafeMutableBufferPointer { items in
      let own = UnsafeMutableBufferPointer(rebasing: items[range])
      own.select(middle) { ($0[axis], $0.w) < ($1[axis], $1.w) }
    }
    split(2 * node, level: level + 1, leaf: leaf)
    split(2 * node + 1, level: level + 1, leaf: leaf + below / 2)
    let (one, other) = (nodes[2 * node], nodes[2 * node + 1])
    nodes[node].weight = max(one.weight, other.weight)
    nodes[node].first = place(of: one.first) < place(of: other.first) ? one.first : other.first
  }

  private mutating func finish(_ leaf: Int, _ range: Range<Int>) {
    let sorted = items[range].sorted(by: isBefore)
    items.replaceSubrange(range, with: sorted)
    // Only a tree of one leaf can be empty, and it is never built.
    nodes[leaf].first = sorted.first?.number ?? 0
    nodes[leaf].weight = weights.isEmpty ? 0 : sorted.map { weights[Int($0.number)] }.max() ?? 0
  }

  private func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(PointTree.size(of: items.count))
    bytes.append(contentsOf: repeatElement(0, count: PointTree.nodeBytes))
    for node in nodes.dropFirst() {
      let box = node.box
      for lane in 0..<4 { bytes.append(littleEndian: box.low[lane]) }
      for lane in 0..<4 { bytes.append(littleEndian: box.high[lane]) }
    }
    for leaf in 0..<(1 << levels) {
      let box = nodes[1 << levels + leaf].box
      for item in items[start(ofLeaf: leaf)..<start(ofLeaf: leaf + 1)] {
        bytes.append(littleEndian: Self.packed(item.vector, box))
      }
    }
    for item in items { bytes.append(littleEndian: item.number) }
    return bytes
  }

  /// A vector relative to the corner of its leaf's box.
  private static func packed(_ vector: SIMD3<Int32>, _ box: PointBox) -> UInt64 {
    let shift = box.shift
    return (0..<3).reduce(0) { packed, axis in
      let offset = UInt64(UInt32(bitPattern: (vector[axis] &- box.low[axis]) >> shift))
      return packed | offset << UInt64(axis * PointTree.axisBits)
    }
  }
}

extension SIMD4<Int32> {
  fileprivate var vector: SIMD3<Int32> { SIMD3(x, y, z) }
  fileprivate var number: UInt32 { UInt32(bitPattern: w) }
}
