import Base
import CPrefetch

/// A tree of boxes over positions on a sphere, for finding the nearest items, the heaviest near a place, or the first
/// in an area.
///
/// (J. L. Bentley, "Multidimensional binary search trees used for associative searching", CACM 18(9), 1975; boxes
/// instead of splitting planes as in N. Roussopoulos, S. Kelley, F. Vincent, "Nearest neighbor queries", SIGMOD 1995.)
///
/// Positions are compared as unit vectors in space, where neither the date line nor the poles are special, in whole
/// steps of 2⁻²⁹: 12 mm on the ground. The tree is perfect: node i has the children 2i and 2i + 1, and the items of a
/// subtree are consecutive, so there are no pointers, and the start of a leaf's items follows from their number. A node
/// is the bounding box of its items: half of the space between splitting planes is sea without cities, which a search
/// would visit in vain. Vectors are stored relative to the corner of their leaf's box, in 21 bits per axis, exactly for
/// leaves of up to 25 km and with an error of at most 6 m for the largest.
///
/// Numbers are little-endian and of 32 bits. The bytes are
///
/// | | |
/// |---|---|
/// | 2 · leaves × 32 | per node, number 0 unused: the lowest x, y and z, the heaviest weight, the highest x, y and z, the first item |
/// | count × 8 | per position x, y and z from the corner, in 21 bits each, x lowest |
/// | count × 4 | per position the item, within a leaf in the builder's order |
package struct PointTree {
  /// The most items of a leaf.
  static let leafItems = 16
  /// Steps per unit.
  ///
  /// Whole steps, because libm's last digit depends on the processor, and the same cities must give the same bytes
  /// everywhere.
  static let steps = Double(1 << 29)
  static let nodeBytes = 32
  static let vectorBytes = 8
  private static let itemBytes = 4
  /// Bits of a coordinate relative to the corner of its leaf's box.
  static let axisBits = 21

  /// The number of items.
  package let count: Int
  /// The number of leaves, a power of two; also the number of the first leaf's node.
  let leaves: Int
  /// Levels of nodes above the leaves.
  let levels: Int
  private let nodes: UnsafeRawPointer
  private let vectors: UnsafeRawPointer
  private let items: UnsafeRawPointer

  /// A view of the bytes of ``PointTreeBuilder`` for `count` items; an empty tree if their number is wrong.
  package init(_ bytes: UnsafeRawBufferPointer, count: Int) {
    self.count = count > 0 && bytes.count == Self.size(of: count) ? count : 0
    levels = Self.levels(of: self.count)
    leaves = 1 << levels
    // Without items no node is read, so any address will do.
    nodes = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 64).unsafelyUnwrapped
    vectors = nodes + 2 * leaves * Self.nodeBytes
    items = vectors + self.count * Self.vectorBytes
  }

  /// Bytes of a tree of `count` items; 0 without items.
  package static func size(of count: Int) -> Int {
    count > 0 ? (2 << levels(of: count)) * nodeBytes + count * (vectorBytes + itemBytes) : 0
  }

  /// The fewest levels of nodes above the leaves with which no leaf has too many items.
  static func levels(of count: Int) -> Int {
    let leaves = (max(count, 1) + leafItems - 1) / leafItems
    return leaves == 1 ? 0 : Int.bitWidth - (leaves - 1).leadingZeroBitCount
  }

  /// The item at a position, unchecked 32 bits; 0 if out of range.
  @inline(__always)
  package func item(at position: Int) -> Int {
    guard UInt(bitPattern: position) < UInt(bitPattern: count) else { return 0 }
    return Int(items.load(littleEndian: UInt32.self, at: position &* Self.itemBytes))
  }

  /// The positions of a leaf's items; leaves count from 0.
  @inline(__always)
  func positions(ofLeaf leaf: Int) -> Range<Int> {
    let start = (leaf &* count) &>> levels
    return Range(uncheckedBounds: (start, max(start, ((leaf &+ 1) &* count) &>> levels)))
  }

  /// The leaf of the item at an existing position.
  @inline(__always)
  func leaf(of position: Int) -> Int {
    // The last leaf that starts at or before the position.
    (((position &+ 1) &* leaves) &- 1) / max(count, 1)
  }

  /// The box of an existing node.
  @inline(__always)
  func box(_ node: Int) -> PointBox {
    PointBox(
      low: Self.lanes(nodes + node &* Self.nodeBytes), high: Self.lanes(nodes + (node &* Self.nodeBytes &+ 16)))
  }

  /// The lowest coordinate of an existing node along an axis, 0 to 2.
  @inline(__always)
  func low(_ node: Int, _ axis: Int) -> Int32 {
    nodes.load(littleEndian: Int32.self, at: node &* Self.nodeBytes &+ 4 &* (axis & 3))
  }

  /// The highest coordinate of an existing node along an axis, 0 to 2.
  @inline(__always)
  func high(_ node: Int, _ axis: Int) -> Int32 {
    nodes.load(littleEndian: Int32.self, at: node &* Self.nodeBytes &+ 16 &+ 4 &* (axis & 3))
  }

  /// The addresses of the vectors and items from a position on.
  @inline(__always)
  func addresses(_ position: Int) -> (vectors: UnsafeRawPointer, items: UnsafeRawPointer) {
    (vectors + position &* Self.vectorBytes, items + position &* Self.itemBytes)
  }

  /// Prefetches the data for two levels below a node: the boxes of its grandchildren, or the vectors and items of its
  /// two leaves.
  @inline(__always)
  func prefetchGrandchildren(of node: Int) {
    let first = 4 &* node
    if first < 2 &* leaves {
      cities_prefetch_bytes(nodes + first &* Self.nodeBytes, 4 * Self.nodeBytes)
    } else {
      prefetch(leaf: 2 &* node &- leaves, count: 2)
    }
  }

  /// Prefetches the vectors and items of a leaf, or of several consecutive ones.
  @inline(__always)
  func prefetch(leaf: Int, count: Int = 1) {
    let (vectors, items) = addresses(positions(ofLeaf: leaf).lowerBound)
    cities_prefetch_bytes(vectors, count &* Self.leafItems &* Self.vectorBytes)
    cities_prefetch_bytes(items, count &* Self.leafItems &* Self.itemBytes)
  }

  /// The square of the gap between `origin` and a box, in steps.
  @inline(__always)
  static func gap(_ box: PointBox, from origin: SIMD4<Int32>) -> Float {
    let squares = squaredGaps(box, from: origin)
    return squares.x + squares.z + squares.y
  }

  /// The squares of the gaps along the three axes, and 0.
  @inline(__always)
  private static func squaredGaps(_ box: PointBox, from origin: SIMD4<Int32>) -> SIMD4<Float> {
    // Differences of whole steps keep 24 digits however near the points are; coordinates as `Float` would not.
    let (below, above) = (floats(box.low &- origin), floats(origin &- box.high))
    // Exactly twice the gap, because only one of the two is above 0; comparisons would become a branch per axis.
    let twice = (below + magnitude(below)) + (above + magnitude(above))
    return twice * twice * SIMD4(0.25, 0.25, 0.25, 0)
  }

  @inline(__always)
  private static func magnitude(_ numbers: SIMD4<Float>) -> SIMD4<Float> {
    unsafeBitCast(unsafeBitCast(numbers, to: SIMD4<UInt32>.self) & 0x7FFF_FFFF, to: SIMD4<Float>.self)
  }

  @inline(__always)
  private static func floats(_ numbers: SIMD4<Int32>) -> SIMD4<Float> {
    SIMD4(Float(numbers.x), Float(numbers.y), Float(numbers.z), Float(numbers.w))
  }

  /// The children of an existing inner node, by the squares of their gaps from a place.
  ///
  /// Squares are returned as their bits, which sort alike. Branch-free: which child is nearer is unpredictable.
  @inline(__always)
  func children(of node: Int, from origin: SIMD4<Int32>) -> (near: UInt32, far: UInt32, nearer: Int) {
    // Move pairs of numbers as one, because halves of vectors would be computed separately.
    let left = unsafeBitCast(Self.squaredGaps(box(2 &* node), from: origin), to: SIMD2<UInt64>.self)
    let right = unsafeBitCast(Self.squaredGaps(box(2 &* node &+ 1), from: origin), to: SIMD2<UInt64>.self)
    let sums =
      unsafeBitCast(SIMD2(left.x, right.x), to: SIMD4<Float>.self)
      + unsafeBitCast(SIMD2(left.y, right.y), to: SIMD4<Float>.self)
    let squares = unsafeBitCast(sums.evenHalf + sums.oddHalf, to: SIMD2<UInt32>.self)
    let isRight = squares.y < squares.x
    return (min(squares.x, squares.y), max(squares.x, squares.y), 2 &* node &+ (isRight ? 1 : 0))
  }

  /// The leaf before a node if the items of both lie in one place, 12 mm wide: it has the lower ones, as places that
  /// are equal along an axis are split by item.
  @inline(__always)
  func leaf(before node: Int) -> Int? {
    let leaf = node << (node.leadingZeroBitCount &- leaves.leadingZeroBitCount) &- leaves &- 1
    guard leaf >= 0 else { return nil }
    let (own, other) = (box(node), box(leaves &+ leaf))
    let differences = (own.high ^ own.low) | (other.low ^ own.low) | (other.high ^ own.low)
    return differences.x | differences.y | differences.z == 0 ? leaf : nil
  }

  /// A lower bound of the whole metres from a unit vector to the items of a node in one place.
  func leastMetres(to node: Int, from vector: SIMD3<Double>) -> UInt64 {
    let low = box(node).low
    let gap = vector - SIMD3(Double(low.x), Double(low.y), Double(low.z)) / Self.steps
    let sine = min((gap * gap).sum().squareRoot() / 2, 0.999)
    // Coordinates are rounded to steps; a chord changes less than its arc.
    let error = 0.011 / (1 - sine * sine).squareRoot()
    return UInt64(max(Sphere.metres(halfSine: sine) - error, 0).rounded())
  }

  /// The vectors of a leaf, seen from `origin`.
  @inline(__always)
  func leafVectors(_ leaf: Int, from origin: SIMD4<Int32>) -> LeafVectors {
    LeafVectors(vectors, box: box(leaves &+ leaf), origin)
  }

  @inline(__always)
  private static func lanes(_ address: UnsafeRawPointer) -> SIMD4<Int32> {
    let stored = address.loadUnaligned(as: SIMD4<Int32>.self)
    return SIMD4(
      Int32(littleEndian: stored.x), Int32(littleEndian: stored.y), Int32(littleEndian: stored.z),
      Int32(littleEndian: stored.w))
  }
}

