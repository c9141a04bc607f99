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

  /// The point some metres to the north and to the east; for short ways, and not near the poles.
  package func moved(north: Double, east: Double) -> GeoPoint {
    let degrees = 180 / .pi / Sphere.radius
    let turn = east * degrees / max(0.01, cos(radians(latitude)))
    return GeoPoint(
      latitude: latitude + north * degrees, longitude: (longitude + turn).remainder(dividingBy: 360))
  }

  /// The unit vector from the centre of the sphere: x through (0°, 0°), y through (0°, 90°E), z through the pole.
  ///
  /// Uses the C library's functions, because the bytes of an index depend on it.
  var vector: SIMD3<Double> {
    let (latitude, longitude) = (radians(latitude), radians(longitude))
    let cosine = cos(latitude)
    return SIMD3(cosine * cos(longitude), cosine * sin(longitude), sin(latitude))
  }
}

extension GeoBox {
  /// A lower bound, in metres, of the distance from `point` to the box; 0 within it.
  ///
  /// - Complexity: O(1).
  package func leastMetres(from point: GeoPoint) -> Double {
    let along = radians(max(south - point.latitude, point.latitude - north, 0))
    guard !containsMeridian(point.longitude) else { return Sphere.radius * along }
    let turns = [west, east].map { edge in
      let turn = abs(point.longitude - edge)
      return min(turn, 360 - turn, 90)
    }
    // The distance from the great circle of the nearer edge.
    let across = asin(cos(radians(point.latitude)) * sin(radians(min(turns[0], turns[1]))))
    return Sphere.radius * max(along, across)
  }
}

/// Distances from one place: those of ``GeoPoint/metres(to:)``, metre for metre, at a third of the cost for near
/// points.
///
/// A search computes one per row. Up to some hundred kilometres, the first few terms of sine and arc sine suffice; up
/// to 6,670 km, polynomials are as exact as the C library, with errors below a ten-thousandth of a millimetre. If an
/// error could change the rounding, the C library is used.
package struct Distances {
  /// The place.
  package let origin: GeoPoint
  /// The sine and cosine of the latitude.
  private let parallel: SineCosine

  /// Half an angle up to which a few terms suffice: 320 km on the ground.
  private static let shortArc = 0.05
  /// The haversine of 60°, 6,670 km on the ground, up to which a quotient of two polynomials suffices.
  private static let longArc = 0.25
  /// Sums closer than this to a half metre, in metres, are recomputed by the C library.
  private static let margin = 1e-4
  private static let whole = 0x1p52

  /// Distances from `origin`.
  package init(from origin: GeoPoint) {
    (self.origin, parallel) = (origin, SineCosine(degrees: origin.latitude))
  }

  /// The unit vector of the place, equal to ``GeoPoint/vector`` within 10⁻¹⁵.
  @inline(__always)
  var vector: SIMD3<Double> {
    let meridian = SineCosine(degrees: origin.longitude)
    return SIMD3(parallel.cosine * meridian.cosine, parallel.cosine * meridian.sine, parallel.sine)
  }

  /// The distance in whole metres; `UInt32.max` if a coordinate is not a number.
  package func metres(to other: GeoPoint) -> UInt32 {
    let north = radians(other.latitude - origin.latitude) / 2
    let east = radians(other.longitude - origin.longitude) / 2
    guard abs(north) <= Self.shortArc, abs(east) <= Self.shortArc else { return farMetres(to: other) }
    let haversine = haversine(Self.shortSine(north), Self.shortSine(east))
    return rounded(2 * Sphere.radius * Self.shortArcSine(haversine.squareRoot()), to: other)
  }

  /// The distance beyond a short arc, such as from most places at sea.
  @inline(never)
  private func farMetres(to other: GeoPoint) -> UInt32 {
    let north = SineCosine(degrees: (other.latitude - origin.latitude) / 2)
    let east = SineCosine(degrees: (other.longitude - origin.longitude) / 2)
    let haversine = haversine(north.sine, east.sine)
    guard haversine <= Self.longArc, abs(other.latitude) <= 90 else { return origin.metres(to: other) }
    return rounded(2 * Sphere.radius * Self.arcSine(haversine.squareRoot()), to: other)
  }

  /// The haversine, from the sines of half the differences of latitude and longitude; the former is at most a right
  /// angle.
  @inline(__always)
  private func haversine(_ north: Double, _ east: Double) -> Double {
    let square = north * north
    // The cosine of the other latitude as that of a sum; the cosine of twice the half angle is 1 − 2 sin².
    let otherCosine = parallel.cosine * (1 - 2 * square) - parallel.sine * 2 * north * (1 - square).squareRoot()
    return square + parallel.cosine * otherCosine * east * east
  }

  /// Whole metres; from the exact functions if the rounding is uncertain.
  @inline(__always)
  private func rounded(_ metres: Double, to other: GeoPoint) -> UInt32 {
    // From 2⁵² on there are no fractions: the sum is rounded, and its last bits are those of the whole number.
    let sum = metres + Self.whole
    guard abs(abs(metres - (sum - Self.whole)) - 0.5) > Self.margin else { return origin.metres(to: other) }
    return UInt32(truncatingIfNeeded: sum.bitPattern)
  }

  /// The sine of an angle of at most ``shortArc``: the next term is below 6e-18.
  @inline(__always)
  private static func shortSine(_ angle: Double) -> Double {
    let square = angle * angle
    return angle * (1 - square * (1 / 6 - square * (1 / 120 - square / 5_040)))
  }

  /// The arc sine of the sine of half a distance, at most 0.071: the next term is below 6e-15, a ten-thousandth of a
  /// millimetre.
  @inline(__always)
  private static func shortArcSine(_ sine: Double) -> Double {
    let square = sine * sine
    return sine * (1 + square * (1 / 6 + square * (3 / 40 + square * (15 / 336 + square * (105 / 3_456)))))
  }

  /// The arc sine of a number up to 0.5, with the coefficients of FreeBSD's libm (`e_asin.c`), whose error is below the
  /// last digit of `Double`.
  @inline(__always)
  private static func arcSine(_ sine: Double) -> Double {
    let square = sine * sine
    var upper = 3.47933107596021167570e-05 * square + 7.91534994289814532176e-04
    upper = upper * square - 4.00555345006794114027e-02
    upper = upper * square + 2.01212532134862925881e-01
    upper = upper * square - 3.25565818622400915405e-01
    upper = upper * square + 1.66666666666666657415e-01
    var lower = 7.70381505559019352791e-02 * square - 6.88283971605453293030e-01
    lower = lower * square + 2.02094576023350569471e+00
    lower = lower * square - 2.40339491173441421878e+00
    lower = lower * square + 1
    return sine + sine * (square * upper / lower)
  }
}

