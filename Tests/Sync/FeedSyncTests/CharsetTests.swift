import TestSupport
import Testing

@testable import FeedSync

@Suite("Text of sources")
struct CharsetTests {
  @Test(
    arguments: [
      ("windows-1257", [0xC4, 0xE4, 0xF5, 0xF0], "Ääõš"), ("WINDOWS-1257", [0xF0], "š"), ("iso-8859-4", [0xB9], "š"),
      ("cp775", [0xD5], "š"), ("iso-8859-1", [0x80, 0xE4], "€ä"), ("koi8-r", [0xC1], "а"),
      ("windows-1251", [0xE0], "а"),
    ] as [(String, [UInt8], String)])
  func `a declared single-byte charset is decoded`(name: String, bytes: [UInt8], text: String) throws {
    #expect(String(decoding: bytes.decoded(from: name, limit: 9), as: UTF8.self) == text)
  }

  @Test func `text that is UTF-8 stays, and so does what no charset has`() {
    let text = Array("ä,õ,š".utf8)
    #expect(text.decoded(from: "windows-1257", limit: 9) == text)
    for name in [nil, "utf-8", "x", "", String(repeating: "a", count: 100)] {
      #expect([0xE4].decoded(from: name, limit: 9) == [0xE4])
    }
    #expect([0xA1].decoded(from: "windows-1257", limit: 9) == [0xA1], "a byte without a character")
  }

  @Test func `a packed text is decoded as well, up to a limit`() {
    let packed = gzip(Array("[".utf8) + [0xF5, 0x5D])
    #expect(String(decoding: packed.decoded(from: "windows-1257", limit: 3), as: UTF8.self) == "[õ]")
    #expect(packed.decoded(from: "windows-1257", limit: 2) == packed)
    #expect(packed.decoded(from: "utf-8", limit: 3) == packed)
  }

  @Test(arguments: [([0xFF, 0xFE], false), ([0xFE, 0xFF], true)] as [([UInt8], Bool)])
  func `UTF-16 is known by its mark`(mark: [UInt8], isBigEndian: Bool) throws {
    let units = "[õ𝄞]".utf16.flatMap { unit in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      return isBigEndian ? bytes : bytes.reversed()
    }
    #expect(String(decoding: try (mark + units).listText(name: "a"), as: UTF8.self) == "[õ𝄞]")
  }

  @Test(
    arguments: [[0xFF, 0xFE, 0x61], [0xFF, 0xFE, 0x00, 0xD8], [0xFE, 0xFF, 0xDC, 0x00, 0x00, 0x61]] as [[UInt8]])
  func `broken UTF-16 is refused`(text: [UInt8]) {
    let error = #expect(throws: FeedError.self) { try text.listText(name: "my-table") }
    #expect(error?.description == "my-table: the text is not UTF-16, as its mark says; nothing was imported")
  }

  @Test func `a list in another charset is refused whole, with the place`() {
    let error = #expect(throws: FeedError.self) { try (Array("a\nb".utf8) + [0xE4, 0x0A]).listText(name: "my-table") }
    #expect(error?.description.hasPrefix("my-table: the text is not UTF-8 at byte 3 (line 2): ") == true)
  }

  @Test func `the table is made by its script`() throws {
    let table = try String(decoding: Repository.bytes(Repository.path("contrib/data/charsets.tsv")), as: UTF8.self)
    for line in table.split(separator: "\n") {
      let names = line.prefix { $0 != "\t" }.split(separator: " ").map(String.init)
      #expect(names.allSatisfy { Charset($0)?.utf8([0x41]) == [0x41] }, "\(names)")
    }
  }
}
