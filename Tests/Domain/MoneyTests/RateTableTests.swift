import Money
import TestSupport
import Testing

@Suite struct RateTableTests {
  @Test(arguments: [
    ("A B 2", "A", "B", "A>B"), ("A B 2", "B", "A", "B<A"), ("A B 2", "A", "A", "A"), ("A B 2", "Q", "Q", "Q"),
    ("A B 2", "A", "Q", "-"), ("A B 2", "Q", "A", "-"), ("A B 2,C D 3", "A", "D", "-"), ("", "A", "B", "-"),
    ("A B 2,B A 7", "B", "A", "B>A"),
    // Three given rates win over one that is reversed.
    ("A B 2,B C 2,C D 2,D A 9", "A", "D", "A>B>C>D"),
    // One reversed rate wins over two on a shorter way.
    ("B A 2,D B 2,A C 2,C E 2,D E 2", "A", "D", "A>C>E<D"),
    // Of as many reversed rates, the fewest conversions.
    ("B A 2,B C 2,C D 2,B D 2", "A", "D", "A<B>D"),
    // Of as many conversions, the first by codes; the first stop decides before the second.
    ("A C 2,C E 2,A B 2,B E 2", "A", "E", "A>B>E"), ("A C 2,A D 2,C Z 2,D B 2,Z Y 2,B Y 2", "A", "Y", "A>C>Z>Y"),
    ("A B 2,A BA 2,B C 2,BA C 2", "A", "C", "A>B>C"),
    // Where the reversed rate stands does not matter, only the codes do.
    ("A C 2,D C 2,B A 2,B D 2", "A", "D", "A<B>D"),
    ("EUR EUR 1.00,A EUR 2", "EUR", "A", "EUR<A"),
  ])
  func `the path has fewest reversed rates then conversions then codes`(
    rates: String, from: String, to: String, way: String
  ) throws {
    #expect(try table(rates).way(from, to) == way)
  }

  @Test func `paths of small graphs are the best of all simple paths`() throws {
    var random = SeededGenerator(seed: 4)
    var seen = (derived: 0, reversed: 0, none: 0)
    for round in 0..<150 {
      let codes = try RandomRates.codes(2 + round % 5)
      let rates = try RandomRates.rates(codes, density: Double(round % 7 + 1) / 10, &random)
      let (table, plain) = (try RateTable(rates), PlainPaths(rates))
      for from in codes {
        for to in codes {
          let (path, best) = (try table.path(from: from, to: to), plain.bestByEnumeration(from: from, to: to))
          #expect(path?.way == best?.way, "round \(round)")
          seen.derived += path?.isDerived == true ? 1 : 0
          seen.reversed += (path?.reversedCount ?? 0) > 1 ? 1 : 0
          seen.none += path == nil ? 1 : 0
        }
      }
    }
    #expect(seen.derived > 300 && seen.reversed > 30 && seen.none > 300, "too tame to prove much: \(seen)")
  }

  @Test(arguments: [(40, 0.02), (40, 0.03), (40, 0.05), (40, 0.15), (40, 0.9), (33, 0.04), (25, 0.06), (13, 0.1)])
  func `paths of larger graphs are the best that improvement finds`(count: Int, density: Double) throws {
    var random = SeededGenerator(seed: UInt64(count) * 100 + UInt64(density * 100))
    let codes = try RandomRates.codes(count)
    let rates = try RandomRates.rates(codes, density: density, &random)
    let (table, plain) = (try RateTable(rates), PlainPaths(rates))
    for from in codes {
      let best = plain.bestByImprovement(from: from)
      for to in codes {
        let path = try table.path(from: from, to: to)
        #expect(path?.way == best[to]?.way)
        #expect(path?.stops == best[to]?.stops && path?.reversedCount == best[to]?.reversed)
      }
    }
  }

