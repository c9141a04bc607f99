// libm's sine, cosine and arc sine: the standard library has none, and no other file of the domain needs the C library.
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
  var vector: SIMD3<Double> {
    let (latitude, longitude) = (radians(latitude), radians(longitude))
    let equatorial = cos(latitude)
    return SIMD3(equatorial * cos(longitude), equatorial * sin(longitude), sin(latitude))
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
