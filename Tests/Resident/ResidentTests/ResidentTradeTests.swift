import CitiesProtocol
import Money
import Resident
import ResidentQuestions
import TestSupport
import Testing
import TradeReference

@Suite("Resident trade")
struct ResidentTradeTests {
  let folder: TemporaryFolder
  var path: String { folder.path("trade.resident") }

  init() throws { folder = try TemporaryFolder() }

  private func opened(_ book: TradeBook) throws -> ResidentTrade {
    try TradeBooks.image(of: book).write(to: path)
    return try ResidentTrade(path: path)
  }

  @Test func `the file answers as the book does, to the last digit and place`() throws {
    for book in [try TradeBooks.hard(), try TradeBooks.random(seed: 7, 500, products: 30, currencies: 20)] {
      let trade = try opened(book)
      #expect(trade.currencies == book.currencies && trade.rates.rates == book.rates.rates)
      #expect(trade.rates.rates.map(\.value.scale) == book.rates.rates.map(\.value.scale))
      #expect(trade.rates.nextStops == book.rates.nextStops)
      #expect(trade.leftOutRates.pairs == book.leftOutRates.pairs)
      #expect(trade.productCount == book.ledger.products.count && trade.transactionCount == book.ledger.count)
      for currency in book.currencies.prefix(5) {
        for rounding in Rounding.allCases {
          for (index, product) in book.ledger.products.enumerated() {
            #expect(trade.index(of: product) == index)
            let found = try ResidentQuestions.statement(ofProductAt: index, of: trade, in: currency, rounding: rounding)
            let expected = try #require(book.statement(of: product, in: currency, rounding: rounding))
            #expect(found.product == product && found.total == expected.total && found.paths == expected.paths)
            #expect(found.rows == expected.rows)
            #expect(found.rows.map(\.transaction.amount.scale) == expected.rows.map(\.transaction.amount.scale))
          }
        }
      }
      try trade.verify()
    }
  }

  @Test func `left-out records and rates are kept, those without a product by their number alone`() throws {
    let rates = try TradeBooks.rates("EUR GBP 1,GBP USD 1")
    let pair = try Rate(from: CurrencyCode("EUR"), to: CurrencyCode("USD"), value: .one)
    let lost = try Rate(from: CurrencyCode("EUR"), to: CurrencyCode("XTS"), value: .one)
    let book = TradeBook(
      rates: rates, ledger: ProductLedger(try TradeBooks.sales("B 1 EUR"), leftOut: [try ProductCode("A"): 2]),
      leftOutRates: try LeftOutRates([pair, lost], beside: rates))
    let feeds = [
      ResidentTrade.Summary.Feed(feed: .rates, records: 2, skipped: 3),
      .init(feed: .transactions, records: 1, skipped: 5),
    ]
    let summary = ResidentTrade.Summary(feeds: feeds, sample: false)
    try ResidentTrade.image(of: book, summary: summary, fingerprint: 1).write(to: path)
    let trade = try ResidentTrade(path: path)
    try trade.verify()
    #expect((0..<trade.productCount).map(trade.leftOut) == [2, 0] && trade.leftOutOfList == 3)
    #expect(trade.leftOutRateCount == 3 && trade.currencies.map(\.description) == ["EUR", "GBP", "USD", "XTS"])
    #expect(trade.leftOutRates.used(from: pair.from, to: pair.to) == [pair])
    try trade.prove(0..<trade.proofSteps)
  }

