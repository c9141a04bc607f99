import Banks
import Geodesy
import TestSupport
import Testing

@Suite("bank index against a plain scan")
struct BankIndexTests {
  private static let filters = [
    BankFilter(), BankFilter(country: "latvia"), BankFilter(country: "BA", region: ""),
    BankFilter(categories: [.atm]), BankFilter(categories: [.unknown]), BankFilter(bank: "swedbank"),
    BankFilter(country: "EE", categories: [.branch], bank: "swedbank-ee"), BankFilter(region: "Šiauliai"),
    BankFilter(region: "jogeva MAAKOND"), BankFilter(country: "Lithuania", region: "siauliai"),
  ]
  private static let places = [
    GeoPoint(latitude: 90, longitude: 0), GeoPoint(latitude: -90, longitude: 77), GeoPoint(latitude: 0, longitude: 180),
    GeoPoint(latitude: 0, longitude: -180), GeoPoint(latitude: 59.4, longitude: 24.7),
  ]

  @Test(arguments: 0...40)
  func `every size from 0 to 40 equals the scan: lists, searches, neighbours, ids`(size: Int) throws {
    let built = try BuiltIndex(MadeUpLocations.make(size, seed: UInt64(size)))
    let scan = PlainScan(locations: built.locations)
    #expect(built.index.count == scan.locations.count)
    for (id, location) in scan.locations {
      let rank = try #require(built.index.rank(id: id))
      #expect(built.index.id(at: rank) == id && built.index.point(at: rank) == location.point)
    }
    for filter in Self.filters {
      // A country or region may be missing in a small list; the scan then finds nothing.
      let list = (try? built.index.list(filter)) ?? []
      #expect(built.ids(list) == scan.list(filter))
      let headings = (try? built.index.regions(filter)) ?? []
      #expect(headings.flatMap(\.regions).map(\.count).reduce(0, +) == list.count)
      #expect(headings.map(\.count).reduce(0, +) == list.count)
      for words in ["", "a", "kesk", "JÕGEVA a", "silute gedimino", "4, õ", "zzz", " ", "iela\t1"] {
        let found = (try? built.search(words, filter)) ?? []
        #expect(
          found == scan.search(words.split(whereSeparator: \.isWhitespace).joined(separator: " "), filter), "\(words)")
      }
      checkNear(built, scan, filter)
    }
  }

  private func checkNear(_ built: BuiltIndex, _ scan: PlainScan, _ filter: BankFilter) {
    for place in Self.places {
      for (limit, radius) in [(1, .infinity), (5, 3_000_000), (1000, .infinity)] as [(Int, Double)] {
        let found = ((try? built.near(place, limit, radius, filter)) ?? []).map {
          "\($0.0) \(built.index.rank(id: $0.1) ?? -1)"
        }
        #expect(found == scan.near(place, limit, radius, filter) { built.index.rank(id: $0) })
      }
    }
  }

  @Test
  func `thousands of seeded points, many at the date line and the poles: the nearest of a kind are those of a scan`()
    throws
  {
    var random = SeededGenerator(seed: 100_000)
    let count = Thoroughness.count(10_000, ofAll: 100_000)
    let locations = (0..<count).map { number in
      location(
        nil, address: "", kind: LocationKind(code: number % 4), region: nil, id: "\(number)",
        latitude: number % 5 == 0 ? 90 - abs(noise(&random)) : .random(in: -90...90, using: &random),
        longitude: number % 5 == 1
          ? (number % 2 == 0 ? 180 - abs(noise(&random)) : abs(noise(&random)) - 180)
          : .random(in: -180...180, using: &random))
    }
    let built = try BuiltIndex(locations)
    #expect(built.index.count == count)
    for place in Self.places + [GeoPoint(latitude: 12, longitude: -179.999)] {
      let found = try built.near(place, 10, 2_000_000, BankFilter(categories: [.bna])).map(\.0)
      let metres = locations.filter { $0.kind == .bna }.map { place.metres(to: $0.point) }
      #expect(found == Array(metres.filter { $0 <= 2_000_000 }.sorted().prefix(10)))
    }
  }

  private func noise(_ random: inout SeededGenerator) -> Double { .random(in: 0...0.5, using: &random) }

  @Test func `the same locations give the same bytes, in whatever order they come`() throws {
    let locations = MadeUpLocations.make(40, seed: 5)
    let sections = try BuiltIndex.sections(locations).sections
    let doubled = try BuiltIndex.sections(locations + locations).sections
    #expect(doubled != sections)
    for _ in 0..<10 {
      #expect(try BuiltIndex.sections(locations.shuffled()).sections == sections)
      #expect(try BuiltIndex.sections((locations + locations).shuffled()).sections == doubled)
    }
    #expect(Set(sections.keys) == Set(BankSection.allCases))
  }

  @Test(arguments: ["", "swedbank", "swedbank-ee-00000000", "\u{0}", "~"])
  func `an id that there is not leads nowhere`(id: String) throws {
    #expect(try BuiltIndex(MadeUpLocations.make(20, seed: 2)).index.rank(id: id) == nil)
  }
}

