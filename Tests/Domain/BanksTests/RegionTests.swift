import Banks
import Testing

@Suite("headings: countries, regions and their locations")
struct RegionTests {
  private static let locations = [
    location("Ülemiste", region: "Harju maakond"), location("Üle", region: "harju maakond"),
    location("Uku", region: "Harju maakond"), location("õnne", region: "Harju maakond"),
    location("Onne", region: "Harju maakond"), location("Õnne", region: "Harju maakond"),
    location(nil, address: "A 1", region: "Harju maakond"), location("Kodu", region: nil),
    location("K", region: "Jõgeva"),
    location("J", region: "Jogeva"), location("Jz", region: "Jz"),
    location("Rīga", region: "Rīga", country: "LV", bank: "swedbank-lv"),
    location("Alytus", kind: .atm, region: "Alytus", country: "LT", bank: "swedbank-lt"),
    location("Sarajevo", region: nil, country: "BA", bank: "imaginary", id: "4"),
    location("Paris", region: "x", country: "FR", bank: "other"),
  ]
  private let built: BuiltIndex

  init() throws { built = try BuiltIndex(Self.locations.shuffled()) }

  @Test func `countries by their names, regions by base letters and then spelling, what has no region last`() throws {
    let headings = try built.index.regions()
    #expect(headings.map(\.name) == ["Bosnia and Herzegovina", "Estonia", "France", "Latvia", "Lithuania"])
    #expect(headings.map(\.code) == ["BA", "EE", "FR", "LV", "LT"])
    #expect(headings.map(\.count) == [1, 11, 1, 1, 1])
    #expect(headings[1].regions.map(\.name) == ["Harju maakond", "harju maakond", "Jogeva", "Jõgeva", "Jz", nil])
    #expect(headings[1].regions.map(\.count) == [6, 1, 1, 1, 1, 1])
    #expect(headings[0].regions == [RegionHeading(name: nil, count: 1)])
  }

  @Test func `locations of a region by base letters and then spelling, what has no name last`() throws {
    let list = try built.index.list(BankFilter(country: "EE", region: "Harju maakond"))
    #expect(built.titles(list) == ["Onne", "Õnne", "õnne", "Uku", "Ülemiste", "A 1"])
  }

  @Test(
    arguments: [
      ("Lithuania", "Alytus", ["Alytus"]), ("Lietuva", nil, ["Alytus"]), ("440", nil, ["Alytus"]),
      ("lt", "ALYTUS", ["Alytus"]), ("LITHUANIA", nil, ["Alytus"]),
      ("bosnia and herzegovina", nil, ["Sarajevo"]), ("FR", nil, ["Paris"]), ("LV", "riga", ["Rīga"]),
      (nil, "riga", ["Rīga"]), ("EE", "jõgeva", ["J", "K"]), ("EE", "Jõgeva", ["K"]), ("EE", "Jogeva", ["J"]),
      ("EE", "Jo\u{303}geva", ["K"]), ("EE", "", ["Kodu"]), (nil, "", ["Sarajevo", "Kodu"]), ("LV", "", []),
    ] as [(String?, String?, [String])])
  func `a country answers to its code, number and names, a region to any spelling of its letters`(
    country: String?, region: String?, titles: [String]
  ) throws {
    #expect(built.titles(try built.index.list(BankFilter(country: country, region: region))) == titles)
  }

  @Test func `a bank's name before a hyphen stands for all of them`() throws {
    #expect(built.index.banks == ["imaginary", "other", "swedbank-ee", "swedbank-lt", "swedbank-lv"])
    let counts = try ["swedbank", "swedbank-lt", "Imaginary"].map { try built.index.list(BankFilter(bank: $0)).count }
    #expect(counts == [13, 1, 1])
  }

  @Test func `counts are of what passes the filter, and empty headings are left out`() throws {
    let headings = try built.index.regions(BankFilter(categories: [.atm]))
    let alytus = RegionHeading(name: "Alytus", count: 1)
    #expect(headings == [CountryHeading(code: "LT", name: "Lithuania", count: 1, regions: [alytus])])
    #expect(try built.index.regions(BankFilter(categories: [.bna])).isEmpty)
  }

  @Test func `a country, region or bank that there is not is named, with what there is`() {
    let country = #expect(throws: BankFilterProblem.self) { try built.index.regions(BankFilter(country: "Finland")) }
    #expect(country?.description.contains("there are Bosnia and Herzegovina, Estonia") ?? false)
    let region = #expect(throws: BankFilterProblem.self) {
      try built.index.list(BankFilter(country: "LT", region: "Riga"))
    }
    #expect(region == .unknownRegion("Riga", known: ["Alytus"], total: 1))
    let bank = #expect(throws: BankFilterProblem.self) { try built.index.list(BankFilter(bank: "swed")) }
    #expect(bank?.description.contains("swedbank-lt") ?? false)
    let long = BankFilterProblem.unknownRegion(String(repeating: "x", count: 60_000), known: [], total: 0)
    #expect(long.description.utf8.count < 200)
  }

  @Test func `an index without locations has no headings`() throws {
    let built = try BuiltIndex([])
    #expect(try built.index.regions().isEmpty && built.index.list().isEmpty && built.search("").isEmpty)
    #expect(try built.near(location("a").point, 5).isEmpty && built.index.rank(id: "") == nil)
    let problem = BankFilterProblem.unknownCountry("EE", known: [])
    #expect(throws: problem) { try built.index.list(BankFilter(country: "EE")) }
    #expect(problem.description == "no country \"EE\"; there is none")
  }
}
