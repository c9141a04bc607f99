import Cities
import Geodesy
import TestSupport
import Testing

@Suite("city.near against a plain scan")
struct CityNearTests {
  private static let places = [
    GeoPoint(latitude: 90, longitude: 0), GeoPoint(latitude: -90, longitude: 77), GeoPoint(latitude: 0, longitude: 180),
    GeoPoint(latitude: 0, longitude: -180), GeoPoint(latitude: 0, longitude: 0),
    GeoPoint(latitude: 59.4, longitude: 24.7),
    GeoPoint(latitude: -0.00001, longitude: 179.99999), GeoPoint(latitude: 89.9999, longitude: -90),
  ]

  @Test(arguments: 0...40)
  func `every size from 0 to 40 equals the scan at the poles, the date line and seeded places`(size: Int) throws {
    let cities = MadeUpCities.make(size, seed: UInt64(size))
    let scan = PlainScan(cities)
    let built = try BuiltIndex(cities)
    var random = SeededGenerator(seed: UInt64(size))
    for place in Self.places + (0..<8).map({ _ in somewhere(&random) }) {
      for limit in [1, 2, 10, size, 1000] {
        for radius in [.infinity, 0, 1, 100_000, 19_000_000, 20_015_115] {
          #expect(near(built.index, place, limit, radius) == scan.near(place, limit: limit, radius: radius))
          let all = scan.near(place, limit: .max, radius: radius)
          for least in [1, 20_000] as [UInt64] {
            let large = all.filter { scan.entries[Int($0[1])].city.population ?? 0 >= least }.prefix(limit)
            #expect(near(built.index, place, limit, radius, .populated(least: least)) == Array(large))
          }
        }
      }
    }
  }

  @Test(arguments: 0...40) func `by the rule of places every size from 0 to 40 equals the scan`(size: Int) throws {
    var cities = MadeUpCities.make(size, seed: UInt64(size))
    for number in cities.indices {
      if number % 5 == 0 { cities[number].population = UInt64(number) * 40_000 }
      // Half of them are within 100 km of a place.
      if number % 2 == 0 { (cities[number].latitude, cities[number].longitude) = (Double(number) / 100, 0.3) }
      cities[number].country = ["EE", "FI", ""][number % 3]
    }
    let scan = PlainScan(cities)
    let built = try BuiltIndex(cities)
    for place in Self.places {
      for (country, letters) in [("", 0), ("EE", 0x4545), ("FI", 0x4649), ("SE", 0x5345)] as [(String, UInt16)] {
        for limit in [1, 10, 1000] {
          for radius in [.infinity, 100_000, 19_000_000] {
            // A country without a city prefers none.
            let scanned = scan.places(
              place, in: scan.entries.contains { $0.city.country == country } ? country : "", limit: limit,
              radius: radius)
            #expect(near(built.index, place, limit, radius, .place(country: letters)) == scanned)
          }
        }
      }
    }
  }

  @Test func `the city is named before its district, and a village before a city far away`() throws {
    let built = try BuiltIndex([
      City(id: 1, name: "Tallinn", country: "EE", latitude: 59.437, longitude: 24.7535, population: 440_950),
      City(id: 2, name: "Kesklinn", country: "EE", latitude: 59.434, longitude: 24.769, population: 63_406),
      City(id: 3, name: "Aegviidu", country: "EE", latitude: 59.288, longitude: 25.611, population: 700),
    ])
    let (square, village) = (GeoPoint(latitude: 59.435, longitude: 24.763), GeoPoint(latitude: 59.29, longitude: 25.6))
    func id(_ place: GeoPoint, _ rule: NearRule) -> UInt64? {
      near(built.index, place, 1, .infinity, rule).first.map { built.index.id(at: Int($0[1])) }
    }
    #expect(id(square, .nearest) == 2 && id(square, .place(country: 0)) == 1)
    #expect(id(village, .nearest) == 3 && id(village, .place(country: 0)) == 3)
  }

  @Test
  func `a city at its own centre is itself beside a metropolis, and a place between them is the metropolis`() throws {
    let built = try BuiltIndex([
      City(id: 1, name: "Phoenix", country: "US", latitude: 33.44838, longitude: -112.07404, population: 1_650_070),
      City(id: 2, name: "Scottsdale", country: "US", latitude: 33.50921, longitude: -111.89903, population: 236_839),
      City(id: 3, name: "Suburb", country: "FR", latitude: 48.92426, longitude: 2.21305, population: 150_000),
      City(id: 4, name: "Paris", country: "FR", latitude: 48.85341, longitude: 2.3488, population: 2_138_551),
    ])
    func id(_ latitude: Double, _ longitude: Double) -> UInt64? {
      near(
        built.index, GeoPoint(latitude: latitude, longitude: longitude), 1, .infinity, .place(country: 0)
      ).first.map { built.index.id(at: Int($0[1])) }
    }
    #expect(id(33.4942, -111.9261) == 2 && id(33.46, -112.03) == 1)
    #expect(id(48.924, 2.213) == 3 && id(48.91, 2.24) == 4)
  }

