import Cities
import Geodesy
import TestSupport
import Testing
import Text

@Suite("the real city list", .enabled(if: RealCities.path != nil, "no shared/data/cities.json.gz beside the checkout"))
struct RealCityTests {
  /// Built once: folding and sorting 209,557 cities takes seconds without optimisation.
  private static let real = Result { try RealIndex() }

  @Test(
    arguments: [
      ("", 209_557), ("A", 11_207), ("s", 24_435), ("Al", 3_019), ("Alb", 327),
    ])
  func `counts by prefix are those of the specification`(prefix: String, expected: Int) throws {
    let index = try Self.real.get().built.index
    #expect(index.search(CaseFolder().folded(prefix, .plain)).total == expected)
  }

  @Test(
    arguments: [
      "washington,", "washington, ", "washington, d", "washington, us", "a,", ",", "tallinn, ee", "villa, ", "saint-d",
    ])
  func `a prefix with a comma finds names up to it and names that go on, as a scan does`(prefix: String) throws {
    let real = try Self.real.get()
    let query = CaseFolder().folded(prefix, .plain)
    let expected = real.titles.indices.filter { real.titles[$0].starts(with: query) }
    let matches = real.built.index.search(query)
    #expect(matches.total == expected.count)
    #expect(Set(real.built.index.ids(matches)) == Set(expected.map { real.cities[$0].id }))
  }

  @Test
  func `all 48 prefixes that end one name and begin others cross two ranges, and their total is the scan's`() throws {
    let real = try Self.real.get()
    let names = Set(real.titles.map { Array($0.dropLast(4)) })
    let crossing = Set(
      names.flatMap { name in
        name.indices.filter { name[$0] == UInt8(ascii: ",") && names.contains(Array(name[..<$0])) }
          .map { Array(name[...$0]) }
      })
    #expect(crossing.count == 48)
    for query in crossing {
      let matches = real.built.index.search(query)
      #expect(
        matches.total == real.titles.count { $0.starts(with: query) }, "\(String(decoding: query, as: UTF8.self))")
      #expect(real.built.index.slices(matches) >= 2)
    }
  }

  @Test func `the empty prefix gives all rows in key order, in one slice`() throws {
    let real = try Self.real.get()
    let matches = real.built.index.search([])
    #expect(real.built.index.slices(matches) == 1)
    #expect(matches.common.isEmpty)
    #expect(Set(real.built.index.ids(matches)).count == 209_557)
  }

  @Test(
    arguments: [
      ("wisznia mala", "Wisznia Mała"), ("dostrup", "Døstrup"), ("karacali", "Karaçalı"), ("midgardar", "Miðgarðar"),
      ("noeux-les-mines", "Nœux-les-Mines"), ("kelbecer", "Kəlbəcər Rayonu"), ("hal-bajjada", "Ħal-Bajjada"),
      ("dovol'noye", "Dovol’noye"), ("zurich", "Zürich"),
    ])
  func `base letters find what diacritics hide`(query: String, name: String) throws {
    let real = try Self.real.get()
    let matches = real.built.index.search(Array(query.utf8), .folded)
    let found = Set(real.built.index.ids(matches))
    #expect(real.cities.contains { $0.name == name && found.contains($0.id) })
    #expect(real.built.index.search(Array(query.utf8)).total < matches.total)
  }

  @Test func `countries divide the whole: their counts add up, in both foldings`() throws {
    let real = try Self.real.get()
    let codes = Set(real.cities.map { $0.country.lowercased() })
    #expect(codes.count == 246)
    for mode in CityMatchMode.allCases {
      for query in ["", "san", "al"].map({ Array($0.utf8) }) {
        let parts = codes.map { real.built.index.search(query, mode, country: $0).total }
        #expect(parts.reduce(0, +) == real.built.index.search(query, mode).total)
      }
    }
  }

  @Test func `every id leads to its row, and an absent one nowhere`() throws {
    let real = try Self.real.get()
    for city in real.cities.enumerated().filter({ $0.offset % 50 == 0 }).map(\.element) {
      let rank = try #require(real.built.index.rank(id: city.id))
      #expect(Array(real.built.index.row(at: rank)) == Array("\(city.id) ".utf8))
      #expect(real.built.index.point(at: rank) == GeoPoint(latitude: city.latitude, longitude: city.longitude))
    }
    for id: UInt64 in [0, 1, .max, 102_908_598] { #expect(real.built.index.rank(id: id) == nil) }
  }

  @Test func `the ten nearest are found by looking at a few hundred of them, and are those of a scan`() throws {
    let real = try Self.real.get()
    var random = SeededGenerator(seed: 11)
    var neighbours = Neighbours()
    var visited: [Int] = []
    for round in 0..<200 {
      let place = GeoPoint(
        latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
      real.built.index.near(place, limit: 10, into: &neighbours)
      visited.append(neighbours.visited)
      guard round < 8 else { continue }
      let scan = real.cities.map { place.metres(to: GeoPoint(latitude: $0.latitude, longitude: $0.longitude)) }.sorted()
      #expect((0..<neighbours.count).map { neighbours[$0].metres } == Array(scan.prefix(10)))
    }
    #expect(visited.sorted()[100] < 20, "median of leaves looked into")
    #expect(visited.max() ?? 0 < 100)
  }

  @Test func `the sections stay small`() throws {
    let bytes = try Self.real.get().bytes
    let rows = bytes[.rows] ?? 0
    #expect(Double(bytes.values.reduce(0, +) - rows) / 209_557 < 180, "bytes a city beside its row")
  }
}

/// The real list with its index.
struct RealIndex: Sendable {
  let cities: [City]
  let titles: [[UInt8]]
  let built: BuiltIndex
  let bytes: [CitySection: Int]

  init() throws {
    cities = RealCities.records.map {
      City(id: $0.id, name: $0.name, country: $0.country, latitude: $0.coord.lat, longitude: $0.coord.lon)
    }
    let folder = CaseFolder()
    titles = cities.map { folder.folded("\($0.name), \($0.country)", .plain) }
    let sections = try BuiltIndex.sections(cities)
    bytes = sections.mapValues(\.count)
    built = try BuiltIndex(sections: sections)
  }
}
