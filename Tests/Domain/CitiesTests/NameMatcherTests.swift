import Coroutines
import TestSupport
import Testing
import Text

@testable import Cities

@Suite("the city that a name of a column means")
struct NameMatcherTests {
  @Test(arguments: 0...10)
  func `every small list matches every start of its names as a plain search does`(size: Int) throws {
    for seed in 0..<3 {
      let world = try World(MadeUpPlaces.make(size, seed: UInt64(900 + 100 * size + seed)))
      for name in world.startsOfNames().union(["x", "", " - ", "é, us", "XA", "XAN", "XAN, US", "Xan"]) {
        world.checkMatch(.init(query: name))
      }
    }
  }

  @Test
  func `titles, areas after a name and typing errors are matched as by a plain search, within areas too`() throws {
    let world = try World(MadeUpPlaces.make(60, seed: 31))
    let names = world.startsOfNames(every: 19)
    for name in names.union(world.plain.cities.map { "\($0.name), \($0.country)" }) {
      world.checkMatch(.init(query: name))
      world.checkMatch(.init(query: name, country: "EE"))
      world.checkMatch(.init(query: name, country: "usa", region: "texas", typos: false))
      world.checkMatch(.init(query: "\(name), texas, us"))
      world.checkMatch(.init(query: name + "qa"))
    }
  }

  /// Cities in key order: their ids count from 1.
  private static let cities: [(name: String, country: String, people: UInt64?, others: [String])] = [
    ("Big", "EE", 1_000, []), ("Big", "US", 100, []), ("Bombay", "US", 90, []), ("Close", "EE", 1_000, []),
    ("Close", "US", 101, ["Cl."]), ("Loose", "", 1, []), ("Manila", "EE", 1_700_000, []), ("Man", "US", 150, []),
    ("Mumbai", "EE", 900, ["Bombay", "Loose"]), ("Twin", "US", 5, []), ("Twin", "US", 6, []), ("!", "US", 7, []),
    ("?!", "EE", 7, []), ("Alone, x", "US", 8, []), ("Lodz", "US", 8, []), ("Łódź", "EE", 9, []), ("Łodz", "EE", 9, []),
    ("Nummer", "EE", 9, ["12", "3 4"]), ("5", "", 9, []), ("00678", "US", 9, []),
  ]

  @Test(
    arguments: [
      ("Big", "Big, EE", .sure), ("close", "Close, EE", .likely), ("close us", "Close, US", .sure),
      ("cl", "Close, US", .sure), ("man", "Man, US", .sure), ("mani", "Manila, EE", .guess),
      ("manilla", "Manila, EE", .guess), ("BOMBAY", "Mumbai, EE", .sure), ("Bombay, US", "Bombay, US", .sure),
      ("loose", "Loose, ", .sure), ("twin", "Twin, US", .likely), ("Twin, US", "Twin, US", .likely),
      ("!", "!, US", .sure), ("?", nil, .none), ("", nil, .none), ("zz", nil, .none),
      ("alone, X", "Alone, x, US", .sure), ("lodz", "Lodz, US", .sure), ("LODZ", "Lodz, US", .sure),
      ("łódź", "Łódź, EE", .sure), ("lódz", "Łodz, EE", .likely), ("big u", "Big, US", .guess),
      ("12", "Nummer, EE", .likely), ("  12 ", "Nummer, EE", .likely), ("5", "5, ", .likely),
      ("00678", "00678, US", .likely), ("3 4", "Nummer, EE", .sure), ("12.", "Nummer, EE", .likely),
      ("12\r", "Nummer, EE", .likely), ("#12", "Nummer, EE", .likely), ("１２", "Nummer, EE", .likely),
      ("-12", nil, .none), ("12 ee", "Nummer, EE", .sure), ("12, EE", "Nummer, EE", .sure),
      ("00678, US", "00678, US", .sure),
      ("006", "00678, US", .guess), ("99", nil, .none),
    ] as [(String, String?, NameCertainty)])
  func `a match is as sure as the names allow`(name: String, title: String?, certainty: NameCertainty) throws {
    let world = try World(
      Self.cities.enumerated().map { number, entry in
        var city = City(
          id: UInt64(number + 1), name: entry.name, country: entry.country, latitude: 0, longitude: Double(number),
          population: entry.people)
        city.alternates = entry.others
        return city
      })
    world.checkMatch(.init(query: name))
    let match = try world.match(.init(query: name), steps: 1)
    #expect(match.certainty == certainty)
    let city = match.rank.map { world.plain.cities[$0] }
    #expect(city.map { "\($0.name), \($0.country)" } == title)
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

  @Test func `a name of 9,000 cities, and bytes that are no text, take no more than their steps`() throws {
    let cities = (1...9_000 as ClosedRange<UInt64>).map {
      City(id: $0, name: "B", country: "US", latitude: 0, longitude: Double($0) / 100, population: $0)
    }
    let world = try World(cities)
    var matcher = NameMatcher()
    let index = world.built.index
    [UInt8]("b".utf8).withUnsafeBytes { matcher.begin($0, PlaceConditions(limit: 1), index) }
    let search = ReturningCoroutine { [matcher] budget in
      var matcher = matcher
      return try await matcher.match(index, budget)
    }
    var (turns, found) = (1, try search.resume(until: 0))
    while found == nil { (turns, found) = (turns + 1, try search.resume(until: 0)) }
    #expect(turns >= 9_000 / Budget.stepsPerLook && found?.certainty == .likely)
    #expect(found?.rank.map(index.id(at:)) == 9_000)
    for bytes in [[0xFF], [0x61, 0x80], [0], Array(repeating: 0x61, count: 100_000)] as [[UInt8]] {
      bytes.withUnsafeBytes { matcher.begin($0, PlaceConditions(limit: 1), index) }
      #expect(try Coroutine.complete(&matcher) { try await $0.match(index, $1) } == .nothing)
    }
  }
}

extension World {
  fileprivate func checkMatch(_ question: PlainPlaces.Question) {
    let expected = plain.match(question)
    guard let match = try? match(question, steps: .max), let again = try? self.match(question, steps: 1) else {
      // Small lists may lack the area that a question names.
      #expect(expected.id == nil, "\(question)")
      return
    }
    #expect(match == again && match.certainty == expected.certainty, "\(question)")
    #expect(match.rank.map(built.index.id(at:)) == expected.id, "\(question)")
  }

  /// - Throws: for an area that the list does not have.
  fileprivate func match(_ question: PlainPlaces.Question, steps: Int) throws -> NameMatcher.Match {
    let conditions = try conditions(of: question, limit: 1)
    var matcher = NameMatcher()
    Array(question.query.utf8).withUnsafeBytes { matcher.begin($0, conditions, built.index) }
    let (index, search) = (built.index, matcher)
    let coroutine = ReturningCoroutine { budget in
      var matcher = search
      let match = try await matcher.match(index, budget)
      #expect(matcher.isComplete)
      return match
    }
    while true {
      if let match = try coroutine.resume(until: steps == .max ? .max : 0, stepsPerLook: steps) { return match }
    }
  }
}
