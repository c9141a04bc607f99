import Base
import CPrefetch

/// Positions by rank.
///
/// Real lists have at most seven decimals, for which whole ten-millionths of a degree convert back to exactly the same
/// floating-point number: lossless in half the bytes. Lists with more decimals are stored as floating point.
package struct CoordinateTable {
  /// Bytes per item in ten-millionths.
  package static let fixedBytes = 8
  /// Bytes per item in floating point.
  package static let floatBytes = 16
  private static let unit = 1e7

  private let bytes: UnsafeRawBufferPointer
  private let count: Int
  private let isFixed: Bool

  /// A view of ``encode(_:)``'s bytes for `count` positions.
  package init(_ bytes: UnsafeRawBufferPointer, count: Int) {
    (self.bytes, self.count) = (bytes, count)
    isFixed = bytes.count < count * Self.floatBytes
  }

  /// The position of the item at `rank`; (0°, 0°) if out of range.
  package func point(of rank: Int) -> GeoPoint {
    guard UInt(bitPattern: rank) < UInt(bitPattern: count) else { return GeoPoint(latitude: 0, longitude: 0) }
    if isFixed {
      return GeoPoint(
        latitude: Double(load(2 * rank, Int32.self)) / Self.unit,
        longitude: Double(load(2 * rank + 1, Int32.self)) / Self.unit)
    }
    return GeoPoint(
      latitude: Double(bitPattern: load(2 * rank, UInt64.self)),
      longitude: Double(bitPattern: load(2 * rank + 1, UInt64.self)))
  }

  /// Prefetches the position of the item at `rank`.
  @inline(__always)
  func prefetch(_ rank: Int) {
    guard let base = bytes.baseAddress, UInt(bitPattern: rank) < UInt(bitPattern: count) else { return }
    cities_prefetch(base + rank &* (isFixed ? Self.fixedBytes : Self.floatBytes))
  }

  private func load<Number: FixedWidthInteger>(_ index: Int, _: Number.Type) -> Number {
    bytes.load(littleEndian: Number.self, at: index * MemoryLayout<Number>.size)
  }

  /// The bytes for positions, which must be in range.
  package static func encode(_ points: [GeoPoint]) -> [UInt8] {
    let degrees = points.flatMap { [$0.latitude, $0.longitude] }
    let fixed = degrees.map { Int32(($0 * unit).rounded()) }
    if zip(degrees, fixed).allSatisfy({ $0 == Double($1) / unit }) {
      return [UInt8](column: fixed.lazy.map { UInt32(bitPattern: $0) })
    }
    return degrees.reduce(into: []) { $0.append(littleEndian: $1.bitPattern) }
  }
}
