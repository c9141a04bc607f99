import CBOR
import Cities
import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesServer

@Suite struct CityPartsTests {
  let client: TestClient

  init() throws { client = try RunningServer().client() }

  static let choices: [[CityPart]] = [
    [], [.region], [.zone], [.alternates], [.zone, .region], [.alternates, .region, .zone, .region],
  ]

  @Test(arguments: choices)
  func `rows of a search say what is asked for, in the encoder's bytes`(
    words: [CityPart]
  ) throws {
    let searches = [
      CitySearch(prefix: "", with: words), CitySearch(prefix: "", sort: .population, offset: 1, limit: 3, with: words),
      CitySearch(prefix: "lodz", match: .folded, with: words), CitySearch(prefix: "zzz", with: words),
      CitySearch(prefix: "", country: "us", limit: 0, with: words), CitySearch(prefix: "", offset: 99, with: words),
    ]
    for search in searches {
      let id = try client.send(search)
      let bytes = try client.bytes()
      let reply = try #require(try CBORDecoder().decode(ServerEnvelope<CitySearch>.self, from: bytes).result)
      #expect(reply.rows == reply.rows.map { .small($0.id, with: CityParts(words)) })
      #expect(try CBOREncoder().encode(ServerEnvelope<CitySearch>(id: id, result: reply)) == bytes)
      var plain = search
      plain.with = nil
      let other = try client.ask(plain)
      #expect(other.rows.map(\.id) == reply.rows.map(\.id) && other.total == reply.total)
      #expect(other.common == reply.common && other.generation == reply.generation)
    }
  }

  @Test(arguments: choices)
  func `a city always says its region and zone, and more where it is asked for`(
    words: [CityPart]
  ) throws {
    let parts = CityParts(words).union([.region, .zone])
    for id in SmallWorld.cities.map(\.id) {
      let number = try client.send(CityGet(id: id, with: words))
      let bytes = try client.bytes()
      let reply = try #require(try CBORDecoder().decode(ServerEnvelope<CityGet>.self, from: bytes).result)
      #expect(reply.city == .small(id, with: parts))
      #expect(reply.zone == reply.city.zone && reply.region == reply.city.region)
      #expect(reply.regionCode == reply.city.regionCode)
      #expect(try CBOREncoder().encode(ServerEnvelope<CityGet>(id: number, result: reply)) == bytes)
    }
    let near = CityGet(title: "Łódź", near: Place(id: 10), with: words)
    #expect(try client.ask(near).city == .small(14, with: parts))
  }

  @Test(arguments: choices) func `neighbours say what is asked for`(words: [CityPart]) throws {
    let rows = try client.ask(CityNear(place: Place(id: 14), with: words)).rows
    #expect(rows.count == SmallWorld.cities.count)
    #expect(rows.map(\.city) == rows.map { .small($0.city.id, with: CityParts(words)) })
  }

  @Test func `an unknown part is refused by name`() throws {
    let params = try CBOREncoder().encode(["with": ["region", "weather"]])
    params.withUnsafeBytes { bytes in
      var reader = CBORReader(bytes)
      #expect {
        _ = try CitySearchParams(&reader)
      } throws: { error in
        let error = error as? WireError
        return error?.data?.param == "with" && error?.message.contains("found \"weather\"") == true
      }
    }
  }

  @Test func `candidates of an ambiguous title say their regions`() throws {
    let server = try RunningServer()
    var cities = [
      City(id: 1, name: "Springfield", country: "US", latitude: 39.8, longitude: -89.6),
      City(id: 2, name: "Springfield", country: "US", latitude: 42.1, longitude: -72.5),
    ]
    (cities[0].regionCode, cities[0].region) = ("IL", "Illinois")
    cities[1].regionCode = "MA"
    try SmallWorld.write(cities, to: server.folder.path("state/cities.index"))
    let client = try server.client()
    #expect(
      try eventually {
        let candidates = try client.error(CityGet(title: "springfield"))?.data?.candidates ?? []
        return candidates.map(\.region) == ["Illinois", nil] && candidates.map(\.regionCode) == ["IL", "MA"]
      })
  }
}