/// The bounding box of a node's items, in steps, with the data stored beside it.
struct PointBox {
  /// The lowest coordinates, then the heaviest weight.
  let low: SIMD4<Int32>
  /// The highest coordinates, then the item that comes first in the builder's order.
  let high: SIMD4<Int32>

  /// The heaviest weight of the items.
  @inline(__always)
  var weight: UInt32 { UInt32(bitPattern: low.w) }

  /// The first item, unchecked 32 bits.
  @inline(__always)
  var firstItem: Int { Int(UInt32(bitPattern: high.w)) }

  /// The axis along which it is widest and its items are split: 0 to 2.
  var widestAxis: Int {
    let width = high &- low
    return width.x >= width.y && width.x >= width.z ? 0 : width.y >= width.z ? 1 : 2
  }

  /// The number of low bits dropped from its items' coordinates.
  @inline(__always)
  var shift: Int32 {
    let size = high &- low
    let widest = UInt32(bitPattern: max(size.x, size.y, size.z))
    return max(Int32(UInt32.bitWidth - widest.leadingZeroBitCount - PointTree.axisBits), 0)
  }
}

/// The vectors of a leaf's items as differences from a place, in steps.
struct LeafVectors {
  private let vectors: UnsafeRawPointer
  private let scale: Float
  private let x, y, z: Float

