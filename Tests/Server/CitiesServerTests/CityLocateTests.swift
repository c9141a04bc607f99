import CBOR
import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesServer

@Suite struct CityLocateTests {
  let client: TestClient

  init() throws { client = try RunningServer().client() }

  private let lat = [41, 45, 1.001, 91, .nan, 38.9]
  private let lon = [0, 9, 1, 0, 0, -77.04]

  @Test func `each position has its city, and one that is none harms no other`() throws {
    let reply = try client.ask(CityLocate(lat: .doubles(lat), lon: .doubles(lon)))
    #expect(reply.ids.elements == [10, 11, 17, 0, 0, 18])
    let nothing = CityLocate.nothing
    #expect(reply.metres.elements.map { $0 == nothing } == [false, false, false, true, true, false])
    #expect(reply.metres.elements[2] == 0 && reply.rows == nil && reply.index == nil)
    for (index, id) in reply.ids.elements.enumerated() where id > 0 {
      let near = try client.ask(CityNear(place: Place(at: Position(lat: lat[index], lon: lon[index])), limit: 1))
      #expect(near.rows[0].city.id == id && near.rows[0].distance == UInt64(reply.metres.elements[index]))
    }
  }

  @Test func `each position has its country, which is that of city near`() throws {
    let (lat, lon) = ([41, 47.56, 0, 56, 91, .nan, 59.4], [0.5, 7.59, 0, 8.08, 0, 0, 24.7])
    for rule in CityNear.Rule.allCases {
      let reply = try client.ask(CityLocate(lat: .doubles(lat), lon: .doubles(lon), rule: rule))
      #expect(reply.countries?.texts == ["ES", "CH", "", "DK", "", "", "EE"])
      #expect(reply.certain?.elements == [1, 0, 1, 0, 0, 0, 1])
    }
    for index in [0, 1, 2, 3, 6] {
      let near = try client.ask(CityNear(place: Place(at: Position(lat: lat[index], lon: lon[index])), limit: 1))
      #expect(near.country == ["ES", "CH", "", "DK", "", "", "EE"][index])
      #expect(near.certain == ([1, 0, 1, 0, 0, 0, 1][index] == 1))
    }
  }

  @Test func `singles and plain numbers are taken, and the rule is followed`() throws {
    let singles = try client.ask(CityLocate(lat: .singles([41, 45]), lon: .singles([0, 9])))
    #expect(singles.ids.elements == [10, 11])
    let place = try client.ask(CityLocate(lat: .doubles([40.8]), lon: .doubles([-75.3]), rule: .place))
    #expect(place.ids.elements == [12])
  }

  @Test func `rows come once, in the encoder's bytes`() throws {
    let id = try client.send(
      CityLocate(lat: .doubles([45, 41, 99, 45.1, 41]), lon: .doubles([9, 0, 0, 9, 0]), rows: true, provenance: true))
    let bytes = try client.bytes()
    let reply = try #require(try CBORDecoder().decode(ServerEnvelope<CityLocate>.self, from: bytes).result)
    #expect(reply.rows == [.small(11), .small(10)])
    #expect(reply.index?.elements == [0, 1, CityLocate.nothing, 0, 1])
    #expect(try CBOREncoder().encode(ServerEnvelope<CityLocate>(id: id, result: reply)) == bytes)
  }

  @Test func `no positions have no cities, and arrays of different lengths are refused`() throws {
    #expect(try client.ask(CityLocate(lat: .doubles([]), lon: .singles([]))).ids.elements.isEmpty)
    let error = try client.error(CityLocate(lat: .doubles([1, 2]), lon: .doubles([1])))
    #expect(error?.code == .invalidParams && error?.data?.param == "lon")
  }

  @Test func `4,000 positions fit a request, and more than the maximum are refused`() throws {
    let many = CityLocate(
      lat: .doubles((0..<4_000).map { Double($0 % 90) }), lon: .doubles((0..<4_000).map { Double($0 % 180) }))
    #expect(try client.ask(many).ids.elements.count == 4_000)
    #expect(try CBOREncoder().encode(RequestEnvelope(id: .max, many)).count <= 65_536)
  }

  @Test(arguments: [0, 1, 2, 3, 64, 4_000, 8_192])
  func `ranks have the places that a plain dictionary gives them`(count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    var dictionary = RankDictionary(capacity: count)
    var (ranks, places): ([UInt32], [UInt32]) = ([], [])
    var seen: [Int: UInt32] = [:]
    for _ in 0..<count {
      let rank = Int.random(in: 0..<2 * count, using: &random)
      let hasCity = rank % 17 != 0
      dictionary.add(hasCity ? rank : nil)
      if hasCity, seen[rank] == nil {
        seen[rank] = UInt32(ranks.count)
        ranks.append(UInt32(rank))
      }
      places.append(hasCity ? seen[rank] ?? 0 : CityLocate.nothing)
    }
    #expect(dictionary.ranks == ranks && dictionary.places == places)
  }
}
