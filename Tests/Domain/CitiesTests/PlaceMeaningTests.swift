import Geodesy
import TestSupport
import Testing

@testable import Cities

/// Each rule of what a text means, with real cities that it was made for.
@Suite("what people mean by a text")
struct PlaceMeaningTests {
  /// Cities with their region's code and name, and with their other names and the languages that use those.
  private static func city(
    _ name: String, _ country: String, _ population: UInt64?, _ others: [String: Int] = [:],
    region: (code: String, name: String) = ("", "")
  ) -> City {
    var city = City(id: 0, name: name, country: country, latitude: 0, longitude: 0, population: population)
    city.alternates = others.keys.sorted()
    for (name, languages) in others where languages > 0 { city.languages[.init(name)] = languages }
    (city.regionCode, city.region) = region
    return city
  }

  private static let countries = AreaNames(countries: [
    "AM": ["Armenia"], "CA": ["Canada"], "CN": ["China"], "DE": ["Germany"], "DK": ["Denmark"], "GB": ["Britain"],
    "GD": ["Grenada", "Granada"], "GL": ["Greenland"], "HK": ["Hong Kong"], "IN": ["India"], "IT": ["Italy"],
    "KR": ["South Korea"], "KW": ["Kuwait"], "TH": ["Thailand"], "UA": ["Ukraine"], "US": ["United States", "USA"],
  ])

  /// A list of cities, whose ids are their places in it.
  private func world(_ cities: [City]) throws -> World {
    try World(
      cities.enumerated().map { place, city in
        var city = city
        (city.id, city.longitude) = (UInt64(place + 1), Double(place) / 10)
        return city
      }, Self.countries)
  }

  /// The names that a search finds, and what it looked for where that is a guess.
  private func found(_ query: String, _ world: World, limit: Int = 10, near: GeoPoint? = nil) throws -> [String] {
    let question = PlainPlaces.Question(query: query, limit: limit, near: near)
    world.check(question)
    let (found, _, searched) = try world.find(question, steps: .max)
    let titles = found.map { hit in
      let city = world.plain.cities.first { $0.id == hit.id }
      return "\(city?.name ?? ""), \(city?.country ?? "")\(hit.by == .area ? " (area)" : "")"
    }
    return titles + (searched.isEmpty ? [] : ["searched: \(searched)"])
  }

  @Test func `a region's code outweighs a country's, and is doubted only if its city is much smaller`() throws {
    let world = try world([
      Self.city("Pasadena", "US", 138_000, region: ("CA", "California")),
      Self.city("Pasadena", "CA", 3_500, region: ("05", "Newfoundland")),
      Self.city("Pasadena", "US", 150_000, region: ("TX", "Texas")),
      Self.city("Windsor", "CA", 217_000, region: ("08", "Ontario")),
      Self.city("Windsor", "US", 26_800, region: ("CA", "California")),
      Self.city("Toronto", "CA", 2_700_000, region: ("08", "Ontario")),
      Self.city("Salem", "IN", 830_000, region: ("25", "Tamil Nadu")),
      Self.city("Salem", "US", 6_500, region: ("IN", "Indiana")),
    ])
    for text in ["Pasadena, CA", "pasadena ca", "Pasadena, California", "Pasadena, CA, USA"] {
      world.expect(text, "Pasadena, US", .sure)
      #expect(try found(text, world).first == "Pasadena, US")
    }
    world.expect("Pasadena, Canada", "Pasadena, CA", .sure)
    world.expect("Pasadena", "Pasadena, US", .likely)
    // Ten times the inhabitants are a title's usual margin, but not against the code of a state.
    world.expect("Windsor", "Windsor, CA", .sure)
    world.expect("Windsor, CA", "Windsor, CA", .likely)
    world.expect("Toronto, CA", "Toronto, CA", .sure)
    world.expect("Salem, IN", "Salem, IN", .likely)
    world.expect("Salem, India", "Salem, IN", .sure)
    world.expect("Salem, Indiana", "Salem, US", .sure)
  }

