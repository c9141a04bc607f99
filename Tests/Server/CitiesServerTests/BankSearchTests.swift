import Banks
import CBOR
import CitiesProtocol
import Geodesy
import TestSupport
import Testing

@testable import CitiesServer

@Suite struct BankSearchTests {
  let client: TestClient

  init() throws { client = try RunningServer.withBanks().client() }

  @Test(
    arguments: [
      ("", 10, "Āgenskalns"), ("oismae", 2, "Õismäe"), ("ÕISMÄE prisma", 1, "oismae Prisma"),
      ("102 mnt", 1, "oismae Prisma"),
      ("kestucio", 1, "Žvėrynas"), ("  zelenih\t24 ", 1, "Poslovnica"), ("kesk", 2, "Kärdla kontor"),
      ("kesk 5b", 0, nil),
    ] as [(String, UInt64, String?)])
  func `every word occurs in name or address, without case and diacritics`(
    query: String, total: UInt64, first: String?
  ) throws {
    let reply = try client.ask(BankSearch(query: query))
    #expect(reply.total == total && reply.rows.first?.location.title == first)
    #expect(reply.rows.count == Int(total))
  }

  @Test func `rows come by title, without those of the filter's other kinds`() throws {
    let reply = try client.ask(BankSearch(query: "", filter: BankConditions(kind: .atm), offset: 1, limit: 2))
    #expect(reply.rows.map(\.location.title) == ["Cēsis", "oismae Prisma"] && reply.total == 4)
  }

  @Test func `more words than a search takes are refused`() throws {
    let words = (0..<100).map(String.init).joined(separator: " ")
    #expect(try client.error(BankSearch(query: words))?.data?.param == "query")
  }

  @Test func `an id gives its location, in the encoder's bytes`() throws {
    let id = try client.send(BankGet(id: "imaginary-4", at: "2026-03-29T22:30:00+02:00"))
    let bytes = try client.bytes()
    let reply = try #require(try CBORDecoder().decode(ServerEnvelope<BankGet>.self, from: bytes).result)
    #expect(reply.entry.location.title == "Poslovnica" && reply.entry.open == .yes && reply.entry.distance == nil)
    #expect(try CBOREncoder().encode(ServerEnvelope<BankGet>(id: id, result: reply)) == bytes)
    for entry in try client.ask(BankList()).rows {
      #expect(try client.ask(BankGet(id: entry.location.id)).entry.location == entry.location)
    }
  }

  @Test(arguments: ["", "imaginary", "imaginary-44", "IMAGINARY-4", String(repeating: "x", count: 9_000)])
  func `an id that no location has is not found`(id: String) throws {
    let error = try client.error(BankGet(id: id))
    #expect(error?.code == .notFound && (error?.message.utf8.count ?? 0) < 200)
  }

  @Test func `a moment that is none is refused`() throws {
    #expect(try client.error(BankGet(id: "imaginary-4", at: "noon"))?.data?.param == "at")
  }
}

@Suite struct BankNearTests {
  let client: TestClient

  init() throws { client = try RunningServer.withBanks().client() }

  @Test func `the nearest agree with a plain scan, in the encoder's bytes`() throws {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<40 {
      let origin = Position(lat: .random(in: -90...90, using: &random), lon: .random(in: -180...180, using: &random))
      let limit = UInt64.random(in: 0...12, using: &random)
      let filter = Bool.random(using: &random) ? BankConditions(kind: .atm) : BankConditions()
      let id = try client.send(BankNear(place: Place(at: origin), filter: filter, limit: limit))
      let bytes = try client.bytes()
      let reply = try #require(try CBORDecoder().decode(ServerEnvelope<BankNear>.self, from: bytes).result)
      #expect(try CBOREncoder().encode(ServerEnvelope<BankNear>(id: id, result: reply)) == bytes)
      let point = GeoPoint(latitude: origin.lat, longitude: origin.lon)
      let expected = SmallBanks.locations.filter { filter.kind == nil || $0.kind == .atm }
        .map { (UInt64(point.metres(to: $0.point)), $0.title) }.sorted { $0.0 < $1.0 }.prefix(Int(limit))
      #expect(reply.rows.map(\.distance) == expected.map(\.0))
      #expect(reply.rows.map(\.location.title) == expected.map(\.1) && reply.origin == origin)
    }
  }

  @Test func `a city's title and id are a place, resolved in the server`() throws {
    for place in [Place(title: "lodz"), Place(title: "Łódź, PL"), Place(id: 14)] {
      let reply = try client.ask(BankNear(place: place, limit: 1))
      #expect(reply.origin == Position(lat: 51.75, lon: 19.4667) && reply.rows.first?.location.title == "Alytus")
    }
    #expect(try client.error(BankNear(place: Place(title: "alba")))?.code == .ambiguous)
    #expect(try client.error(BankNear(place: Place(title: "Atlantis")))?.code == .notFound)
  }

  @Test func `a radius and a moment bound the rows`() throws {
    let place = Place(at: Position(lat: 59.41, lon: 24.65))
    #expect(try client.ask(BankNear(place: place, radius: 1_000)).rows.count == 2)
    let night = BankConditions(open: true, at: "2026-03-27T23:00:00Z")
    #expect(
      try client.ask(BankNear(place: place, filter: night, radius: 1_000)).rows.map(\.location.title) == [
        "oismae Prisma"
      ])
  }

  @Test(arguments: [
    (BankNear(place: Place(at: Position(lat: 90.5, lon: 0))), "place.at.lat"),
    (BankNear(place: Place(at: Position(lat: 0, lon: -181))), "place.at.lon"),
    (BankNear(place: Place(id: 10), radius: -1), "radius"),
  ])
  func `a parameter out of range is named`(near: BankNear, param: String) throws {
    let error = try client.error(near)
    #expect(error?.code == .invalidParams && error?.data?.param == param)
  }

  @Test func `without cities a position still is a place, and a title says what is missing`() throws {
    let client = try RunningServer.withBanks(hasCities: false).client()
    #expect(try client.ask(BankNear(place: Place(at: Position(lat: 59, lon: 24)))).rows.count == 10)
    let error = try client.error(BankNear(place: Place(title: "lodz")))
    #expect(error?.code == .unavailable && error?.data?.subject == .cities)
  }
}
