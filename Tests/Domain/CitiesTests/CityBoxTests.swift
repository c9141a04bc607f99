import Cities
import Geodesy
import TestSupport
import Testing

@Suite("city.within against a plain scan")
struct CityBoxTests {
  private static let boxes = [
    GeoBox(south: -90, west: -180, north: 90, east: 180), GeoBox(south: 0, west: 0, north: 0, east: 0),
    GeoBox(south: -90, west: 180, north: 90, east: 180), GeoBox(south: -90, west: -180, north: 90, east: -180),
    GeoBox(south: -90, west: 180, north: 90, east: -180), GeoBox(south: -90, west: 170, north: 90, east: 180),
    GeoBox(south: -90, west: -180, north: 90, east: -60), GeoBox(south: 90, west: 1, north: 90, east: 0),
    GeoBox(south: -10, west: -180, north: 1, east: 180), GeoBox(south: 30, west: 20, north: 60, east: -20),
  ]

  @Test(arguments: 0...70)
  func `every size from 0 to 70 equals the scan, with boxes over the date line and of no extent`(size: Int) throws {
    let cities = MadeUpCities.make(size, seed: UInt64(size))
    let scan = PlainScan(cities)
    let built = try BuiltIndex(cities)
    var random = SeededGenerator(seed: UInt64(size))
    for box in Self.boxes + (0..<20).map({ _ in Self.box(&random) }) {
      for (limit, minimum) in [(1, 0), (5, 0), (1000, 0), (1000, 1), (3, 2), (1000, 9)] as [(Int, UInt64)] {
        let found = built.index.ranks(in: box, limit: limit, minimum: minimum).map { built.index.id(at: $0) }
        #expect(found == scan.inside(box, limit: limit, minimum: minimum), "\(box)")
      }
    }
  }

  @Test func `boxes that are none find nothing`() throws {
    let index = try BuiltIndex(MadeUpCities.make(30, seed: 2)).index
    for box in [
      GeoBox(south: 1, west: 0, north: 0, east: 1), GeoBox(south: .nan, west: 0, north: 0, east: 1),
      GeoBox(south: 0, west: .nan, north: 0, east: 1), GeoBox(south: 0, west: 0, north: 1, east: .infinity),
      GeoBox(south: -91, west: 0, north: 1, east: 1),
    ] {
      #expect(index.ranks(in: box, limit: 10).isEmpty)
    }
    #expect(index.ranks(in: Self.boxes[0], limit: 0).isEmpty && index.ranks(in: Self.boxes[0], limit: -1).isEmpty)
  }

  @Test(arguments: [1, 3, 50])
  func `the search has the same result in pieces of any length, and looks at few nodes`(steps: Int) throws {
    let index = try BuiltIndex(MadeUpCities.make(3_000, seed: 4)).index
    for box in Self.boxes {
      var search = CityBoxSearch()
      search.begin(box, limit: 20, minimum: 0, index)
      while !search.advance(steps: steps, index) {}
      #expect(search.ranks == index.ranks(in: box, limit: 20))
      #expect(search.visited < 1_000)
    }
  }

  private static func box(_ random: inout SeededGenerator) -> GeoBox {
    let latitudes = [Double.random(in: -90...90, using: &random), .random(in: -90...90, using: &random)].sorted()
    func longitude() -> Double { Double(Int.random(in: -180...180, using: &random)) }
    return GeoBox(south: latitudes[0], west: longitude(), north: latitudes[1], east: longitude())
  }
}