  @Test
  func `a village of the country is named before a city across the border, and the nearest from 100 km on`() throws {
    let built = try BuiltIndex([
      City(id: 1, name: "Narva", country: "EE", latitude: 59.377, longitude: 28.19, population: 53_955),
      City(id: 2, name: "Ivangorod", country: "RU", latitude: 59.376, longitude: 28.223, population: 10_491),
      City(id: 3, name: "Saint Petersburg", country: "RU", latitude: 59.939, longitude: 30.316, population: 5_351_935),
      City(id: 4, name: "Helsinki", country: "FI", latitude: 60.17, longitude: 24.935, population: 658_864),
    ])
    func ids(_ place: GeoPoint, _ country: UInt16) -> [UInt64] {
      near(built.index, place, 4, .infinity, .place(country: country)).map { built.index.id(at: Int($0[1])) }
    }
    let bank = GeoPoint(latitude: 59.376, longitude: 28.215)
    #expect(ids(bank, 0x5255) == [2, 1, 3, 4] && ids(bank, 0x4545) == [1, 2, 3, 4] && ids(bank, 0) == [1, 2, 3, 4])
    #expect(ids(GeoPoint(latitude: 58, longitude: 28), 0x4649).prefix(2) == [1, 2])
  }

  @Test(
    arguments: [NearRule.nearest, .place(country: 0), .place(country: 0x4545)])
  func `a finished search that continues has the same rows`(rule: NearRule) throws {
    let built = try BuiltIndex(MadeUpCities.make(40, seed: 4))
    let place = GeoPoint(latitude: 59.4, longitude: 24.7)
    let expected = near(built.index, place, 5, .infinity, rule)
    let search = built.index.nearSearch(place, rule)
    var neighbours = Neighbours()
    search.begin(limit: 5, radius: .infinity, into: &neighbours)
    while !search.advance(leaves: 1, into: &neighbours) {}
    for _ in 0..<3 { #expect(search.advance(leaves: 1, into: &neighbours)) }
    #expect(rows(neighbours) == expected && expected.count == 5)
    search.begin(limit: 3, radius: .infinity, into: &neighbours)
    #expect(search.advance(leaves: .max, into: &neighbours))
    #expect(rows(neighbours) == Array(expected.prefix(3)), "a search that starts again")
  }

  @Test func `a limit of 0, a negative limit, a negative radius and no number find nothing`() throws {
    let built = try BuiltIndex(MadeUpCities.make(20, seed: 1))
    let place = Self.places[0]
    #expect(near(built.index, place, 0, .infinity).isEmpty && near(built.index, place, -1, .infinity).isEmpty)
    #expect(near(built.index, place, 5, -1).isEmpty && near(built.index, place, 5, .nan).isEmpty)
    #expect(near(built.index, GeoPoint(latitude: .nan, longitude: .infinity), 5, 1000).isEmpty)
  }

  @Test func `known great circles are whole metres on the mean sphere`() {
    let origin = GeoPoint(latitude: 0, longitude: 0)
    #expect(origin.metres(to: origin) == 0)
    #expect(origin.metres(to: GeoPoint(latitude: 0, longitude: 180)) == 20_015_114)
    #expect(origin.metres(to: GeoPoint(latitude: 90, longitude: 12)) == 10_007_557)
    #expect(origin.metres(to: GeoPoint(latitude: 0, longitude: 1)) == 111_195)
    let (west, east) = (GeoPoint(latitude: 0, longitude: -179.5), GeoPoint(latitude: 0, longitude: 179.5))
    #expect(west.metres(to: east) == 111_195, "across the date line")
  }

  private func near(
    _ index: CityIndex, _ place: GeoPoint, _ limit: Int, _ radius: Double, _ rule: NearRule = .nearest
  ) -> [[UInt64]] {
    var neighbours = Neighbours()
    index.near(place, rule: rule, limit: limit, radius: radius, into: &neighbours)
    return rows(neighbours)
  }

  private func rows(_ neighbours: Neighbours) -> [[UInt64]] {
    (0..<neighbours.count).map { [UInt64(neighbours[$0].metres), UInt64(neighbours[$0].item)] }
  }

  private func somewhere(_ random: inout SeededGenerator) -> GeoPoint {
    GeoPoint(latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
  }
}
