import CitiesProtocol
import Testing

@testable import CitiesMap

@Suite struct GreatCircleTests {
  private static let quarter = 6_371_008.8 * Double.pi / 2

  @Test(
    arguments: [
      (Position(lat: 0, lon: 90), 1, 90, "east"), (Position(lat: 90, lon: 0), 1, 0, "north"),
      (Position(lat: -90, lon: 0), 1, 180, "south"), (Position(lat: 0, lon: -1), 1 / 90, 270, "west"),
      (Position(lat: 0, lon: 0), 0, 0, "north"), (Position(lat: 0.1, lon: 0.1), 0.001_571_3, 45, "north-east"),
    ] as [(Position, Double, Double, String)])
  func `a way from the origin has its length and its direction`(
    _ place: Position, _ quarters: Double, _ bearing: Double, _ direction: String
  ) {
    let way = GreatCircle(from: Position(lat: 0, lon: 0), to: place)
    #expect(abs(way.metres - quarters * Self.quarter) < 50)
    #expect(abs(way.bearing - bearing) < 0.1)
    #expect(way.direction == direction)
  }

  @Test func `the way over the date line is the short one, and that to the other side of the globe is half of it`() {
    let fiji = Position(lat: 0, lon: 179)
    #expect(abs(GreatCircle(from: fiji, to: Position(lat: 0, lon: -179)).metres - Self.quarter / 45) < 1)
    #expect(abs(GreatCircle(from: fiji, to: Position(lat: 0, lon: -1)).metres - 2 * Self.quarter) < 1)
  }

  @Test(arguments: [(90.0, 0.0, 90.0, 50.0), (-90, 10, -90, -170), (1, 180, 1, -180), (59.4, 24.7, 59.4, 24.7)])
  func `the way to the same place has no direction`(lat: Double, lon: Double, otherLat: Double, otherLon: Double) {
    let way = GreatCircle(from: Position(lat: lat, lon: lon), to: Position(lat: otherLat, lon: otherLon))
    #expect(way.metres < 0.01 && way.bearing == 0 && way.direction == "north")
  }

  @Test func `a bearing is less than 360`() {
    for east in [-1e-18, -1e-15, -1e-9, -0.005, 0, 1e-15] {
      let way = GreatCircle(from: Position(lat: 0, lon: 0), to: Position(lat: 10, lon: east))
      #expect((0..<360).contains(way.bearing))
    }
  }

  @Test func `directions are the nearest of eight, and no number has one as well`() {
    let start = Position(lat: 50, lon: 10)
    #expect(GreatCircle(from: start, to: Position(lat: 51, lon: 9.9)).direction == "north")
    #expect(GreatCircle(from: start, to: Position(lat: 49, lon: 8)).direction == "south-west")
    #expect(GreatCircle(from: start, to: Position(lat: .nan, lon: 8)).direction == "north")
  }
}
