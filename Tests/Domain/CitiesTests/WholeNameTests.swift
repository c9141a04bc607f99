import Base
import Coroutines
import Geodesy
import TestSupport
import Testing
import Text

@testable import Cities

@Suite("the cities that a text names in whole")
struct WholeNameTests {
  @Test(arguments: [1, 12, 300])
  func `one word finds all cities with that name, in steps of any length, by inhabitants`(size: Int) throws {
    let cities = PlainScan(MadeUpPlaces.make(size, seed: UInt64(20 + size))).entries.map(\.city)
    let built = try BuiltIndex(sections: BuiltIndex.sections(cities, MadeUpPlaces.areas))
    let folder = CaseFolder()
    let keys = cities.map { city in Set(([city.name] + city.alternates).map { folder.folded($0, .words) }) }
    let origin = GeoPoint(latitude: 1, longitude: 2)
    for key in Set(keys.joined()) where !key.isEmpty && !key.contains(UInt8(ascii: " ")) {
      let expected = cities.indices.filter { keys[$0].contains(key) }
      let ordered = expected.sorted { one, other in
        (cities[other].population ?? 0, one) < (cities[one].population ?? 0, other)
      }
      for steps in [1, .max] {
        let search = found(key, near: origin, steps, built.index)
        #expect(search.total == expected.count)
        let populations = search.candidates.map { cities[$0.rank].population ?? 0 }
        #expect(populations == ordered.prefix(WholeNameSearch.maximumCandidates).map { cities[$0].population ?? 0 })
        #expect(search.candidates.allSatisfy { expected.contains($0.rank) })
        let distances = expected.map { origin.metres(to: built.index.point(at: $0)) }
        #expect(search.nearest.map { origin.metres(to: built.index.point(at: $0.rank)) } == distances.min())
      }
    }
  }

  @Test func `a city that is found in two ways counts once, and areas narrow`() throws {
    var odd = City(id: 1, name: "Bo Texas", country: "US", latitude: 0, longitude: 0, population: 5)
    (odd.regionCode, odd.alternates) = ("TX", ["Bo"])
    let other = City(id: 2, name: "Bo", country: "LV", latitude: 0, longitude: 0, population: 7)
    let built = try BuiltIndex(sections: BuiltIndex.sections([odd, other], MadeUpPlaces.areas))
    func ids(_ text: String) -> [UInt64] {
      let search = found(CaseFolder().folded(text, .words), 1, built.index)
      #expect(search.total == search.candidates.count)
      return search.candidates.map { built.index.id(at: $0.rank) }
    }
    #expect(ids("bo") == [2, 1] && ids("bo texas") == [1] && ids("Bo, TX, USA") == [1])
    #expect(ids("bo estonia") == [] && ids("b") == [] && ids("bo tex") == [] && ids("") == [])
  }

  @Test
  func `the choice falls on the only one, on ten times the inhabitants, and on a title that nothing outweighs`() throws
  {
    let inhabitants: [(String, UInt64?, [String])] = [
      ("Alone", nil, []), ("Big", 1_000, []), ("Big", 100, []), ("Close", 1_000, []), ("Close", 101, []),
      ("Unknown", nil, []), ("Unknown", nil, []), ("Known", 3, []), ("Known", nil, []),
      ("Village", 9, []), ("City", 90, ["Village"]), ("Town", 9, []), ("Burg", 89, ["Town"]),
    ]
    let cities = inhabitants.enumerated().map { number, entry in
      var city = City(
        id: UInt64(number + 1), name: entry.0, country: "US", latitude: 0, longitude: Double(number),
        population: entry.1)
      city.alternates = entry.2
      return city
    }
    let built = try BuiltIndex(sections: BuiltIndex.sections(cities, MadeUpPlaces.areas))
    func chosen(_ name: String, title: UInt64? = nil) -> UInt64? {
      let search = found(CaseFolder().folded(name, .words), 1, built.index)
      let rank = title.flatMap { id in (0..<cities.count).first { built.index.id(at: $0) == id } }
      switch search.choice(title: rank, built.index) {
      case .title(let rank): return built.index.id(at: rank)
      case .city(let hit): return built.index.id(at: hit.rank)
      case .several: return 0
      case .country: return 99
      case .nothing: return nil
      }
    }
    #expect(chosen("alone") == 1 && chosen("big") == 2 && chosen("close") == 0)
    #expect(chosen("unknown") == 0 && chosen("known") == 0 && chosen("nobody") == nil)
    #expect(chosen("village", title: 10) == 11 && chosen("town", title: 12) == 12)
    #expect(chosen("unknown", title: 6) == 6 && chosen("!", title: 1) == 1)
  }

