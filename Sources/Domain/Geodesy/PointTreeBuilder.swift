import Base

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
