import CBOR
import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesServer

@Suite struct CityFindTests {
  let client: TestClient

  init() throws { client = try RunningServer().client() }

  @Test func `a name in another language finds its city, in the encoder's bytes`() throws {
    let id = try client.send(CityFind(query: "Лодзь"))
    let bytes = try client.bytes()
    let reply = try #require(try CBORDecoder().decode(ServerEnvelope<CityFind>.self, from: bytes).result)
    #expect(
      reply.rows == [
        CityFind.Row(
          by: .alternate, city: .small(14, with: [.region, .zone]), matched: "Лодзь", region: "Łódź Voivodeship",
          regionCode: "74",
          zone: "Europe/Warsaw")
      ])
    #expect(reply.complete)
    #expect(try CBOREncoder().encode(ServerEnvelope<CityFind>(id: id, result: reply)) == bytes)
  }

  @Test(
    arguments: [
      ("LODZ", [14], [.name]), ("al", [13, 12, 11, 10], [.name, .name, .name, .name]), ("GRU", [15], [.code]),
      ("gru", [], []),
      ("sao", [15], [.name]),
      ("sao paulo", [15], [.name]), ("alba it", [11], [.name]), ("albuqerque", [13], [.typo]),
      ("lodz voivodeship", [14], [.area]), ("lodz lodz voiv", [14], [.name]), ("washington dc", [18], [.name]),
    ] as [(String, [UInt64], [CityFind.Kind])])
  func `rows come best first and say by which kind of name they were found`(
    query: String, ids: [UInt64], kinds: [CityFind.Kind]
  ) throws {
    let rows = try client.ask(CityFind(query: query)).rows
    #expect(rows.map(\.city) == ids.map { .small($0, with: [.region, .zone]) })
    #expect(rows.map(\.by) == kinds)
    #expect(rows.allSatisfy { $0.by != .name || $0.matched == nil })
  }

  @Test func `a country, a region and a limit narrow the rows, and a place orders equals`() throws {
    #expect(try client.ask(CityFind(query: "alba", country: "es")).rows.map(\.city) == [.small(10)])
    #expect(try client.ask(CityFind(query: "l", region: "74")).rows.map(\.city.id) == [14])
    #expect(try client.ask(CityFind(query: "l", region: "lodz voivodeship", country: "PL")).rows.count == 1)
    #expect(try client.ask(CityFind(query: "al", limit: 1)).rows.map(\.city.id) == [13])
    #expect(try client.ask(CityFind(query: "al", limit: 0)).rows.isEmpty)
    let twins = { (lat: Double) in
      try client.ask(CityFind(query: "twin", near: Place(at: Position(lat: lat, lon: 1)))).rows.map(\.city)
    }
    #expect(try twins(0) == [.small(16), .small(17)])
    #expect(try twins(2) == [.small(17), .small(16)])
  }

  @Test func `without typos a misspelt name finds nothing`() throws {
    #expect(try client.ask(CityFind(query: "albuqerque", typos: false)).rows.isEmpty)
  }

  @Test(
    arguments: [
      (CityFind(query: ""), "query"), (CityFind(query: " -'"), "query"), (CityFind(query: "a", limit: 101), "limit"),
      (CityFind(query: "a", country: "atlantis"), "country"), (CityFind(query: "a", region: "us"), "region"),
      (CityFind(query: "a", near: Place(at: Position(lat: 91, lon: 0))), "near.at.lat"),
    ] as [(CityFind, String)])
  func `parameters that mean nothing are refused by name`(request: CityFind, param: String) throws {
    let error = try client.error(request)
    #expect(error?.code == .invalidParams && error?.data?.param == param)
  }

  @Test func `a query that is longer than all names finds nothing`() throws {
    let long = String(repeating: "Łódź ", count: 2_000)
    #expect(try client.ask(CityFind(query: long)).rows.isEmpty)
    #expect(try client.ask(CityFind(query: String(repeating: "a", count: 60_000))).rows.isEmpty)
  }

  // MARK: Parameters

  /// The parameters, whichever reader they came from.
  struct Asked: Equatable {
    var query: [UInt8], country: [UInt8]?, region: [UInt8]?
    var limit: Int, typos: Bool, provenance: Bool, near: Place?
  }

  static func inPlace(_ bytes: [UInt8]) -> Asked? {
    bytes.withUnsafeBytes { bytes in
      var reader = CBORReader(bytes)
      guard let params = try? CityFindParams(&reader), reader.isAtEnd else { return nil }
      return Asked(
        query: Array(params.query), country: params.country.map(Array.init), region: params.region.map(Array.init),
        limit: params.limit, typos: params.typos, provenance: params.provenance, near: params.near)
    }
  }

  static func asMessage(_ bytes: [UInt8]) -> Asked? {
    guard let find = try? CBORDecoder().decode(CityFind.self, from: bytes) else { return nil }
    let limit = find.limit ?? CityFind.defaultLimit
    guard limit <= CityFind.maximumLimit else { return nil }
    return Asked(
      query: Array(find.query.utf8), country: find.country.map { Array($0.utf8) },
      region: find.region.map { Array($0.utf8) }, limit: Int(limit), typos: find.typos ?? true,
      provenance: find.provenance ?? false, near: find.near)
  }

  static let corpus: [[UInt8]] = [
    CityFind(query: ""), CityFind(query: "san josé cr", limit: 100, typos: false),
    CityFind(
      query: "東京", limit: 3, near: Place(at: Position(lat: 1.5, lon: -2)), typos: true, region: "13", country: "JP",
      provenance: true),
  ].compactMap { try? CBOREncoder().encode($0) }

  @Test(arguments: Mutations.parts(of: .params))
  func `parameters read in place are those of the message, or both are refused`(part: Mutations) throws {
    for bytes in Self.corpus { #expect(Self.inPlace(bytes) != nil && Self.inPlace(bytes) == Self.asMessage(bytes)) }
    try expectSame(part, Self.corpus, Self.inPlace, Self.asMessage)
  }
}
