internal import Glibc

/// The earth as far as a map needs it: a sphere of 6,371,008.8 m, as for distances.
enum Globe {
  /// Metres along a meridian for one degree.
  static let metresPerDegree = 6_371_008.8 * Double.pi / 180
  /// The least cosine that longitudes are scaled by: at a pole itself all of them would lie in one dot.
  static let leastCosine = 0.01

  /// The cosine of a latitude, at least ``leastCosine``.
  static func cosine(ofDegrees lat: Double) -> Double { max(leastCosine, cos(lat * .pi / 180)) }

  /// A longitude from −180 up to, and without, 180; any finite number of degrees may go in.
  static func wrapped(_ lon: Double) -> Double {
    if lon >= -180 && lon < 180 { return lon }
    let turn = (lon + 180).truncatingRemainder(dividingBy: 360)
    let wrapped = (turn < 0 ? turn + 360 : turn) - 180
    // Rounding may lift a remainder just below zero to the full turn.
    return wrapped < 180 ? wrapped : -180
  }

  /// The smallest arc that holds all of `longitudes`, from `west` to `east`, which may be beyond 180.
  ///
  /// It is the whole circle without the widest gap between neighbours.
  ///
  /// - Complexity: O(n log n).
  static func smallestArc(_ longitudes: [Double]) -> (west: Double, east: Double) {
    let sorted = longitudes.map(wrapped).sorted()
    guard let first = sorted.first, let last = sorted.last else { return (0, 0) }
    var (west, east, widest) = (first, last, first + 360 - last)
    for (left, right) in zip(sorted, sorted.dropFirst()) where right - left > widest {
      (west, east, widest) = (right, left + 360, right - left)
    }
    return (west, east)
  }
}
