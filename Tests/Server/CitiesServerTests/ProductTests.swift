import CBOR
import CitiesProtocol
import Money
import Resident
import TestSupport
import Testing

@testable import CitiesServer

/// `product.list` and `product.get` through a socket.
@Suite struct ProductTests {
  @Test func `the specification's product totals 14_99 EUR, each step explained`() throws {
    let client = try tradeServer().client()
    let reply = try client.ask(ProductGet(sku: "T2006", explain: true))
    #expect(reply.sku == "T2006" && reply.count == 2 && reply.rounding == .once)
    #expect(reply.rows.map(\.text) == ["10.00 USD 7.36 [7.36000]", "7.63 EUR 7.63 []"])
    #expect(reply.total.text == "14.99 EUR" && !reply.total.partial)
    #expect(reply.paths.map(\.text) == ["EUR 1", "USD>EUR 0.736"])
    let canadian = try client.ask(ProductGet(sku: "T2006", in: "cad", explain: true))
    #expect(canadian.rows.map(\.text) == ["10.00 USD 10.05 [7.36000 10.05376000]", "7.63 EUR 10.42 [10.42258]"])
    #expect(canadian.paths.map(\.text) == ["EUR>CAD 1.366", "USD>EUR>CAD 1.005376 derived"])
    #expect(canadian.total.text == "20.47 CAD")
    #expect(try client.ask(ProductGet(sku: "T2006")).rows.allSatisfy { $0.trace == nil })
  }

  @Test func `rows are in the order of the source, of amounts or of currencies, page by page`() throws {
    let server = try RunningServer()
    let sales = "P 2.0 USD,P 10 EUR,P 2 USD,P -1 EUR,P 2.00 CAD,P 10 EUR"
    try server.serve(TradeWorld.book(TradeWorld.rates, sales))
    let client = try server.client()
    let orders: [(ProductGet.Sort?, [String])] = [
      (nil, ["2.0 USD", "10 EUR", "2 USD", "-1 EUR", "2.00 CAD", "10 EUR"]),
      (.source, ["2.0 USD", "10 EUR", "2 USD", "-1 EUR", "2.00 CAD", "10 EUR"]),
      (.amount, ["-1 EUR", "2.00 CAD", "2 USD", "2.0 USD", "10 EUR", "10 EUR"]),
      (.currency, ["2.00 CAD", "-1 EUR", "10 EUR", "10 EUR", "2 USD", "2.0 USD"]),
    ]
    let total = try client.ask(ProductGet(sku: "P")).total
    for (sort, expected) in orders {
      for offset in 0...6 {
        let reply = try client.ask(ProductGet(sku: "P", sort: sort, offset: UInt64(offset), limit: 3))
        let rows = reply.rows.map { "\($0.amount) \($0.currency)" }
        #expect(rows == Array(expected.dropFirst(offset).prefix(3)) && reply.total == total)
      }
    }
  }

  @Test func `rounding after every step is another total`() throws {
    let server = try RunningServer()
    try server.serve(TradeWorld.book("A B 0.5,B C 10", "P 0.01 A,P 0.03 A"))
    let client = try server.client()
    let once = try client.ask(ProductGet(sku: "P", in: "C", explain: true))
    #expect(once.rows.map(\.text) == ["0.01 A 0.05 [0.005 0.050]", "0.03 A 0.15 [0.015 0.150]"])
    let step = try client.ask(ProductGet(sku: "P", in: "C", rounding: .step, explain: true))
    #expect(step.rows.map(\.text) == ["0.01 A 0.00 [0.00 0.00]", "0.03 A 0.20 [0.02 0.20]"])
    #expect(once.total.text == "0.20 C" && step.total.text == "0.20 C" && step.rounding == .step)
    let list = try client.ask(ProductList(in: ["C", "EUR"], rounding: .step))
    #expect(list.rows.map { $0.totals.map(\.text) } == [["0.20 C", "0.00 partial; A unreachable 2 0.04 EUR"]])
  }

  @Test func `what cannot be reached is reported, never guessed`() throws {
    let client = try tradeServer().client()
    let reply = try client.ask(ProductGet(sku: "X1", explain: true))
    #expect(reply.rows.map(\.text) == ["1.00 EUR 1.00 []", "-5.5 GBP unreachable", "2 GBP unreachable"])
    #expect(reply.total.text == "1.00 partial; GBP unreachable 2 -3.5 EUR" && reply.total.partial)
    #expect(reply.paths.map(\.from) == ["EUR"])
  }

