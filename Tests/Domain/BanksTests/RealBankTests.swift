import Banks
import FoundationEssentials
import Geodesy
import TestSupport
import Testing

@Suite(
  "the real samples",
  .enabled(
    if: Repository.sharedData("banks/finder-ee-12-records.json") != nil, "no shared/data/banks beside the checkout"))
struct RealBankTests {
  private struct Record: Decodable {
    var t: Int
    var n: String?
    var a: String
    var av: String?
    var r: String?
    var cs: Bool?
    var lat: Double
    var lon: Double
  }

  private let built: BuiltIndex

  init() throws {
    let path = try #require(Repository.sharedData("banks/finder-ee-12-records.json"))
    let records = try JSONDecoder().decode([Record].self, from: Data(Repository.bytes(path)))
    built = try BuiltIndex(
      records.map {
        var location = location(
          $0.n, address: $0.a, kind: LocationKind(code: $0.t), region: $0.r, latitude: $0.lat, longitude: $0.lon)
        location.availability = $0.av
        location.hours = $0.av.flatMap { WeeklyHours(availability: $0, language: .estonian) }
        location.coinStation = $0.cs ?? false
        return location
      })
  }

  @Test
  func `no record is lost, and each has an id of its own`() {
    #expect(built.index.count == 12 && built.locations.count == 12)
  }

  @Test func `regions and locations are in alphabetical order`() throws {
    let estonia = try #require(built.index.regions().first)
    #expect(estonia.regions.map(\.name) == ["Hiiu maakond", "Jõgeva maakond", "Kesklinna linnaosa"])
    #expect(estonia.regions.map(\.count) == [3, 4, 5])
    let list = try built.index.list(BankFilter(country: "Estonia", region: "hiiu maakond"))
    #expect(built.titles(list) == ["Emmaste Bussijaam", "KÄRDLA", "Kärdla kontor"])
  }

  @Test func `the keywords of a town find what is there, hours are read where they are the pattern`() throws {
    #expect(try built.search("kardla").count == 3 && built.search("LIIVALAIA tallinn").count == 2)
    let hours = built.locations.values.compactMap(\.hours?.stretches.count)
    #expect(hours.sorted() == [5, 5] + Array(repeating: 7, count: 8))
    #expect(try built.near(GeoPoint(latitude: 58.997, longitude: 22.747), 2).map(\.0).allSatisfy { $0 < 100 })
  }
}
