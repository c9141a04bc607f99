import TestSupport
import Testing

@testable import Money

@Suite("Rates that could not be read")
struct LeftOutRatesTests {
  private func leftOut(_ pairs: String, beside table: RateTable) throws -> LeftOutRates {
    let rates = try pairs.split(separator: ",").map { pair in
      let words = pair.split(separator: " ").map(String.init)
      return try rate(words[0], words[1], "1")
    }
    return try LeftOutRates(rates, beside: table)
  }

  private func names(_ rates: LeftOutRates, _ from: String, _ to: String) throws -> [String] {
    try rates.used(from: currency(from), to: currency(to)).map { "\($0.from) \($0.to)" }
  }

  @Test(arguments: [
    // A detour instead of the rate; the rate in reverse; no path at all; another rate of the pair, which may be higher.
    ("EUR GBP 1,GBP USD 1", "EUR USD", "EUR", "USD", ["EUR USD"]), ("EUR USD 1", "USD EUR", "USD", "EUR", ["USD EUR"]),
    ("EUR GBP 1", "USD EUR", "EUR", "USD", ["USD EUR"]), ("EUR USD 1", "EUR USD", "EUR", "USD", ["EUR USD"]),
    ("EUR GBP 1", "GBP USD,USD CAD", "EUR", "CAD", ["GBP USD", "USD CAD"]),
    // Conversions without it.
    ("EUR GBP 1,GBP USD 1", "EUR USD", "EUR", "GBP", []), ("EUR USD 1", "USD EUR", "EUR", "USD", []),
    ("EUR USD 1", "GBP CAD", "EUR", "USD", []), ("EUR USD 1", "EUR GBP", "EUR", "EUR", []),
    ("EUR USD 1", "EUR GBP", "XAU", "USD", []), ("EUR USD 1", "", "EUR", "USD", []),
  ])
  func `one is named by the conversions that would have used it`(
    rates: String, pairs: String, from: String, to: String, expected: [String]
  ) throws {
    #expect(try names(leftOut(pairs, beside: table(rates)), from, to) == expected)
  }

  @Test(arguments: 0..<100) func `a conversion is as with all rates, or names one of those left out`(seed: UInt64)
    throws
  {
    var random = SeededGenerator(seed: seed)
    let codes = try RandomRates.codes(Int.random(in: 2...9, using: &random))
    let rates = try RandomRates.rates(codes, density: Double.random(in: 0.1...0.6, using: &random), &random)
    let lost = rates.filter { _ in Int.random(in: 0..<5, using: &random) == 0 }
    let all = try RateTable(rates)
    let kept = try RateTable(rates.filter { !lost.contains($0) })
    let unread = try LeftOutRates(lost.map { try Rate(from: $0.from, to: $0.to, value: .one) }, beside: kept)
    let stored = try LeftOutRates(restoring: unread.pairs, beside: kept, nextStops: unread.nextStops)
    for from in codes {
      for to in codes {
        let named = unread.used(from: from, to: to)
        #expect(stored.used(from: from, to: to) == named)
        if named.isEmpty { #expect(try kept.path(from: from, to: to) == all.path(from: from, to: to)) }
        #expect(named.allSatisfy { rate in lost.contains { ($0.from, $0.to) == (rate.from, rate.to) } })
      }
    }
  }

  @Test func `at most sixteen are named for one conversion`() throws {
    let chain = (0..<40).map { "C\($0) C\($0 + 1)" }.joined(separator: ",")
    #expect(try names(leftOut(chain, beside: .empty), "C0", "C40").count == LeftOutRates.maximumNamed)
  }

  @Test func `a total without a record or a rate is partial`() throws {
    let table = try table("EUR GBP 1,GBP USD 1")
    let unread = try leftOut("EUR USD", beside: table)
    let usd = try currency("USD")
    func total(_ sales: [Transaction], leftOut: UInt64 = 0) -> ProductTotal {
      var converter = CurrencyConverter(table, leftOut: unread, to: usd)
      var sum = ProductSum(places: converter.places, leftOut: leftOut)
      for sale in sales { sum.add(ConvertedTransaction(sale, &converter)) }
      return sum.total
    }
    let detour = total(try [sale("A", "1", "EUR"), sale("A", "2", "EUR"), sale("A", "1", "GBP")])
    #expect(detour.isPartial && detour.leftOutRates.map { "\($0.from) \($0.to)" } == ["EUR USD"])
    #expect(!total(try [sale("A", "1", "GBP")]).isPartial)
    #expect(total([], leftOut: 1).isPartial && total([], leftOut: 1).leftOut == 1)
  }
}
