import Base
import CBOR
import Cities
import CitiesProtocol
import Resident
import TestSupport
import Testing

@testable import CitiesServer

/// The field `query`: what people call a city.
@Suite struct CityQueryTests {
  let server: RunningServer
  let client: TestClient

  init() throws {
    server = try RunningServer()
    try SmallWorld.write(Self.cities, to: server.index)
    let client = try server.client()
    #expect(try eventually { try client.ask(CitySearch(prefix: "", limit: 0)).total == UInt64(Self.cities.count) })
    self.client = client
  }

  private static let cities: [City] = [
    called(20, "Mumbai", "IN", 12_691_836, ["Bombay"]), called(21, "Bombay", "NZ", 1_500),
    called(22, "Springfield", "US", 170_188, region: ("MO", "Missouri")),
    called(23, "Springfield", "US", 154_341, region: ("MA", "Massachusetts")),
    called(24, "Springfield", "US", 114_394, region: ("IL", "Illinois")),
    called(25, "Paris", "FR", 2_138_551), called(26, "Paris", "US", 24_782, region: ("TX", "Texas")),
    called(27, "Kyiv", "UA", 2_797_553, ["Kiev", "Київ"]), called(28, "Odd", "US", nil), called(29, "Odd", "CA", nil),
    called(32, "Twelve", "FI", 5, ["12"]), called(30, "!", "US", 5), called(31, "!", "CA", 6),
    called(33, "Lone", "NO", nil, ["Alias"], languages: 0),
    called(34, "Ahead", "SE", 40_000), called(35, "Ahead", "DK", 18_000),
  ]

  private static func called(
    _ id: UInt64, _ name: String, _ country: String, _ population: UInt64?, _ alternates: [String] = [],
    languages: Int = 5, region: (code: String, name: String) = ("", "")
  ) -> City {
    var city = City(
      id: id, name: name, country: country, latitude: Double(id), longitude: Double(id), population: population)
    (city.alternates, city.regionCode, city.region) = (alternates, region.code, region.name)
    for name in alternates where languages > 0 { city.languages[TextKey(name)] = languages }
    return city
  }

  @Test(arguments: ["-12", "+12", "\u{2212}12", " -1,2 "])
  func `a number with a sign names nothing`(query: String) throws {
    #expect(try client.ask(CityGet(query: "12")).city.id == 32)
    #expect(try client.error(CityGet(query: query))?.code == .notFound)
  }

  @Test func `a number is at most likely in a column, but sure as a query`() throws {
    let columns = try client.ask(CityMatch(names: TextLines(["12", "１２.", "12, FI", "-12", "012"])))
    #expect(columns.ids.elements == [32, 32, 32, 0, 0] && columns.classes.elements == [2, 2, 3, 0, 0])
    #expect(try client.ask(CityGet(query: "12.")).city.id == 32)
  }

  @Test(
    arguments: [
      ("Mumbai", 20, .title, nil), ("bombay", 20, .alternate, "Bombay"), ("Bombay, NZ", 21, .title, nil),
      ("paris", 25, .name, nil), ("paris tx", 26, .name, nil), ("Paris, FR", 25, .title, nil),
      ("київ", 27, .alternate, "Київ"), ("springfield illinois", 24, .name, nil), ("kiev ua", 27, .alternate, "Kiev"),
    ] as [(String, UInt64, CityFind.Kind, String?)])
  func `a query is resolved, and the reply says how`(
    query: String, id: UInt64, by: CityFind.Kind, matched: String?
  ) throws {
    let sent = try client.send(CityGet(query: query))
    let bytes = try client.bytes()
    let reply = try #require(try CBORDecoder().decode(ServerEnvelope<CityGet>.self, from: bytes).result)
    #expect(reply.city.id == id)
    #expect(reply.resolved == ResolvedCity(by: by, city: reply.city, matched: matched))
    #expect(try CBOREncoder().encode(ServerEnvelope<CityGet>(id: sent, result: reply)) == bytes)
    let near = try client.ask(CityNear(place: Place(query: query), limit: 1))
    #expect(near.resolved == reply.resolved && near.rows.map(\.city.id) == [id])
  }

  @Test(
    arguments: [
      ("springfield", [22, 23, 24]), ("Springfield, US", [22, 23, 24]), ("odd", [29, 28]), ("!", [31, 30]),
    ] as [(String, [UInt64])])
  func `several are ambiguous, by inhabitants and with their regions`(query: String, ids: [UInt64]) throws {
    for error in [try client.error(CityGet(query: query)), try client.error(CityNear(place: Place(query: query)))] {
      #expect(error?.code == .ambiguous && error?.data?.total == UInt64(ids.count))
      #expect(error?.data?.candidates?.map(\.id) == ids)
    }
    let springfields = try client.error(CityGet(query: "springfield"))?.data?.candidates
    #expect(springfields?.map(\.region) == ["Missouri", "Massachusetts", "Illinois"])
    #expect(springfields?.map(\.regionCode) == ["MO", "MA", "IL"])
  }

  @Test func `a request that accepts a likely city gets it with the next one, but no equal, guess or area`() throws {
    let reply = try client.ask(CityGet(query: "ahead", likely: true))
    #expect(reply.city.id == 34 && reply.resolved?.second?.id == 35)
    let place = try client.ask(CityNear(place: Place(query: "ahead", likely: true), limit: 1))
    #expect(place.rows.map(\.city.id) == [34] && place.resolved?.second?.id == 35)
    #expect(try client.error(CityGet(query: "ahead"))?.code == .ambiguous)
    let sure = try client.ask(CityGet(query: "paris", likely: true))
    #expect(sure.city.id == 25 && sure.resolved?.second == nil)
    #expect(try client.ask(CityGet(query: "alias", likely: true)).resolved?.second == nil)
    for query in ["kyiw", "illinois", "us", "springfield"] {
      #expect(try client.error(CityGet(query: query, likely: true)) != nil)
    }
  }

