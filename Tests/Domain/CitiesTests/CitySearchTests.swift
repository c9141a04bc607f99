import Cities
import TestSupport
import Testing
import Text

@Suite("city.search against a plain scan")
struct CitySearchTests {
  @Test(arguments: 0...40)
  func `every size from 0 to 40 and every prefix of every title equal the scan`(size: Int) throws {
    for seed in 0..<3 { try checkAllPrefixes(MadeUpCities.make(size, seed: UInt64(1000 * size + seed))) }
  }

  @Test func `many cities with few names equal the scan, though leaves hold more than their bucket`() throws {
    let cities = (1...200).map {
      City(id: $0, name: $0 % 3 == 0 ? "Aa" : $0 % 3 == 1 ? "A" : "A,", country: "US", latitude: 0, longitude: 0)
    }
    try checkAllPrefixes(cities)
  }

  @Test func `a query that nothing begins with finds nothing and has nothing in common`() throws {
    let built = try BuiltIndex([city(1, "Alba"), city(2, "Albany")])
    for query in ["x", "albb", "albany, x", "albany, usa", "alban ", "albanyy", ",", ", "] {
      let matches = built.index.search(Array(query.utf8))
      #expect(matches.total == 0 && matches.common.isEmpty, "\(query)")
    }
  }

  @Test func `queries that hold the bytes of keys match nothing`() throws {
    let built = try BuiltIndex([city(1, "Alba"), city(2, "Albany")])
    for query: [UInt8] in [
      [0], [1], Array("alba\u{1}".utf8), Array("alba\u{1}us".utf8), Array("alba\u{1}us\u{0}".utf8),
    ] {
      #expect(built.index.search(query).total == 0)
    }
  }

  @Test func `queries longer than every key, of commas alone too, match nothing`() throws {
    let built = try BuiltIndex([city(1, "Alba")])
    for byte in [UInt8(ascii: "a"), UInt8(ascii: ","), 0xFF] {
      #expect(built.index.search([UInt8](repeating: byte, count: 1 << 16)).total == 0)
    }
    #expect(built.index.search(Array("alba, us".utf8)).total == 1)
  }

  @Test func `bytes that are no UTF-8 match nothing`() throws {
    let built = try BuiltIndex([city(1, "é")])
    #expect(built.index.search([0xC3]).total == 1, "a prefix of folded bytes")
    #expect(built.index.search([0xA9]).total == 0)
    #expect(built.index.search([0xFF, 0xFE]).total == 0)
  }

  @Test func `what is common goes on behind a name that is another's beginning before a comma`() throws {
    let two = try BuiltIndex([city(1, "Washington"), city(2, "Washington, D.C.")])
    #expect(two.index.search(Array("wash".utf8)).common == Array("washington, ".utf8))
    let three = try BuiltIndex([city(1, "Washington"), city(2, "Washington, D.C."), city(3, "Washington!")])
    #expect(three.index.search(Array("wash".utf8)).common == Array("washington".utf8))
  }

