import CBOR
import CitiesProtocol
import FrameService
import Glibc
import Money
import Resident
import TestSupport
import Testing
import TradeReference

@testable import CitiesServer

/// Large books, counted: rows that are touched, columns that are computed, clients that wait.
@Suite struct TradeLoadTests {
  private static let products = 2_000
  private static let transactions = 40_000

  /// The large book, made once.
  private static let large = Result { try TradeWorld.book(seed: 5, transactions, products: products) }

  private func server(_ book: TradeBook) throws -> RunningServer {
    let server = try RunningServer()
    try server.serve(book)
    return server
  }

  @Test func `a product touches no row but its own, and opening touches none`() throws {
    let book = try Self.large.get()
    let server = try server(book)
    let (product, own) = (book.ledger.products[1_234], book.ledger[at: 1_234])
    let client = try server.client()
    let expected = try client.ask(ProductGet(sku: product.text))
    #expect(expected.count == UInt64(own.count) && expected.rows.count == own.count)
    // Every other product's rows are made unreadable, under right checksums.
    let file = try ResidentFile(path: server.tradeBook, kind: ResidentTrade.kind)
    var sections = withExtendedLifetime(file) {
      // The image makes the sums of blocks itself.
      file.header.sections.filter { $0.name != BlockSums.section }
        .map { (name: $0.name, bytes: file[$0.name].map(Array.init) ?? []) }
    }
    let rows = try #require(sections.firstIndex { $0.name == "TXNS" })
    let size = sections[rows].bytes.count / Self.transactions
    let start = own.startIndex * size, end = own.endIndex * size
    for offset in sections[rows].bytes.indices where !(start..<end).contains(offset) {
      sections[rows].bytes[offset] = 0xff
    }
    let image = ResidentImage(kind: ResidentTrade.kind, fingerprint: 1, sections: sections)
    let path = server.folder.path("damaged.resident")
    try image.write(to: path)
    let damaged = try ResidentTrade(path: path)
    let sales = try damaged.transactions(ofProductAt: try #require(damaged.index(of: product)))
    let found = ProductStatement(product, sales, damaged.rates)
    #expect(found.rows.map(\.transaction).count == expected.rows.count)
    #expect(TotalRow(found.total, in: .euro) == expected.total)
    #expect(throws: ResidentError.self) { try damaged.transactions(ofProductAt: 0) }
    // Served, such a file is taken out of service as soon as its records are proved.
    try image.write(to: server.tradeBook)
    #expect(try eventually { try client.error(RateList())?.data?.phase == "withdrawn" })
    #expect(try client.error(ProductGet(sku: product.text))?.message.contains("is not a transaction") == true)
  }

  @Test func `totals are computed once a generation and currency, and the list is right`() throws {
    let book = try Self.large.get()
    let server = try server(book)
    let clients = try (0..<4).map { _ in try server.client() }
    // All ask at once: the work is done for the first of them.
    for client in clients { try client.send(ProductList(in: ["EUR", "USD"], limit: 1_000)) }
    let replies = try clients.map { client in try client.bytes() }
    #expect(Set(replies).count == 1)
    #expect(try server.onLoop { $0.desk.columns.computed } == 2)
    var rows: [ProductList.Row] = []
    for offset in stride(from: 0, to: Self.products, by: 1_000) {
      rows += try clients[0].ask(ProductList(in: ["USD", "EUR"], offset: UInt64(offset), limit: 1_000)).rows
    }
    #expect(try server.onLoop { $0.desk.columns.computed } == 2)
    #expect(rows.map(\.sku) == book.ledger.products.map(\.text))
    let totals = try ["USD", "EUR"].map { book.totals(in: try CurrencyCode($0)) }
    #expect(
      rows.map(\.totals)
        == book.ledger.products.indices.map { index in
          zip(totals, ["USD", "EUR"]).map { column, code in
            (try? CurrencyCode(code)).map { TotalRow(column[index], in: $0) } ?? rows[index].totals[0]
          }
        })
    // The same content in a new file, and news of another subject, change nothing.
    try TradeWorld.image(of: book).write(to: server.tradeBook)
    try SmallWorld.write(Array(SmallWorld.cities.dropLast()), to: server.index)
    #expect(try eventually { try clients[1].ask(CitySearch(prefix: "", limit: 0)).total == 8 })
    _ = try clients[1].ask(ProductList())
    #expect(try server.onLoop { $0.desk.columns.computed } == 2)
    _ = try clients[1].ask(ProductList(rounding: .step))
    #expect(try server.onLoop { $0.desk.columns.computed } == 3)
  }

