import CBOR
import CitiesProtocol
import Synchronization
import TestSupport
import Testing

@testable import CitiesCommands

/// The specification's sample as replies.
private enum Trade {
  static let generation = "00000000000000cc"
  static let asOf = Timestamp(text: "2026-03-01T12:00:00Z")
  static let sources = Provenance(feeds: [
    .init(feed: .rates, asOf: asOf, stale: false), .init(feed: .transactions, asOf: asOf, stale: false),
  ])
  static let troubled = Provenance(feeds: [
    .init(feed: .rates, asOf: asOf, stale: true, lastError: "no route"),
    .init(feed: .transactions, asOf: asOf, stale: false),
  ])

  static func amount(_ mantissa: Int128, _ exponent: Int = -2) -> Decimal38 {
    .init(mantissa: mantissa, exponent: exponent)
  }

  static let path = ConversionRow(
    from: "USD", to: "EUR", rate: amount(736, -3),
    steps: [
      .init(from: "USD", to: "EUR", rate: amount(736, -3), given: amount(736, -3), reversed: false, rounded: false)
    ],
    derived: false, rounded: false)
  static let reversed = ConversionRow(
    from: "USD", to: "GBP", rate: amount(4_416, -4),
    steps: path.steps + [
      .init(from: "EUR", to: "GBP", rate: amount(6, -1), given: amount(5, -1), reversed: true, rounded: true)
    ], derived: true, rounded: false)
  static let same = ConversionRow(from: "EUR", to: "EUR", rate: amount(1, 0), steps: [], derived: false, rounded: false)

  static let total = TotalRow(currency: "EUR", amount: amount(1_499), partial: false, remainders: [])
  static let partial = TotalRow(
    currency: "EUR", amount: amount(1_499), partial: true,
    remainders: [.init(currency: "CHF", reason: "unreachable", count: 3, sum: amount(3_100))])

  static func product(_ total: TotalRow, explained: Bool = false, sources: Provenance = sources) -> ProductGet.Reply {
    var rows = [
      ProductGet.Row(amount: amount(763), currency: "EUR", converted: amount(763)),
      ProductGet.Row(amount: amount(100, -1), currency: "USD", converted: amount(736)),
    ]
    if explained { (rows[0].trace, rows[1].trace) = ([], [amount(73_600, -4)]) }
    if total.partial { rows.append(.init(amount: amount(31, 0), currency: "CHF", reason: "unreachable")) }
    return .init(
      sku: "T2006", rows: rows, count: UInt64(rows.count), paths: [same, path], total: total, rounding: .once,
      sources: sources, generation: generation)
  }

  static func list(_ totals: [TotalRow], sources: Provenance = sources) -> ProductList.Reply {
    .init(
      rows: [.init(sku: "A1", count: 1, totals: totals), .init(sku: "T2006", count: 2, totals: totals)], total: 2,
      sources: sources, generation: generation)
  }
}

@Suite struct TradeVerbTests {
  private func list(_ words: [String], _ reply: ProductList.Reply) throws -> Outcome {
    try outcome(["product", "list"] + words) { [$0.reply(ProductList.self, reply)] }
  }

  private func show(_ words: [String], _ reply: ProductGet.Reply) throws -> Outcome {
    try outcome(["product", "show", "T2006"] + words) { [$0.reply(ProductGet.self, reply)] }
  }

  // MARK: - Requests