  @Test func `products that are not there have no index`() throws {
    let trade = try opened(TradeBooks.hard())
    for name in ["T2007", "t200", "A", "zzz", "é", "00"] { #expect(trade.index(of: try ProductCode(name)) == nil) }
    #expect(try trade.transactions(ofProductAt: -1).isEmpty && trade.transactions(ofProductAt: 99).isEmpty)
  }

  @Test func `the order of rates does not matter; that of transactions, all contents and the fingerprint do`() throws {
    let (rates, sales) = ("EUR USD 1.3,EUR USD 1.2,USD GBP 2", "A 1.0 EUR,B 2 USD,A 1 EUR,A -3 GBP")
    func image(_ rates: String, _ sales: String, hash: UInt64 = 1) throws -> ResidentImage {
      let book = TradeBook(
        rates: try TradeBooks.rates(rates), ledger: ProductLedger(try TradeBooks.sales(sales)))
      return try TradeBooks.image(of: book, fingerprint: hash)
    }
    let whole = try image(rates, sales)
    let turned = { (text: String) in text.split(separator: ",").reversed().joined(separator: ",") }
    #expect(try image(turned(rates), sales).bytes == whole.bytes)
    let sections = { (image: ResidentImage) in image.header.sections.filter { $0.name != "TSRC" } }
    let shuffled = try image(rates, turned(sales))
    #expect(shuffled.generation != whole.generation && sections(shuffled) == sections(whole))
    #expect(try image(rates, sales + ",A 1 EUR").generation != whole.generation)
    let other = try image(rates, sales, hash: 2)
    #expect(other.generation == whole.generation && other.bytes != whole.bytes)
  }

  @Test func `a book of nothing is a book`() throws {
    let trade = try opened(TradeBook(rates: .empty, ledger: ProductLedger([])))
    #expect(trade.count == 0 && trade.productCount == 0 && trade.currencies.isEmpty)
    try trade.verify()
  }

  @Test(
    arguments: [
      ([(.rates, 6), (.transactions, 7)], nil),
      ([(.rates, 7), (.transactions, 6)], "no feeds of trade declare 6 RATE"),
      ([(.rates, 6)], "no feeds of trade declare 7 TXNS"),
      ([(.rates, 6), (.cities, 7)], "no feeds of trade declare 7 TXNS"),
    ] as [([(FeedName, UInt64)], String?)])
  func `the counts of the feeds are those of the sections`(counts: [(FeedName, UInt64)], problem: String?) throws {
    let feeds = counts.map { ResidentTrade.Summary.Feed(feed: $0.0, records: $0.1, skipped: 0) }
    try ResidentTrade.image(of: TradeBooks.hard(), summary: .init(feeds: feeds, sample: true), fingerprint: 1)
      .write(to: path)
    let trade = try ResidentTrade(path: path)
    guard let problem else { return try trade.verify() }
    let error = #expect(throws: ResidentError.self) { try trade.verify() }
    #expect(error?.description.contains(problem) == true, "\(error?.description ?? "-")")
  }

  @Test func `the summary is kept, and a feed report is not a trade book`() throws {
    let book = try TradeBooks.hard()
    let trade = try opened(book)
    #expect(trade.summary == TradeBooks.summary(of: book))
    #expect(trade.count == 13)
    try ResidentFeeds.image([]).write(to: path)
    let error = #expect(throws: ResidentError.self) { try ResidentTrade(path: path) }
    #expect(error?.fault == .kind(expected: "TRAD", found: "FEED"))
    #expect(error?.description.hasSuffix("citiesd-sync run --force rates transactions") == true)
  }

  @Test func `the order of a product's transactions in the source is kept, and is a permutation of them`() throws {
    let sales = "A 2 USD,B 9 EUR,A 1.0 EUR,A 1 EUR,B 8 EUR,A 1.0 EUR"
    let trade = try opened(TradeBook(rates: .empty, ledger: ProductLedger(try TradeBooks.sales(sales))))
    try trade.verify()
    let listed = try (0..<2).map { product in
      let found = try trade.transactions(ofProductAt: product)
      return try trade.sourceOrder(ofProductAt: product).map { "\(found[$0].amount) \(found[$0].currency)" }
    }
    #expect(listed == [["2 USD", "1.0 EUR", "1 EUR", "1.0 EUR"], ["9 EUR", "8 EUR"]])
    #expect(try trade.sourceOrder(ofProductAt: -1).isEmpty && trade.sourceOrder(ofProductAt: 2).isEmpty)
  }

  @Test func `a transaction takes 28 bytes, a rate 24, a pair of currencies two`() throws {
    let few = try TradeBooks.random(seed: 1, 100, products: 1, currencies: 30)
    let many = try TradeBooks.random(seed: 1, 1_100, products: 1, currencies: 30)
    #expect(try TradeBooks.image(of: many).bytes.count - TradeBooks.image(of: few).bytes.count == 28_000)
  }
}
