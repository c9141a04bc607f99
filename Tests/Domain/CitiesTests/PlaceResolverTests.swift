import Coroutines
import Geodesy
import TestSupport
import Testing

@testable import Cities

@Suite("the city that a finished text means")
struct PlaceResolverTests {
  @Test(arguments: 0...10)
  func `every small list resolves every start of its names as a plain search does`(size: Int) throws {
    for seed in 0..<3 {
      let world = try World(MadeUpPlaces.make(size, seed: UInt64(900 + 100 * size + seed)))
      for name in world.startsOfNames().union(["x", "", " - ", "é, us", "XA", "XAN", "XAN, US", "Xan", "xora", "XB"]) {
        world.checkMatch(.init(query: name))
      }
    }
  }

  @Test
  func `titles, areas after a name and typing errors are resolved as by a plain search, within areas too`() throws {
    let world = try World(MadeUpPlaces.make(60, seed: 31))
    let names = world.startsOfNames(every: 19)
    for name in names.union(world.plain.cities.map { "\($0.name), \($0.country)" }) {
      world.checkMatch(.init(query: name))
      world.checkMatch(.init(query: name, country: "EE"))
      world.checkMatch(.init(query: name, country: "usa", region: "texas", typos: false))
      for areas in ["texas, us", "us", "tx", "bo", "island", "tx usa"] {
        world.checkMatch(.init(query: "\(name), \(areas)"))
      }
      world.checkMatch(.init(query: name + "qa"))
      world.checkMatch(.init(query: name + " City, TX"))
    }
  }

  @Test func `the names of areas are resolved as by a plain search, with cities that are called so`() throws {
    let areas = ["xa", "xan", "xana", "xora", "xb", "xor", "ana", "usa", "tx", "bo", "ee", "01", "840"]
    for seed in 0..<(Thoroughness.isFull ? 40 : 8) {
      let world = try World(MadeUpPlaces.make(40, seed: UInt64(seed)))
      for name in areas + areas.flatMap({ name in ["us", "estonia", "texas", "xora"].map { "\(name) \($0)" } }) {
        world.checkMatch(.init(query: name))
        world.checkMatch(.init(query: name.uppercased()))
        world.checkMatch(.init(query: name, country: "us"))
        world.checkMatch(.init(query: name, country: "840"))
      }
    }
  }

  /// Cities in key order: their ids count from 1.
  private static let cities: [(name: String, country: String, people: UInt64?, others: [String])] = [
    ("Big", "EE", 1_000, []), ("Big", "US", 100, []), ("Bombay", "US", 90, []), ("Close", "EE", 1_000, []),
    ("Close", "US", 400, ["Cl."]), ("Loose", "", 1, []), ("Manila", "EE", 1_700_000, []), ("Man", "US", 150, []),
    ("Mumbai", "EE", 900, ["Bombay", "Loose"]), ("Twin", "US", 5, []), ("Twin", "US", 6, []), ("!", "US", 7, []),
    ("?!", "EE", 7, []), ("Alone, x", "US", 8, []), ("Lodz", "US", 8, []), ("Łódź", "EE", 90, []),
    ("Nummer", "EE", 15_000, ["12", "3 4"]), ("5", "", 9, []), ("00678", "US", 9, []),
    ("Unknown", "US", nil, ["Other"]),
  ]

  @Test(
    arguments: [
      ("Big", "Big, EE", .sure), ("close", "Close, EE", .likely), ("close us", "Close, US", .sure),
      // Names that go on are those of larger cities.
      ("cl", "Close, US", .likely), ("man", "Man, US", .likely), ("mani", "Manila, EE", .guess),
      ("manilla", "Manila, EE", .guess), ("BOMBAY", "Bombay, US", .sure), ("Bombay, EE", "Mumbai, EE", .likely),
      ("loose", "Loose, ", .likely), ("twin", "Twin, US", .likely), ("Twin, US", "Twin, US", .likely),
      ("!", nil, .none), ("?", nil, .none), ("", nil, .none), ("zz", nil, .none),
      ("alone, X", "Alone, x, US", .sure), ("lodz", "Łódź, EE", .sure), ("łódź us", "Lodz, US", .sure),
      ("big u", "Big, US", .guess), ("12", "Nummer, EE", .sure), ("#12", "Nummer, EE", .sure),
      ("3 4", "Nummer, EE", .sure), ("-12", nil, .none), (" +12", nil, .none), ("12 ee", "Nummer, EE", .sure),
      ("006", nil, .none), ("00 6", nil, .none), ("99", nil, .none), ("unknown", "Unknown, US", .sure),
      ("other", "Unknown, US", .likely),
    ] as [(String, String?, NameCertainty)])
  func `a meaning is as sure as the names allow`(name: String, title: String?, certainty: NameCertainty) throws {
    let world = try World(
      Self.cities.enumerated().map { number, entry in
        var city = City(
          id: UInt64(number + 1), name: entry.name, country: entry.country, latitude: 0, longitude: Double(number),
          population: entry.people)
        city.alternates = entry.others
        return city
      })
    world.expect(name, title, certainty)
  }

