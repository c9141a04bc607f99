import Glibc
import Money
import TestSupport
import Testing
import TradeReference

/// Prints figures; not a test. In an optimised build, from the repository:
///
///     CITIES_MEASURE=1 swift test -c release --filter MoneyMeasurements
@Suite(
  "figures of rates and ledgers", .serialized,
  .enabled(if: getenv("CITIES_MEASURE") != nil, "set CITIES_MEASURE to print figures"))
struct MoneyMeasurements {
  @Test func `100,000 transactions of 5,000 products`() throws {
    var random = SeededGenerator(seed: 7)
    let codes = try RandomRates.codes(170)
    let rates = try RandomRates.rates(codes, density: 0.02, &random)
    let texts = (0..<100_000).map { _ in RandomRates.amount(digits: 6, &random) }
    var amounts: [ExactDecimal] = []
    report("parse an amount", texts.count) { amounts = texts.compactMap { try? decimal($0) } }
    let names = try (0..<5_000).map { try ProductCode("T\($0)") }
    let sales = amounts.map {
      Transaction(
        product: names[.random(in: 0..<5_000, using: &random)], amount: $0,
        currency: codes[.random(in: 0..<170, using: &random)])
    }
    var ledger = ProductLedger([])
    report("build the ledger", 1) { ledger = ProductLedger(sales) }
    let book = TradeBook(rates: try RateTable(rates), ledger: ledger)
    for rounding in Rounding.allCases {
      var partial = 0
      report("totals of all products, \(rounding)", 1) {
        partial = book.totals(in: codes[0], rounding: rounding).count { $0.isPartial }
      }
      print("  \(partial) of them partial")
    }
    report("statement of one product, about 20 rows", 5_000) {
      for name in names { _ = book.statement(of: name, in: codes[0]) }
    }
  }

  @Test(arguments: [(4, 0.9), (40, 0.1), (170, 0.02), (170, 1), (512, 1)])
  func `rate tables`(count: Int, density: Double) throws {
    var random = SeededGenerator(seed: 8)
    let codes = try RandomRates.codes(count)
    let rates = try RandomRates.rates(codes, density: density, &random)
    var table = try RateTable([])
    report("\(count) currencies, \(rates.count) rates: build", 1) { table = (try? RateTable(rates)) ?? table }
    let (given, stops) = (table.rates, table.nextStops)
    report("\(count) currencies: restore", 1) { table = (try? RateTable(restoring: given, nextStops: stops)) ?? table }
    report("\(count) currencies: a path", count) { for code in codes { _ = try? table.path(from: code, to: codes[0]) } }
  }

  private func report(_ what: String, _ count: Int, _ work: () -> Void) {
    let times = (0..<3).map { _ in ContinuousClock().measure(work) }
    print("\(what): \((times.min() ?? .zero) / count)")
  }
}