  @Test func `one city is ambiguous where another one may lack the name`() throws {
    let error = try client.error(CityGet(query: "alias"))
    #expect(error?.code == .ambiguous && error?.message.hasPrefix("1 city is called \"alias\";") == true)
    #expect(error?.data?.total == 1 && error?.data?.candidates?.map(\.id) == [33])
  }

  @Test(arguments: ["kie", "kyiw", "", "paris, tex", "springfield ontario"])
  func `the start of a name, a misspelt one and an area that is started are not found`(query: String) throws {
    #expect(try client.error(CityGet(query: query))?.code == .notFound)
  }

  @Test func `a place chooses among several, and its own query is resolved`() throws {
    let north = try client.ask(CityGet(query: "springfield", near: Place(query: "kiev")))
    #expect(north.city.id == 24 && north.resolved?.by == .title && north.resolvedNear?.city.id == 27)
    let here = Place(at: Position(lat: 20, lon: 20))
    #expect(try client.ask(CityGet(query: "springfield us", near: here)).city.id == 22)
    #expect(try client.ask(CityFind(query: "odd", near: Place(query: "bombay"))).resolved?.city.id == 20)
    #expect(try client.ask(CityGet(title: "odd", near: Place(query: "bombay"))).resolvedNear?.city.id == 20)
  }

  @Test func `a reply with what a query was taken for is in deterministic order`() throws {
    func check<Message: RequestMessage>(_ message: Message) throws {
      let id = try client.send(message)
      let bytes = try client.bytes()
      let reply = try #require(try CBORDecoder().decode(ServerEnvelope<Message>.self, from: bytes).result)
      #expect(try CBOREncoder().encode(ServerEnvelope<Message>(id: id, result: reply)) == bytes, "\(Message.method)")
    }
    try check(CityFind(query: "odd", near: Place(query: "bombay")))
    try check(CityNear(place: Place(query: "bombay")))
    try check(CityGet(query: "springfield", near: Place(query: "kiev")))
  }

  @Test func `banks are near what people call a city`() throws {
    try SmallBanks.write(to: server.folder.path("state/banks.resident"))
    #expect(try eventually { try client.ask(Hello(client: "test")).ready["banks"] == true })
    let id = try client.send(BankNear(place: Place(query: "kiev"), limit: 1))
    let bytes = try client.bytes()
    let reply = try #require(try CBORDecoder().decode(ServerEnvelope<BankNear>.self, from: bytes).result)
    #expect(reply.resolved?.city.id == 27 && reply.origin == Position(lat: 27, lon: 27))
    #expect(try CBOREncoder().encode(ServerEnvelope<BankNear>(id: id, result: reply)) == bytes)
    #expect(try client.ask(BankNear(place: Place(id: 27), limit: 1)).resolved == nil)
  }

  @Test func `a title and an id are what they were`() throws {
    #expect(try client.ask(CityGet(title: "bombay")).city.id == 21)
    #expect(try client.error(CityGet(title: "paris"))?.data?.candidates?.map(\.id) == [25, 26])
    #expect(try client.error(CityGet(title: "kiev"))?.code == .notFound)
    #expect(try client.ask(CityGet(id: 21)).resolved == nil)
  }

  @Test func `the name of a country is ambiguous, with its largest cities`() throws {
    for query in ["us", "US"] {
      let message = CityGet(query: query)
      let place = CityNear(place: Place(query: query))
      for error in [try client.error(message), try client.error(place)] {
        #expect(error?.code == .ambiguous && error?.message == "\"\(query)\" is a country; name one of its cities")
        #expect(error?.data?.country == "US" && error?.data?.total == 6)
        #expect(error?.data?.candidates?.map(\.id) == [22, 23, 24, 26, 30])
      }
    }
    let near = try client.error(CityGet(query: "springfield", near: Place(query: "nz")))
    #expect(near?.data?.country == "NZ" && near?.data?.candidates?.map(\.id) == [21])
    #expect(try client.error(CityGet(query: "springfield"))?.data.map { $0.country == nil } == true)
    #expect(try client.error(CityGet(title: "us"))?.code == .notFound)
  }

  @Test(arguments: ["illinois", "Illinois, US"])
  func `the name of a region is ambiguous, with its cities and no country`(query: String) throws {
    for error in [try client.error(CityGet(query: query)), try client.error(CityNear(place: Place(query: query)))] {
      #expect(error?.code == .ambiguous && error?.message == "\"\(query)\" is a region; name one of its cities")
      #expect(error?.data?.candidates?.map(\.id) == [24] && error?.data?.country == nil && error?.data?.total == nil)
    }
    #expect(try client.ask(CityMatch(names: TextLines([query]))).classes.elements == [0])
    #expect(try client.ask(CityFind(query: query)).rows.map(\.by) == [.area])
  }

  @Test func `a country is found by its code, and by its name where no code is called so`() throws {
    #expect(try client.ask(CitySearch(prefix: "", country: "us", limit: 0)).total == 6)
    #expect(try client.ask(CitySearch(prefix: "", country: "atlantis", limit: 0)).total == 0)
    var builder = CityIndexBuilder()
    for city in Self.cities { _ = try builder.add(city) }
    builder.areaNames = AreaNames(countries: ["US": ["United States", "USA"]])
    try ResidentCities.image(of: builder, fingerprint: 2).write(to: server.index)
    #expect(try eventually { try client.ask(CitySearch(prefix: "", country: "united states", limit: 0)).total == 6 })
    #expect(try client.ask(CitySearch(prefix: "spring", country: "ＵＳＡ")).rows.count == 3)
  }
}