  @inline(__always)
  fileprivate init(_ vectors: UnsafeRawPointer, box: PointBox, _ origin: SIMD4<Int32>) {
    self.vectors = vectors
    let shift = box.shift
    scale = Float(Int32(1) &<< shift)
    // Half of the dropped range, so that the error is at most that.
    let half = (Int32(1) &<< shift) &>> 1
    let offset = origin &- box.low &- SIMD4(repeating: half)
    (x, y, z) = (Float(offset.x), Float(offset.y), Float(offset.z))
  }

  /// The difference of the item at an existing position.
  @inline(__always)
  subscript(position: Int) -> SIMD3<Float> {
    let packed = packed(position)
    let mask: UInt64 = 1 << UInt64(PointTree.axisBits) - 1
    return SIMD3(
      Float(Int32(truncatingIfNeeded: packed & mask)) * scale - x,
      Float(Int32(truncatingIfNeeded: packed >> UInt64(PointTree.axisBits) & mask)) * scale - y,
      Float(Int32(truncatingIfNeeded: packed >> UInt64(2 * PointTree.axisBits) & mask)) * scale - z)
  }

  /// The squares of the distances of four consecutive items of this leaf.
  ///
  /// The same operations as for one item, so that the results are identical.
  @inline(__always)
  func squares(_ position: Int) -> SIMD4<Float> {
    let packed = SIMD4(packed(position), packed(position &+ 1), packed(position &+ 2), packed(position &+ 3))
    let bits = UInt64(PointTree.axisBits)
    let (x, y, z) = (
      Self.floats(packed) * scale - self.x, Self.floats(packed &>> bits) * scale - self.y,
      Self.floats(packed &>> (2 * bits)) * scale - self.z
    )
    return x * x + y * y + z * z
  }

