import Money
import TestSupport
import Testing
import TradeReference

@Suite struct TradeBookTests {
  private static let sampleRates = "EUR USD 1.359,CAD EUR 0.732,USD EUR 0.736,EUR CAD 1.366"

  private func sample() throws -> TradeBook {
    let sales = try [
      sale("T2006", "10.00", "USD"), sale("M2007", "34.57", "CAD"), sale("R2008", "17.95", "USD"),
      sale("T2006", "7.63", "EUR"), sale("B2009", "21.23", "USD"),
    ]
    return TradeBook(rates: try table(Self.sampleRates), ledger: ProductLedger(sales))
  }

  @Test func `the sample product totals 1499 euros`() throws {
    let statement = try #require(try sample().statement(of: ProductCode("T2006")))
    #expect(statement.total.amount?.description == "14.99" && statement.rows.count == 2)
    #expect(!statement.total.isPartial && statement.total.remainders.isEmpty)
    #expect(statement.rows.map { "\($0.transaction.amount) \($0.transaction.currency)" } == ["7.63 EUR", "10.00 USD"])
    #expect(statement.rows.map(\.outcome) == [.converted(try decimal("7.63")), .converted(try decimal("7.36"))])
    #expect(statement.paths.map(\.way) == ["EUR", "USD>EUR"])
  }

  @Test func `the sample derives dollars to canadian dollars over the euro`() throws {
    let path = try #require(try sample().rates.path("USD", "CAD"))
    #expect(path.way == "USD>EUR>CAD" && path.rate.description == "1.005376" && path.isDerived && !path.isRounded)
    #expect(path.steps.map(\.given.value.description) == ["0.736", "1.366"])
    #expect(try path.trace(decimal("10.00")).map(\.value.description) == ["7.36000", "10.05376000"])
    #expect(try path.convert(decimal("10.00")).description == "10.05")
  }

  @Test(arguments: [
    ("EUR", ["15.63", "25.31", "13.21", "14.99"]), ("USD", ["21.23", "34.39", "17.95", "20.37"]),
    ("CAD", ["21.34", "34.57", "18.05", "20.47"]),
  ])
  func `the sample list is alphabetical with totals`(code: String, totals: [String]) throws {
    let book = try sample()
    #expect(book.ledger.products.map(\.text) == ["B2009", "M2007", "R2008", "T2006"])
    #expect(book.currencies.map(\.description) == ["CAD", "EUR", "USD"])
    let listed = try book.totals(in: currency(code))
    #expect(listed.map { $0.amount?.description } == totals)
    #expect(listed.allSatisfy { !$0.isPartial })
    #expect(book.ledger.products.indices.map { book.ledger[at: $0].count } == [1, 1, 1, 2])
  }

  @Test func `a product of which every record is left out is there without transactions`() throws {
    let ledger = ProductLedger(
      [try sale("B", "1", "EUR")], leftOut: [try ProductCode("A"): 2, try ProductCode("B"): 1])
    #expect(ledger.products.map(\.text) == ["A", "B"] && ledger.leftOut == [2, 1])
    #expect(ledger[at: 0].isEmpty && ledger[at: 1].count == 1 && ledger.count == 1)
  }

  @Test func `an unknown product has no statement`() throws {
    let book = try sample()
    for name in ["T2007", "t2006", "A", "Z"] { #expect(try book.statement(of: ProductCode(name)) == nil) }
    let empty = TradeBook(rates: try table(""), ledger: ProductLedger([]))
    #expect(try empty.statement(of: ProductCode("A")) == nil && empty.totals().isEmpty && empty.currencies.isEmpty)
  }

  @Test func `what cannot be reached is listed by currency and the total covers the rest`() throws {
    let sales = try [
      sale("P", "5.00", "XAU"), sale("P", "1.00", "EUR"), sale("P", "-2.5", "XAU"), sale("P", "3", "BTC"),
      sale("P", "2.00", "USD"), sale("Q", "9.99", "XAU"), sale("R", "0.00", "EUR"),
    ]
    let book = TradeBook(rates: try table(Self.sampleRates + ",XAU BTC 2"), ledger: ProductLedger(sales))
    let statement = try #require(try book.statement(of: ProductCode("P")))
    #expect(statement.total.amount?.description == "2.47" && statement.rows.count == 5)
    #expect(statement.total.isPartial && lines(statement.total) == ["BTC unreachable 1 3", "XAU unreachable 2 2.50"])
    #expect(statement.rows.count { $0.outcome == .unconverted(.unreachable) } == 3)
    let totals = book.totals()
    #expect(totals[0] == statement.total)
    #expect(
      totals[1].amount?.description == "0.00" && totals[1].isPartial && lines(totals[1]) == ["XAU unreachable 1 9.99"])
    #expect(totals[2].amount?.description == "0.00" && !totals[2].isPartial)
    #expect(try book.totals(in: currency("XAU"))[1].amount?.description == "9.99", "reachable from itself")
    #expect(try book.totals(in: currency("QQQ")).map { $0.remainders.count } == [4, 1, 1])
  }