  @Test func `the list is alphabetical, with a total in each currency asked for`() throws {
    let client = try tradeServer().client()
    let all = try client.ask(ProductList())
    #expect(all.total == 5 && all.rows.map(\.sku) == ["B2009", "M2007", "R2008", "T2006", "X1"])
    #expect(all.rows.map(\.count) == [1, 1, 1, 2, 3])
    #expect(all.rows.map { $0.totals[0].amount?.description } == ["15.63", "25.31", "13.21", "14.99", "1.00"])
    let page = try client.ask(ProductList(in: ["USD", "EUR", "GBP"], offset: 3, limit: 1, generation: all.generation))
    #expect(page.rows.map(\.sku) == ["T2006"] && page.total == 5)
    #expect(
      page.rows[0].totals.map(\.text) == [
        "20.37 USD", "14.99 EUR", "0.00 partial; EUR unreachable 1 7.63; USD unreachable 1 10.00 GBP",
      ])
    #expect(try client.ask(ProductList(limit: 0)).rows.isEmpty && client.ask(ProductList(limit: 0)).total == 5)
    #expect(try client.ask(ProductList(offset: .max, limit: 1_000)).rows.isEmpty)
  }

  @Test func `a page of transactions has the total of all`() throws {
    let client = try tradeServer().client()
    let page = try client.ask(ProductGet(sku: "X1", offset: 1, limit: 1))
    #expect(page.rows.map(\.text) == ["-5.5 GBP unreachable"] && page.count == 3)
    #expect(page.total.text == "1.00 partial; GBP unreachable 2 -3.5 EUR")
    #expect(try client.ask(ProductGet(sku: "X1", limit: 0)).rows.isEmpty)
  }

  @Test(arguments: ["", String(repeating: "x", count: 129), String(repeating: "x", count: 1_000)])
  func `a code that no product can have is refused with its bounds`(sku: String) throws {
    let error = try tradeServer().client().error(ProductGet(sku: sku))
    #expect(error?.code == .invalidParams && error?.data?.param == "sku")
    #expect(error?.message.contains("expected 1 to 128 bytes, found \(sku.utf8.count)") == true)
  }

  @Test(arguments: ["T2007", "t2006", "T2006 ", "\u{0}", String(repeating: "x", count: 128)])
  func `an unknown product is not found`(sku: String) throws {
    let error = try tradeServer().client().error(ProductGet(sku: sku))
    #expect(error?.code == .notFound && error?.message.hasPrefix("no product has the code \"") == true)
    #expect((error?.message.utf8.count ?? 0) < 200)
  }

  @Test(arguments: ["XYZ", "", "EU R", "12", String(repeating: "E", count: 1_000)])
  func `an unknown currency names those that are known`(text: String) throws {
    let client = try tradeServer().client()
    for error in [
      try client.error(ProductGet(sku: "T2006", in: text)), try client.error(ProductList(in: ["EUR", text])),
      try client.error(ProductGet(sku: "none", in: text)),
    ] {
      #expect(error?.code == .invalidParams && error?.data?.param == "in")
      #expect(error?.message.hasSuffix("there are CAD, CHF, EUR, GBP, USD") == true, "\(error?.message ?? "-")")
    }
  }

  @Test func `many known currencies are named in part`() throws {
    let server = try RunningServer()
    let codes = (0..<100).map { "C\($0)" }
    try server.serve(TradeWorld.book(codes.map { "\($0) EUR 2" }.joined(separator: ","), "A 1 C1"))
    let message = try server.client().error(ProductGet(sku: "A", in: "XYZ"))?.message ?? ""
    #expect(message.contains("there are C0, C1, C10") && message.hasSuffix(" and 69 more"))
  }

  @Test func `parameters out of range are refused by name`() throws {
    let client = try tradeServer().client()
    let wrong: [(ProductList, String)] = [
      (ProductList(in: []), "in"), (ProductList(in: ["EUR", "eur"]), "in"),
      (ProductList(in: (0..<17).map { "C\($0)" }), "in"), (ProductList(limit: 1_001), "limit"),
    ]
    for (question, param) in wrong {
      let error = try client.error(question)
      #expect(error?.code == .invalidParams && error?.data?.param == param)
    }
    let error = try client.error(ProductGet(sku: "T2006", limit: 5_001))
    #expect(error?.code == .invalidParams && error?.data?.param == "limit")
  }

  @Test func `without rates everything else is a remainder, and both feeds are reported`() throws {
    let server = try RunningServer()
    try server.serve(TradeWorld.book("", "T2006 10.00 USD,T2006 7.63 EUR,Z 1 USD"), sample: true)
    let reply = try server.client().ask(ProductList())
    #expect(
      reply.rows.map { $0.totals[0].text } == [
        "7.63 partial; USD unreachable 1 10.00 EUR", "0.00 partial; USD unreachable 1 1 EUR",
      ])
    #expect(reply.sources.feeds.map(\.feed) == [.rates, .transactions] && reply.sources.sample)
    #expect(reply.sources.feeds.allSatisfy { $0.asOf == nil && $0.stale } && reply.asOf == nil)
  }

  @Test func `the ages of both feeds are reported, and the older one as the reply's`() throws {
    let server = try tradeServer()
    let client = try server.client()
    let now = Timestamp.now.secondsSince1970 ?? 0
    try ResidentFeeds.image([
      FeedReport(
        feed: .rates, asOf: Timestamp(secondsSince1970: now - 7_200), lastError: "the server answered 503",
        interval: 3_600),
      FeedReport(feed: .transactions, asOf: Timestamp(secondsSince1970: now - 60), interval: 3_600),
    ]).write(to: server.folder.path("state/feeds.resident"))
    #expect(try eventually { try client.ask(RateList()).asOf != nil })
    for (sources, asOf) in [
      try client.ask(ProductList()).dated, try client.ask(ProductGet(sku: "X1")).dated,
      try client.ask(RateList()).dated,
      try client.ask(RateConvert(amount: .of("1"), from: "EUR", to: "USD")).dated,
    ] {
      #expect(sources.feeds.map(\.stale) == [true, false] && !sources.sample)
      #expect(sources.feeds.map { $0.asOf?.secondsSince1970 } == [now - 7_200, now - 60])
      #expect(sources.feeds.map(\.lastError) == ["the server answered 503", nil])
      #expect(asOf?.secondsSince1970 == now - 7_200)
    }
  }

  @Test func `without a book the subject is unavailable, and says what to run`() throws {
    let client = try RunningServer().client()
    for error in [
      try client.error(ProductList()), try client.error(ProductGet(sku: "A")), try client.error(RateList()),
      try client.error(RateConvert(amount: .of("1"), from: "EUR", to: "USD")),
    ] {
      #expect(error?.code == .unavailable && error?.data?.subject == .trade)
      #expect(error?.message.contains("citiesd-sync run --force rates transactions") == true)
    }
    #expect(try client.ask(Hello(client: "test")).ready["trade"] == false)
  }

  @Test func `one who pages keeps the generation it began with`() throws {
    let server = try tradeServer()
    let (pager, other) = (try server.client(), try server.client())
    let first = try pager.ask(ProductList(limit: 2))
    try server.serve(TradeWorld.book("", "A 1 EUR"))
    let page = ProductList(offset: 2, limit: 9, generation: first.generation)
    #expect(try pager.ask(page).rows.map(\.sku) == ["R2008", "T2006", "X1"])
    #expect(try pager.ask(ProductGet(sku: "T2006", generation: first.generation)).total.text == "14.99 EUR")
    let error = try other.error(page)
    #expect(error?.code == .staleGeneration && error?.data?.subject == .trade)
    #expect(try pager.ask(ProductList()).rows.map(\.sku) == ["A"])
  }
}

extension ProductList.Reply {
  fileprivate var dated: (Provenance, Timestamp?) { (sources, asOf) }
}
extension ProductGet.Reply {
  fileprivate var dated: (Provenance, Timestamp?) { (sources, asOf) }
}
extension RateList.Reply {
  fileprivate var dated: (Provenance, Timestamp?) { (sources, asOf) }
}
extension RateConvert.Reply {
  fileprivate var dated: (Provenance, Timestamp?) { (sources, asOf) }
}