/// The sine and the cosine of an angle in degrees, at the cost of one: a fifth of the C library's.
///
/// Both are polynomials within 45° of a multiple of 90°, computed in parallel, with the coefficients of FreeBSD's libm
/// (`k_sin.c` and `k_cos.c`), whose errors are below the last digit of `Double`.
struct SineCosine {
  let sine, cosine: Double

  /// Degrees up to which the nearest multiple of 90° is found by rounding.
  private static let largest = 360.0
  /// Above 2⁵² a floating-point number has no fraction, so that a sum with this one is rounded.
  private static let whole = 3 * Double(1 << 51)

  /// Sine and cosine of degrees; NaN for NaN.
  @inline(__always)
  init(degrees: Double) {
    guard abs(degrees) <= Self.largest else {
      (sine, cosine) = (sin(radians(degrees)), cos(radians(degrees)))
      return
    }
    let quarters = degrees * (1 / 90) + Self.whole
    // Exact: both are multiples of the last digit of `degrees`.
    let angle = radians(degrees - 90 * (quarters - Self.whole))
    let square = angle * angle
    // The coefficients of sine and cosine, highest power first.
    var sum = SIMD2(1.58969099521155010221e-10, -1.13596475577881948265e-11)
    sum = sum * square + SIMD2(-2.50507602534068634195e-08, 2.08757232129817482790e-09)
    sum = sum * square + SIMD2(2.75573137070700676789e-06, -2.75573143513906633035e-07)
    sum = sum * square + SIMD2(-1.98412698298579493134e-04, 2.48015872894767294178e-05)
    sum = sum * square + SIMD2(8.33333333332248946124e-03, -1.38888888888741095749e-03)
    sum = sum * square + SIMD2(-1.66666666666666324348e-01, 4.16666666666666019037e-02)
    let (near, far) = (angle + angle * square * sum.x, 1 - 0.5 * square + square * square * sum.y)
    // Branch-free: the quarter is unpredictable.
    let quarter = quarters.bitPattern
    let (one, other) = (near.bitPattern, far.bitPattern)
    let exchanged = (one ^ other) & (0 &- (quarter & 1))
    sine = Double(bitPattern: one ^ exchanged ^ (quarter & 2) << 62)
    cosine = Double(bitPattern: other ^ exchanged ^ ((quarter &+ 1) & 2) << 62)
  }
}

/// The sphere that distances are measured on.
enum Sphere {
  /// The mean radius R₁ of the WGS 84 ellipsoid, in metres.
  static let radius = 6_371_008.8

  /// The metres of the arc whose half has this sine.
  static func metres(halfSine sine: Double) -> Double { 2 * radius * asin(sine) }

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
