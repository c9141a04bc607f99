import Cities
import Geodesy
import TestSupport
import Testing

@Suite("building an index")
struct CityIndexBuilderTests {
  @Test(arguments: [0, 1, 2, 17, 40, 300]) func `the same cities give the same bytes in every order`(size: Int) throws {
    let unique = Dictionary(MadeUpCities.make(size, seed: 9).map { ($0.id, $0) }) { _, last in last }.values
    var cities = unique.sorted { $0.id < $1.id }
    let expected = try BuiltIndex.sections(cities)
    var random = SeededGenerator(seed: 4)
    for _ in 0..<3 {
      cities.shuffle(using: &random)
      #expect(try BuiltIndex.sections(cities) == expected)
    }
  }

  @Test
  func `cities with one id that differ in name, country or place are all kept, and the id leads to each`() throws {
    var builder = CityIndexBuilder()
    let cities = [
      city(id: 7, name: "New"), city(id: 7, name: "Old"), city(id: 7, name: "old"), city(id: 7, country: "LV"),
      city(id: 7), city(id: 7, latitude: 1), city(id: 7, longitude: -1), city(id: 6, name: "New"),
    ]
    for city in cities { #expect(try builder.add(city) == .kept) }
    #expect(builder.count == cities.count)
    let index = try BuiltIndex(cities.shuffled()).index
    try index.verify()
    let ranks = index.positions(id: 7).map(index.rank(inOrderOfIDs:))
    #expect(ranks == ranks.sorted() && Set(ranks).count == 7 && ranks.allSatisfy { index.id(at: $0) == 7 })
    #expect(index.rank(id: 7) == ranks[0] && index.positions(id: 6).count == 1 && index.positions(id: 5).isEmpty)
    #expect(index.positions(id: 0).isEmpty && index.positions(id: 8).isEmpty && index.positions(id: .max).isEmpty)
    #expect(index.search(Array("old".utf8)).total == 2 && index.search(Array("a, ee".utf8)).total == 3)
    let expected = try BuiltIndex.sections(cities)
    for _ in 0..<5 { #expect(try BuiltIndex.sections(cities.shuffled()) == expected) }
  }

  @Test
  func `equal cities are one; of those that differ in population alone the largest is kept, in whatever order`() throws
  {
    var builder = CityIndexBuilder()
    #expect(try builder.add(city(population: 5)) == .kept)
    #expect(try builder.add(city(population: 5)) == .repeated)
    #expect(try builder.add(city(population: nil)) == .replaced)
    #expect(try builder.add(city(population: 9)) == .replaced)
    #expect(try builder.add(city(population: 0)) == .replaced)
    #expect(try builder.add(city(name: "twin", population: 1)) == .kept)
    #expect(try builder.add(city(name: "twin", population: 1)) == .repeated)
    #expect(builder.count == 2)
    let index = try BuiltIndex(sections: builder.build { Array($0.name.utf8) }).index
    #expect(index.population(at: 0) == 9 && index.population(at: 1) == 1)
  }

  @Test func `names sorted in parts have the order of those sorted at once`() throws {
    func sections(_ limit: Int) throws -> [CitySection: [UInt8]] {
      var (builder, random) = (CityIndexBuilder(), SeededGenerator(seed: 7))
      func number(_ limit: UInt64) -> UInt64 { .random(in: 0..<limit, using: &random) }
      builder.namesSortedAtOnce = limit
      for id in 1...600 as ClosedRange<UInt64> {
        // The heads of most names are equal.
        var city = city(id: id, name: "San Juan \(number(40))", population: number(9))
        city.alternates = ["\(number(300))", "San Juan del Río \(number(40))", "Ōsaka \(id)"]
        _ = try builder.add(city)
      }
      return try builder.build { Array("\($0.id)".utf8) }
    }
    let expected = try sections(.max)
    for limit in [1, 2, 10, 1000] { #expect(try sections(limit) == expected) }
  }

  @Test(.timeLimit(.minutes(1))) func `a hostile list has a country for each city`() throws {
    let cities = (1...20_000 as ClosedRange<UInt64>).map { city(id: $0, country: "X\($0)") }
    let index = try BuiltIndex(cities).index
    #expect(index.search(Array("a".utf8), country: "x19999").total == 1)
  }

  @Test func `texts from several records are merged alike in every order`() throws {
    let parts: [([String], [TextKey: Int], String)] = [
      (["b", "B", "a"], ["b": 2], "02"), (["a"], ["a": 3], ""), (["B", "c"], ["c": 1, "B": 4], "01"),
      ((0..<CityRule.maximumAlternates).map { "n\($0)" }, ["n5": 5], ""),
    ]
    let records = parts.map { names, languages, region in
      var city = city(name: "Whole")
      (city.alternates, city.languages, city.regionCode) = (names, languages, region)
      return city
    }
    let expected = try BuiltIndex.sections(records)
    for order in permutations(records) { #expect(try BuiltIndex.sections(order) == expected) }
    let names = try #require(BuiltIndex(sections: expected).index.alternates().first)
    #expect(names.count == CityRule.maximumAlternates - 1, "B and b have one key")
    #expect(names["a"] == 3 && names["B"] == 4 && names["n5"] == 5 && names["n997"] == nil)
  }

  @Test(.timeLimit(.minutes(2)))
  func `a hostile list does not make a short record cost as much as the longest one`() throws {
    var builder = CityIndexBuilder()
    var whole = city(name: "Whole")
    whole.alternates = (0..<CityRule.maximumAlternates).map { String(repeating: "n", count: 490) + "\($0)" }
    #expect(try builder.add(whole) == .kept)
    var part = city(name: "Whole")
    for number in 0..<60_000 {
      part.alternates = [[], ["\(number)"], ["z\(number)"]][number % 3]
      #expect(try builder.add(part) == .joined)
    }
  }

  @Test func `a zero has no sign, whatever the decimals of other cities`() throws {
    for latitude in [1, 1 / 3.0] {
      let built = try BuiltIndex([city(id: 1, latitude: -0.0, longitude: -0.0), city(id: 2, latitude: latitude)])
      let point = built.index.point(at: 0)
      #expect([point.latitude, point.longitude].allSatisfy { $0 == 0 && $0.sign == .plus })
    }
  }

  @Test func `records of one city are counted alike in every order`() throws {
    for populations in [[5, 5, 7], [7, 5, nil, 5], [1, 2, 2, 3], [nil, nil, 0, 0]] as [[UInt64?]] {
      var found: Set<[Int]> = []
      for order in permutations(populations) {
        var builder = CityIndexBuilder()
        let additions = try order.map { try builder.add(city(population: $0)) }
        found.insert([additions.count { $0 == .repeated }, additions.count { $0 == .replaced }])
        let index = try BuiltIndex(sections: builder.build { Array($0.name.utf8) }).index
        #expect(index.population(at: 0) == populations.compactMap(\.self).max())
      }
      let distinct = Set(populations).count
      #expect(found == [[populations.count - distinct, distinct - 1]], "\(populations)")
    }
  }

  @Test func `a city that takes over other names again and again keeps all of them, and gives the same bytes`() throws {
    let names = (0..<300).map { String(repeating: "n", count: 500) + "\($0)" }
    var whole = city(name: "Whole")
    whole.alternates = names.sorted()
    var builder = CityIndexBuilder()
    #expect(try builder.add(city(id: 2, name: "Other")) == .kept)
    for (number, name) in names.enumerated() {
      var part = city(name: "Whole")
      part.alternates = [name]
      #expect(try builder.add(part) == (number == 0 ? .kept : .joined))
      #expect(try builder.add(part) == (number == 0 ? .repeated : .joined))
    }
    #expect(builder.count == 2)
    let sections = try builder.build { Array("\($0.id) ".utf8) }
    #expect(try sections == BuiltIndex.sections([whole, city(id: 2, name: "Other")]))
  }

  @Test(
    arguments: [1, 2, 1 << 20, 1 << 32, 0x9E37_79B9] as [UInt64])
  func `ids are found among many, whatever their distances`(step: UInt64) throws {
    var builder = CityIndexBuilder()
    for number in 1...5_000 as ClosedRange<UInt64> {
      #expect(try builder.add(city(id: number &* step)) == .kept)
    }
    for number in 1...5_000 as ClosedRange<UInt64> {
      #expect(try builder.add(city(id: number &* step)) == .repeated)
    }
    #expect(builder.count == 5_000)
  }

  @Test func `a city without a country is found by its name, and by no comma behind it`() throws {
    let index = try BuiltIndex([
      city(id: 1, name: "Paris", country: ""), city(id: 2, name: "Paris", country: "FR"),
      city(id: 3, name: "Paris", country: ""), city(id: 4, name: "Parisot", country: ""),
    ]).index
    try index.verify()
    for mode in CityMatchMode.allCases {
      #expect(index.ids(index.search(Array("paris".utf8), mode)) == [1, 3, 2, 4])
      #expect(index.ids(index.search(Array("paris,".utf8), mode)) == [2])
      #expect(index.ids(index.search(Array("paris, ".utf8), mode)) == [2])
      #expect(index.search(Array("parisot,".utf8), mode).total == 0)
      #expect(index.ids(index.search(Array("p".utf8), mode, country: "")) == [1, 3, 4])
      #expect(index.search(Array("paris,".utf8), mode, country: "").total == 0)
    }
    #expect(Array(index.search(Array("p".utf8)).common) == Array("paris".utf8))
    #expect(Array(index.search(Array("pariso".utf8)).common) == Array("parisot".utf8))
    #expect(Array(index.search(Array("paris,".utf8)).common) == Array("paris, fr".utf8))
  }

  @Test func `rows stand in key order, ids, positions and populations beside them`() throws {
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

  @Test(arguments: [1e-7, 1.0 / 3, 0.1, 180])
  func `coordinates come back exactly, with seven decimals and with more`(value: Double) throws {
    let latitude = min(value, 90)
    let built = try BuiltIndex([
      City(id: 1, name: "a", country: "X", latitude: latitude, longitude: -value),
      City(id: 2, name: "b", country: "X", latitude: -latitude, longitude: value),
    ])
    #expect(built.index.point(at: 0) == GeoPoint(latitude: latitude, longitude: -value))
    #expect(built.index.point(at: 1) == GeoPoint(latitude: -latitude, longitude: value))
  }

  @Test func `what a row's maker throws goes through`() {
    #expect(throws: CityProblem.emptyName) {
      var builder = CityIndexBuilder()
      _ = try builder.add(city(name: "a"))
      _ = try builder.build { _ in throw CityProblem.emptyName }
    }
  }

  @Test(
    arguments: [
      (city(id: 0), .zeroID, "the id is 0; ids start at 1"),
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
  func `what cannot be in the index is refused with its reason and changes nothing`(
    city: City, problem: CityProblem, text: String
  ) {
    var builder = CityIndexBuilder()
    #expect(throws: problem) { try builder.add(city) }
    #expect(builder.count == 0)
    #expect(problem.description == text)
  }

  @Test func `no number is refused, though it equals nothing`() {
    #expect(CityRule.problem(with: city(latitude: .nan)) != nil)
    #expect(CityRule.problem(with: city(longitude: .nan)) != nil)
  }

  @Test func `the bounds themselves are kept and found`() throws {
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

/// All orders of some values.
private func permutations<Value>(_ values: [Value]) -> [[Value]] {
  guard !values.isEmpty else { return [[]] }
  return values.indices.flatMap { place in
    permutations(Array(values[..<place] + values[(place + 1)...])).map { [values[place]] + $0 }
  }
}

private func city(
  id: UInt64 = 1, name: String = "a", country: String = "EE", latitude: Double = 0, longitude: Double = 0,
  population: UInt64? = nil
) -> City {
  City(id: id, name: name, country: country, latitude: latitude, longitude: longitude, population: population)
}