  @Test func `the code of a region counts little where people do not write it`() throws {
    let world = try world([
      Self.city("Georgetown", "US", 6_400, region: ("DE", "Delaware")),
      Self.city("Georgetown", "GY", 235_000, region: ("DE", "Demerara")),
      Self.city("Bethlehem", "US", 75_000, region: ("PA", "Pennsylvania")),
      Self.city("Belém", "BR", 1_400_000, ["Bethlehem": 0], region: ("PA", "Pará")),
    ])
    world.expect("Georgetown, DE", "Georgetown, US", .sure)
    world.expect("Georgetown", "Georgetown, GY", .sure)
    world.expect("Georgetown, Demerara", "Georgetown, GY", .sure)
    world.expect("Bethlehem, PA", "Bethlehem, US", .sure)
    // A misspelt name weighs the code in the same way.
    #expect(try found("Georgetwn, DE", world) == ["Georgetown, US", "Georgetown, GY"])
    #expect(try found("Georgetown, DE", world) == ["Georgetown, US", "Georgetown, GY"])
  }

  @Test func `the title of a city outweighs a name of a larger one that nobody is known to use`() throws {
    let world = try world([
      Self.city("Dili", "TL", 222_000), Self.city("Delhi", "IN", 11_000_000, ["Dili": 0]),
      Self.city("Novara", "IT", 104_000), Self.city("Douala", "CM", 2_000_000, ["Novara": 0]),
      Self.city("Salisbury", "GB", 40_000), Self.city("Harare", "ZW", 1_500_000, ["Salisbury": 0]),
      Self.city("Rome", "IT", 2_300_000), Self.city("Lomé", "TG", 750_000, ["Rome": 0]),
      Self.city("Rome", "US", 36_000),
    ])
    world.expect("Dili", "Dili, TL", .sure)
    world.expect("Novara", "Novara, IT", .sure)
    world.expect("Salisbury", "Salisbury, GB", .likely)
    world.expect("Rome", "Rome, IT", .sure)
    #expect(try found("rome", world) == ["Rome, IT", "Rome, US", "Lomé, TG"])
    #expect(try found("novara", world) == ["Novara, IT", "Douala, CM"])
  }

  @Test func `a name in use outweighs a title by a hundredfold of inhabitants, and an unused name by more`() throws {
    let world = try world([
      Self.city("Mumbai", "IN", 12_700_000, ["Bombay": 10]), Self.city("Bombay", "NZ", 1_500),
      Self.city("Bruges", "FR", 20_000), Self.city("Brugge", "BE", 118_000, ["Bruges": 7, "Used": 1]),
      Self.city("Guangzhou", "CN", 16_000_000, ["Canton": 5]), Self.city("Canton", "US", 70_000),
      Self.city("Elsewhere", "US", 30, ["Used": 0]), Self.city("Nowhere", "US", 60, ["Used": 0]),
    ])
    world.expect("bombay", "Mumbai, IN", .sure)
    world.expect("bruges", "Brugge, BE", .likely)
    world.expect("canton", "Guangzhou, CN", .sure)
    // 507 + 100 + 4 points to 147 − 200 and 177 − 200.
    world.expect("used", "Brugge, BE", .sure)
    let unused = try self.world([
      Self.city("One", "US", 31_000, ["Same": 0]), Self.city("Other", "US", 1_000, ["Same": 0]),
      Self.city("Third", "US", nil, ["Alone": 0]), Self.city("Fourth", "US", 15_000, ["Known": 0]),
      Self.city("Seventh", "US", 14_999, ["Small": 0]),
      Self.city("Fifth", "US", 31_700, ["Twin": 0]), Self.city("Sixth", "US", 1_000, ["Twin": 0]),
    ])
    unused.expect("same", "One, US", .likely)
    unused.expect("twin", "Fifth, US", .sure)
    unused.expect("alone", "Third, US", .likely)
    unused.expect("known", "Fourth, US", .sure)
    unused.expect("small", "Seventh, US", .likely)
  }

  @Test func `a translated name of the smaller of two namesakes is a guess at the larger one`() throws {
    let world = try world([
      Self.city("Panama City", "PA", 408_000),
      Self.city("Panama City", "US", 38_000, ["Панама-Сити": 2, "Panamas": 2]),
      Self.city("Sendai", "JP", 92_000, ["Сендаи": 1, "川内": 1]), Self.city("Sendai", "CN", 1_000_000),
      Self.city("Victoria", "SC", 23_000, ["ヴィクトリア": 2, "Βικτώρια Σεϋχελλών": 1]),
      Self.city("Victoria", "CA", 290_000, ["Βικτώρια": 1]),
    ])
    world.expect("панама сити", "Panama City, PA", .guess)
    world.expect("Panamas", "Panama City, US", .sure)
    // It is the largest there.
    world.expect("Панама-Сити, US", "Panama City, US", .sure)
    world.expect("ヴィクトリア", "Victoria, CA", .guess)
    world.expect("Βικτώρια", "Victoria, CA", .sure)
    world.expect("Βικτώρια Σεϋχελλών", "Victoria, SC", .sure)
    // People of Japan write this themselves.
    world.expect("川内", "Sendai, JP", .sure)
  }