  @Test func `amounts that outgrow 38 digits are listed and never trap`() throws {
    let big = String(repeating: "9", count: 36)
    let rates = try table("USD EUR 10,GBP EUR 1")
    let sales = try [
      sale("P", big, "USD"), sale("P", "1", "USD"), sale("P", "2", "XAU"), sale("Q", big, "EUR"), sale("Q", big, "EUR"),
      sale("R", big + "99", "XAU"), sale("R", "1", "XAU"),
    ]
    let totals = TradeBook(rates: rates, ledger: ProductLedger(sales)).totals()
    #expect(totals[0].amount?.description == "10.00" && totals[0].isPartial)
    #expect(lines(totals[0]) == ["USD tooLarge 1 \(big)", "XAU unreachable 1 2"])
    #expect(totals[1].amount == nil && totals[1].isPartial && totals[1].remainders.isEmpty)
    #expect(totals[2].amount?.description == "0.00" && lines(totals[2]) == ["XAU unreachable 2 -"])
  }

  @Test(arguments: [(1, Rounding.once), (2, .once), (3, .step), (4, .once), (5, .step)] as [(UInt64, Rounding)])
  func `totals are the sums of the shown rows whatever the order of records`(seed: UInt64, rounding: Rounding) throws {
    var random = SeededGenerator(seed: seed)
    let codes = try RandomRates.codes(Int.random(in: 2...40, using: &random))
    let rates = try RandomRates.rates(codes, density: 1.5 / Double(codes.count), &random)
    let sales = try (0..<600).map { _ in
      try sale(
        "p\(Int.random(in: 0..<40, using: &random))", RandomRates.amount(digits: 20, &random),
        "\(codes.randomElement(using: &random) ?? .euro)")
    }
    let book = TradeBook(rates: try RateTable(rates), ledger: ProductLedger(sales))
    let shuffled = TradeBook(
      rates: try RateTable(rates.shuffled(using: &random)), ledger: ProductLedger(sales.shuffled(using: &random)))
    #expect(book.ledger.products == book.ledger.products.sorted() && book.ledger.count == 600)
    for target in codes.prefix(6) {
      let totals = book.totals(in: target, rounding: rounding)
      #expect(totals == shuffled.totals(in: target, rounding: rounding))
      for (product, total) in zip(book.ledger.products, totals) {
        let statement = try #require(book.statement(of: product, in: target, rounding: rounding))
        #expect(statement.total == total)
        #expect(shuffled.statement(of: product, in: target, rounding: rounding)?.rows == statement.rows)
        expectAddsUp(statement)
      }
    }
  }

  /// Adds up what a reader sees, by school arithmetic, and counts the amounts left out.
  private func expectAddsUp(_ statement: ProductStatement) {
    var (gains, losses, left) = (Digits([]), Digits([]), 0)
    for row in statement.rows {
      guard case .converted(let amount) = row.outcome else {
        left += 1
        continue
      }
      let shown = Fraction(amount.description)
      #expect(shown.scale == 2)
      if shown.isNegative { losses = losses + shown.numerator } else { gains = gains + shown.numerator }
    }
    let (isNegative, sum) = gains < losses ? (true, losses - gains) : (false, gains - losses)
    var expected = Fraction("0.00")
    (expected.numerator, expected.isNegative) = (sum, isNegative)
    #expect(statement.total.amount?.description == expected.rounded(places: 2))
    #expect(statement.total.remainders.reduce(0) { $0 + $1.count } == left)
    #expect(statement.total.isPartial == (left > 0))
  }

  private func lines(_ total: ProductTotal) -> [String] {
    total.remainders.map { "\($0.currency) \($0.reason) \($0.count) \($0.sum?.description ?? "-")" }
  }
}
