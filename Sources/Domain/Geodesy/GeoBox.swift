/// A part of the Earth between two parallels and two meridians, in degrees; its edges belong to it.
public struct GeoBox: Equatable, Sendable {
  /// The southern edge, −90 to 90.
  public var south: Double
  /// The western edge, −180 to 180; east of ``east`` if the box crosses the meridian of 180°.
  public var west: Double
  /// The northern edge, −90 to 90.
  public var north: Double
  /// The eastern edge, −180 to 180.
  public var east: Double

  /// Makes a box.
  public init(south: Double, west: Double, north: Double, east: Double) {
    (self.south, self.west, self.north, self.east) = (south, west, north, east)
  }

  /// Whether the edges are in range, and the southern one not north of the northern one.
  public var isSound: Bool {
    -90 <= south && south <= north && north <= 90 && abs(west) <= 180 && abs(east) <= 180
  }

  /// Whether a point is in it; 180° and −180° are the same meridian.
  ///
  /// - Complexity: O(1).
  @inline(__always)
  public func contains(_ point: GeoPoint) -> Bool {
    south <= point.latitude && point.latitude <= north && containsMeridian(point.longitude)
  }

  @inline(__always)
  func containsMeridian(_ longitude: Double) -> Bool {
    if abs(longitude) == 180, abs(west) == 180 || abs(east) == 180 { return true }
    return west <= east ? west <= longitude && longitude <= east : west <= longitude || longitude <= east
  }
}

/// A box in the tree's terms: between two heights, and on one side of two planes through the poles.
struct SteppedBox {
  private let low, high: Float
  /// Horizontal vectors from the western and the eastern meridian into the box.
  private let west, east: SIMD2<Float>
  /// Whether it spans more than half of the meridians: then a point on the inner side of either plane is in it.
  private let isWide: Bool
  /// More than the error of rounding and of stored vectors, in steps.
  private static let slack = SteppedChord.error + 200

  init(_ box: GeoBox) {
    let south = GeoPoint(latitude: box.south, longitude: 0).vector
    let north = GeoPoint(latitude: box.north, longitude: 0).vector
    low = Float(south.z * PointTree.steps) - Self.slack
    high = Float(north.z * PointTree.steps) + Self.slack
    // A quarter turn towards the inside.
    let (western, eastern) = (Self.meridian(box.west), Self.meridian(box.east))
    west = SIMD2(-western.y, western.x)
    east = SIMD2(eastern.y, -eastern.x)
    isWide = (box.east < box.west ? box.east + 360 : box.east) - box.west > 180
  }

  /// The horizontal unit vector to a meridian.
  private static func meridian(_ longitude: Double) -> SIMD2<Float> {
    let vector = GeoPoint(latitude: 0, longitude: longitude).vector
    return SIMD2(Float(vector.x), Float(vector.y))
  }

  /// Whether a box of the tree may overlap it; false only if it does not.
  @inline(__always)
  func mayMeet(_ box: PointBox) -> Bool {
    guard Float(box.low.z) <= high, Float(box.high.z) >= low else { return false }
    let (low, high) = (SIMD2(Float(box.low.x), Float(box.low.y)), SIMD2(Float(box.high.x), Float(box.high.y)))
    return isOnBothSides(Self.farthest(west, low, high), Self.farthest(east, low, high))
  }

  /// Whether a vector may be in it.
  @inline(__always)
  func mayContain(_ vector: SIMD3<Float>) -> Bool {
    guard low <= vector.z, vector.z <= high else { return false }
    return isOnBothSides(vector.x * west.x + vector.y * west.y, vector.x * east.x + vector.y * east.y)
  }

  @inline(__always)
  private func isOnBothSides(_ west: Float, _ east: Float) -> Bool {
    isWide ? max(west, east) >= -Self.slack : min(west, east) >= -Self.slack
  }

  /// The largest product of a direction with a point between two corners.
  @inline(__always)
  private static func farthest(_ direction: SIMD2<Float>, _ low: SIMD2<Float>, _ high: SIMD2<Float>) -> Float {
    max(direction.x * low.x, direction.x * high.x) + max(direction.y * low.y, direction.y * high.y)
  }
}