  @Test func `options become parameters`() throws {
    let list = try sent(ProductList.self, ["product", "list", "--in", "eur,USD", "--rounding", "step", "--limit", "7"])
    #expect(list?.in == ["EUR", "USD"] && list?.rounding == .step && list?.limit == 7)
    #expect(try sent(ProductList.self, ["product", "list"])?.in == nil)
    let show = try sent(ProductGet.self, ["product", "show", "T2006", "--in", "usd", "--explain", "--offset", "2"])
    #expect(
      show?.sku == "T2006" && show?.in == "USD" && show?.explain == true && show?.offset == 2 && show?.limit == 20)
    #expect(try sent(ProductGet.self, ["product", "show", "-12"])?.sku == "-12")
    #expect(try sent(RateList.self, ["rate", "list", "--base", "eur"])?.base == "EUR")
    #expect(try sent(RateList.self, ["rate", "list"]).map { $0.base == nil } == true)
    let convert = try sent(RateConvert.self, ["rate", "convert", "-12.50", "usd", "EUR", "--rounding", "once"])
    #expect(convert == RateConvert(amount: Trade.amount(-1_250), from: "USD", to: "EUR", rounding: .once))
    for word in ["to", "TO"] {
      let spoken = try sent(RateConvert.self, ["rate", "convert", "12.50", "usd", word, "eur"])
      #expect(spoken == RateConvert(amount: Trade.amount(1_250), from: "USD", to: "EUR"))
    }
  }

  @Test func `all transactions come in pages of 5000`() throws {
    let seen = Mutex<[UInt64?]>([])
    let result = try outcome(["product", "show", "T2006", "--all", "--columns", "amount"]) { request in
      guard let asked = request.params(ProductGet.self) else { return [request.failure(.unknownMethod)] }
      seen.withLock { $0.append(asked.limit) }
      var reply = Trade.product(Trade.total)
      reply.count = 12_000
      let start = Int(asked.offset ?? 0)
      let end = min(start + Int(asked.limit ?? 0), 12_000)
      reply.rows = (start..<end).map { .init(amount: Trade.amount(Int128($0), 0), currency: "EUR") }
      return [request.reply(ProductGet.self, reply)]
    }
    let rows = result.output.split(separator: "\n").map { String($0) }
    #expect(rows == (0..<12_000).map { "\($0)" })
    #expect(seen.withLock { $0 } == [5_000, 5_000, 2_000])
  }

  // MARK: - product list

  @Test func `products have a column for each currency`() throws {
    let dollars = TotalRow(currency: "USD", amount: Trade.amount(2_037), partial: false, remainders: [])
    let reply = Trade.list([Trade.total, dollars])
    #expect(
      try list(["--in", "EUR,USD", "-o", "table"], reply).output == """
        SKU    COUNT    EUR    USD
        A1         1  14.99  20.37
        T2006      2  14.99  20.37

        """)
    #expect(
      try list(["--in", "EUR,USD"], reply).output == "A1\t1\t14.99\t20.37\tfalse\nT2006\t2\t14.99\t20.37\tfalse\n")
    #expect(
      try list(["-o", "csv"], Trade.list([Trade.total])).output.hasPrefix("sku,count,EUR,partial\r\nA1,1,14.99,"))
    #expect(
      try list(["-o", "jsonl"], Trade.list([Trade.total])).output.hasPrefix(
        #"{"sku":"A1","count":1,"totals":[{"amount":"14.99","partial":false,"currency":"EUR","remainders":[]}],"partial":false}"#
          + "\n"))
  }

  @Test func `partial totals are 4 and say what is left out`() throws {
    let table = try list(["-o", "table"], Trade.list([Trade.partial]))
    #expect(table.status == .partial && table.output.contains("T2006      2  14.99  partial\n"))
    #expect(
      table.errors == """
        citiesctl: not in the totals in EUR: 6 transactions of 2 products in CHF, because no path of rates leads to EUR

        """)
    let json = try list(["-o", "json"], Trade.list([Trade.partial]))
    #expect(json.status == .partial && json.errors == "")
    #expect(json.output.contains(#""partial":true,"sources""#))
    #expect(json.output.contains(#""remainders":[{"sum":"31.00","count":3,"reason":"unreachable","currency":"CHF"}]"#))
  }

  // MARK: - product show

  @Test func `transactions are shown with their total`() throws {
    #expect(
      try show(["-o", "table"], Trade.product(Trade.total)).output == """
        T2006
          total         14.99 EUR
          transactions  2
          rates         USD>EUR × 0.736

        AMOUNT  CURRENCY  CONVERTED  TO   PATH
          7.63  EUR            7.63  EUR  EUR
         10.0   USD            7.36  EUR  USD>EUR

        """)
    let partial = try show(["-o", "table"], Trade.product(Trade.partial)).output
    #expect(partial.contains("  total         14.99 EUR, without what cannot be converted\n"))
    #expect(
      try show([], Trade.product(Trade.total)).output
        == "7.63\tEUR\t7.63\tEUR\tEUR\t\n10.0\tUSD\t7.36\tEUR\tUSD>EUR\t\n")
    #expect(
      try show(["-o", "csv"], Trade.product(Trade.total)).output.hasPrefix(
        "amount,currency,converted,to,path,reason\r\n"))
  }

  @Test func `JSON has the total in its head and amounts as texts`() throws {
    let json = try show(["-o", "json"], Trade.product(Trade.partial))
    #expect(json.status == .partial && json.errors == "")
    #expect(
      json.output.hasPrefix(
        #"{"total":3,"generation":"00000000000000cc","as_of":"2026-03-01T12:00:00Z","sku":"T2006","currency":"EUR","#
          + #""amount":"14.99","partial":true,"remainders":[{"sum":"31.00","count":3,"#))
    #expect(json.output.contains(#"{"amount":"10.0","currency":"USD","converted":"7.36"},"#))
    #expect(json.output.contains(#"{"amount":"31","currency":"CHF","reason":"unreachable"}"#))
    #expect(json.output.contains(#""paths":[{"to":"EUR","from":"EUR","rate":"1","#))
  }

  @Test(arguments: ["table", "tsv", "csv", "jsonl"])
  func `remainder is noted where the answer has no place for it`(format: String) throws {
    let result = try show(["-o", format], Trade.product(Trade.partial))
    #expect(result.status == .partial)
    #expect(
      result.errors.contains("not in the total: 3 transactions, 31.00 CHF, because no path of rates leads to EUR"))
  }

  @Test func `total alone is a row`() throws {
    #expect(try show(["--total"], Trade.product(Trade.total)).output == "14.99\tEUR\tT2006\tfalse\n")
    #expect(
      try show(["--total", "-o", "table"], Trade.product(Trade.total)).output
        == "AMOUNT  CURRENCY  SKU\n 14.99  EUR       T2006\n")
    #expect(try show(["--total"], Trade.product(Trade.partial)).status == .partial)
  }

  @Test func `each step is explained`() throws {
    let table = try show(["--explain", "-o", "table"], Trade.product(Trade.total, explained: true)).output
    #expect(table.contains("USD>EUR  × 0.736 = 7.3600 EUR, rounded 7.36\n"))
    #expect(table.hasSuffix("T2006: 2 transactions, 14.99 EUR\n  USD to EUR: × 0.736, given\n"))
    let json = try show(["--explain", "-o", "jsonl"], Trade.product(Trade.total, explained: true)).output
    #expect(json.contains(#""converted":"7.36","trace":["7.3600"]}"#))
  }

  @Test func `unknown product is 1 and unknown currency is 2`() throws {
    let missing = try outcome(["product", "show", "X"]) { [$0.failure(.notFound, "no product X")] }
    #expect(missing.status == .nothingFound && missing.output == "")
    #expect(missing.errors.hasPrefix("citiesctl: no product X"))
    let wrong = try outcome(["product", "list", "--in", "XXX"]) { [$0.failure(.invalidParams, "there are EUR, USD")] }
    #expect(wrong == Outcome(status: .usage, output: "", errors: "citiesctl: there are EUR, USD\n"))
  }

  @Test func `ages of both feeds are noted for scripts too`() throws {
    for words in [[], ["--total"], ["--count"], ["-o", "jsonl"]] {
      let result = try show(words, Trade.product(Trade.total, sources: Trade.troubled))
      #expect(result.errors.contains("rates: data of 2026-03-01T12:00:00Z, "))
      #expect(
        result.errors.contains("the last attempt failed: no route") && result.errors.contains("transactions: data of"))
    }
    let json = try show(["-o", "json"], Trade.product(Trade.total, sources: Trade.troubled))
    #expect(json.errors == "" && json.output.contains(#""stale":true,"last_error":"no route""#))
    #expect(try show([], Trade.product(Trade.total)).errors == "")
  }

  // MARK: - rate

  @Test func `rates are marked as given or derived`() throws {
    let reply = RateList.Reply(
      rows: [Trade.path, Trade.reversed], unreachable: ["CHF"], sources: Trade.sources, generation: Trade.generation)
    func rates(_ format: String) throws -> String {
      try outcome(["rate", "list", "-o", format]) { [$0.reply(RateList.self, reply)] }.output
    }
    #expect(
      try rates("table")
        == """
        FROM  TO     RATE    KIND     PATH
        USD   EUR  0.736   given    USD>EUR
        USD   GBP  0.4416  derived  USD>EUR<GBP

        """.replacing("  RATE    KIND", with: "  RATE  KIND"))
    #expect(try rates("tsv") == "USD\tEUR\t0.736\tfalse\tUSD>EUR\tfalse\nUSD\tGBP\t0.4416\ttrue\tUSD>EUR<GBP\tfalse\n")
    #expect(try rates("json").contains(#""unreachable":["CHF"],"#))
    #expect(
      try rates("jsonl").contains(#""derived":true,"rounded":false,"steps":[{"to":"EUR","from":"USD","rate":"0.736","#))
    #expect(try rates("csv").hasPrefix("from,to,rate,derived,path,rounded\r\n"))
  }

  @Test func `conversion has the result in its first column`() throws {
    let reply = RateConvert.Reply(
      amount: Trade.amount(1_250), result: Trade.amount(552), path: Trade.reversed,
      trace: [Trade.amount(92, -1), Trade.amount(552)], rounding: .once, sources: Trade.sources,
      generation: Trade.generation)
    func convert(_ words: [String]) throws -> String {
      try outcome(["rate", "convert", "12.50", "USD", "GBP"] + words) { [$0.reply(RateConvert.self, reply)] }.output
    }
    #expect(try convert([]) == "5.52\tGBP\t12.50\tUSD\t0.4416\ttrue\tUSD>EUR<GBP\n")
    #expect(try convert(["-o", "csv"]).hasPrefix("result,to,amount,from,rate,derived,path\r\n"))
    let table = try convert(["--explain", "-o", "table"])
    #expect(table.contains("USD>EUR<GBP\n\nUSD to EUR: × 0.736 = 9.2 EUR, given\n"))
    #expect(
      table.hasSuffix(
        "EUR to GBP: × 0.6 = 5.52 GBP, 1/0.5, because the rate is given from GBP to EUR; rounded to 38 digits\n"))
    #expect(try convert(["--explain"]).hasSuffix("\t× 0.736 = 9.2 EUR, × 0.6 = 5.52 GBP, rounded 5.52\n"))
    let json = try convert(["-o", "json"])
    #expect(
      json.contains(
        #"{"result":"5.52","to":"GBP","amount":"12.50","from":"USD","rate":"0.4416","derived":true,"rounding":"once","steps":[{"#
      ))
    #expect(json.contains(#""trace":["9.2","5.52"]}"#))
  }

  @Test func `no path of rates is 4`() throws {
    let result = try outcome(["rate", "convert", "1", "USD", "CHF"]) { [$0.failure(.noConversion, "no path")] }
    #expect(result == Outcome(status: .partial, output: "", errors: "citiesctl: no path\n"))
  }

  @Test(arguments: [
    ["product"], ["product", "show"], ["product", "show", ""], ["product", "list", "--in", ""],
    ["product", "list", "--in", "EUR,"], ["product", "list", "--in", "EUR,eur"],
    ["product", "list", "--rounding", "up"],
    ["product", "show", "A", "--in", "EUR,USD"], ["product", "show", "A", "--total", "--count"],
    ["product", "list", "--in", "A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,Q"], ["rate"], ["rate", "list", "EUR"],
    ["rate", "convert"], ["rate", "convert", "1", "USD"], ["rate", "convert", "2,5", "USD", "EUR"],
    ["rate", "convert", "1e3", "USD", "EUR"], ["rate", "convert", "-2,5", "USD", "EUR"],
    ["rate", "list", "--base", ""],
    ["rate", "convert", "1", "", "EUR"], ["rate", "convert", "1", "USD", "at", "EUR"],
    ["rate", "convert", "1", "USD", "to", "EUR", "GBP"],
  ])
  func `wrong use is 2 with a usage of the command`(words: [String]) throws {
    let result = try outcome(words)
    #expect(result.status == .usage && result.output == "", "\(result)")
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 2 && lines[1].hasPrefix("usage: citiesctl \(words[0]) "), "\(result.errors)")
  }
}