  @inline(__always)
  private func packed(_ position: Int) -> UInt64 {
    vectors.load(littleEndian: UInt64.self, at: position &* PointTree.vectorBytes)
  }

  /// The lowest ``PointTree/axisBits`` bits of each number.
  ///
  /// As the last digits of 2²³ they need no conversion, which would not be vectorized.
  @inline(__always)
  private static func floats(_ packed: SIMD4<UInt64>) -> SIMD4<Float> {
    let base: Float = 8_388_608
    let low = unsafeBitCast(packed, to: SIMD8<UInt32>.self).evenHalf & (1 << UInt32(PointTree.axisBits) - 1)
    return unsafeBitCast(low | base.bitPattern, to: SIMD4<Float>.self) - base
  }

  /// The square of the distance of the item at a position.
  @inline(__always)
  func square(_ position: Int) -> Float {
    let difference = self[position]
    return difference.x * difference.x + difference.y * difference.y + difference.z * difference.z
  }
}

/// A place in the tree's terms.
struct SteppedVector {
  /// The unit vector in whole steps; the fourth number is 0.
  let lanes: SIMD4<Int32>
  /// Whether the coordinates are numbers: nothing is near an invalid place.
  let isNumber: Bool

  init(_ vector: SIMD3<Double>) {
    isNumber = vector.x.isFinite && vector.y.isFinite && vector.z.isFinite
    lanes = isNumber ? Self.stepped(vector) : .zero
  }

  /// The whole steps of a unit vector, rounded to nearest or even.
  @inline(__always)
  static func stepped(_ vector: SIMD3<Double>) -> SIMD4<Int32> {
    // Above 2⁵² a floating-point number has no fraction: the sum is rounded, and the difference is exact.
    let whole = 3 * Double(1 << 51)
    let (x, y, z) = (vector.x * PointTree.steps, vector.y * PointTree.steps, vector.z * PointTree.steps)
    return SIMD4(Int32(x + whole - whole), Int32(y + whole - whole), Int32(z + whole - whole), 0)
  }
}

/// Chords in steps, for searches.
enum SteppedChord {
  /// Metres per step.
  static let metres = Float(Sphere.radius / PointTree.steps)
  /// The largest error of a stored vector, in steps: 11 m, half of the range dropped in the largest leaf, on three
  /// axes.
  static let error: Float = 900
  /// A metre, since distances are rounded to metres, and the errors of two vectors, in steps.
  private static let slack = Float(PointTree.steps / Sphere.radius) + 2 * error
  /// More than the combined rounding errors of two squares of `Float`, doubled.
  static let tolerance: Float = 1 + 1e-6
  /// More than any chord, in steps.
  static let farthest: Float = 0x1.8p30

  /// The largest square whose chord may still have a distance in whole metres not above that of `square`.
  @inline(__always)
  static func reach(of square: Float) -> Float {
    let chord = square.squareRoot() * tolerance + slack
    return chord * chord * tolerance
  }

  /// Likewise for a distance of `metres`; infinite where chords no longer distinguish arcs.
  static func reach(metres: Double) -> Float {
    let square = Sphere.squaredChord(metres: metres + 1) * PointTree.steps * PointTree.steps
    return square.isFinite ? reach(of: Float(square)) : .infinity
  }
}
