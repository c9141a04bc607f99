import Geodesy
import TestSupport
import Testing

@Suite("distances on the mean sphere")
struct GeodesyTests {
  private let origin = GeoPoint(latitude: 0, longitude: 0)

  @Test(
    arguments: [
      (0.0, 0.0, 0), (0, 180, 20_015_114), (90, 12, 10_007_557), (-90, 0, 10_007_557), (0, 1, 111_195),
      (0, 0.000001, 0), (0, 0.00001, 1),
    ] as [(Double, Double, UInt32)])
  func `known great circles are whole metres`(latitude: Double, longitude: Double, metres: UInt32) {
    let point = GeoPoint(latitude: latitude, longitude: longitude)
    #expect(origin.metres(to: point) == metres && point.metres(to: origin) == metres)
  }

  @Test func `the date line is no border, and at a pole all longitudes are one place`() {
    let (west, east) = (GeoPoint(latitude: 0, longitude: -179.5), GeoPoint(latitude: 0, longitude: 179.5))
    #expect(west.metres(to: east) == 111_195)
    #expect(GeoPoint(latitude: 90, longitude: 10).metres(to: GeoPoint(latitude: 90, longitude: -170)) == 0)
    #expect(GeoPoint(latitude: 5, longitude: 180).metres(to: GeoPoint(latitude: 5, longitude: -180)) == 0)
  }

  @Test(arguments: [Double.nan, .infinity]) func `what is no number is as far as can be`(value: Double) {
    #expect(origin.metres(to: GeoPoint(latitude: value, longitude: 0)) == .max)
    #expect(origin.metres(to: GeoPoint(latitude: 0, longitude: value)) == .max)
  }
}

@Suite("tables of positions")
struct CoordinateTableTests {
  @Test func `up to seven decimals take 8 bytes, more take 16, and both come back exactly`() {
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

  @Test func `distances from one place are those between two points, metre for metre`() {
    var random = SeededGenerator(seed: 44)
    let places = [90, 89.9999, 60, 0.00001, 0, -45, -90].flatMap { latitude in
      [-180, 179.9999, 0, 24.7536].map { GeoPoint(latitude: latitude, longitude: $0) }
    }
    for place in places {
      let distances = Distances(from: place)
      for reach in [1e-6, 0.001, 0.1, 5, 12, 60, 200, 400] {
        for _ in 0..<500 {
          let other = GeoPoint(
            latitude: min(max(place.latitude + .random(in: -reach...reach, using: &random), -90), 90),
            longitude: place.longitude + .random(in: -reach...reach, using: &random))
          #expect(distances.metres(to: other) == place.metres(to: other), "\(place) \(other)")
        }
      }
    }
  }

  @Test func `a distance of a whole number and a half of metres is rounded by the exact functions`() {
    let (degree, place) = (6_371_008.8 * .pi / 180, GeoPoint(latitude: -20, longitude: 30))
    let distances = Distances(from: place)
    for metres in stride(from: 0.5, to: 600_000, by: 977) {
      for nudge in [-1e-3, -1e-5, -1e-9, 0, 1e-9, 1e-5, 1e-3] {
        let other = GeoPoint(latitude: place.latitude + (metres + nudge) / degree, longitude: place.longitude)
        #expect(distances.metres(to: other) == place.metres(to: other), "\(metres) \(nudge)")
      }
    }
  }

  @Test func `a coordinate that is no number, or beyond a pole, is as far away as between two points`() {
    let place = GeoPoint(latitude: 89.9, longitude: 10)
    let distances = Distances(from: place)
    for (latitude, longitude) in [(Double.nan, 10.0), (89.9, .nan), (.infinity, 10), (91, 12), (93, 10), (-200, 10)] {
      let other = GeoPoint(latitude: latitude, longitude: longitude)
      #expect(distances.metres(to: other) == place.metres(to: other), "\(latitude), \(longitude)")
    }
    let nowhere = GeoPoint(latitude: .nan, longitude: 0)
    #expect(Distances(from: nowhere).metres(to: place) == .max)
  }
}
