import Cities
import Geodesy
import TestSupport
import Testing

@Suite("building an index")
struct CityIndexBuilderTests {
  @Test("the same cities give the same bytes in every order", arguments: [0, 1, 2, 17, 40, 300])
  func deterministic(size: Int) throws {
    let unique = Dictionary(MadeUpCities.make(size, seed: 9).map { ($0.id, $0) }) { _, last in last }.values
    var cities = unique.sorted { $0.id < $1.id }
    let expected = try BuiltIndex.sections(cities)
    var random = SeededGenerator(seed: 4)
    for _ in 0..<3 {
      cities.shuffle(using: &random)
      #expect(try BuiltIndex.sections(cities) == expected)
    }
  }

  @Test("the same id twice is one city, the last, and is reported")
  func sameID() throws {
    var builder = CityIndexBuilder()
    #expect(try builder.add(city(name: "Old")) == false)
    #expect(try builder.add(city(name: "New")) == true)
    #expect(builder.count == 1)
    let built = try BuiltIndex(sections: builder.build { Array($0.name.utf8) })
    #expect(Array(built.index.row(at: 0)) == Array("New".utf8))
    #expect(built.index.search(Array("old".utf8)).total == 0)
  }

  @Test("rows stand in key order, ids, positions and populations beside them")
  func columns() throws {
    let cities = MadeUpCities.make(40, seed: 2)
    let scan = PlainScan(cities)
    let built = try BuiltIndex(cities)
    #expect(built.index.count == scan.entries.count)
    for (rank, entry) in scan.entries.enumerated() {
      #expect(Array(built.index.row(at: rank)) == Array("\(entry.city.id) ".utf8))
      #expect(built.index.id(at: rank) == entry.city.id)
      #expect(built.index.rank(id: entry.city.id) == rank)
      #expect(built.index.point(at: rank) == entry.point)
      #expect(built.index.population(at: rank) == entry.city.population)
    }
    for rank in [-1, Int.min, 40, Int.max] {
      #expect(built.index.row(at: rank).isEmpty && built.index.id(at: rank) == 0)
    }
  }

  @Test("coordinates come back exactly, with seven decimals and with more", arguments: [1e-7, 1.0 / 3, 0.1, 180])
  func coordinates(value: Double) throws {
    let latitude = min(value, 90)
    let built = try BuiltIndex([
      City(id: 1, name: "a", country: "X", latitude: latitude, longitude: -value),
      City(id: 2, name: "b", country: "X", latitude: -latitude, longitude: value),
    ])
    #expect(built.index.point(at: 0) == GeoPoint(latitude: latitude, longitude: -value))
    #expect(built.index.point(at: 1) == GeoPoint(latitude: -latitude, longitude: value))
  }

  @Test("what a row's maker throws goes through")
  func rowThrows() {
    #expect(throws: CityProblem.emptyName) {
      var builder = CityIndexBuilder()
      _ = try builder.add(city(name: "a"))
      _ = try builder.build { _ in throw CityProblem.emptyName }
    }
  }

  @Test(
    "what cannot be in the index is refused with its reason and changes nothing",
    arguments: [
      (city(id: 0), .zeroID, "the id is 0; ids begin at 1"),
      (city(name: ""), .emptyName, "the name is empty"),
      (
        city(name: String(repeating: "é", count: 257)), .tooLong(.name, bytes: 514),
        "the name has 514 bytes, at most 512 are kept"
      ),
      (
        city(country: String(repeating: "x", count: 65)), .tooLong(.country, bytes: 65),
        "the country has 65 bytes, at most 64 are kept"
      ),
      (city(name: "a\u{0}b"), .controlCharacter(.name), "the name contains U+0000 or U+0001"),
      (city(country: ""), .emptyCountry, "the country is empty"),
      (city(country: "\u{1}"), .controlCharacter(.country), "the country contains a control character"),
      (city(country: "A\tB"), .controlCharacter(.country), "the country contains a control character"),
      (city(country: "\u{7F}"), .controlCharacter(.country), "the country contains a control character"),
      (city(latitude: 90.000001), .latitudeOutOfRange(90.000001), "latitude 90.000001 is not between -90 and 90"),
      (city(latitude: -.infinity), .latitudeOutOfRange(-.infinity), "latitude -inf is not between -90 and 90"),
      (city(longitude: -181), .longitudeOutOfRange(-181), "longitude -181.0 is not between -180 and 180"),
      (
        city(population: 4_000_000_001), .populationOutOfRange(4_000_000_001),
        "population 4000000001 is above 4000000000"
      ),
    ] as [(City, CityProblem, String)])
  func refused(city: City, problem: CityProblem, text: String) {
    var builder = CityIndexBuilder()
    #expect(throws: problem) { try builder.add(city) }
    #expect(builder.count == 0)
    #expect(problem.description == text)
  }

  @Test("no number is refused, though it equals nothing")
  func notANumber() {
    #expect(CityRule.problem(with: city(latitude: .nan)) != nil)
    #expect(CityRule.problem(with: city(longitude: .nan)) != nil)
  }

  @Test("the bounds themselves are kept and found")
  func bounds() throws {
    let name = String(repeating: "\u{390}", count: 256)
    let cities = [
      city(
        id: .max, name: name, country: String(repeating: "x", count: 64), latitude: -90, longitude: 180,
        population: 4_000_000_000),
      city(id: 1, name: "\u{2}", country: "X", latitude: 90, longitude: -180, population: 0),
    ]
    let built = try BuiltIndex(cities)
    try built.index.verify()
    #expect(built.index.rank(id: .max) == 1)
    #expect(built.index.population(at: 1) == 4_000_000_000 && built.index.population(at: 0) == 0)
    #expect(built.index.search(Array("\(name), xx".utf8)).total == 1)
    #expect(built.index.search([2]).total == 1)
  }
}

private func city(
  id: UInt64 = 1, name: String = "a", country: String = "EE", latitude: Double = 0, longitude: Double = 0,
  population: UInt64? = nil
) -> City {
  City(id: id, name: name, country: country, latitude: latitude, longitude: longitude, population: population)
}