@Suite("keyword search")
struct KeywordTests {
  private let built: BuiltIndex

  init() throws {
    built = try BuiltIndex([
      location("Poslovnica 2 u Tuzli", address: "Armije BiH 3, Tuzla 75000", bank: "imaginary", id: "1"),
      location("Žvėrynas", address: "Gedimino pr. 12", bank: "imaginary", id: "2"),
      location(nil, address: "Straße 7", bank: "imaginary", id: "3"),
    ])
  }

  @Test(
    arguments: [
      ("tuzla", ["imaginary-1"]), ("TUZLA armije poslovnica", ["imaginary-1"]), ("3 2 7", ["imaginary-1"]),
      ("zverynas GEDIMINO", ["imaginary-2"]), ("ŽVĖRYNAS 12", ["imaginary-2"]), ("z\u{30C}ve", ["imaginary-2"]),
      ("strasse", ["imaginary-3"]), ("STRASSE 7", ["imaginary-3"]), ("verynas", ["imaginary-2"]),
      ("tuzla gedimino", []),
      ("7", ["imaginary-1", "imaginary-3"]), ("", ["imaginary-1", "imaginary-2", "imaginary-3"]),
      (" \t\n\u{A0}", ["imaginary-1", "imaginary-2", "imaginary-3"]),
      ("\u{301}", ["imaginary-1", "imaginary-2", "imaginary-3"]),
      ("tuzli armije tuzli armije", ["imaginary-1"]), ("tuzliarmije", []),
    ])
  func `every word must occur, in the name or the address, whatever the case and the accents`(
    words: String, ids: [String]
  ) throws { #expect(try built.search(words) == ids) }

  @Test func `64 different words are searched, more are refused, repeated ones count once`() throws {
    let words = (0..<64).map { "w\($0)" }.joined(separator: " ")
    #expect(try built.search(words).isEmpty)
    let problem = #expect(throws: KeywordProblem.self) { try KeywordQuery("\(words) one") }
    #expect(problem?.description == "more than 64 different words; a search takes at most 64")
    #expect(try built.search(String(repeating: "tuzla ", count: 10_000)) == ["imaginary-1"])
  }

  @Test func `words are divided as characters are: at white space of any kind`() throws {
    let spaces = [
      "\t", "\n", "\r\n", "\u{85}", "\u{A0}", "\u{1680}", "\u{2003}", "\u{2028}", "\u{202F}", "\u{205F}", "\u{3000}",
    ]
    for space in spaces { #expect(try built.search("tuzla\(space)armije\(space)") == ["imaginary-1"], "\(space.utf8)") }
    for other in ["\u{200B}", "\u{2060}", "\u{180E}", "\u{E1}"] {
      #expect(try built.search("tuzla\(other)armije").isEmpty)
    }
  }

  @Test func `a word longer than all texts is found nowhere; thousands of spellings of a word are one word`() throws {
    for word in ["İ", "z", "\u{301}a"].map({ String(repeating: $0, count: 60_000 / $0.utf8.count) }) {
      #expect(try search("tuzla \(word)").isEmpty && search("\(word) tuzla").isEmpty)
    }
    let spellings = (0..<1_024).map { number in
      String("tuzlaarmij".enumerated().map { number >> $0 & 1 == 0 ? $1 : Character($1.uppercased()) })
    }
    #expect(try search(spellings.joined(separator: " ")).isEmpty)
    #expect(try search(spellings.map { $0.prefix(5) }.joined(separator: " ")) == ["imaginary-1"])
  }

  /// Searches as the server does: with the length of the longest text.
  private func search(_ text: String) throws -> [String] {
    built.ids(try built.index.search(try KeywordQuery(text, longest: built.index.longestText)))
  }

  @Test func `a word is found wherever it stands, in texts that repeat themselves too`() throws {
    let texts = ["aaaaaaaab", "abababac", "aabaabaaa", "abcabcabd", "ab ab ab"]
    let built = try BuiltIndex(texts.enumerated().map { location(nil, address: $1, bank: "imaginary", id: "\($0)") })
    let words = Set(
      texts.flatMap { text in
        text.indices.flatMap { start in text[start...].indices.map { String(text[start...$0]) } }
      } + ["aac", "ba b", "abd", "bd", "ca"])
    for word in words where !word.contains(" ") {
      let expected = texts.indices.filter { texts[$0].contains(word) }.map { "imaginary-\($0)" }
      #expect(Set(try built.search(word)) == Set(expected), "\(word)")
    }
  }
}
