import Cities
import Coroutines
import Geodesy
import TestSupport
import Testing
import Text

@Suite("a city named by its title")
struct CityTitleTests {
  private static let cities = [
    city(10, "Łódź", "PL", 51.75, 19.46), city(11, "Lodz", "PL", 51.75, 19.47), city(12, "Lodz", "US", 40, -90),
    city(20, "Springfield", "US", 39.8, -89.6), city(21, "Springfield", "US", 42.1, -72.6),
    city(30, "Krajan", "ID", -7.001, 110), city(31, "Krajan", "ID", -7, 110), city(29, "Krajan", "ID", -7.002, 110),
    city(40, "Washington", "D.C., US", 1, 1), city(41, "Washington, D.C.", "US", 2, 2),
    city(42, "Washington", "US", 3, 3),
    city(50, "Åre", "SE", 63.4, 13.1),
  ]

  @Test(
    arguments: [
      ("Łódź, PL", [10]), ("łódź", [10]), ("Lodz, PL", [11]), ("lodz", [11, 12]), ("LODZ, us", [12]),
      ("ŁODZ, PL", [11, 10]), ("Łodz", [11, 10, 12]), ("are", [50]), ("are, se", [50]), ("A\u{30A}re", [50]),
      ("springfield", [20, 21]), ("springfield, us", [20, 21]), ("spring", []), ("springfield, u", []), ("", []),
      ("washington", [40, 42]), ("washington, d.c., us", [40, 41]), ("washington, d.c.", [41]), ("washington,", []),
      ("washington, us", [42]), (", us", []), ("łódź, us", [12]), ("springfield\u{1}us", []), ("springfield\u{0}", []),
    ] as [(String, [UInt64])])
  func `the first tier that finds anything decides`(title: String, expected: [UInt64]) throws {
    let built = try BuiltIndex(Self.cities)
    #expect(built.index.ids(namesakes(built.index, title)) == expected)
  }

  @Test(
    arguments: [
      ("paris", [1]), ("PARIS", [1]), ("paris, fr", [2, 4]), ("paris,", []), ("paris, ", []), ("parís", [1]),
      ("lódz", [5]), ("łodz", [5]), ("são", [6]), ("sao", [7, 6]),
    ] as [(String, [UInt64])])
  func `the whole title of a city without a country is its name`(title: String, expected: [UInt64]) throws {
    let built = try BuiltIndex([
      Self.city(1, "Paris", "", 0, 0), Self.city(2, "Paris", "FR", 48.9, 2.3), Self.city(3, "Paris", "US", 33.7, -95.6),
      Self.city(4, "Paris, FR", "", 1, 1), Self.city(5, "Łódź", "", 51.75, 19.46), Self.city(6, "São", "", 2, 2),
      Self.city(7, "Sáo", "", 3, 3), Self.city(8, "Lodz", "US", 40, -90),
    ])
    #expect(built.index.ids(namesakes(built.index, title)) == expected)
  }

  @Test func `candidates within 5 km of each other are one place, the one with the lowest id`() throws {
    let built = try BuiltIndex(Self.cities)
    for (title, id) in [("krajan", 29), ("łódź", 10), ("springfield", nil), ("nowhere", nil)] as [(String, UInt64?)] {
      #expect(try built.index.chosen(namesakes(built.index, title), .onePlace).map(built.index.id(at:)) == id)
    }
  }

  @Test(
    arguments: [2_400, 2_500, 2_600, 4_990, 5_000, 5_010] as [Double])
  func `one place is what a comparison of all pairs says, at every distance around 5 km`(metres: Double) throws {
    var random = SeededGenerator(seed: UInt64(metres))
    for count in 1...12 {
      let cities = (1...UInt64(count)).map { id in
        let away = Double.random(in: 0...metres, using: &random) / 111_195
        return Self.city(id, "A", "EE", id % 2 == 0 ? away : 0, id % 3 == 0 ? away : 0)
      }
      let points = cities.map { GeoPoint(latitude: $0.latitude, longitude: $0.longitude) }
      let isOne = points.allSatisfy { one in points.allSatisfy { one.metres(to: $0) <= 5_000 } }
      let built = try BuiltIndex(cities)
      let found = try built.index.chosen(namesakes(built.index, "a"), .onePlace).map(built.index.id(at:))
      #expect(found == (isOne ? 1 : nil))
    }
  }