  @Test func `both answer while a refresh runs`() throws {
    let folder = try TemporaryFolder()
    // A sync service that takes connections and never answers.
    let silent = try ListeningSocket(binding: folder.path("sync.sock"), mode: 0o600)
    let path = silent.path
    let server = try RunningServer { $0.syncSocket = path }
    try server.serve(TradeWorld.book(seed: 5, 2_000, products: 50))
    let waiting = try server.client()
    try waiting.send(Refresh())
    let client = try server.client()
    for _ in 0..<3 {
      #expect(try client.ask(ProductList()).total == 50)
      #expect(try client.ask(ProductGet(sku: "P7")).count > 0)
    }
    #expect(try server.onLoop { $0.desk.columns.computed } == 1)
    server.stop()
    // The server's leaving answers the refresh, which was running all the time.
    let envelope = try CBORDecoder().decode(ServerEnvelope<Refresh>.self, from: waiting.bytes())
    #expect(envelope.result?.feeds.isEmpty == false)
    #expect(envelope.result?.feeds.allSatisfy { $0.outcome == .running } == true)
    withExtendedLifetime(silent) {}
  }

  /// Whether `attempt` succeeds once.
  ///
  /// On a busy machine slow work may be over before a quick client's turn comes; work on the loop's thread always is.
  private func isSeenOnce(_ attempt: (Int) throws -> Bool) rethrows -> Bool {
    try (0..<20).contains { try attempt($0) }
  }

  @Test func `other clients do not wait for totals`() throws {
    let book = try Self.large.get()
    let server = try server(book)
    let currencies = ["EUR", "USD"]
    let isOvertaken = try isSeenOnce { attempt in
      // Another count makes another generation, whose columns are not there.
      try server.serve(book, skipped: UInt64(attempt))
      let (slow, quick) = (try server.client(), try server.client())
      let before = try server.onLoop { $0.desk.columns.computed }
      try slow.send(ProductList(in: currencies))
      #expect(try quick.ask(Hello(client: "test")).ready["trade"] == true)
      #expect(try quick.ask(ProductGet(sku: "P7", limit: 1)).rows.count == 1)
      let between = try server.onLoop { $0.desk.columns.computed }
      _ = try slow.bytes()
      #expect(try server.onLoop { $0.desk.columns.computed } == before + currencies.count)
      return between < before + currencies.count
    }
    #expect(isOvertaken)
  }

  @Test func `a product with very many rows does not hold up others either`() throws {
    let server = try server(try TradeWorld.book(seed: 9, 60_000, products: 1))
    let (slow, quick) = (try server.client(), try server.client())
    let isOvertaken = try isSeenOnce { _ in
      for _ in 0..<3 { try slow.send(ProductGet(sku: "P0", limit: 5_000)) }
      for _ in 0..<10 { _ = try quick.ask(Hello(client: "test")) }
      // Answers wait in the socket; none is there as long as the first product is being worked on.
      var byte: UInt8 = 0
      let isWorking = recv(slow.raw.descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0
      for _ in 0..<3 { #expect(try slow.bytes().count > 100_000) }
      return isWorking
    }
    #expect(isOvertaken)
  }

  @Test func `few columns are kept`() throws {
    let server = try RunningServer()
    let codes = (0..<80).map { "C\($0)" }
    try server.serve(TradeWorld.book(codes.map { "\($0) EUR 2" }.joined(separator: ","), "A 1 C1"))
    let client = try server.client()
    for start in stride(from: 0, to: 80, by: 16) {
      #expect(try client.ask(ProductList(in: Array(codes[start..<start + 16]))).rows[0].totals.count == 16)
    }
    #expect(try server.onLoop { $0.desk.columns.computed } == 80)
    #expect(try server.onLoop { $0.desk.columns.finished.count } == TradeColumns.maximum)
    _ = try client.ask(ProductList(in: [codes[79]]))
    #expect(try server.onLoop { $0.desk.columns.computed } == 80)
    _ = try client.ask(ProductList(in: [codes[0]]))
    #expect(try server.onLoop { $0.desk.columns.computed } == 81)
  }
}
