import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesCommands

@Suite struct TranslationsTests {
  /// Bytes of a file in the format of `citiesd-sync translate`, whose own test has the same bytes.
  static let file: [UInt8] = {
    func numbers(_ values: [UInt32]) -> [UInt8] { values.flatMap { withUnsafeBytes(of: $0.littleEndian, Array.init) } }
    let languages = [("de", UInt32(0)), ("fr", 2), ("sr@latin", 3)].flatMap { code, first in
      Array(code.utf8) + [UInt8](repeating: 0, count: 16 - code.utf8.count) + numbers([first])
    }
    return Array("CITYNAM1".utf8) + numbers([3, 4]) + languages + numbers([4, 1, 2, 2, 1, 0, 9, 14, 21])
      + Array("München\0Wien\0Vienne\0Minhen\0".utf8)
  }()

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("translations.bin", Self.file)
  }

  private func names(_ languages: [[String]]) -> [String?]? {
    Translations(path: folder.path("translations.bin"), languages: languages).map { names in
      [0, 1, 2, 3].map { names[$0] }
    }
  }

  @Test func `the first language with names counts`() {
    #expect(names([["de"]]) == [nil, "München", "Wien", nil])
    #expect(names([["xx"], ["fr_CA", "fr"], ["de"]]) == [nil, nil, "Vienne", nil])
    #expect(names([["sr_RS@latin", "sr@latin", "sr_RS", "sr"]]) == [nil, "Minhen", nil, nil])
    #expect(names([["sr@latin", "de"]]) == [nil, "Minhen", "Wien", nil])
    #expect(names([["xx"], [""], ["d"], ["deu"], ["a language with a long name"]]) == nil && names([]) == nil)
    #expect(Translations(path: folder.path("missing"), languages: [["de"]]) == nil)
  }

  @Test func `any bytes are read without harm`() throws {
    var generator = SeededGenerator(seed: 3)
    for round in 0..<Thoroughness.count(300, ofAll: 2_000) {
      var bytes = Self.file
      if round % 2 == 0 { bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator)) }
      for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      // A file in memory has whole pages: its last bytes are followed by zeros, as in any other mapped file.
      try folder.write("translations.bin", bytes)
      _ = names([["de"], ["fr"], ["sr@latin"]])
    }
  }

  @Test(
    arguments: [
      ([:], []), (["LANG": "C.UTF-8"], []), (["LANG": "POSIX", "LANGUAGE": "de"], []),
      (["LANG": "de_AT.UTF-8"], [["de_AT", "de"]]),
      (["LANG": "de_DE", "LC_MESSAGES": "fr_FR.UTF-8"], [["fr_FR", "fr"]]),
      (["LC_MESSAGES": "fr", "LC_ALL": "sr_RS.UTF-8@latin"], [["sr_RS@latin", "sr@latin", "sr_RS", "sr"]]),
      (["LANG": "de_DE.UTF-8", "LANGUAGE": "pt_BR:es"], [["pt_BR", "pt"], ["es"]]),
      (["LANG": "de_DE.UTF-8", "LANGUAGE": ""], [["de_DE", "de"]]), (["LC_ALL": "", "LANG": "et"], [["et"]]),
    ] as [([String: String], [[String]])])
  func `languages are those of gettext`(environment: [String: String], expected: [[String]]) {
    #expect(ReaderLanguages.wanted { environment[$0] } == expected)
  }

  @Test func `names follow titles`() throws {
    let names = try #require(Translations(path: folder.path("translations.bin"), languages: [["de"]]))
    let rows = [city(1, "Munich", "DE"), city(2, "Wien", "AT"), city(3, "Berlin", "DE")]
    let listing = CityListing.of(rows, total: 3, generation: "").naming(names)
    let output = OutputStream(descriptor: -1)
    output.keepsEverything = true
    try RowRenderer(format: .table, columns: ["title", "id"]).render(listing, to: output)
    #expect(
      String(decoding: output.bytes, as: UTF8.self) == """
        TITLE                 ID
        Munich, DE (München)   1
        Wien, AT               2
        Berlin, DE             3

        """)
  }

  @Test func `other formats and other outputs stay as they are`() throws {
    let environment = ["LANG": "de_DE.UTF-8"]
    for words in [["-o", "table", "--language", "de"], ["-o", "tsv"]] {
      let result = try outcome(["show", "1"] + words, environment: environment) {
        [$0.reply(CityGet.self, CityGet.Reply(city: city(1, "Munich", "DE"), generation: "00000000000000aa"))]
      }
      #expect(result.status == .found && result.output.contains("Munich, DE") && !result.output.contains("("))
      #expect(result.errors == "")
    }
  }

  @Test(arguments: ["", "d", "1", "de/../x", "de DE", "ä"])
  func `what is not a language is refused`(language: String) throws {
    #expect(try outcome(["search", "a", "--language", language]).status == .usage)
  }
}
