import CitiesProtocol
import Money
import Resident
import TestSupport
import Testing

@testable import FeedSync

@Suite("Trade importer")
struct TradeImporterTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `the specification's product totals 14.99 EUR`() throws {
    let trade = try book(rates: TradeText.rates, TradeText.transactions, in: folder)
    let (rows, total) = try trade.rows("T2006")
    #expect(rows == ["7.63 EUR 7.63", "10.00 USD 7.36"] && total == "14.99")
    let path = try #require(try trade.rates.path(from: CurrencyCode("USD"), to: CurrencyCode("CAD")))
    #expect(path.steps.map(\.to.description) == ["EUR", "CAD"] && path.isDerived)
    #expect(
      trade.summary
        == ResidentTrade.Summary(
          feeds: [.init(feed: .rates, records: 4, skipped: 0), .init(feed: .transactions, records: 5, skipped: 0)],
          sample: true))
  }

  @Test func `the samples that are shipped show what there is to see`() throws {
    let text = { (name: String) in
      String(decoding: try Repository.bytes(Repository.path("contrib/data/sample/\(name)")), as: UTF8.self)
    }
    let trade = try book(rates: text("rates.json"), text("transactions.json"), in: folder)
    #expect(trade.summary.feeds.allSatisfy { $0.skipped == 0 })
    #expect(try trade.rows("T2006").total == "14.99")
    #expect(try trade.rows("SAMPLE-REFUND").rows == ["-4.90 GBP -6.12", "24.90 GBP 31.12"])
    #expect(try trade.rows("SAMPLE-PARTIAL").total == "12.50 partial")
  }

  @Test(
    arguments: [
      "10.00", "0.1", "1.0000000000000002", "-12.50", "0", "0.00", "12345678901234567890.12345678901234",
      "99999999999999999999999999999999999999", "0.00000000000000000000000000000000000001",
    ])
  func `digits and places survive from the text, in quotes or not`(text: String) throws {
    for written in [text, "\"\(text)\""] {
      let trade = try book(rates: nil, "[{\"sku\":\"A\",\"amount\":\(written),\"currency\":\"XTS\"}]", in: folder)
      #expect(try trade.transactions(ofProductAt: 0)[0].amount.description == text)
    }
    guard !text.hasPrefix("-"), text != "0", text != "0.00" else { return }
    for written in [text, "\"\(text)\""] {
      let trade = try book(rates: "[{\"from\":\"A\",\"to\":\"B\",\"rate\":\(written)}]", nil, in: folder)
      #expect(trade.rates.rates[0].value.description == text)
    }
  }

  @Test(
    arguments: [
      ("1e2", "100"), ("1.50e-3", "0.00150"), ("1.50E+1", "15.0"), ("-2.5e0", "-2.5"), ("0e5", "0"), ("0e-2", "0.00"),
      ("12.345e2", "1234.5"), ("1e37", "1" + String(repeating: "0", count: 37)),
      ("1e-38", "0." + String(repeating: "0", count: 37) + "1"),
    ])
  func `an exponent of a number moves the point`(text: String, expected: String) throws {
    #expect(try ExactDecimal(jsonNumber: text).description == expected)
  }

  @Test(
    arguments: [
      ("\"1e2\"", "100"), ("\" 10.00 \"", "10.00"), ("\"\u{a0}10.00\\t\"", "10.00"), ("\"10,50\"", "10.50"),
      ("\"+5\"", "5"), ("\"-10,5\"", "-10.5"), ("\"\u{2212}7\"", "-7"), ("\"1,5e1\"", "15"), ("\"1.234\"", "1.234"),
      ("10.50", "10.50"), ("\"10,5000\"", "10.5000"),
    ])
  func `a number with one meaning is read`(written: String, expected: String) throws {
    let trade = try book(rates: nil, "[{\"sku\":\"A\",\"amount\":\(written),\"currency\":\"EUR\"}]", in: folder)
    #expect(try trade.transactions(ofProductAt: 0).map(\.amount.description) == [expected])
  }

  @Test(
    arguments: [
      "1 234.50", "1,234.50", "1.234,50", "1,234,567", "1,234", "-1,234", "0,736", "1234,567", "1,23,456", "12,34.5",
      "1.2.3", "1,2,3", "1 2", "1e", "e2", "", " ", ",5",
      "5,",
      "10.00 EUR", "1,234.567.890", "1.234,567,8", "--1", "+-1", "0x10", "nan", "1e2e3",
    ])
  func `a number with two meanings or none is never read`(text: String) throws {
    #expect(throws: MoneyError.self) { try ExactDecimal(written: text) }
  }

  @Test(arguments: [
    (#"{"sku": 4711, "amount": 1, "currency": "EUR"}"#, "4711"),
    (#"{" SKU ": "A", "Amount": "1", "CURRENCY": " eur "}"#, "A"),
    (#"{"sku": "A", "SKU": "B", "amount": 1, "currency": "EUR"}"#, "A"),
    (#"{"Sku": "B", "sku": "A", "amount": 1, "currency": "eur"}"#, "A"),
  ])
  func `keys in any case, a code in small letters and a number as a code are read`(record: String, sku: String) throws {
    let trade = try book(rates: nil, "[\(record)]", in: folder)
    #expect(try trade.rows(sku).rows == ["1 EUR 1.00"] && trade.productCount == 1)
  }

  @Test func `a record that cannot be read is counted with its product, or with the list`() throws {
    let text = """
      [{"sku":"A","amount":"10.00","currency":"EUR"}, {"sku":"A","amount":"1,234","currency":"EUR"},
       {"sku":"B","amount":"1","currency":"€"}, {"amount":"1","currency":"EUR"}, 7,
       {"sku":"A","sku":"A","amount":"1","currency":"EUR"}]
      """
    let trade = try book(
      rates: #"[{"from":"EUR","to":"USD","rate":"1,234"},{"from":"EUR","to":"GBP","rate":"1"}]"#, text, in: folder)
    #expect(
      try (0..<trade.productCount).map { try "\(trade.product(at: $0)) \(trade.leftOut(ofProductAt: $0))" } == [
        "A 1", "B 1",
      ])
    #expect(trade.leftOutOfList == 3 && trade.leftOutRateCount == 1)
    #expect(trade.leftOutRates.pairs.map { "\($0.from) \($0.to)" } == ["EUR USD"])
    try trade.verify()
  }

  @Test(
    arguments: ["1e38", "1e-39", "1e999", "1e1000", "0e1000", "1e99999999999999999999", "1e-99999999999999999999"])
  func `an exponent beyond 38 digits is refused`(text: String) throws {
    #expect(throws: MoneyError.self) { try ExactDecimal(jsonNumber: text) }
    #expect(throws: MoneyError.self) { try ExactDecimal(written: text) }
  }

  @Test func `a byte-order mark, other keys, lower case and codes in NFD are fine`() throws {
    let text = "\u{feff}[{\"sku\":\"Cafe\u{301}\",\"note\":[1],\"amount\":\"1\",\"currency\":\"EUR\"}]"
    let trade = try book(rates: nil, text, in: folder)
    #expect(try trade.rows("Caf\u{e9}").rows == ["1 EUR 1.00"])
  }

  @Test
  func `one of two copies is enough: without rates all else is a remainder, without transactions there are rates`()
    throws
  {
    let sold = try book(rates: nil, TradeText.transactions, in: folder)
    #expect(try sold.rows("T2006").rows == ["7.63 EUR 7.63", "10.00 USD -"])
    #expect(try sold.rows("T2006").total == "7.63 partial")
    #expect(sold.summary.feeds.map(\.feed) == [.transactions] && sold.summary.sample)
    let rated = try book(rates: TradeText.rates, nil, in: folder)
    #expect(rated.productCount == 0 && rated.rates.rates.count == 4)
    #expect(rated.summary.feeds.map(\.feed) == [.rates] && !rated.summary.sample)
    #expect(try book(rates: nil, nil, in: folder).count == 0)
  }

  @Test(arguments: 0..<4) func `the order of rates is not in the file, what they say is`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let codes = (0..<12).map { "C\($0)" }
    var rates = codes.flatMap { from in
      codes.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }.map {
        "{\"from\":\"\(from)\",\"to\":\"\($0)\",\"rate\":\(from == $0 ? "1.0" : "0.\(Int.random(in: 1...999, using: &random))")}"
      }
    }
    rates += rates.prefix(5).map { $0.replacing("0.", with: "7.") }
    let sales = (0..<300).map { _ in
      let amount = "\(Int.random(in: -99...99, using: &random)).\(Int.random(in: 10...99, using: &random))0"
      return
        "{\"sku\":\"p\(Int.random(in: 0..<30, using: &random))\",\"amount\":\"\(amount)\",\"currency\":\"\(codes[0])\"}"
    }
    func generation(_ rates: [String], _ sales: [String]) throws -> (Generation, [UInt8]) {
      let trade = try book(
        rates: "[\(rates.joined(separator: ","))]", "[\(sales.joined(separator: ","))]", in: folder)
      try trade.verify()
      return (trade.generation, Array(trade.file.bytes[ResidentHeader.size...]))
    }
    let first = try generation(rates, sales)
    for _ in 0..<3 {
      let other = try generation(rates.shuffled(using: &random), sales)
      #expect(other.0 == first.0 && other.1 == first.1)
      #expect(try generation(rates, sales.shuffled(using: &random)).0 != first.0, "the order of sales is kept")
    }
    #expect(try generation(rates, sales + [sales[0]]).0 != first.0)
  }

  @Test func `feeds with more currencies than a file may have are refused, not a trap`() throws {
    let product = try ProductCode("A")
    let sales = try (0...ResidentTrade.maximumCurrencies).map {
      Transaction(product: product, amount: try ExactDecimal(parsing: "1"), currency: try CurrencyCode("C\($0)"))
    }
    func make(_ count: Int) throws -> ResidentImage {
      let contents = FeedContents(RecordCounts(kept: UInt64(count)))
      let part = ParsedFeed<TradeImporter.Records>(
        .transactions, contents, .transactions(ProductLedger(sales.prefix(count))))
      return try TradeImporter().image(of: [part], fingerprint: 1) { _ in }
    }
    _ = try make(ResidentTrade.maximumCurrencies)
    let error = #expect(throws: FeedError.self) { try make(sales.count) }
    let problem = "have \(sales.count) currencies: at most \(sales.count - 1) are served"
    #expect(error?.reason == .badData && error?.description.contains(problem) == true)
  }

  @Test func `the same copies give the same bytes; a copy, a name and a flag each change the fingerprint`() throws {
    func hash(_ rates: String?, _ sales: String?, sample: Bool = false) throws -> UInt64 {
      var copies: [FeedName: SourceCopy] = [:]
      copies[.rates] = rates.map { SourceCopy(bytes: Array($0.utf8), isSample: sample) }
      copies[.transactions] = sales.map { SourceCopy(bytes: Array($0.utf8)) }
      return try TradeImporter().image(of: copies).header.fingerprint
    }
    let (rates, sales) = (TradeText.rates, TradeText.transactions)
    let hashes = [
      try hash(rates, sales), try hash(rates, nil), try hash(nil, sales), try hash(rates + " ", sales),
      try hash(rates, sales + " "), try hash(rates, sales, sample: true), try hash(nil, nil),
    ]
    #expect(Set(hashes).count == hashes.count)
    #expect(try hash(rates, sales) == hashes[0])
  }

  @Test func `a trade book is verified whole, and any flipped bit of one is found`() throws {
    let trade = try book(rates: TradeText.rates, TradeText.transactions, in: folder)
    let path = folder.path("trade.resident")
    #expect(
      try Verification.line(for: path)
        == "\(path): sound trade book, generation \(trade.generation), \(trade.file.bytes.count) bytes, "
        + "4 rates, 5 transactions of 4 products, 0 skipped")
    let bytes = Array(trade.file.bytes)
    for offset in bytes.indices {
      var damaged = bytes
      damaged[offset] ^= 1 << UInt8(offset % 8)
      try folder.write("damaged", damaged)
      #expect(throws: FeedError.self, "byte \(offset)") { try Verification.line(for: folder.path("damaged")) }
    }
  }
}