  @Test func `a name in use outweighs the title of a smaller city, and other names do not`() throws {
    let places: [(String, UInt64, [String: Int])] = [
      ("Bruges", 20, [:]), ("Brugge", 100, ["Bruges": 7]), ("Gent", 150, ["Bruges": 0]),
      ("Hull", 20, [:]), ("Kingston", 100, ["Hull": 2]), ("Big", 1_000, ["Hull": 0]),
      ("Large", 30, [:]), ("Small", 20, ["Large": 13]),
    ]
    let cities = places.enumerated().map { number, place in
      var city = City(
        id: UInt64(number + 1), name: place.0, country: "US", latitude: 0, longitude: Double(number),
        population: place.1)
      (city.alternates, city.languages) = (Array(place.2.keys), place.2)
      return city
    }
    let built = try BuiltIndex(sections: BuiltIndex.sections(cities, MadeUpPlaces.areas))
    for (name, title, meant) in [("bruges", 1, 2), ("hull", 4, 6), ("large", 7, 7)] {
      let rank = cities.indices.first { built.index.id(at: $0) == UInt64(title) }
      switch found(CaseFolder().folded(name, .words), 1, built.index).choice(title: rank, built.index) {
      case .title(let rank): #expect(built.index.id(at: rank) == UInt64(meant))
      case .city(let hit): #expect(built.index.id(at: hit.rank) == UInt64(meant))
      default: Issue.record("\(name) is ambiguous")
      }
    }
  }

  @Test
  func `a country's name means the country, unless it is that of a large city there, or of a larger one elsewhere`()
    throws
  {
    let places: [(String, String, UInt64?, [String])] = [
      ("Iceland", "US", 300, []), ("Reykjavik", "IS", 140_000, []), ("Akureyri", "IS", 18_000, []),
      ("Singapore", "SG", 5_000_000, []), ("Serravalle", "SM", 9_000, []), ("San Marino", "SM", 4_500, []),
      ("San Marino", "US", 13_000, []), ("Hamlet", "IS", 100, ["IJsland"]), ("Lomonosov", "US", 90_000, ["Grenada"]),
      ("Granada", "ES", 230_000, []), ("Saint George", "GD", 7_500, []), ("Armenia", "CO", 300_000, []),
      ("Yerevan", "AM", 1_000_000, []), ("Is", "RU", 5_000, []), ("Shanghai", "CN", 24_000_000, ["AM", "Shang"]),
      ("Saint George", "NI", 20_000, ["Granada"]), ("Salvador", "BR", 2_000_000, []),
      ("San Salvador", "SV", 500_000, ["Salvador"]), ("Ahmadi", "KW", 600_000, []),
      ("Kuwait City", "KW", 60_000, ["Kuwait"]),
    ]
    let cities = places.enumerated().map { number, place in
      var city = City(
        id: UInt64(number + 1), name: place.0, country: place.1, latitude: 0, longitude: Double(number),
        population: place.2)
      city.alternates = place.3
      return city
    }
    let areas = AreaNames(countries: [
      "IS": ["Iceland", "IJsland"], "SG": ["Singapore"], "SM": ["San Marino"], "GD": ["Grenada", "Granada"],
      "AM": ["Armenia"], "US": ["America", "Is"], "SV": ["Salvador"], "KW": ["Kuwait"],
    ])
    let built = try BuiltIndex(sections: BuiltIndex.sections(cities, areas))
    func chosen(_ name: String) -> String {
      let search = found(CaseFolder().folded(name, .words), 1, built.index)
      switch search.choice(title: nil, built.index) {
      case .title: return "title"
      case .city(let hit): return "\(built.index.id(at: hit.rank))"
      case .country(let country):
        let ids = country.largest.map { built.index.id(at: $0) }
        return "\(country.total): \(ids)"
      case .several: return "several"
      case .nothing: return "nothing"
      }
    }
    // A village elsewhere, a code, and a hamlet of the country itself are not meant; neither is a city below 100,000.
    for name in ["iceland", "is", "ijsland"] { #expect(chosen(name) == "3: [2, 3, 8]", "\(name)") }
    #expect(chosen("grenada") == "1: [11]" && chosen("armenia") == "1: [13]" && chosen("america") == "3: [9, 7, 1]")
    #expect(chosen("singapore") == "4" && chosen("san marino") == "6" && chosen("granada") == "10")
    #expect(chosen("am") == "1: [13]" && chosen("shang") == "15")
    #expect(chosen("salvador") == "several" && chosen("kuwait") == "20")
    #expect(chosen("iceland us") == "1" && chosen("is russia") == "nothing" && chosen("is ru") == "14")
  }

  private func found(
    _ key: [UInt8], near origin: GeoPoint? = nil, _ steps: Int, _ index: CityIndex
  ) -> WholeNameSearch {
    let search = key.withUnsafeBytes { WholeNameSearch($0, near: origin, index) }
    do {
      return try Coroutine.inTurns(of: steps) { budget in
        var search = search
        try await search.run(index, budget)
        return search
      }.output
    } catch {
      Issue.record(error)
      return search
    }
  }
}
