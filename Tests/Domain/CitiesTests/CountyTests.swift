import TestSupport
import Testing

@testable import Cities

/// The second level of areas: after a name, alone, as a condition, and beside regions of the same name.
@Suite("Counties")
struct CountyTests {
  private static let areas = AreaNames(
    countries: ["US": ["United States"], "IT": ["Italy"], "FR": ["France"]],
    regions: ["US.WA": ["Washington"], "US.MI": ["Michigan", "MI"], "US.OR": ["Oregon"], "FR.93": ["Provence"]],
    counties: [
      "IT.09.MI": ["Milano", "Provincia di Milano", "MI"], "US.OR.067": ["Washington County", "Washington"],
      "FR.93.06": ["Alpes-Maritimes", "06"], "FR.84.38": ["Isère"],
    ])

  private static func city(
    _ id: UInt64, _ name: String, _ population: UInt64, _ codes: (country: String, region: String, county: String)
  ) -> City {
    var city = City(id: id, name: name, country: codes.country, latitude: 0, longitude: 0, population: population)
    (city.regionCode, city.countyCode) = (codes.region, codes.county)
    return city
  }

  private static let cities = [
    city(1, "Milano", 1_300_000, ("IT", "09", "MI")), city(2, "Milano", 6_000, ("US", "MI", "161")),
    city(3, "Nice", 340_000, ("FR", "93", "06")), city(4, "Nice", 9_000_000, ("FR", "84", "38")),
    city(5, "Salem", 90_000, ("US", "OR", "067")), city(6, "Salem", 500, ("US", "WA", "")),
    city(7, "Cannes", 70_000, ("FR", "93", "06")),
  ]

  private func world() throws -> World { try World(Self.cities, Self.areas) }

  private func ids(_ question: PlainPlaces.Question) throws -> [UInt64] {
    let world = try world()
    world.check(question)
    return try world.find(question, steps: .max).found.map(\.id)
  }

  @Test(
    arguments: [
      ("milano mi", [1, 2]), ("Milano, Provincia di Milano", [1]), ("milano michigan", [2]),
      ("nice alpes-maritimes", [3]),
      ("nice alpes-maritimes france", [3]), ("alpes maritimes", [3, 7]), ("salem washington", [6]),
      ("salem washington county", [5]), ("salem oregon", [5]),
    ] as [(String, [UInt64])])
  func `the words after a name may be a county, unless a region of the country has that name`(
    query: String, expected: [UInt64]
  ) throws {
    #expect(try ids(.init(query: query)) == expected)
  }

  @Test func `the start of a county's name is not looked for, and its code is no word if it is a number`() throws {
    #expect(try ids(.init(query: "nice alpes", typos: false)).isEmpty)
    #expect(try ids(.init(query: "nice prov", typos: false)) == [3])
    #expect(try ids(.init(query: "cannes 38", typos: false)) == [7], "the number is left out as that of a district")
  }

  @Test(
    arguments: [
      ("alpes-maritimes", nil, [3]), ("06", "FR", [3]), ("93", "FR", [3]), ("38", "france", [4]), ("isere", nil, [4]),
    ] as [(String, String?, [UInt64])])
  func `a region that is required may be a county, by name or code`(
    region: String, country: String?, expected: [UInt64]
  ) throws {
    #expect(try ids(.init(query: "nice", country: country, region: region)) == expected)
  }

  @Test func `a county of another country is unknown there`() throws {
    #expect(throws: PlaceConditions.Problem.unknownRegion) {
      try ids(.init(query: "nice", country: "IT", region: "06"))
    }
  }
}
