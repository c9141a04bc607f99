import Base
import Cities
import Glibc
import Resident
import TestSupport
import Testing

@testable import FeedSync

@Suite struct TranslationFileTests {
  /// A catalogue with these messages.
  static func catalogue(_ messages: [(String, String)], isBigEndian: Bool = false) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] {
      let value = UInt32(value)
      return withUnsafeBytes(of: isBigEndian ? value.bigEndian : value.littleEndian, Array.init)
    }
    let all = [("", "Content-Type: text/plain; charset=UTF-8")] + messages
    var (tables, texts): ([UInt8], [UInt8]) = ([], [])
    let start = 28 + 16 * all.count
    for text in all.map(\.0) + all.map(\.1) {
      tables += number(text.utf8.count) + number(start + texts.count)
      texts += Array(text.utf8) + [0]
    }
    let head = [0x9504_12DE, 0, all.count, 28, 28 + 8 * all.count, 0, 0].flatMap(number)
    return head + tables + texts
  }

  /// A folder with an index of three cities and catalogues of four languages.
  static func world() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    var builder = CityIndexBuilder()
    for (id, name) in [(1, "Munich"), (2, "Vienna"), (3, "Berlin"), (4, "Twin"), (4, "Twins")] as [(UInt64, String)] {
      _ = try builder.add(City(id: id, name: name, country: "DE", latitude: Double(id), longitude: 1))
    }
    try ResidentCities.image(of: builder, fingerprint: 1).write(to: folder.path("cities.index"))
    let catalogues: [String: [UInt8]] = [
      "de": catalogue([("1", "München"), ("2", "Wien"), ("3", "Berlin"), ("9", "Nirgends"), ("4", "Zwilling")]),
      "fr": catalogue([("2", "Vienne"), ("x", "y"), ("-1", "z"), ("99999999999", "w")], isBigEndian: true),
      "sr@latin": catalogue([("1", "Minhen")]), "en": catalogue([("1", "Munich")]),
    ]
    mkdir(folder.path("locale"), 0o700)
    for (language, bytes) in [(".hidden", []), ("a language", [])] + Array(catalogues) {
      mkdir(folder.path("locale/\(language)"), 0o700)
      mkdir(folder.path("locale/\(language)/LC_MESSAGES"), 0o700)
      try folder.write("locale/\(language)/LC_MESSAGES/geonames.mo", bytes)
    }
    return folder
  }

  static func made(in folder: TemporaryFolder) throws -> TranslationFile {
    let cities = try ResidentCities(path: folder.path("cities.index"))
    return try TranslationFile(from: folder.path("locale"), for: cities)
  }

  @Test func `names that differ from titles are kept`() throws {
    let file = try Self.made(in: Self.world())
    #expect(file.names == 4 && file.languages == 3)
    var expected = Array("CITYNAM1".utf8) + [UInt8](column: [3, 4])
    for (code, first) in [("de", 0), ("fr", 2), ("sr@latin", 3)] as [(String, UInt32)] {
      expected += Array(code.utf8) + [UInt8](repeating: 0, count: 16 - code.utf8.count)
      expected += [UInt8](column: [first])
    }
    expected += [UInt8](column: [4, 1, 2, 2, 1, 0, 9, 14, 21])
    expected += Array("München\0Wien\0Vienne\0Minhen\0".utf8)
    #expect(file.bytes == expected)
  }

  @Test func `without catalogues the package is named`() throws {
    let folder = try Self.world()
    let cities = try ResidentCities(path: folder.path("cities.index"))
    let error = #expect(throws: FeedError.self) { try TranslationFile(from: folder.path("none"), for: cities) }
    #expect(error?.description.contains("libgeonames-common") == true)
  }

  @Test func `an index that does not match its checksums is refused, however long it is`() throws {
    let folder = try Self.world()
    let (path, kind) = (folder.path("cities.index"), ResidentCities.kind)
    let file = try ResidentFile(path: path, kind: kind)
    let sections = withExtendedLifetime(file) {
      file.header.sections.map { (name: $0.name, bytes: file[$0.name].map(Array.init) ?? []) }
    }
    let image = ResidentImage(kind: kind, fingerprint: 1, sections: sections + [("LONG", [])])
    var header = image.header
    header.sections[0].checksum ^= 1
    // Zeros that take no room on a disk.
    header.sections[sections.count].length = 65 << 20
    header.fileSize = header.sections[sections.count].offset + 65 << 20
    try folder.write("cities.index", header.encoded + image.bytes.dropFirst(header.encoded.count))
    try #require(truncate(path, Int(header.fileSize)) == 0)
    let error = #expect(throws: FeedError.self) { try TranslationFile(from: folder.path("locale"), index: path) }
    #expect(error?.description.contains("section \(header.sections[0].name)") == true)
  }

  @Test func `any bytes are refused or read`() throws {
    let whole = Self.catalogue([("1", "München"), ("2", "Wien")])
    #expect(try MessageCatalogue(whole, path: "x").messages.map(\.translation) == ["München", "Wien"])
    for end in 0..<28 { #expect(throws: FeedError.self) { try MessageCatalogue(Array(whole[..<end]), path: "x") } }
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<5_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: 4..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      _ = try? MessageCatalogue(bytes, path: "x")
    }
  }
}