  @Test func `a number is one in any digits, and with what its key lacks`() throws {
    let index = try World([City(id: 1, name: "A", country: "US", latitude: 0, longitude: 0)]).built.index
    for (text, isNumber) in [
      ("12", true), (" 12\r", true), ("#12.", true), ("１２", true), ("1 2", false), ("12a", false), ("", false),
    ] {
      var resolver = PlaceResolver()
      Array(text.utf8).withUnsafeBytes { resolver.begin($0, PlaceConditions(limit: 1), index) }
      #expect(resolver.isNumber == isNumber, "\(text)")
    }
  }

  @Test func `with a country, a name means what it does in a list of that country's cities alone`() throws {
    let names = ["Lodz", "Łódź", "LODZ", "Łodz", "A, EE", "A", "Á", "San", "Sań", "San, A", "5"]
    var random = SeededGenerator(seed: 12)
    for _ in 0..<(Thoroughness.isFull ? 300 : 60) {
      let cities = (1...UInt64.random(in: 2...16, using: &random)).map { id in
        City(
          id: id, name: names.randomElement(using: &random) ?? "A",
          country: ["EE", "US", "LV", ""].randomElement(using: &random) ?? "", latitude: 0, longitude: 0,
          population: [nil, 5, 60, 700].randomElement(using: &random) ?? nil)
      }
      let own = cities.filter { $0.country == "EE" }
      guard !own.isEmpty else { continue }
      let (world, alone) = (try World(cities), try World(own))
      for name in names + names.map({ "\($0), EE" }) + ["lódz", "lodz ee", "sa"] {
        world.checkMatch(.init(query: name, country: "EE"))
        let (found, expected) = (
          try world.match(.init(query: name, country: "EE"), steps: .max),
          try alone.match(.init(query: name, country: "EE"), steps: .max)
        )
        #expect(found.certainty == expected.certainty, "\(name) in \(cities)")
        #expect(found.rank.map(world.built.index.id(at:)) == expected.rank.map(alone.built.index.id(at:)), "\(name)")
      }
    }
  }

  // MARK: Namesakes

  @Test(arguments: [1, 12, 300])
  func `all cities with a name are counted once, the best first, and the nearest is the nearest`(size: Int) throws {
    let world = try World(MadeUpPlaces.make(size, seed: UInt64(20 + size)))
    let origin = GeoPoint(latitude: 1, longitude: 2)
    let names = world.startsOfNames(every: Thoroughness.isFull ? 1 : 7)
    for name in names.union(["xan", "XAN", "xa bo"]).union(names.map { $0 + " bo" }) {
      let question = PlainPlaces.Question(query: name)
      let hits = world.plain.namesakes(question)
      var cities: [Int] = []
      for hit in hits where !cities.contains(hit.name.city) { cities.append(hit.name.city) }
      for steps in [1, .max] {
        let resolver = try world.compared(question, near: origin, steps: steps)
        #expect(resolver.total == cities.count, "\(name)")
        let candidates = (0..<resolver.candidates.count).map { resolver.candidates[$0].rank }
        #expect(candidates == Array(cities.prefix(20)), "\(name)")
        func metres(_ rank: Int) -> UInt32 { origin.metres(to: world.built.index.point(at: rank)) }
        let nearest = cities.min { (metres($0), $0) < (metres($1), $1) }
        #expect(resolver.nearest?.rank == nearest, "\(name)")
      }
    }
  }

  @Test func `a city that is found in two ways counts once, and areas narrow`() throws {
    var odd = City(id: 1, name: "Bo Texas", country: "US", latitude: 0, longitude: 0, population: 5)
    (odd.regionCode, odd.alternates) = ("TX", ["Bo"])
    let other = City(id: 2, name: "Bo", country: "LV", latitude: 0, longitude: 0, population: 7)
    let world = try World([odd, other])
    func ids(_ text: String) throws -> [UInt64] {
      let resolver = try world.compared(.init(query: text), near: nil, steps: 1)
      #expect(resolver.total == resolver.candidates.count)
      return (0..<resolver.candidates.count).map { world.built.index.id(at: resolver.candidates[$0].rank) }
    }
    #expect(try ids("bo") == [2, 1] && ids("bo texas") == [1] && ids("Bo, TX, USA") == [1])
    #expect(try ids("bo estonia") == [] && ids("b") == [] && ids("bo tex") == [] && ids("") == [])
  }

  // MARK: Work

