// libm's sine, cosine and arc sine, which the standard library lacks; no other file of the domain needs the C library.
import Glibc

/// A position on the Earth, in degrees.
public struct GeoPoint: Equatable, Sendable {
  /// Degrees north, −90 to 90.
  public var latitude: Double
  /// Degrees east, −180 to 180.
  public var longitude: Double

  /// Makes a position.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// The great-circle distance in whole metres, on a sphere with the Earth's mean radius; `UInt32.max` if a coordinate
  /// is not a number.
  ///
  /// Haversines (R. W. Sinnott, "Virtues of the haversine", Sky and Telescope 68, 1984) keep their digits for near
  /// points, where the arc cosine of a scalar product loses half of them.
  public func metres(to other: GeoPoint) -> UInt32 {
    let north = sin(radians(other.latitude - latitude) / 2)
    let east = sin(radians(other.longitude - longitude) / 2)
    let haversine = north * north + cos(radians(latitude)) * cos(radians(other.latitude)) * east * east
    let metres = 2 * Sphere.radius * asin(min(haversine.squareRoot(), 1))
    // Half the circumference is 20,015,114 m; the comparison is false for NaN.
    return metres <= 3e7 ? UInt32(metres.rounded()) : .max
  }

  /// The unit vector from the centre of the sphere: x through (0°, 0°), y through (0°, 90°E), z through the pole.
  var vector: SIMD3<Double> { Distances(from: self).vector }
}

/// Distances from one place: those of ``GeoPoint/metres(to:)``, metre for metre, at a third of the cost for near points.
///
/// A search measures one for each of its rows. Within some hundred kilometres sine and arc sine are their first few terms,
/// with errors of less than a ten-thousandth of a millimetre. Where that could decide how a distance is rounded, the
/// functions of the C library do.
package struct Distances {
  /// The place.
  package let origin: GeoPoint
  /// Of the latitude.
  private let sine, cosine: Double

  /// Half an angle between two parallels or meridians up to which a few terms are enough: 320 km on the ground.
  private static let shortArc = 0.05
  /// The least distance from half a metre, in metres, at which a sum of a few terms is rounded.
  private static let margin = 1e-4

  /// Distances from `origin`.
  package init(from origin: GeoPoint) {
    self.origin = origin
    (sine, cosine) = (sin(radians(origin.latitude)), cos(radians(origin.latitude)))
  }

  /// The unit vector of the place, as ``GeoPoint/vector``.
  var vector: SIMD3<Double> {
    let longitude = radians(origin.longitude)
    return SIMD3(cosine * cos(longitude), cosine * sin(longitude), sine)
  }

  /// The distance in whole metres; `UInt32.max` if a coordinate is not a number.
  package func metres(to other: GeoPoint) -> UInt32 {
    let north = radians(other.latitude - origin.latitude) / 2
    let east = radians(other.longitude - origin.longitude) / 2
    guard abs(north) <= Self.shortArc, abs(east) <= Self.shortArc else { return origin.metres(to: other) }
    let (sineNorth, sineEast) = (Self.shortSine(north), Self.shortSine(east))
    let square = sineNorth * sineNorth
    // The cosine of the other latitude, of a sum: that of twice the half angle is 1 − 2 sin².
    let otherCosine = cosine * (1 - 2 * square) - sine * 2 * sineNorth * (1 - square).squareRoot()
    let haversine = square + cosine * otherCosine * sineEast * sineEast
    let metres = 2 * Sphere.radius * Self.shortArcSine(haversine.squareRoot())
    let whole = metres.rounded(.down)
    guard abs(metres - whole - 0.5) > Self.margin else { return origin.metres(to: other) }
    return UInt32(whole) + (metres - whole > 0.5 ? 1 : 0)
  }

  /// The sine of an angle of at most ``shortArc``: the next term is below 6e-18.
  @inline(__always)
  private static func shortSine(_ angle: Double) -> Double {
    let square = angle * angle
    return angle * (1 - square * (1 / 6 - square * (1 / 120 - square / 5_040)))
  }

  /// The arc sine of the sine of half a distance, at most 0.071: the next term is below 6e-15, a ten-thousandth of a millimetre.
  @inline(__always)
  private static func shortArcSine(_ sine: Double) -> Double {
    let square = sine * sine
    return sine * (1 + square * (1 / 6 + square * (3 / 40 + square * (15 / 336 + square * (105 / 3_456)))))
  }
}

/// The sphere that distances are measured on.
enum Sphere {
  /// The mean radius R₁ of the WGS 84 ellipsoid, in metres.
  static let radius = 6_371_008.8

  /// The square of the chord of the unit sphere below an arc of `metres`; infinite where chords no longer distinguish
  /// arcs, near the antipodes.
  static func squaredChord(metres: Double) -> Double {
    let angle = metres / radius
    guard angle < 2.5 else { return .infinity }
    let chord = 2 * sin(angle / 2)
    return chord * chord
  }
}

private func radians(_ degrees: Double) -> Double { degrees * (.pi / 180) }