  @Test func `what is common is cut at a code point`() throws {
    let built = try BuiltIndex([
      city(1, "xé"), city(2, "xè"), city(3, "y𝒜"), city(4, "y𝒝"), city(5, "z日"), city(6, "z本"),
    ])
    for letter in ["x", "y", "z"] { #expect(built.index.search(Array(letter.utf8)).common == Array(letter.utf8)) }
  }

  @Test func `pages laid side by side are the whole, and none goes over the end`() throws {
    let cities = MadeUpCities.make(40, seed: 7)
    let built = try BuiltIndex(cities)
    for (mode, country) in [(CityMatchMode.plain, nil), (.folded, nil), (.plain, "us"), (.folded, "us")]
      as [(_, String?)]
    {
      let matches = built.index.search([], mode, country: country)
      let whole = built.index.ids(matches)
      let ranked = built.index.idsByPopulation(matches)
      for limit in 1...matches.total + 1 {
        let starts = stride(from: 0, to: matches.total, by: limit)
        #expect(starts.flatMap { built.index.ids(matches, offset: $0, limit: limit) } == whole)
        #expect(starts.flatMap { built.index.idsByPopulation(matches, offset: $0, limit: limit) } == ranked)
      }
      #expect(matches.rows(offset: matches.total - 1, limit: 20) == 1)
      #expect(built.index.ids(matches, offset: matches.total, limit: 1).isEmpty)
      #expect(built.index.ids(matches, offset: .max, limit: .max).isEmpty)
      #expect(built.index.ids(matches, offset: -5, limit: -1).isEmpty)
    }
  }

  @Test func `a page in key order is one slice a range, in another order one a stretch of neighbours`() throws {
    let names = ["Łb", "la", "lb", "lc", "ld"]
    let built = try BuiltIndex(names.enumerated().map { city(UInt64($0.offset + 1), $0.element) })
    #expect(built.index.slices(built.index.search([])) == 1)
    #expect(built.index.slices(built.index.search([], .folded)) == 3, "la lb, Łb, lc ld")
    #expect(built.index.ids(built.index.search([], .folded)) == [2, 3, 1, 4, 5])
  }

  @Test func `memory of matches is used again without a trace of the query before`() throws {
    let built = try BuiltIndex(MadeUpCities.make(40, seed: 3))
    var matches = CityMatches()
    built.index.search([], .folded, country: "us", into: &matches)
    built.index.search(Array("zzz".utf8), into: &matches)
    #expect(matches.total == 0 && matches.common.isEmpty && built.index.ids(matches).isEmpty)
    built.index.search([], into: &matches)
    #expect(built.index.ids(matches) == built.index.ids(built.index.search([])))
  }

  @Test(arguments: [2, 15, 16, 17, 33, 80])
  func `a node of the trie finds each of its children, whatever their number`(children: Int) throws {
    // Seventeen texts per child: no leaf takes those of two.
    let letters = (0x21...0x7E).filter { $0 != 0x2C && !(0x41...0x5A).contains($0) } + Array(0x430...0x44F)
    let names = letters.prefix(children).compactMap(UnicodeScalar.init).flatMap { letter in
      (0..<17).map { "\(letter)\($0)" }
    }
    try checkAllPrefixes(names.enumerated().map { city(UInt64($0.offset + 1), $0.element) }, countries: [nil])
  }

  @Test func `what keys share is found up to their ends and differences at every place of a word`() throws {
    for length in 1...18 {
      let stem = String(repeating: "ab", count: 9).prefix(length)
      try checkAllPrefixes([city(1, "\(stem)"), city(2, "\(stem)x"), city(3, "\(stem), y"), city(4, "\(stem)yé")])
      try checkAllPrefixes([city(1, "\(stem)é"), city(2, "\(stem)è")])
    }
  }

  private func city(_ id: UInt64, _ name: String) -> City {
    City(id: id, name: name, country: "US", latitude: 0, longitude: 0)
  }

  /// Compares all prefixes of all titles, in both foldings, with and without a country.
  private func checkAllPrefixes(_ cities: [City], countries: [String?] = [nil, "us", "é", "", "none"]) throws {
    let scan = PlainScan(cities)
    let built = try BuiltIndex(cities)
    #expect(built.index.count == scan.entries.count)
    for mode in CityMatchMode.allCases {
      var queries: Set<[UInt8]> = [[], Array("zzz".utf8), Array(",".utf8)]
      for title in scan.entries.map({ $0.folded(mode).title }) {
        for length in title.indices { queries.insert(Array(title[...length])) }
      }
      for query in queries {
        for country in countries { check(query, mode, country, scan, built.index) }
      }
    }
  }

  private func check(
    _ query: [UInt8], _ mode: CityMatchMode, _ country: String?, _ scan: PlainScan, _ index: CityIndex
  ) {
    let expected = scan.search(query, mode, country: country)
    let found = index.search(query, mode, country: country)
    // A query may end inside a code point; the common prefix then ends before it.
    let isRight =
      found.total == expected.count && index.ids(found) == expected.map(\.city.id)
      && index.idsByPopulation(found) == PlainScan.byPopulation(expected)
      && found.common == PlainScan.common(expected, mode)
    // An expectation for each of a million comparisons takes longer than the comparisons.
    if !isRight { Issue.record("\(String(decoding: query, as: UTF8.self)) \(mode) \(country ?? "-")") }
  }

  @Test
  func `any page by population is the page of the sorted matches, for ties, unknown ones and every place`() throws {
    var random = SeededGenerator(seed: 11)
    let cities = (1...1_500).map { id in
      City(
        id: id, name: "\(id % 3 == 0 ? "Aa" : id % 7 == 0 ? "B, x" : "B")\(id % 40)",
        country: id % 2 == 0 ? "US" : "DE",
        latitude: 0, longitude: 0,
        population: [nil, 7, 7_000_000, CityRule.maximumPopulation, .random(in: 0...3_000, using: &random)][Int(id % 5)]
      )
    }
    let scan = PlainScan(cities)
    let built = try BuiltIndex(cities)
    for (query, mode, country) in [
      ("", CityMatchMode.plain, nil), ("a", .plain, nil), ("b", .folded, nil), ("", .plain, "us"), ("", .folded, "de"),
      ("aa12", .plain, nil), ("x", .plain, nil), ("b, x", .plain, nil),
    ] {
      let query = Array(query.utf8)
      let matches = built.index.search(query, mode, country: country)
      let expected = PlainScan.byPopulation(scan.search(query, mode, country: country))
      for (offset, limit) in [(0, 20), (0, 0), (0, 5_000), (499, 3), (300, 1), (7, 100), (1_499, 9), (9_999, 9)] {
        let page = built.index.idsByPopulation(matches, offset: offset, limit: limit)
        #expect(page == Array(expected.dropFirst(offset).prefix(limit)), "\(query) \(offset) \(limit)")
      }
    }
  }

  @Test func `matches in several runs are one order by population`() throws {
    let names = ["Villa", "Villa, B", "Villa, C", "Villa", "Villa, A", "Villb"]
    let cities = names.enumerated().map { number, name in
      City(
        id: UInt64(number + 1), name: name, country: number % 2 == 0 ? "" : "AR", latitude: 0, longitude: 0,
        population: UInt64(100 - number * 37 % 5))
    }
    let scan = PlainScan(cities)
    let index = try BuiltIndex(cities).index
    for query in ["villa,", "villa, a", "villa, ", "villa"].map({ Array($0.utf8) }) {
      let expected = PlainScan.byPopulation(scan.search(query, .plain, country: nil))
      for offset in 0...expected.count {
        let page = index.idsByPopulation(index.search(query), offset: offset, limit: 2)
        #expect(page == Array(expected.dropFirst(offset).prefix(2)), "\(query) \(offset)")
      }
    }
  }
}
