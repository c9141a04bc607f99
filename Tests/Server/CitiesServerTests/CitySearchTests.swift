import CBOR
import CitiesProtocol
import Glibc
import TestSupport
import Testing

@testable import CitiesServer

@Suite struct CitySearchTests {
  let server: RunningServer
  let client: TestClient

  init() throws {
    server = try RunningServer()
    client = try server.client()
  }

  private func ids(_ search: CitySearch) throws -> [UInt64] { try client.ask(search).rows.map(\.id) }

  @Test(
    arguments: [
      ("", [10, 11, 12, 13, 15, 16, 17, 18, 14]), ("al", [10, 11, 12, 13]), ("ALB", [10, 11, 12, 13]),
      ("alba, i", [11]), ("albany", [12]), ("us", []), ("łó", [14]), ("LO\u{301}", []), ("washington, d.c., u", [18]),
      ("washington,", [18]), ("zzz", []),
    ] as [(String, [UInt64])])
  func `a prefix finds the titles that begin with it`(prefix: String, expected: [UInt64]) throws {
    #expect(try ids(CitySearch(prefix: prefix)) == expected)
  }

  @Test(arguments: [("sao", [15]), ("lodz", [14]), ("são", [15]), ("sa\u{303}o", [15])] as [(String, [UInt64])])
  func `folded matching ignores accents`(prefix: String, expected: [UInt64]) throws {
    #expect(try ids(CitySearch(prefix: prefix, match: .folded)) == expected)
  }

  @Test func `a country filters and keeps the count exact`() throws {
    let reply = try client.ask(CitySearch(prefix: "", country: "us", limit: 2))
    #expect(reply.rows.map(\.id) == [12, 13] && reply.total == 3)
  }

  @Test func `population puts most inhabitants first and unknown last`() throws {
    #expect(try ids(CitySearch(prefix: "", sort: .population)) == [15, 14, 18, 13, 12, 11, 10, 16, 17])
  }

  @Test func `the reply's bytes are those of the encoder`() throws {
    let searches = [
      CitySearch(prefix: "al"), CitySearch(prefix: ""), CitySearch(prefix: "zzz"), CitySearch(prefix: "", limit: 0),
      CitySearch(prefix: "sao", match: .folded), CitySearch(prefix: "", country: "US", sort: .population, offset: 1),
      CitySearch(prefix: "", offset: 100), CitySearch(prefix: "albany"),
    ]
    for search in searches {
      let id = try client.send(search)
      let bytes = try client.bytes()
      let reply = try CBORDecoder().decode(ServerEnvelope<CitySearch>.self, from: bytes)
      let rows = try #require(reply.result).rows
      #expect(rows == rows.map { CityRow.small($0.id) })
      #expect(try CBOREncoder().encode(ServerEnvelope<CitySearch>(id: id, result: #require(reply.result))) == bytes)
    }
  }

  @Test func `a page is the same before and after its rows are proved, and by the general path`() throws {
    let pages: [(String, UInt64, UInt64)] = [
      ("", 0, 20), ("a", 1, 2), ("al", 9, 9), ("albany", 0, 1), ("zzz", 0, 20), ("", 8, 0), ("Łó", 0, 9),
    ]
    // The rows are proved within milliseconds of the start, which the first rounds precede.
    for _ in 0..<30 {
      for (prefix, offset, limit) in pages {
        let usual = try client.ask(CitySearch(prefix: prefix, offset: offset, limit: limit))
        let general = try client.ask(CitySearch(prefix: prefix, offset: offset, limit: limit, provenance: true))
        #expect(usual.rows == general.rows && usual.total == general.total, "\(prefix) \(offset) \(limit)")
        #expect(usual.common == general.common && usual.generation == general.generation, "\(prefix)")
      }
      usleep(10_000)
    }
  }

  @Test func `the longest common prefix is told`() throws {
    #expect(try client.ask(CitySearch(prefix: "a")).common == "alb")
    #expect(try client.ask(CitySearch(prefix: "alban")).common == "albany, us")
    #expect(try client.ask(CitySearch(prefix: "zzz")).common == "")
  }