  @Test func `thousands of namesakes are one place only if all are clearly near the first`() throws {
    let near = (1...2_000).map { Self.city($0, "A", "EE", Double($0) * 1e-5, 0) }
    let built = try BuiltIndex(near)
    #expect(try built.index.chosen(namesakes(built.index, "a"), .onePlace).map(built.index.id(at:)) == 1)
    let wider = try BuiltIndex(near + [Self.city(3_000, "A", "EE", 0.04, 0)])
    #expect(try wider.index.chosen(namesakes(wider.index, "a"), .onePlace) == nil)
  }

  @Test func `the nearest candidate is chosen, of equally near ones the first by key`() throws {
    let built = try BuiltIndex(Self.cities + [Self.city(22, "Springfield", "AU", 39.8, -89.6)])
    let matches = namesakes(built.index, "springfield")
    let choose = { (latitude: Double, longitude: Double) in
      try built.index.chosen(matches, .nearest(to: GeoPoint(latitude: latitude, longitude: longitude)))
        .map(built.index.id(at:))
    }
    #expect(try choose(42, -72) == 21)
    #expect(try choose(40, -90) == 22)
    #expect(try built.index.chosen(CityMatches(), .nearest(to: GeoPoint(latitude: 0, longitude: 0))) == nil)
  }

  @Test(arguments: [1, 63, 64, 65, 256, 257, 2_000])
  func `a choice counts each city as a step, and looks at it once`(count: Int) throws {
    let built = try BuiltIndex((1...UInt64(count)).map { Self.city($0, "A", "EE", Double($0) * 1e-5, 0) })
    let matches = namesakes(built.index, "a")
    let choice = try Coroutine.inTurns(of: 64) { budget in
      try await built.index.chosen(among: matches, .nearest(to: GeoPoint(latitude: 1, longitude: 0)), budget)
    }
    #expect(choice.turns == 1 + count / 64)
    #expect(choice.output.map(built.index.id(at:)) == UInt64(count))
  }

  @Test func `256 namesakes that are neither near nor far are compared in pairs, in steps`() throws {
    // From the first, all are 2.5 to 5 km away: only the pairs can decide.
    let cities = (2...256).map { Self.city($0, "A", "EE", 0.03 + Double($0) * 1e-5, 0) }
    for (last, chosen) in [(0.0331, 1), (-0.03, nil)] as [(Double, UInt64?)] {
      let ends = [Self.city(1, "A", "EE", 0, 0), Self.city(256, "A", "EE", last, 0)]
      let built = try BuiltIndex(ends + cities.dropLast())
      let matches = namesakes(built.index, "a")
      let choice = try Coroutine.inTurns(of: 64) { budget in
        try await built.index.chosen(among: matches, .onePlace, budget)
      }
      #expect(choice.output.map(built.index.id(at:)) == chosen)
      #expect(choice.turns >= (chosen == nil ? 5 : 256 * 255 / 2 / 64))
    }
  }

  private func namesakes(_ index: CityIndex, _ title: String) -> CityMatches {
    var matches = CityMatches()
    let folder = CaseFolder()
    folder.folded(title, .plain).withUnsafeBytes { plain in
      folder.folded(title, .baseLetters).withUnsafeBytes { index.cities(titled: plain, base: $0, into: &matches) }
    }
    return matches
  }

  private static func city(_ id: UInt64, _ name: String, _ country: String, _ latitude: Double, _ longitude: Double)
    -> City
  {
    City(id: id, name: name, country: country, latitude: latitude, longitude: longitude)
  }
}
