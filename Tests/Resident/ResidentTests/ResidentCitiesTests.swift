import CBOR
import Cities
import CitiesProtocol
import Geodesy
import Resident
import ResidentQuestions
import TestSupport
import Testing

private let cities = [
  City(id: 707_860, name: "Hurzuf", country: "UA", latitude: 44.549999, longitude: 34.283333),
  City(id: 1 << 40, name: "São Paulo", country: "BR", latitude: -23.5475, longitude: -46.63611, population: 10_021_295),
  City(id: 2_950_159, name: "Berlin", country: "DE", latitude: 52.524368, longitude: 13.41053),
  City(id: 5_083_330, name: "Berlin", country: "US", latitude: 44.468670, longitude: -71.18508, population: 9_367),
]

private func image(of cities: [City], fingerprint: UInt64 = 1) throws -> ResidentImage {
  var builder = CityIndexBuilder()
  for city in cities { _ = try builder.add(city) }
  return try ResidentCities.image(of: builder, fingerprint: fingerprint)
}

@Suite("Resident cities")
struct ResidentCitiesTests {
  let folder: TemporaryFolder
  var path: String { folder.path("cities.index") }

  init() throws { folder = try TemporaryFolder() }

  /// A sound file.
  static func sound() throws -> ResidentImage { try image(of: cities) }

  @Test func `rows are the wire's encoding of the cities, in key order`() throws {
    try image(of: cities).write(to: path)
    let resident = try ResidentCities(path: path)
    let rows = withExtendedLifetime(resident) { (0..<resident.count).map { Array(resident.index.row(at: $0)) } }
    let expected = [cities[2], cities[3], cities[0], cities[1]].map { CityRow($0) }
    #expect(try rows == expected.map { try CBOREncoder().encode($0) })
    #expect(resident.summary == ResidentCities.Summary(records: 4))
  }

  @Test func `the order in which cities come does not matter; their content and the fingerprint do`() throws {
    let whole = try image(of: cities)
    #expect(try image(of: cities.reversed()).bytes == whole.bytes)
    #expect(try image(of: Array(cities.dropLast())).generation != whole.generation)
    let other = try image(of: cities, fingerprint: 2)
    #expect(other.generation == whole.generation && other.bytes != whole.bytes)
  }

  @Test func `an index of no cities is an index`() throws {
    try image(of: []).write(to: path)
    let resident = try ResidentCities(path: path)
    #expect(resident.count == 0)
    ResidentQuestions.ask(resident)
  }

  @Test func `a feed report is not a city index`() throws {
    try ResidentFeeds.image([]).write(to: path)
    let error = #expect(throws: ResidentError.self) { try ResidentCities(path: path) }
    #expect(error?.fault == .kind(expected: "CITY", found: "FEED"))
    #expect(error?.description.hasSuffix("citiesd-sync run --force cities") == true)
  }
}