  @Test func `near a place, a name in use is not taken for one that nobody uses`() throws {
    let world = try world([
      Self.city("Köln", "DE", 1_000_000, ["Cologne": 10]), Self.city("Cologne", "IT", 7_500),
      Self.city("Elsewhere", "US", 1_000_000, ["Cologne": 0]),
    ])
    // All are equally far from here, but for a few kilometres.
    let near = GeoPoint(latitude: 0, longitude: -108)
    #expect(try found("cologne", world, near: near) == ["Köln, DE", "Cologne, IT", "Elsewhere, US"])
  }

  @Test func `the name of a country or region means it, unless it is that of a city there or of a large one`() throws {
    let world = try world([
      Self.city("Granada", "ES", 230_000), Self.city("St George's", "GD", 7_500), Self.city("Grenada", "US", 13_000),
      Self.city("Kyiv", "UA", 2_900_000), Self.city("Hamlet", "UA", 500, ["Ukraine": 0]),
      Self.city("Village", "RU", 90_000, ["Ukraine": 4]),
      Self.city("Ahmadi", "KW", 600_000), Self.city("Kuwait City", "KW", 60_000, ["Kuwait": 0]),
      Self.city("Armenia", "CO", 300_000), Self.city("Yerevan", "AM", 1_000_000),
      Self.city("Victoria", "CA", 290_000), Self.city("Melbourne", "AU", 5_000_000, region: ("07", "Victoria")),
      Self.city("Albany", "US", 98_000, region: ("NY", "New York")),
      Self.city("New York", "US", 8_800_000, region: ("NY", "New York")),
      Self.city("Quebec", "CA", 20_000, ["Great": 0], region: ("10", "Great")),
      Self.city("Large", "CA", 900_000, region: ("10", "Great")),
      Self.city("Shanghai", "CN", 24_000_000, ["AM": 0]), Self.city("Waco", "US", 140_000, ["ACT": 0]),
      Self.city("Canberra", "AU", 450_000, region: ("ACT", "Capital")), Self.city("Capital", "US", 5_000),
      Self.city("Darwin", "AU", 140_000, region: ("NT", "Northern")), Self.city("Northern", "US", 4_999),
      Self.city("Texas Creek", "US", 50),
      Self.city("Houston", "US", 2_300_000, region: ("TX", "Texas")),
    ])
    world.expect("Granada", "Granada, ES", .sure)
    world.expect("Grenada", nil, .none, isArea: true)
    world.expect("ukraine", nil, .none, isArea: true)
    world.expect("kuwait", "Kuwait City, KW", .sure)
    // Large cities elsewhere, but smaller than the country's largest and than a million.
    world.expect("Armenia", "Armenia, CO", .likely)
    world.expect("Victoria", "Victoria, CA", .likely)
    world.expect("New York", "New York, US", .sure)
    // Not a country, and the title of a town: perhaps the town is meant. A village is not.
    world.expect("capital", "Capital, US", .likely)
    world.expect("northern", nil, .none, isArea: true)
    // The region has a city of 20,000 with that name.
    world.expect("great", "Quebec, CA", .sure)
    // Two capitals are a country's code rather than a city's, three are an airport's.
    for text in ["AM", "UA", "ua"] { world.expect(text, nil, .none, isArea: true) }
    world.expect("ACT", "Waco, US", .sure)
    world.expect("act", nil, .none, isArea: true)
    world.expect("Texas", nil, .none, isArea: true)
    world.expect("Grenada", "Grenada, US", .sure, country: "us")
    // While one types, the area takes the first place only; of a finished text, all cities are its.
    #expect(try found("texas", world) == ["Houston, US (area)", "Texas Creek, US"])
    #expect(try found("texas", world, limit: 1) == ["Houston, US (area)"])
    let here = GeoPoint(latitude: 0, longitude: 2.2)
    #expect(try found("texas", world, near: here) == ["Houston, US (area)", "Texas Creek, US"])
    #expect(try found("ukraine", world) == ["Kyiv, UA (area)", "Village, RU", "Hamlet, UA"])
    let question = PlainPlaces.Question(query: "ukraine", isFinished: true)
    world.check(question)
    #expect(try world.find(question, steps: 1).found.map(\.by) == [.area, .area])
  }