  @Test func `the order of the records changes nothing`() throws {
    var random = SeededGenerator(seed: 5)
    let codes = try RandomRates.codes(20)
    let once = try RandomRates.rates(codes, density: 0.1, &random)
    // Some pairs are given again, with other values and with the same value in longer writing.
    let again = try once.prefix(12).map {
      try Rate(
        from: $0.from, to: $0.to,
        value: $0.value.scale < 20 ? decimal("\($0.value)\($0.value.scale > 0 ? "0" : ".0")") : $0.value)
    }
    let others = try once.suffix(9).map { try Rate(from: $0.from, to: $0.to, value: decimal("7.77")) }
    let first = try RateTable(once + again + others)
    for _ in 0..<10 {
      let table = try RateTable((once + again + others).shuffled(using: &random))
      #expect(table.currencies == first.currencies)
      #expect(table.rates.map { "\($0)" } == first.rates.map { "\($0)" }, "written scales included")
      for from in codes {
        for to in codes { #expect(try table.path(from: from, to: to) == first.path(from: from, to: to)) }
      }
    }
  }

  @Test func `a pair given differently twice has the lowest rate`() throws {
    let table = try table("EUR USD 1.4,EUR USD 1.30,USD EUR 0.7,EUR USD 1.3,EUR USD 1.40,EUR USD 2,USD EUR 0.70")
    #expect(table.rates.map(\.value.description) == ["1.3", "0.7"])
  }

  @Test func `given rates keep their writing`() throws {
    let table = try table("EUR USD 1.3590,EUR JPY 0.1,USD EUR 1.0000000000000002")
    #expect(try table.path("EUR", "USD")?.rate.description == "1.3590")
    #expect(try table.path("EUR", "JPY")?.rate.description == "0.1")
    #expect(try table.path("USD", "EUR")?.rate.description == "1.0000000000000002")
    #expect(try table.given(from: currency("JPY"), to: currency("EUR")) == nil)
  }

  @Test func `a table is restored without searching`() throws {
    var random = SeededGenerator(seed: 9)
    let codes = try RandomRates.codes(30)
    let table = try RateTable(try RandomRates.rates(codes, density: 0.08, &random))
    let restored = try RateTable(restoring: table.rates, nextStops: table.nextStops)
    for from in codes {
      for to in codes { #expect(try restored.path(from: from, to: to) == table.path(from: from, to: to)) }
    }
  }

  @Test func `damaged stops never trap nor leave the given rates`() throws {
    var random = SeededGenerator(seed: 10)
    let codes = try RandomRates.codes(6)
    let table = try RateTable(try RandomRates.rates(codes, density: 0.5, &random))
    let count = table.nextStops.count
    for found in [0, count - 1, count + 1] {
      #expect(throws: MoneyError.misfittingRoutes(expected: count, found: found)) {
        try RateTable(restoring: table.rates, nextStops: [UInt16](repeating: 0, count: found))
      }
    }
    for bound in [UInt16(6), 7, .max] {
      for _ in 0..<200 {
        let stops = (0..<count).map { _ in UInt16.random(in: 0...bound, using: &random) }
        let damaged = try RateTable(restoring: table.rates, nextStops: stops)
        for to in codes {
          guard let path = try damaged.path(from: codes[0], to: to) else { continue }
          #expect(path.stops.first == codes[0] && path.stops.last == to && path.steps.count < codes.count)
          #expect(path.steps.allSatisfy { table.given(from: $0.given.from, to: $0.given.to) == $0.given })
        }
      }
    }
  }

  @Test func `more currencies than served are refused whole`() throws {
    func chain(_ count: Int) throws -> [Rate] {
      try (1..<count).map { try rate("C\($0 - 1)", "C\($0)", "2") }
    }
    let longest = try RateTable(chain(512))
    #expect(try longest.path("C0", "C511")?.steps.count == 511)
    #expect(try longest.path("C511", "C0")?.reversedCount == 511)
    #expect(throws: MoneyError.tooManyCurrencies(513)) { try RateTable(chain(513)) }
  }
}
