internal import CitiesProtocol
internal import Glibc

/// The projection of UTM, from metres to degrees on the ellipsoid of WGS 84.
///
/// The series of Krüger to the fourth power of the flattening, which C. F. F. Karney describes in "Transverse Mercator
/// with an accuracy of a few nanometers" (2011); it is exact to a millimetre within a zone.
enum TransverseMercator {
  /// The third flattening.
  private static let flattening = 0.001_679_220_386_383_705
  /// The radius of the sphere with the same meridian, times the scale on the central meridian of a zone.
  private static let metres = 6_367_449.145_823_415 * 0.9996
  private static let toSphere: [Double] = {
    let (one, two, three, four) = powers
    return [
      one / 2 - two * 2 / 3 + three * 37 / 96 - four / 360, two / 48 + three / 15 - four * 437 / 1_440,
      three * 17 / 480 - four * 37 / 840, four * 4_397 / 161_280,
    ]
  }()
  private static let toLatitude: [Double] = {
    let (one, two, three, four) = powers
    return [
      one * 2 - two * 2 / 3 - three * 2 + four * 116 / 45, two * 7 / 3 - three * 8 / 5 - four * 227 / 45,
      three * 56 / 15 - four * 136 / 35, four * 4_279 / 630,
    ]
  }()
  private static var powers: (Double, Double, Double, Double) {
    let square = flattening * flattening
    return (flattening, square, square * flattening, square * square)
  }

  /// The position at `easting` and `northing`, which is negative in the south.
  static func position(zone: Int, easting: Double, northing: Double) -> Position {
    let (north, east) = (northing / metres, (easting - 500_000) / metres)
    var (xi, eta) = (north, east)
    for (index, factor) in toSphere.enumerated() {
      let order = Double(2 * index + 2)
      xi -= factor * sin(order * north) * cosh(order * east)
      eta -= factor * cos(order * north) * sinh(order * east)
    }
    let conformal = asin(sin(xi) / cosh(eta))
    let lat = toLatitude.enumerated().reduce(conformal) { lat, term in
      lat + term.element * sin(Double(2 * term.offset + 2) * conformal)
    }
    let lon = Double(zone * 6 - 183) + atan2(sinh(eta), cos(xi)) * 180 / .pi
    return Position(lat: lat * 180 / .pi, lon: lon < -180 ? lon + 360 : lon > 180 ? lon - 360 : lon)
  }
}