  @Test(arguments: 0...10) func `pages of every size join to the whole`(size: UInt64) throws {
    let whole = try client.ask(CitySearch(prefix: ""))
    guard size > 0 else {
      let counted = try client.ask(CitySearch(prefix: "", limit: 0))
      #expect(counted.rows.isEmpty && counted.total == whole.total)
      return
    }
    var rows: [CityRow] = []
    while rows.count < whole.rows.count {
      let page = try client.ask(
        CitySearch(prefix: "", offset: UInt64(rows.count), limit: size, generation: whole.generation))
      #expect(page.total == whole.total && page.rows.count <= Int(size) && !page.rows.isEmpty)
      rows += page.rows
    }
    #expect(rows == whole.rows)
  }

  @Test(arguments: [(1_000, true), (1_001, false), (UInt64.max, false)] as [(UInt64, Bool)])
  func `a limit up to the largest is taken`(limit: UInt64, isTaken: Bool) throws {
    let error = try client.error(CitySearch(prefix: "", limit: limit))
    #expect(isTaken ? error == nil : error?.code == .invalidParams && error?.data?.param == "limit")
    #expect(isTaken || error?.message == "the parameter \"limit\": \(limit) is more than 1000")
  }

  @Test func `an offset beyond all numbers gives an empty page`() throws {
    let reply = try client.ask(CitySearch(prefix: "", offset: .max))
    #expect(reply.rows.isEmpty && reply.total == 9)
  }

  /// Parameters that are refused, with the name of the one at fault.
  @Test(
    arguments: [
      ([:], "prefix"), (["prefix": .unsigned(1)], "prefix"), (["prefix": .text("a"), "limit": .text("x")], "limit"),
      (["prefix": .text("a"), "limit": .negative(0)], "limit"),
      (["prefix": .text("a"), "match": .text("fuzzy")], "match"),
      (["prefix": .text("a"), "sort": .bool(true)], "sort"),
      (["prefix": .text("a"), "offset": .double(1.5)], "offset"),
      (["prefix": .text("a"), "country": .array([])], "country"), (["prefix": .null], "prefix"),
    ] as [([String: CBORValue], String)])
  func `a wrong parameter is named`(params: [String: CBORValue], name: String) throws {
    let map = CBORValue.map(params.map { (key: .text($0.key), value: $0.value) })
    try client.raw.sendFrame(
      CBOREncoder().encode(
        CBORValue.map([
          (key: .text("id"), value: .unsigned(5)), (key: .text("method"), value: .text("city.search")),
          (key: .text("params"), value: map),
        ])))
    let envelope = try CBORDecoder().decode(ServerEnvelope<CitySearch>.self, from: client.bytes())
    #expect(envelope.id == 5 && envelope.error?.code == .invalidParams && envelope.error?.data?.param == name)
  }

  @Test func `null stands for an absent parameter, and unknown ones are ignored`() throws {
    let params: [(key: CBORValue, value: CBORValue)] = [
      (.text("limit"), .null), (.text("prefix"), .text("albu")), (.text("x-new"), .array([.bool(true)])),
    ]
    try client.raw.sendFrame(
      CBOREncoder().encode(
        CBORValue.map([
          (key: .text("id"), value: .unsigned(5)), (key: .text("method"), value: .text("city.search")),
          (key: .text("params"), value: .map(params)),
        ])))
    let envelope = try CBORDecoder().decode(ServerEnvelope<CitySearch>.self, from: client.bytes())
    #expect(envelope.result?.rows == [.small(13)])
  }

  @Test func `a thousand requests sent together are answered in order`() throws {
    let frames = try (0..<1_000).map { number in
      let search = CitySearch(prefix: ["al", "s", "", "zzz"][number % 4])
      return RawClient.framed(try CBOREncoder().encode(RequestEnvelope(id: UInt64(number + 1), search)))
    }
    // In one piece: who sends a thousand small ones without reading is blocked by its own unread answers.
    try client.raw.send(frames.flatMap { $0 })
    for number in 0..<1_000 {
      let envelope = try CBORDecoder().decode(ServerEnvelope<CitySearch>.self, from: client.bytes())
      #expect(envelope.id == UInt64(number + 1) && envelope.result?.total == [4, 1, 9, 0][number % 4])
    }
  }
}