  @Test func `a region with its country is the region, unless a city there has that title`() throws {
    let world = try world([
      Self.city("Riverside", "US", 30_000, ["Illinois": 0], region: ("MO", "Missouri")),
      Self.city("Chicago", "US", 2_700_000, region: ("IL", "Illinois")),
      Self.city("New York", "US", 8_800_000, region: ("NY", "New York")),
      Self.city("Munich", "DE", 1_500_000, region: ("02", "Bavaria")),
    ])
    world.expect("Illinois, USA", nil, .none, isArea: true)
    world.expect("Illinois, Missouri", "Riverside, US", .sure)
    world.expect("New York, USA", "New York, US", .sure)
    world.expect("Bavaria, Germany", nil, .none, isArea: true)
    #expect(try found("Illinois, USA", world) == ["Chicago, US (area)", "Riverside, US"])
    #expect(try found("bavaria germany", world) == ["Munich, DE (area)"])
    #expect(try found("bavaria usa", world).allSatisfy { !$0.hasSuffix("(area)") })
  }

  @Test func `a territory lies in its country, and its cities are not those of the country`() throws {
    let world = try world([
      Self.city("Hong Kong", "HK", 7_500_000), Self.city("Honglong", "CN", 90_000), Self.city("Wuhu", "CN", 2_000_000),
      Self.city("Nuuk", "GL", 18_000), Self.city("Aarhus", "DK", 285_000),
      Self.city("San Juan", "PR", 418_000, region: ("127", "San Juan")), Self.city("San Juan", "US", 35_000),
    ])
    for text in ["Hong Kong, China", "Hong Kong, CN", "Hong Kong"] { world.expect(text, "Hong Kong, HK", .sure) }
    world.expect("Nuuk, Denmark", "Nuuk, GL", .sure)
    world.expect("Aarhus, Greenland", "Aarhus, DK", .guess)
    // The country's code is not one of a region.
    world.expect("San Juan, US", "San Juan, PR", .sure)
    #expect(try found("china", world) == ["Wuhu, CN (area)", "Honglong, CN (area)"])
  }

  @Test func `what programs write into empty cells is no city, but the name of one in other letters is`() throws {
    let world = try world([Self.city("Nan", "TH", 24_000), Self.city("None", "IT", 7_000), Self.city("NaT", "TH", 9)])
    for text in ["nan", "NaN", "NaT", "None", "NULL", "null", "N/A", "n/a", "#N/A", "<NA>", "\\N", "-"] {
      world.expect(text, nil, .none)
      #expect(Array(text.utf8).withUnsafeBytes(PlaceResolver.isMissing))
    }
    world.expect("Nan", "Nan, TH", .sure)
    world.expect("none", "None, IT", .sure)
    world.expect("nan, Thailand", "Nan, TH", .sure)
    world.expect("nan", "Nan, TH", .sure, country: "thailand")
    for text in ["", "Nan", "nan ", "N/A.", "none", "--"] {
      #expect(!Array(text.utf8).withUnsafeBytes(PlaceResolver.isMissing))
    }
  }

  @Test func `the kind of place is left out, and weighed against typing errors`() throws {
    let world = try world([
      Self.city("Seoul", "KR", 10_000_000), Self.city("Sioux City", "US", 82_000), Self.city("Souix", "US", 100),
      Self.city("Kyoto", "JP", 1_400_000), Self.city("Carson City", "US", 58_000),
    ])
    world.expect("Seoul City", "Seoul, KR", .guess)
    #expect(try found("Seoul City", world).first == "Seoul, KR")
    #expect(try found("seoul city south korea", world) == ["Seoul, KR", "searched: seoul south korea"])
    #expect(try found("City Kyoto", world) == ["Kyoto, JP", "searched: kyoto"])
    // The village is called so, but the city has only one error.
    #expect(try found("Souix City", world).prefix(2) == ["Sioux City, US", "Souix, US"])
    // Errors are looked for in what is left only if nothing is found with the kind.
    #expect(try found("Kyotto City", world) == ["Kyoto, JP", "searched: kyotto"])
    #expect(try found("Xyoto City", world) == ["Kyoto, JP", "searched: xyoto"])
    world.expect("Carson City", "Carson City, US", .sure)
  }

