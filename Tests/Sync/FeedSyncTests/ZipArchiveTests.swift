import CitiesProtocol
import FeedSync
import TestSupport
import Testing

@Suite("Zip archives")
struct ZipArchiveTests {
  private let text = Array(String(repeating: "the quick brown fox ", count: 40_000).utf8)

  private func unpack(_ bytes: [UInt8], limit: Int = 1 << 30) throws -> [UInt8] {
    let archive = try ZipArchive(bytes)
    var unpacked: [UInt8] = []
    try archive.forEachPiece(of: try #require(archive.members.first), limit: limit) { piece, _ in unpacked += piece }
    return unpacked
  }

  private func error(_ bytes: [UInt8], limit: Int = 1 << 20) -> String {
    do {
      _ = try unpack(bytes, limit: limit)
      return "none"
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [0, 1, 100, 262_144, 800_000], [UInt16(0), 8])
  func `what was packed is unpacked, stored and deflated`(count: Int, method: UInt16) throws {
    #expect(try unpack(zip(Array(text[..<count]), method: method)) == Array(text[..<count]))
  }

  @Test func `a comment may follow, also one that looks like an end of the directory`() throws {
    var writer = ZipWriter(entries: [.init(name: "a", contents: [1, 2])])
    for comment in [[UInt8](repeating: 7, count: 65_535), [0x50, 0x4B, 0x05, 0x06] + [UInt8](repeating: 0, count: 40)] {
      writer.comment = comment
      #expect(try unpack(writer.bytes) == [1, 2])
    }
  }

  @Test func `folders are not members`() throws {
    let writer = ZipWriter(entries: [.init(name: "x/", contents: [], method: 0), .init(name: "x/a", contents: [9])])
    let archive = try ZipArchive(writer.bytes)
    #expect(archive.members.map(\.name) == ["x/a"] && archive.members[0].unpackedCount == 1)
  }

  @Test func `an archive that is cut off anywhere is refused`() {
    for method in [UInt16(0), 8] {
      let bytes = zip(Array("Hurzuf".utf8), method: method)
      for count in 4..<bytes.count {
        #expect(throws: PackingError.self, "\(count) of \(bytes.count)") { try unpack(Array(bytes[..<count])) }
      }
    }
  }

  @Test func `any flipped bit is refused or makes no difference to the contents`() {
    let contents = Array("Hurzuf, Hurzuf, Hurzuf".utf8)
    for method in [UInt16(0), 8] {
      let bytes = zip(contents, method: method)
      for bit in 0..<bytes.count * 8 {
        var damaged = bytes
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        guard let unpacked = try? unpack(damaged) else { continue }
        #expect(unpacked == contents, "bit \(bit)")
      }
    }
  }

  @Test func `a bomb is refused by its declared size, before anything is unpacked`() throws {
    let bomb = zip([UInt8](repeating: 0, count: 4_000_000))
    #expect(bomb.count < 40_000)
    let excess = "\"EE.txt\" in the zip archive has more than the 3999999 bytes that are accepted"
    #expect(throws: PackingError.tooLarge(excess)) { try unpack(bomb, limit: 3_999_999) }
    #expect(try unpack(bomb, limit: 4_000_000).count == 4_000_000)
  }

  @Test func `a bomb that declares a small size is stopped at that size`() {
    let bomb = ZipWriter(entries: [
      .init(name: "a", contents: [UInt8](repeating: 0, count: 4_000_000), unpackedCount: 1_000)
    ])
    #expect(error(bomb.bytes) == "the zip archive is damaged: \"a\" does not have the 1000 bytes that are declared")
  }

  @Test func `a size that no stream of that length can unpack to is refused at once`() {
    let lie = ZipWriter(entries: [.init(name: "a", contents: [1], unpackedCount: 400_000_000)])
    #expect(
      error(lie.bytes, limit: 1 << 30).hasSuffix("\"a\" does not have the 400000000 bytes that are declared"))
  }

  private static let liars: [(entry: ZipWriter.Entry, problem: String)] = [
    (.init(name: "a", contents: [1], checksum: 7), "damaged: the checksum of \"a\" is wrong"),
    (.init(name: "a", contents: [1], method: 0, checksum: 7), "damaged: the checksum of \"a\" is wrong"),
    (.init(name: "a", contents: [1, 2], unpackedCount: 3), "\"a\" does not have the 3 bytes that are declared"),
    (
      .init(name: "a", contents: [1, 2], method: 0, unpackedCount: 1),
      "\"a\" does not have the 1 bytes that are declared"
    ),
    (.init(name: "a", contents: [1], packedCount: 900), "damaged: the header of \"a\" contradicts the directory"),
    (.init(name: "a", contents: [1], offset: 1), "damaged: the header of \"a\" contradicts the directory"),
    (.init(name: "a", contents: [1], offset: 0xFFFF_FFF0), "damaged: the header of \"a\" contradicts the directory"),
    (.init(name: "a", contents: [1], localName: "b"), "damaged: the header of \"a\" contradicts the directory"),
    (.init(name: "a", contents: [1], method: 12), "\"a\" is packed by method 12; deflate and store are read"),
    (.init(name: "a", contents: [1], flags: 1), "the zip archive cannot be read: \"a\" is encrypted"),
    (.init(name: "a", contents: [1], unpackedCount: .max), "the form for files of 4 GiB and more (zip64)"),
    (.init(name: "a\u{1B}", contents: [1], checksum: 7), "the checksum of \"a\\u001b\" is wrong"),
  ]

  @Test(arguments: liars.indices) func `what a directory declares is compared with the bytes`(_ number: Int) {
    let (entry, problem) = Self.liars[number]
    #expect(error(ZipWriter(entries: [entry]).bytes).hasSuffix(problem))
  }

  @Test func `a long name is named by its beginning, measured in code points`() {
    let entry = ZipWriter.Entry(name: "a" + String(repeating: "\u{301}", count: 20_000), contents: [1], flags: 1)
    let problem = error(ZipWriter(entries: [entry]).bytes)
    #expect(problem.hasSuffix("is encrypted") && problem.utf8.count < 300)
  }

  @Test func `the number of members is compared with the directory, and bounded`() {
    let entries = [ZipWriter.Entry(name: "a", contents: [1]), .init(name: "b", contents: [2])]
    #expect(
      error(ZipWriter(entries: entries, declaredEntries: 1).bytes).hasSuffix("more entries than its end says"))
    #expect(
      error(ZipWriter(entries: entries, declaredEntries: 3).bytes).hasSuffix("fewer entries than its end says"))
    #expect(
      error(ZipWriter(entries: entries, declaredEntries: 60_000).bytes).hasSuffix("at most 1024 are accepted"))
  }

  @Test func `the list in an archive is its only file, or the one named like it`() throws {
    func counts(_ names: [String], archive: String) throws -> UInt64 {
      let entries = names.enumerated().map { ZipWriter.Entry(name: $1, contents: list(record($0 + 1, "A"))) }
      let source = SourceFile(bytes: ZipWriter(entries: entries).bytes)
      return try CityBuild(source, name: archive).contents.counts.kept
    }
    #expect(try counts(["anything"], archive: "list") == 1)
    #expect(try counts(["readme.txt", "EE.txt"], archive: "standard input") == 1)
    #expect(try counts(["LV.txt", "data/EE.txt"], archive: "/srv/EE.zip") == 1)
    for (names, problem) in [
      (["a.txt", "b.txt"], "it has 2 files and none is named like it"), (["readme.txt"], "there is no list in it"),
      ([], "there is no list in it"),
    ] {
      let error = #expect(throws: FeedError.self) { try counts(names, archive: "/srv/EE.zip") }
      #expect(error?.description.hasPrefix("/srv/EE.zip: the zip archive cannot be read: \(problem)") == true)
    }
  }

  @Test(arguments: 0..<300) func `archives that are spoilt in any way are refused or read`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var bytes = zip(dumpText(DumpLine(), DumpLine(id: "7", name: "Paide")), method: seed % 2 == 0 ? 8 : 0)
    for _ in 0...Int.random(in: 0...3, using: &random) {
      let offset = Int.random(in: 4..<bytes.count, using: &random)
      bytes[offset] = [0, 0xFF, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
    }
    guard let made = try? imported(bytes, allowsEmpty: true) else { return }
    #expect(made.contents.counts.read == 2)
  }
}
