import Base

/// Builds the bytes of a ``PointTree``.
package struct PointTreeBuilder {
  /// The unit vector of each item in whole steps.
  private let vectors: [SIMD3<Int32>]
  /// The weight of each item; empty in a tree without weights.
  private let weights: [UInt32]
  /// The place of each item in the order within leaves; empty for the order of items.
  private let places: [UInt32]
  private let levels: Int
  /// The item at each position.
  private var items: [UInt32]
  /// The nodes by number.
  private var nodes: [Node]

  private struct Node {
    var low = SIMD3<Int32>(repeating: .max)
    var high = SIMD3<Int32>(repeating: .min)
    var weight: UInt32 = 0
    var first: UInt32 = 0

    mutating func add(_ vector: SIMD3<Int32>) {
      low = pointwiseMin(low, vector)
      high = pointwiseMax(high, vector)
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
    vectors = points.map {
      let lanes = SteppedVector.stepped($0.vector)
      return SIMD3(lanes.x, lanes.y, lanes.z)
    }
    (self.weights, self.places) = (weights, places)
    levels = PointTree.levels(of: points.count)
    items = Array(0..<UInt32(points.count))
    nodes = Array(repeating: Node(), count: 2 << levels)
  }

  private func start(ofLeaf leaf: Int) -> Int { (leaf * items.count) >> levels }

  private func place(of item: UInt32) -> UInt32 { places.isEmpty ? item : places[Int(item)] }

  /// Partitions the items of a node along its widest axis between its children; `leaf` is the first leaf below it.
  private mutating func split(_ node: Int, level: Int, leaf: Int) {
    let below = 1 << (levels - level)
    let range = start(ofLeaf: leaf)..<start(ofLeaf: leaf + below)
    for item in items[range] { nodes[node].add(vectors[Int(item)]) }
    guard level < levels else { return finish(node, range) }
    let (axis, middle) = (nodes[node].box.widestAxis, start(ofLeaf: leaf + below / 2) - range.lowerBound)
    let vectors = vectors
    items.withUnsafeMutableBufferPointer { items in
      let own = UnsafeMutableBufferPointer(rebasing: items[range])
      own.select(middle) { (vectors[Int($0)][axis], $0) < (vectors[Int($1)][axis], $1) }
    }
    split(2 * node, level: level + 1, leaf: leaf)
    split(2 * node + 1, level: level + 1, leaf: leaf + below / 2)
    let (one, other) = (nodes[2 * node], nodes[2 * node + 1])
    nodes[node].weight = max(one.weight, other.weight)
    nodes[node].first = place(of: one.first) < place(of: other.first) ? one.first : other.first
  }

  private mutating func finish(_ leaf: Int, _ range: Range<Int>) {
    let places = places
    items[range].sort { places.isEmpty ? $0 < $1 : places[Int($0)] < places[Int($1)] }
    // Only a tree of one leaf can be empty, and it is never built.
    nodes[leaf].first = items[range].first ?? 0
    nodes[leaf].weight = weights.isEmpty ? 0 : items[range].map { weights[Int($0)] }.max() ?? 0
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
        bytes.append(littleEndian: Self.packed(vectors[Int(item)], box))
      }
    }
    for item in items { bytes.append(littleEndian: item) }
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