  @Test func `a name of 9,000 cities, and bytes that are no text, take no more than their steps`() throws {
    let cities = (1...9_000 as ClosedRange<UInt64>).map {
      City(id: $0, name: "B", country: "US", latitude: 0, longitude: Double($0) / 100, population: $0)
    }
    let world = try World(cities)
    var resolver = PlaceResolver()
    let index = world.built.index
    [UInt8]("b".utf8).withUnsafeBytes { resolver.begin($0, PlaceConditions(limit: 1), index) }
    let search = ReturningCoroutine { [resolver] budget in
      var resolver = resolver
      return try await resolver.resolve(index, budget)
    }
    var (turns, found) = (1, try search.resume(until: 0))
    while found == nil { (turns, found) = (turns + 1, try search.resume(until: 0)) }
    #expect(turns >= 9_000 / Budget.stepsPerLook && found?.certainty == .likely)
    #expect(found?.rank.map(index.id(at:)) == 9_000 && found?.second.map(index.id(at:)) == 8_999)
    for bytes in [[0xFF], [0x61, 0x80], [0], Array(repeating: 0x61, count: 100_000)] as [[UInt8]] {
      bytes.withUnsafeBytes { resolver.begin($0, PlaceConditions(limit: 1), index) }
      #expect(try Coroutine.complete(&resolver) { try await $0.resolve(index, $1) } == .none(.nothing))
    }
  }

  @Test func `more namesakes than are kept are compared again`() throws {
    // The last of them alone is too near to the first.
    func city(_ id: UInt64, _ people: UInt64) -> City {
      City(id: id, name: "Many", country: "US", latitude: 0, longitude: Double(id), population: people)
    }
    for count in 14...20 as ClosedRange<UInt64> {
      let far = try World((1...count).map { city($0, $0 == 1 ? 900_000 : 1_000) })
      far.expect("many us", "Many, US", .sure)
      let near = try World((1...count).map { city($0, $0 == 1 ? 900_000 : $0 == count ? 800_000 : 1_000) })
      near.expect("many us", "Many, US", .likely)
    }
  }
}

extension World {
  /// Expects a text to mean the city with that title, if any, and a plain search to agree.
  func expect(
    _ text: String, _ title: String?, _ certainty: NameCertainty, isArea: Bool = false, country: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let question = PlainPlaces.Question(query: text, country: country)
    checkMatch(question, sourceLocation: sourceLocation)
    guard let match = try? match(question, steps: 1) else {
      Issue.record("no such country", sourceLocation: sourceLocation)
      return
    }
    let city = match.rank.map { plain.cities[$0] }
    #expect(city.map { "\($0.name), \($0.country)" } == title, "\(text)", sourceLocation: sourceLocation)
    #expect(match.certainty == certainty && match.isArea == isArea, "\(text)", sourceLocation: sourceLocation)
  }

  fileprivate func checkMatch(_ question: PlainPlaces.Question, sourceLocation: SourceLocation = #_sourceLocation) {
    let expected = plain.match(question)
    guard let match = try? match(question, steps: .max), let again = try? self.match(question, steps: 1) else {
      // Small lists may lack the area that a question names.
      #expect(expected.id == nil, "\(question)", sourceLocation: sourceLocation)
      return
    }
    #expect(match == again, "\(question)", sourceLocation: sourceLocation)
    let found = PlainPlaces.Meaning(
      id: match.rank.map(built.index.id(at:)), certainty: match.certainty, isArea: match.isArea)
    #expect(found == expected, "\(question)", sourceLocation: sourceLocation)
  }

  /// - Throws: for an area that the list does not have.
  fileprivate func match(_ question: PlainPlaces.Question, steps: Int) throws -> PlaceResolver.Resolution {
    try resolved(question, steps: steps) { resolver, index, budget in
      let match = try await resolver.resolve(index, budget)
      #expect(resolver.isComplete && match.second.map { $0 != match.rank } ?? true)
      return match
    }
  }

  /// The namesakes of a text.
  fileprivate func compared(
    _ question: PlainPlaces.Question, near origin: GeoPoint?, steps: Int
  ) throws -> PlaceResolver {
    try resolved(question, steps: steps) { resolver, index, budget in
      try await resolver.compare(near: origin, index, budget)
      return resolver
    }
  }

  private func resolved<Output>(
    _ question: PlainPlaces.Question, steps: Int,
    _ body: @escaping (inout PlaceResolver, CityIndex, Budget) async throws -> Output
  ) throws -> Output {
    let (index, conditions) = (built.index, try conditions(of: question, limit: 1))
    return try Coroutine.inTurns(
      of: steps == .max ? Budget.stepsPerLook : steps, until: steps == .max ? .max : 0
    ) { budget in
      var resolver = PlaceResolver()
      Array(question.query.utf8).withUnsafeBytes { resolver.begin($0, conditions, index) }
      return try await body(&resolver, index, budget)
    }.output
  }
}
