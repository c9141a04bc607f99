import CBOR
import CitiesProtocol
import Coroutines
import FrameService
import Logging
import Money
import Resident
import TestSupport
import Testing
import TradeReference

@testable import CitiesServer

/// Work on trade questions, driven without a connection.
@Suite struct TradeSliceTests {
  /// A server that does not run, with `book` as its data.
  private final class Desk {
    let folder: TemporaryFolder
    let server: QueryServer

    init(_ book: TradeBook) throws {
      folder = try TemporaryFolder()
      server = try QueryServer(
        ServerConfiguration(stateFolder: folder.path), Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      try take(book)
    }

    func take(_ book: TradeBook) throws {
      try TradeWorld.image(of: book).write(to: folder.path("trade.resident"))
      waitUntilUnwritten(folder.path("trade.resident"))
      server.trade.loadNow()
    }

    var generation: ServedGeneration<ResidentTrade> { get throws { try #require(server.trade.current) } }

    /// A computation that keeps the server, as a connection does.
    private func computation(_ compute: @escaping (Budget) async throws -> ResultWriter) -> Computation {
      Computation(from: []) { [server] budget in
        let write = try await compute(budget)
        return { (reply: inout CBORWriter) throws(WireError) in
          try write(&reply)
          withExtendedLifetime(server) {}
        }
      }
    }

    func list(_ codes: [String], _ rounding: Rounding = .once, limit: UInt64? = 1_000) throws -> Computation {
      let generation = try generation
      let keys = try codes.map {
        TradeColumns.Key(serial: generation.serial, currency: try CurrencyCode($0), rounding: rounding)
      }
      let page = try Page(offset: 0, limit: limit, default: 20, maximum: 1_000)
      let range = page.indexes(of: generation.data.productCount)
      return computation { [server] budget in
        try await ProductListHandler.list(keys, range, generation, server.desk, budget)
      }
    }

    func product(
      _ index: Int, _ code: String, explain: Bool, _ rounding: Rounding, sort: ProductGet.Sort? = nil
    ) throws -> Computation {
      let trade = try generation.data
      let converter = CurrencyConverter(trade.rates, to: try CurrencyCode(code), rounding: rounding)
      let page = try Page(offset: 2, limit: 50, default: 20, maximum: 1_000)
      var params = ProductGet(sku: "")
      (params.explain, params.sort) = (explain, sort)
      let (product, generation) = (try trade.product(at: index), try generation)
      let sources = server.desk.sources(of: trade)
      return computation { [params] budget in
        let sales = try await ProductSales(product, index, converter, page, params, generation, sources, budget)
        return { (reply: inout CBORWriter) throws(WireError) in try sales.append(to: &reply) }
      }
    }

    func rates(to base: String?) throws -> Computation {
      let (base, generation) = (try base.map { try CurrencyCode($0) }, try generation)
      let sources = server.desk.sources(of: generation.data)
      return computation { budget in try await RateListHandler.list(to: base, generation, sources, budget) }
    }

    func convert(_ from: String, _ to: String, _ rounding: Rounding) throws -> Computation {
      let (from, to, amount) = (try CurrencyCode(from), try CurrencyCode(to), try Decimal38.of("1234.567"))
      let generation = try generation
      let sources = server.desk.sources(of: generation.data)
      return computation { budget in
        try await RateConvertHandler.convert(amount, from: from, to: to, rounding, generation, sources, budget)
      }
    }
  }

  private static func isEncoding<Reply: Codable>(_ bytes: [UInt8], of reply: Reply.Type) throws -> Bool {
    try CBOREncoder().encode(CBORDecoder().decode(reply, from: bytes)) == bytes
  }

  @Test func `every question of trade has the same bytes in one slice and in the shortest ones`() throws {
    let desk = try Desk(TradeWorld.book(seed: 3, 2_000, products: 40))
    for rounding in Rounding.allCases {
      for codes in [["EUR"], ["USD", "XTS", "CAD"]] {
        let (bytes, _) = try driven(try desk.list(codes, rounding), nanoseconds: .max / 2)
        let (pieces, slices) = try driven(
          try Desk(TradeWorld.book(seed: 3, 2_000, products: 40)).list(codes, rounding), nanoseconds: 0)
        #expect(pieces == bytes && slices > 100)
        #expect(try Self.isEncoding(bytes, of: ProductList.Reply.self))
      }
      for (code, explain) in [("EUR", true), ("XTS", true), ("USD", false)] {
        let whole = try driven(try desk.product(7, code, explain: explain, rounding), nanoseconds: .max / 2)
        let pieces = try driven(try desk.product(7, code, explain: explain, rounding), nanoseconds: 0)
        #expect(pieces.bytes == whole.bytes && pieces.slices > 20)
        #expect(try Self.isEncoding(whole.bytes, of: ProductGet.Reply.self))
      }
      let whole = try driven(try desk.convert("JPY", "CAD", rounding), nanoseconds: .max / 2)
      let pieces = try driven(try desk.convert("JPY", "CAD", rounding), nanoseconds: 0)
      #expect(pieces.bytes == whole.bytes && pieces.slices == 2)
      #expect(try Self.isEncoding(whole.bytes, of: RateConvert.Reply.self))
    }
    for base in [nil, "EUR", "CHF"] {
      let whole = try driven(try desk.rates(to: base), nanoseconds: .max / 2)
      let pieces = try driven(try desk.rates(to: base), nanoseconds: 0)
      #expect(pieces.bytes == whole.bytes && pieces.slices > 4)
      #expect(try Self.isEncoding(whole.bytes, of: RateList.Reply.self))
    }
  }

  @Test(arguments: [ProductGet.Sort.source, .amount, .currency])
  func `a page in any order has the rows of the plain reference`(sort: ProductGet.Sort) throws {
    let desk = try Desk(TradeWorld.book(seed: 3, 2_000, products: 40))
    let trade = try desk.generation.data
    for index in [0, 7, 39] {
      let statement = ProductStatement(
        try trade.product(at: index), try trade.transactions(ofProductAt: index), trade.rates)
      let order = statement.positions(
        in: try #require(TransactionOrder(rawValue: sort.rawValue)),
        sourceOrder: try trade.sourceOrder(ofProductAt: index))
      let bytes = try driven(try desk.product(index, "EUR", explain: false, .once, sort: sort), nanoseconds: 0).bytes
      let reply = try CBORDecoder().decode(ProductGet.Reply.self, from: bytes)
      let expected = order.dropFirst(2).prefix(50).map { statement.rows[$0].transaction }
      let wanted = expected.map { "\(Decimal38($0.amount)) \($0.currency)" }
      #expect(reply.rows.map { "\($0.amount) \($0.currency)" } == wanted)
      #expect(!reply.rows.isEmpty)
    }
  }

  @Test func `work keeps the generation that it started with`() throws {
    let desk = try Desk(TradeWorld.book(seed: 3, 400, products: 10))
    let expected = try driven(try desk.product(3, "EUR", explain: true, .once), nanoseconds: .max / 2).bytes
    let work: [Computation] = [
      try desk.product(3, "EUR", explain: true, .once), try desk.list(["EUR", "USD"]), try desk.rates(to: "EUR"),
    ]
    let name = try desk.generation.name
    for one in work {
      #expect(try !one.resume(until: 0, stepsPerLook: 1))
    }
    try desk.take(TradeWorld.book())
    #expect(try desk.generation.name != name)
    #expect(try driven(work[0], nanoseconds: 0).bytes == expected)
    let list = try CBORDecoder().decode(ProductList.Reply.self, from: driven(work[1], nanoseconds: 0).bytes)
    #expect(list.generation == name && list.total == 10 && list.rows.count == 10)
    let rates = try CBORDecoder().decode(RateList.Reply.self, from: driven(work[2], nanoseconds: 0).bytes)
    #expect(rates.generation == name)
  }

  @Test func `a column is shared, survives the client that drove it, and is dropped with the last one`() throws {
    let desk = try Desk(TradeWorld.book(seed: 4, 2_000, products: 40))
    let columns = desk.server.desk.columns
    var first: Computation? = try desk.list(["EUR"])
    for _ in 0..<100 {
      #expect(try first?.resume(until: 0, stepsPerLook: 1) == false)
    }
    let second = try desk.list(["EUR"])
    #expect(try !second.resume(until: 0, stepsPerLook: 1) && columns.underway == 1)
    first = nil
    // 2,000 transactions in steps of 8 of one product each: the first client's hundred steps are not repeated.
    let alone = try driven(Desk(TradeWorld.book(seed: 4, 2_000, products: 40)).list(["EUR"]), nanoseconds: 0)
    let joined = try driven(second, nanoseconds: 0)
    #expect(joined.bytes == alone.bytes && joined.slices == alone.slices - 101)
    #expect(columns.computed == 1 && columns.underway == 0)
    var third: Computation? = try desk.list(["USD"])
    #expect(try third?.resume(until: 0, stepsPerLook: 1) == false && columns.underway == 1)
    third = nil
    #expect(columns.underway == 0 && columns.computed == 1)
  }

  @Test func `a finished column keeps no older book open`() throws {
    let desk = try Desk(TradeWorld.book(seed: 4, 200, products: 4))
    _ = try driven(desk.list(["EUR"]), nanoseconds: 0)
    let older = WeakBook(value: try desk.generation.data)
    #expect(desk.server.desk.columns.finished.count == 1 && older.value != nil)
    // The book before is kept for a while; the one before that is not.
    try desk.take(TradeWorld.book(seed: 5, 200, products: 4))
    try desk.take(TradeWorld.book(seed: 6, 200, products: 4))
    #expect(desk.server.desk.columns.finished.count == 1 && older.value == nil)
  }

  @Test func `totals of a withdrawn book are not those of the same book in another file`() throws {
    let desk = try Desk(TradeWorld.book())
    _ = try driven(desk.list(["EUR"]), nanoseconds: 0)
    let withdrawn = try desk.generation
    _ = desk.server.trade.withdraw(withdrawn, .contents("an entry is out of range"))
    try desk.take(TradeWorld.book())
    #expect(try desk.generation.name == withdrawn.name)
    _ = try driven(desk.list(["EUR"]), nanoseconds: 0)
    #expect(desk.server.desk.columns.computed == 2)
  }

  private struct WeakBook {
    weak var value: ResidentTrade?
  }

  /// `C0 C1 1.5,C1 C2 1.5,…`: a chain of `count` rates.
  private static func chain(_ count: Int, reversed: Bool = false) -> String {
    (0..<count).map { reversed ? "C\($0 + 1) C\($0) 1.5" : "C\($0) C\($0 + 1) 1.5" }.joined(separator: ",")
  }

  @Test(arguments: [false, true]) func `hundreds of rates in a row are too expensive`(reversed: Bool) throws {
    let server = try RunningServer()
    try server.serve(TradeWorld.book(Self.chain(510, reversed: reversed), "A 1 C0,B 1 C509"))
    let client = try server.client()
    let errors = [
      try client.error(RateConvert(amount: .of("1"), from: "C0", to: "C509")),
      try client.error(RateList(base: "C509")), try client.error(ProductGet(sku: "A", in: "C509", explain: true)),
      try client.error(ProductList(in: ["C509"])),
    ]
    let data = ErrorData(limit: "conversion-work", maximum: UInt64(RateTable.maximumWork))
    for error in errors { #expect(error?.code == .tooExpensive && error?.data == data) }
    #expect(try client.ask(ProductGet(sku: "B", in: "C509")).total.partial == false)
    #expect(try client.ask(RateList()).rows.count == 510)
    let near = try client.ask(RateConvert(amount: .of("1"), from: "C0", to: "C40"))
    #expect(near.path.steps.count == 40 && near.trace.count == 40)
  }
}

/// Drives `work` in slices of a length to its end, and returns its result and the number of slices.
func driven(_ work: Computation, nanoseconds: Int64) throws -> (bytes: [UInt8], slices: Int) {
  var slices = 1
  while true {
    let isShortest = nanoseconds == 0
    if try work.resume(until: isShortest ? 0 : .max, stepsPerLook: isShortest ? 1 : Budget.stepsPerLook) { break }
    slices += 1
  }
  var writer = CBORWriter()
  try work.write(into: &writer)
  return (writer.bytes, slices)
}

extension TradeColumns {
  /// The number of unfinished columns.
  fileprivate var underway: Int { unfinished.values.count { $0.column != nil } }
}
