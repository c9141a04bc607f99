import Geodesy
import TestSupport
import Testing
import Text

@testable import Cities

@Suite("finding the place that people mean")
struct NameSearchTests {
  /// The other keys of a kind, if the last words name areas.
  private func keys(
    _ attempt: SearchAttempt, _ query: String, typed: String = "", areaWords: Int = 0, countryWords: Int = 0
  ) -> [String] {
    let areas = PlaceQuery.LastAreas(words: areaWords, countryWords: countryWords, stay: countryWords == 0)
    let keys = QueryForms.keys(for: attempt, of: Array(query.utf8), typed: Array(typed.utf8), areas: areas)
    return keys.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `fewer words are at least four letters, not only numbers, and go before the areas`() {
    #expect(keys(.fewerWords, "10 downing street") == ["10 downing"])
    #expect(keys(.fewerWords, "12 3 4").isEmpty && keys(.fewerWords, "nice 06") == ["nice"])
    #expect(keys(.fewerWords, "le marais").isEmpty && keys(.fewerWords, "e lansing park") == ["e lansing"])
    #expect(keys(.fewerWords, "東 xy") == ["東"] && keys(.fewerWords, "ab cd ef") == ["ab cd"])
    #expect(keys(.fewerWords, "canton c oh", areaWords: 1) == ["canton oh"])
    #expect(keys(.fewerWords, "nice old town france", areaWords: 1) == ["nice old france", "nice france"])
    #expect(keys(.fewerWords, "nice old town provence france", areaWords: 2).last == "nice provence france")
    #expect(keys(.fewerWords, "canton oh", areaWords: 1).isEmpty)
    // The list may have the city in another country than the query.
    let elsewhere = keys(.fewerWords, "sevastopol port russia", areaWords: 1, countryWords: 1)
    #expect(elsewhere == ["sevastopol russia", "sevastopol port", "sevastopol"])
  }

  @Test(arguments: [
    ("26150 die", "die"), ("110 00 praha", "praha"), ("lv 1050 riga", "riga"), ("se 111 22 stockholm", "stockholm"),
    ("1012 ab amsterdam", "amsterdam"), ("amsterdam 1012 ab", "amsterdam"), ("d02 x285 dublin", "dublin"),
    ("london sw1a 2aa", "london"), ("lv1050 riga", "riga"), ("m5v 3l9 toronto", "toronto"),
  ])
  func `a postal code is left out as each country writes it`(query: String, name: String) {
    #expect(keys(.postalCode, query).contains(name), "\(keys(.postalCode, query))")
  }

  @Test(arguments: ["die 26150", "101 ab amsterdam", "3rd street", "1012 abc amsterdam", "amsterdam", "sw1a"])
  func `other numbers are no postal code before a name`(query: String) {
    let left = keys(.postalCode, query).filter { !$0.hasSuffix("amsterdam") }
    #expect(left.isEmpty, "\(left)")
  }

  @Test func `the end of an address follows a comma, without postal codes`() {
    func ends(_ typed: String) -> [String] { keys(.endOfAddress, "", typed: typed) }
    #expect(ends("10 Downing Street, London") == ["london"] && ends("London").isEmpty && ends(",").isEmpty)
    #expect(ends("1600 Pennsylvania Ave, Washington, DC 20500") == ["washington dc", "dc"])
    #expect(ends("Pickhuben 2, 20457 Hamburg") == ["hamburg"] && ends("Nice, 06").count == 1)
    #expect(ends("a, 12345").isEmpty && ends(String(repeating: "x,", count: 100)).count == 5)
    #expect(ends("5 High St, Oxford OX1 4AW").first == "oxford" && ends("Dam 1, 1012 JS Amsterdam").last == "amsterdam")
    #expect(ends("191186, г. Казань, ул. Баумана") == ["г казань", "казань", "ул баумана"])
  }

  @Test(arguments: [
    ("浙江省宁波市", ["宁波市 浙江省", "宁波市", "宁波 浙江省", "宁波"]),
    ("三重県四日市市", ["四日市市 三重県", "四日市市", "四日市 三重県", "四日市"]),
    ("千葉県市川市", ["市川市 千葉県", "市川市", "市川 千葉県", "市川"]),
    ("경기도 수원시", ["수원시 경기도", "수원시", "수원 경기도", "수원"]), ("東京都新宿区", ["新宿区 東京都", "新宿区", "新宿 東京都", "新宿"]), ("北京市", ["北京"]),
    ("大阪府大阪市北区", ["大阪市 大阪府", "大阪市", "大阪 大阪府", "大阪"]),
    ("東京", []), ("市", []), ("tartu", []),
  ])
  func `an address from the large to the small ends with the city`(query: String, forms: [String]) {
    #expect(keys(.endOfAddress, query) == forms)
  }

  @Test func `character references are read, and marks on letters left out`() {
    func plain(_ text: String) -> String? { CharacterReferences.decoded(Array(text.utf8)) }
    #expect(plain("d&#39;Ascq") == "d'Ascq" && plain("d&#x2019;A") == "d\u{2019}A" && plain("A&amp;B") == "A&B")
    #expect(plain("Orl&eacute;ans") == "Orleans" && plain("K&oslash;ge") == "Koge")
    #expect(plain("Gie&szlig;en") == "Giessen")
    for text in ["A & B", "A &; B", "A &nothing; B", "&#xFFFFFFFF;", "&#;", "&", "A&B;C"] {
      #expect(plain(text) == nil)
    }
    #expect(keys(.characters, "", typed: "S&atilde;o Paulo") == ["sao paulo"])
  }

  @Test func `an unknown code or the name of a country is left out`() {
    #expect(keys(.unknownCode, "milano xy") == ["milano"])
    #expect(keys(.unknownCode, "milano xyz").isEmpty && keys(.unknownCode, "xy").isEmpty)
    #expect(keys(.unknownCode, "sevastopol russia", countryWords: 1) == ["sevastopol"])
    #expect(keys(.unknownCode, "jerusalem west bank", countryWords: 2) == ["jerusalem"])
  }

  @Test func `a word for the kind of place is the last or the first of several`() {
    #expect(keys(.kind, "seoul city") == ["seoul"] && keys(.kind, "city seoul town") == ["city seoul", "seoul town"])
    #expect(keys(.kind, "seoul city korea", areaWords: 1) == ["seoul korea"])
    #expect(keys(.kind, "город москва") == ["москва"] && keys(.kind, "stadt köln") == ["köln"])
    #expect(keys(.kind, "city").isEmpty && keys(.kind, "city korea", areaWords: 1).isEmpty)
    #expect(keys(.kind, "seoul cities").isEmpty && keys(.kind, "a city b").isEmpty)
  }

  @Test func `abbreviations in addresses are written in full`() {
    for (query, forms) in [
      ("pt pleasant", ["point pleasant", "port pleasant"]), ("e lansing", ["east lansing"]),
      ("n york", ["north york"]), ("w covina", ["west covina"]), ("gen trias", ["general trias"]),
      ("palm spgs ca", ["palm springs ca"]), ("arlington hts", ["arlington heights"]),
      ("rockville ctr", ["rockville center"]), ("grand jct", ["grand junction"]), ("myrtle bch", ["myrtle beach"]),
      ("s paulo", ["san paulo", "sao paulo", "santa paulo", "santo paulo", "south paulo"]),
    ] {
      #expect(Set(keys(.address, query)).isSuperset(of: forms), "\(query): \(keys(.address, query))")
    }
  }

  @Test(arguments: 0...12)
  func `every small list answers every start of its names as a plain search does`(size: Int) throws {
    for seed in 0..<4 {
      let world = try World(MadeUpPlaces.make(size, seed: UInt64(100 * size + seed)))
      for query in world.startsOfNames().union(["x", "y", "", " - ", "XA", "XAN", "XAN "]) {
        world.check(.init(query: query))
      }
    }
  }

  @Test(arguments: [1, 3, 10, 100])
  func `a list with best names ready answers as a plain search does`(limit: Int) throws {
    let world = try World(MadeUpPlaces.make(500, seed: 7))
    for query in world.startsOfNames(every: Thoroughness.isFull ? 23 : 160).union([
      "x", "xa", "XA", "xan", "XAN", "Xan", "xban", "xsan",
    ]) {
      for country in [nil, "EE", "usa"] { world.check(.init(query: query, limit: limit, country: country)) }
      world.check(.init(query: query, limit: limit, near: GeoPoint(latitude: 1, longitude: 2)))
      world.check(.init(query: query, limit: limit, region: "harju"))
    }
  }

  @Test(
    arguments: [
      "tx", "texas", "bo", "ana", "or ban", "us", "texas usa", "usa texas", "estonia ana", "日", "ora", "none", "01",
      "tx pr", "pr", "island", "city", "town, tx", "qq, tx",
      "t", "e", "texas u", "a", "or b", "estoni", "ana b",
    ])
  func `areas after a name narrow it, alone and in pairs`(areas: String) throws {
    let world = try World(MadeUpPlaces.make(300, seed: 8))
    for query in world.startsOfNames(every: Thoroughness.count(480, ofAll: 40)) {
      world.check(.init(query: "\(query), \(areas)"))
    }
  }

  @Test func `areas after a name narrow it further than the conditions do`() throws {
    let world = try World(MadeUpPlaces.make(300, seed: 8))
    for query in world.startsOfNames(every: Thoroughness.count(160, ofAll: 40)) {
      world.check(.init(query: "\(query) texas", country: "us", region: "or-ban"))
    }
  }

  @Test func `the code of a country is the name of no other one, and no word if it is a number or a letter`() throws {
    func city(_ id: UInt64, _ name: String, _ country: String, _ population: UInt64) -> City {
      City(id: id, name: name, country: country, latitude: 0, longitude: 0, population: population)
    }
    let cities = [
      city(1, "Gent", "BE", 230_000), city(2, "Gitega", "BI", 135_000), city(3, "Gent", "7", 500),
      city(4, "Gitega", "Q", 300),
    ]
    let areas = AreaNames(countries: ["BE": ["Belgium", "Bỉ", "7", "q"], "BI": ["Burundi"], "7": ["Seven"]])
    let world = try World(cities, areas)
    func ids(_ question: PlainPlaces.Question) throws -> [UInt64] {
      world.check(question)
      return try world.find(question, steps: .max).found.map(\.id)
    }
    #expect(try ids(.init(query: "gitega", country: "BI")) == [2] && ids(.init(query: "gent", country: "bi")).isEmpty)
    #expect(try ids(.init(query: "gitega", country: "Bỉ")) == [2] && ids(.init(query: "gent", country: "be")) == [1])
    #expect(try ids(.init(query: "gent bi", typos: false)).isEmpty && ids(.init(query: "gitega bi")) == [2])
    #expect(try ids(.init(query: "bi")) == [2] && ids(.init(query: "belgium")) == [1])
    #expect(try ids(.init(query: "gent", country: "7")) == [3] && ids(.init(query: "gitega", country: "q")) == [4])
    #expect(try ids(.init(query: "gent seven")) == [3] && ids(.init(query: "gitega q", typos: false)).isEmpty)
    #expect(try ids(.init(query: "7", typos: false)).isEmpty && ids(.init(query: "q", typos: false)).isEmpty)
  }

  @Test func `the name of an area finds its largest cities, unless a name starts with it`() throws {
    let world = try World(MadeUpPlaces.make(400, seed: 18))
    let areas = [
      "texas", "usa", "Estonia", "ana", "or ban", "bo", "日", "ora", "ee", "lv", "tx", "01", "texas ", "estoni",
      "xa", "xan", "xana", "xora", "xb", "xor", "XAN", "XA", "XB ", "840", "xa us", "xan usa", "xor texas", "xan xora",
      "tx us",
    ]
    for query in areas {
      for limit in [1, 10, 100] {
        world.check(.init(query: query, limit: limit))
        world.check(.init(query: query, limit: limit, isFinished: true))
        world.check(.init(query: query, limit: limit, country: "us"))
        world.check(.init(query: query, limit: limit, near: GeoPoint(latitude: 1, longitude: 2)))
        world.check(.init(query: query, limit: limit, region: "harju", typos: false))
        world.check(.init(query: query, limit: limit, leastPeople: 20_000))
      }
      for isFinished in [false, true] {
        let question = PlainPlaces.Question(query: query, limit: 50, isFinished: isFinished)
        let whole = try world.find(question, steps: .max).found
        #expect(try world.find(question, steps: 1).found == whole, "\(query)")
      }
    }
    #expect(try world.find(.init(query: "usa"), steps: .max).found.allSatisfy { $0.by == .area })
    #expect(try world.find(.init(query: "x"), steps: .max).found.allSatisfy { $0.by != .area })
  }

  @Test func `a place that is near outweighs inhabitants by their powers of ten`() throws {
    func city(_ id: UInt64, _ longitude: Double, _ population: UInt64) -> City {
      City(id: id, name: "Twin", country: "EE", latitude: 0, longitude: longitude, population: population)
    }
    // A degree is 111 km: the cities lie at 0, 111 and 1,112 km, which costs 0, 108 and 205.
    let world = try World([city(1, 0, 1_000), city(2, 1, 10_000), city(3, 10, 200_000)])
    let origin = GeoPoint(latitude: 0, longitude: 0)
    #expect(try world.find(.init(query: "twin", near: origin), steps: .max).found.map(\.id) == [3, 1, 2])
    #expect(try world.find(.init(query: "tw", limit: 1, near: origin), steps: .max).found.map(\.id) == [3])
    let many = try World(MadeUpPlaces.make(500, seed: 19))
    for query in many.startsOfNames(every: Thoroughness.isFull ? 19 : 95) {
      for limit in [1, 10] { many.check(.init(query: query, limit: limit, near: GeoPoint(latitude: -2, longitude: 4))) }
    }
  }

  @Test
  func `after a word that has ended, names that go on with another word come first, and others only without them`()
    throws
  {
    func city(_ id: UInt64, _ name: String, _ population: UInt64, _ alternates: [String] = []) -> City {
      var city = City(id: id, name: name, country: "EE", latitude: 0, longitude: Double(id))
      (city.population, city.alternates) = (population, alternates)
      return city
    }
    let world = try World([
      city(1, "Sanaa", 2_000_000), city(2, "San Jose", 300), city(3, "San", 20), city(4, "Sankt-Po", 5_000, ["San-Po"]),
      city(5, "Santiago", 5_000_000),
    ])
    for (query, ids) in [
      ("san", [5, 1, 4, 2, 3]), ("san ", [3, 4, 2]), ("San-", [3, 4, 2]), ("SAN, ", [3, 4, 2]), ("san jose ", [2]),
      ("santi ", [5]), ("san .", [3, 4, 2]), ("san.", [5, 1, 4, 2, 3]), ("san estonia ", [3]),
    ] as [(String, [UInt64])] {
      #expect(try Set(world.find(.init(query: query), steps: .max).found.map(\.id)) == Set(ids), "\(query)")
      for country in [nil, "EE"] {
        world.check(.init(query: query, country: country))
        world.check(.init(query: query, country: country, near: GeoPoint(latitude: 0, longitude: 9)))
      }
    }
    let many = try World(MadeUpPlaces.make(500, seed: 17))
    for query in many.startsOfNames(every: Thoroughness.isFull ? 17 : 119) {
      many.check(.init(query: query + " "))
      many.check(.init(query: query + "-", limit: 3, country: "EE"))
      many.check(.init(query: query + ", ", region: "harju"))
    }
  }

  @Test func `other forms of a query are looked for one after the other, and a guess says what it looked for`() throws {
    func city(_ id: UInt64, _ name: String, _ population: UInt64, _ alternates: [String] = []) -> City {
      var city = City(id: id, name: name, country: "EE", latitude: 0, longitude: 0, population: population)
      city.alternates = alternates
      return city
    }
    let world = try World([
      city(1, "São Paulo", 12_000_000), city(2, "New York", 8_000_000), city(3, "Munich", 1_500_000, ["München"]),
      city(4, "Milan", 1_300_000, ["Milano"]), city(5, "Frankfurt am Main", 650_000),
      city(6, "Moscow", 10_000_000, ["Москва"]), city(7, "Cheb", 30_000), city(8, "Cheboksary", 490_000),
      city(9, "Barcelona", 1_600_000), city(10, "Nice", 340_000),
    ])
    for (query, id, searched) in [
      ("S. Paulo", 1, ""), ("s. pau", 1, ""), ("80331 München", 3, ""), ("D-80331 munich 2", 3, ""),
      ("Frankfurt a. M.", 5, ""), ("york new", 2, ""), ("estonia new york", 2, ""), ("frankfurt main am", 5, ""),
      ("Milano MI", 4, "milano"), ("Москва ав", 6, "москва"), ("barcelno", 9, ""), ("bracel", 9, ""),
      ("karcelona", 9, ""), ("oscow", 6, ""),
      ("Nice Alpes-Maritimes", 10, "nice"), ("nice (alpes) estonia", 10, "nice estonia"),
      ("cheb", 7, ""), ("che", 8, ""),
      ("vjcrdf", 6, "москва"), ("ьщысщц", 6, "moscow"),
    ] as [(String, UInt64, String)] {
      let found = try world.find(.init(query: query), steps: .max)
      #expect(found.found.first?.id == id && found.searched == searched, "\(query): \(found.found), \(found.searched)")
      if !["vjcrdf", "ьщысщц"].contains(query) {
        world.check(.init(query: query))
        world.check(.init(query: query, limit: 1, near: GeoPoint(latitude: 1, longitude: 2), typos: false))
      }
    }
  }

  @Test func `an address has at most 23 other keys`() {
    let keys = QueryForms.keys(for: .address, of: Array("st mt ft st b ste".utf8), typed: [], areas: .init())
    #expect(keys.count == 23 && Set(keys).count == 23 && !keys.contains(Array("st mt ft st b ste".utf8)))
  }

  @Test
  func `typing errors find what a plain search finds, whole names alone, and nothing where a name is found`() throws {
    let world = try World(MadeUpPlaces.make(200, seed: 9))
    var random = SeededGenerator(seed: 10)
    let step = Thoroughness.isFull ? 7 : 35
    for name in world.plain.names.enumerated().filter({ $0.offset % step == 0 }).map(\.element) {
      var letters = Array(String(decoding: name.key, as: UTF8.self).unicodeScalars)
      for _ in 0..<Int.random(in: 1...3, using: &random) { Self.misspell(&letters, &random) }
      let query = letters.map(String.init).joined()
      world.check(.init(query: query))
      world.check(.init(query: query, typos: false))
      world.check(.init(query: query, limit: 2, country: "EE", near: GeoPoint(latitude: 0, longitude: 0)))
      world.check(.init(query: query + " usa"))
      world.check(.init(query: query + ", tx"))
      world.check(.init(query: query + " city"))
    }
  }

  @Test(
    arguments: [5, 8, 9, 33, 62, 63, 64, 65])
  func `typing errors in names of any length and script are those of a plain search`(count: Int) throws {
    var random = SeededGenerator(seed: UInt64(count))
    for alphabet in ["ab", "aбв ", "日本ab"].map({ Array($0.unicodeScalars) }) {
      let names = (0..<12).map { _ in
        (0..<count).map { _ in alphabet[Int.random(in: alphabet.indices, using: &random)] }
      }
      let cities = names.enumerated().map { id, name in
        City(
          id: UInt64(id + 1), name: "a" + name.map(String.init).joined() + "a", country: "EE", latitude: 0,
          longitude: Double(id))
      }
      let world = try World(cities)
      for name in names {
        var letters = ["a"] + name + ["a"]
        for _ in 0..<Int.random(in: 1...3, using: &random) { Self.misspell(&letters, &random) }
        world.check(.init(query: letters.map(String.init).joined()))
      }
    }
  }

  @Test(arguments: ["abc", "aбв", "日本語", "a日б"])
  func `typing errors are found in every branch of the trie, for few rows and many`(alphabet: String) throws {
    var random = SeededGenerator(seed: 21)
    let letters = Array(alphabet.unicodeScalars)
    let names = (0..<600).map { _ in
      (0..<Int.random(in: 5...9, using: &random)).map { _ in letters[Int.random(in: letters.indices, using: &random)] }
    }
    let world = try World(
      names.enumerated().map { id, name in
        City(
          id: UInt64(id + 1), name: "a" + name.map(String.init).joined(), country: "EE", latitude: 0,
          longitude: Double(id) / 10, population: UInt64.random(in: 0..<1_000_000, using: &random))
      })
    #expect(world.built.index.names.map { $0.trie.nodeCount > 20 } == true, "the names need more than one branch")
    for name in names.prefix(Thoroughness.isFull ? 60 : 20) {
      var letters = ["a"] + name
      for _ in 0..<Int.random(in: 1...2, using: &random) { Self.misspell(&letters, &random) }
      for limit in [1, 10] { world.check(.init(query: letters.map(String.init).joined(), limit: limit)) }
    }
  }

  private static func misspell(_ letters: inout [Unicode.Scalar], _ random: inout SeededGenerator) {
    guard letters.count > 2 else { return }
    let index = Int.random(in: 1..<letters.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: letters.remove(at: index)
    case 1: letters.insert("q", at: index)
    case 2: letters[index] = "q"
    default: letters.swapAt(index, max(index - 1, 1))
    }
  }

  @Test func `a search in steps of any length finds the same`() throws {
    let world = try World(MadeUpPlaces.make(400, seed: 11))
    for query in ["xan", "xsan", "xanbanoraq", "xanbanqra", "xa texas"] {
      let question = PlainPlaces.Question(query: query, limit: 20, region: query.contains("q") ? nil : "harju")
      let whole = try world.find(question, steps: .max).found
      #expect(try world.find(question, steps: 1).found == whole)
      #expect(try world.find(question, steps: 7).found == whole)
    }
  }

  @Test
  func `a misspelt name of 600 cities takes no more than its steps, and finds what a plain search finds`() throws {
    var cities = (1...600 as ClosedRange<UInt64>).map {
      City(id: $0, name: "Springfield", country: "US", latitude: 0, longitude: Double($0) / 10, population: $0 % 97)
    }
    cities.append(City(id: 601, name: "Springfeld", country: "EE", latitude: 1, longitude: 1, population: 500))
    let world = try World(cities)
    let names = try #require(world.built.index.names)
    for (key, expected) in [("springfielt", 601), ("springfiexx", 600), ("springfxxxld", 0)] {
      var walk = TypoWalk()
      Array(key.utf8).withUnsafeBytes { walk.begin($0, .twoErrors, starts: false, names) }
      var (found, largest, isFinished) = (0, 0, false)
      while !isFinished {
        var (left, inStep) = (64, 0)
        isFinished = walk.advance(
          &left, names, least: 0, started: { _ in }, found: { entries, _ in inStep += entries.count })
        (found, largest) = (found + inStep, max(largest, inStep))
      }
      #expect(found == expected && largest <= 64, "\(key): \(found), \(largest) in a step")
    }
    for limit in [1, 20] {
      let question = PlainPlaces.Question(query: "springfielt", limit: limit)
      world.check(question)
      world.check(.init(query: "springfielt", limit: limit, country: "US", near: GeoPoint(latitude: 0, longitude: 9)))
      let whole = try world.find(question, steps: .max).found
      for steps in [1, 7, 64] { #expect(try world.find(question, steps: steps).found == whole) }
    }
  }

  @Test func `an unknown country or region is a problem; the empty query finds nothing`() throws {
    let world = try World(MadeUpPlaces.make(30, seed: 12))
    for (country, region, problem) in [
      ("atlantis", nil, PlaceConditions.Problem.unknownCountry), ("", nil, .unknownCountry),
      ("texas", nil, .unknownCountry), (nil, "estonia", .unknownRegion), ("EE", "texas", .unknownRegion),
    ] as [(String?, String?, PlaceConditions.Problem)] {
      #expect(throws: problem) {
        try world.find(.init(query: "xa", country: country, region: region), steps: .max)
      }
    }
  }

  @Test(
    arguments: [
      ("-5", true), ("+3.5", true), (" \u{2212}1,200 ", true), ("5", false), ("-", false), ("-5a", false), ("", false),
    ])
  func `a number with a sign is no name`(text: String, isNumber: Bool) {
    #expect(Array(text.utf8).withUnsafeBytes { NameSearch.isSignedNumber($0) } == isNumber)
  }

  @Test func `an index without names answers nothing`() throws {
    let world = try World([])
    #expect(try world.find(.init(query: "tallinn"), steps: .max).found.isEmpty)
  }

  @Test(arguments: [0, 1, 20, 300]) func `names and areas that are read back make the same sections`(size: Int) throws {
    var cities = MadeUpPlaces.make(size, seed: UInt64(size))
    for (number, city) in cities.enumerated() {
      if let name = city.alternates.first { cities[number].languages = [TextKey(name): number % 15] }
    }
    let world = try World(cities)
    let index = world.built.index
    let alternates = index.alternates()
    var again: [City] = []
    for (rank, city) in world.plain.cities.enumerated() {
      var copy = city
      (copy.alternates, copy.languages) = (alternates[rank].keys.map(\.text), alternates[rank])
      let place = index.surroundings(of: rank)
      copy.region = String(decoding: place.region, as: UTF8.self)
      #expect(String(decoding: place.regionCode, as: UTF8.self) == city.regionCode)
      #expect(String(decoding: place.countyCode, as: UTF8.self) == city.countyCode)
      #expect(String(decoding: place.zone, as: UTF8.self) == city.zone)
      again.append(copy)
    }
    let areas = index.areaNames(countryCodes: world.plain.cities.map(\.country))
    #expect(try BuiltIndex.sections(again, areas) == BuiltIndex.sections(cities, MadeUpPlaces.areas))
  }

  @Test func `the same cities give the same bytes, whichever comes first and however often`() throws {
    let cities = MadeUpPlaces.make(60, seed: 13)
    let expected = try BuiltIndex.sections(cities, MadeUpPlaces.areas)
    #expect(try BuiltIndex.sections(cities.reversed() + cities, MadeUpPlaces.areas) == expected)
  }

  @Test(
    arguments: [
      (0, 0), (1, 0), (2, 30), (9, 95), (10, 100), (99, 199), (100, 200), (999, 299), (1_000, 300), (999_999, 599),
      (1_000_000, 600), (3_999_999_999, 960), (4_000_000_000, 960),
    ])
  func `logarithms of inhabitants are rounded down`(number: UInt64, expected: Int) {
    #expect(NameScore.logarithm(number) == expected)
  }
}