  @Test func `areas stay where the last words of a name are left out, and so do four letters`() throws {
    let world = try world([
      Self.city("Canton", "US", 70_000, region: ("OH", "Ohio")),
      Self.city("Guangzhou", "CN", 16_000_000, ["Canton": 5]), Self.city("Leh", "IN", 30_000, ["Le": 0]),
      Self.city("Nice", "FR", 340_000), Self.city("Ay", "FR", 4_000),
      Self.city("Point Pleasant", "US", 18_000, region: ("NJ", "New Jersey")),
      Self.city("Saint Petersburg", "US", 260_000, region: ("FL", "Florida")),
      Self.city("Saint Petersburg", "RU", 5_000_000),
    ])
    #expect(try found("Canton (C), OH", world) == ["Canton, US", "searched: canton oh"])
    world.expect("Canton (C), OH", "Canton, US", .guess)
    #expect(try found("Le Marais", world).isEmpty && found("Ay Caramba", world).isEmpty)
    world.expect("Le Marais", nil, .none)
    #expect(try found("Nice Riviera", world) == ["Nice, FR", "searched: nice"])
    #expect(try found("Pt. Pleasant, NJ", world) == ["Point Pleasant, US"])
    #expect(try found("St. Petersburg, FL", world).first == "Saint Petersburg, US")
  }

  @Test func `a larger city whose name goes on leaves doubt, unless it lies elsewhere`() throws {
    let world = try world([
      Self.city("Saña", "PE", 2_000), Self.city("Sanaa", "YE", 2_000_000),
      Self.city("Cheb", "CZ", 32_000), Self.city("Cheboksary", "RU", 490_000),
      Self.city("Hyde", "US", 20_000), Self.city("Other", "US", 900_000, ["HYDE": 0, "HYDEX": 2]),
      Self.city("Same", "US", 20_000, ["Same Town": 3]),
    ])
    world.expect("sana", "Saña, PE", .likely)
    world.expect("sana", "Saña, PE", .sure, country: "pe")
    world.expect("sana, pe", "Saña, PE", .sure)
    // A short name of 30,000 weighs more, and names of the city itself leave no doubt.
    world.expect("cheb", "Cheb, CZ", .sure)
    world.expect("same", "Same, US", .sure)
    #expect(try found("sana", world) == ["Sanaa, YE", "Saña, PE"])
    world.expect("hyde", "Hyde, US", .sure)
    // A list of the best names is as good as the names themselves.
    let many = try self.world(
      [Self.city("Sana", "PE", 2_000), Self.city("Sanb", "PE", 40_000)]
        + (1...300).map { Self.city("San\($0)", "US", UInt64($0)) }
        + (1...300).map { Self.city("Sana \($0)", "US", $0 == 77 ? 900_000 : UInt64($0)) })
    many.expect("sana", "Sana, PE", .likely)
    many.expect("sana", "Sana, PE", .sure, country: "pe")
    many.expect("sanb", "Sanb, PE", .sure)
  }

  @Test func `a name of several countries restricts to all of them`() throws {
    let names = AreaNames(countries: ["KR": ["South Korea", "Korea"], "KP": ["North Korea", "Korea"]])
    let cities = ["KR", "KP", "US"].enumerated().flatMap { number, country in
      ["Anju", "Twin"].enumerated().map { other, name in
        City(
          id: UInt64(10 * number + other + 1), name: name, country: country, latitude: 0, longitude: Double(number),
          population: UInt64(900 + 100_000 * number))
      }
    }
    let world = try World(cities, names)
    world.expect("Anju", "Anju, KP", .sure, country: "Korea")
    world.expect("Anju", "Anju, KR", .sure, country: "South Korea")
    for query in ["anju", "twin", "an", "anjo", "twin us"] {
      world.check(.init(query: query, country: "Korea"))
      world.check(.init(query: query, country: "Korea", near: GeoPoint(latitude: 0, longitude: 2)))
    }
  }
}
