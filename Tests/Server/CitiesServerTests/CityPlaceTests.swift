import CBOR
import CitiesProtocol
import Testing

@testable import CitiesServer

@Suite struct CityGetTests {
  let client: TestClient

  init() throws { client = try RunningServer().client() }

  @Test func `an id gives its city, in the encoder's bytes`() throws {
    let id = try client.send(CityGet(id: 15))
    let bytes = try client.bytes()
    let reply = try #require(try CBORDecoder().decode(ServerEnvelope<CityGet>.self, from: bytes).result)
    #expect(reply.city == .small(15))
    #expect(try CBOREncoder().encode(ServerEnvelope<CityGet>(id: id, result: reply)) == bytes)
  }

  @Test(
    arguments: [("Albany, US", 12), ("albany", 12), ("lodz", 14), ("sao paulo, br", 15), ("washington, d.c.", 18)]
      as [(String, UInt64)])
  func `a title gives its city`(title: String, id: UInt64) throws {
    #expect(try client.ask(CityGet(title: title)).city == .small(id, with: [.region, .zone]))
  }

  @Test func `a title of several cities is ambiguous, with all candidates`() throws {
    let error = try client.error(CityGet(title: "alba"))
    #expect(error?.code == .ambiguous && error?.data?.total == 2)
    #expect(error?.data?.candidates == [.small(10), .small(11)])
  }

  @Test(
    arguments: [
      (Place(at: Position(lat: 41, lon: 0)), 10), (Place(at: Position(lat: 45, lon: 9)), 11), (Place(id: 11), 11),
    ] as [(Place, UInt64)])
  func `a place chooses among several`(near: Place, id: UInt64) throws {
    #expect(try client.ask(CityGet(title: "alba", near: near)).city == .small(id))
  }

  @Test func `nothing of that id or title is not found`() throws {
    #expect(try client.error(CityGet(id: 999))?.code == .notFound)
    #expect(try client.error(CityGet(id: .max))?.code == .notFound)
    #expect(try client.error(CityGet(title: "Atlantis"))?.code == .notFound)
    #expect(try client.error(CityGet(title: ""))?.code == .notFound)
  }

  @Test func `both or neither of id and title are refused`() throws {
    var both = CityGet(id: 10)
    #expect(try client.error(both) == nil)
    both.title = "Alba"
    #expect(try client.error(both)?.data?.param == "id")
    both.title = nil
    both.id = nil
    #expect(try client.error(both)?.data?.param == "id")
  }
}

@Suite struct CityNearTests {
  let client: TestClient

  init() throws { client = try RunningServer().client() }

  @Test func `the nearest come first, in the encoder's bytes`() throws {
    let id = try client.send(CityNear(place: Place(at: Position(lat: 41, lon: 0)), limit: 3))
    let bytes = try client.bytes()
    let reply = try #require(try CBORDecoder().decode(ServerEnvelope<CityNear>.self, from: bytes).result)
    #expect(reply.rows.map(\.city) == [.small(10), .small(11), .small(14)])
    #expect(reply.rows.map(\.distance) == reply.rows.map(\.distance).sorted())
    #expect(reply.origin == Position(lat: 41, lon: 0))
    #expect(try CBOREncoder().encode(ServerEnvelope<CityNear>(id: id, result: reply)) == bytes)
  }

  @Test func `by the rule of places the nearest city comes first if all are farther than 100 km`() throws {
    let place = Place(at: Position(lat: 42, lon: -74.5))
    let nearest = try client.ask(CityNear(place: place, rule: .nearest, limit: 2))
    #expect(nearest == (try client.ask(CityNear(place: place, limit: 2))))
    let meant = try client.ask(CityNear(place: Place(at: Position(lat: 40.8, lon: -75.3)), rule: .place, limit: 2))
    #expect(meant.rows.map(\.city.id) == [12, 18])
    let twin = Place(at: Position(lat: 1.001, lon: 1))
    #expect(try client.ask(CityNear(place: twin, rule: .place)).rows[0].city.id == 17)
  }

  @Test func `a city is near itself`() throws {
    for place in [Place(id: 15), Place(title: "sao paulo")] {
      let reply = try client.ask(CityNear(place: place, limit: 1))
      #expect(reply.rows == [CityNear.Neighbour(city: .small(15), distance: 0)])
      #expect(reply.origin == Position(lat: -23.5475, lon: -46.6361))
    }
  }

  @Test func `cities of one title close together are one place, far apart they are ambiguous`() throws {
    #expect(try client.ask(CityNear(place: Place(title: "twin"), limit: 2)).rows.map(\.city.id) == [16, 17])
    #expect(try client.error(CityNear(place: Place(title: "alba")))?.code == .ambiguous)
  }

  @Test func `a radius bounds the rows`() throws {
    let place = Place(at: Position(lat: 1, lon: 1))
    #expect(try client.ask(CityNear(place: place, radius: 0)).rows.map(\.city.id) == [16])
    #expect(try client.ask(CityNear(place: place, radius: 200)).rows.map(\.city.id) == [16, 17])
    #expect(try client.ask(CityNear(place: place, limit: 0)).rows.isEmpty)
    #expect(try client.ask(CityNear(place: place)).rows.count == 9)
  }

  @Test(arguments: [
    (CityNear(place: Place(at: Position(lat: 90.5, lon: 0))), "place.at.lat"),
    (CityNear(place: Place(at: Position(lat: 0, lon: -181))), "place.at.lon"),
    (CityNear(place: Place(id: 10), limit: 1_001), "limit"), (CityNear(place: Place(id: 10), radius: -1), "radius"),
  ])
  func `a parameter out of range is named`(near: CityNear, param: String) throws {
    let error = try client.error(near)
    #expect(error?.code == .invalidParams && error?.data?.param == param)
  }

  @Test func `a place needs exactly one of its three forms`() throws {
    var place = Place(id: 10)
    place.title = "Alba"
    #expect(try client.error(CityNear(place: place))?.data?.param == "place")
    place.title = nil
    place.id = nil
    #expect(try client.error(CityNear(place: place))?.data?.param == "place")
  }
}
