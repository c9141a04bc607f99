import Geodesy
import TestSupport
import Testing

@Suite("distances on the mean sphere")
struct GeodesyTests {
  private let origin = GeoPoint(latitude: 0, longitude: 0)

  @Test(
    "known great circles are whole metres",
    arguments: [
      (0.0, 0.0, 0), (0, 180, 20_015_114), (90, 12, 10_007_557), (-90, 0, 10_007_557), (0, 1, 111_195),
      (0, 0.000001, 0), (0, 0.00001, 1),
    ] as [(Double, Double, UInt32)])
  func metres(latitude: Double, longitude: Double, metres: UInt32) {
    let point = GeoPoint(latitude: latitude, longitude: longitude)
    #expect(origin.metres(to: point) == metres && point.metres(to: origin) == metres)
  }

  @Test("the date line is no border, and at a pole all longitudes are one place")
  func seams() {
    let (west, east) = (GeoPoint(latitude: 0, longitude: -179.5), GeoPoint(latitude: 0, longitude: 179.5))
    #expect(west.metres(to: east) == 111_195)
    #expect(GeoPoint(latitude: 90, longitude: 10).metres(to: GeoPoint(latitude: 90, longitude: -170)) == 0)
    #expect(GeoPoint(latitude: 5, longitude: 180).metres(to: GeoPoint(latitude: 5, longitude: -180)) == 0)
  }

  @Test("what is no number is as far as can be", arguments: [Double.nan, .infinity])
  func noNumber(value: Double) {
    #expect(origin.metres(to: GeoPoint(latitude: value, longitude: 0)) == .max)
    #expect(origin.metres(to: GeoPoint(latitude: 0, longitude: value)) == .max)
  }
}

@Suite("tables of positions")
struct CoordinateTableTests {
  @Test("up to seven decimals take 8 bytes, more take 16, and both come back exactly")
  func exact() {
    let fixed = [(59.4337382, 24.7685881), (-90, 180), (90, -180), (0.1, -0.0000001)]
    for (points, bytes) in [(fixed, 8), (fixed + [(58.85076667, 26.91277778)], 16)] {
      let points = points.map { GeoPoint(latitude: $0.0, longitude: $0.1) }
      let encoded = CoordinateTable.encode(points)
      #expect(encoded.count == bytes * points.count)
      encoded.withUnsafeBytes {
        let table = CoordinateTable($0, count: points.count)
        #expect(points.indices.map(table.point) == points)
        #expect([-1, points.count, .max].allSatisfy { table.point(of: $0) == GeoPoint(latitude: 0, longitude: 0) })
      }
    }
  }
}
