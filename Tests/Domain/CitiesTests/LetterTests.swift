import CLetters
import Testing
import Text

@testable import Cities

@Suite("keys in other letters")
struct LetterTests {
  @Test(
    arguments: [
      ("नागोया", ["nagoya"]), ("बेडफोर्ड", ["bedford", "bedaforda"]), ("नागपुर", ["nagpur", "nagapura"]),
      ("कोलकाता", ["kolkata", "kolakata"]), ("ಲೀಡ್\u{200D}ವಿಲ್", ["lidvil"]), ("பெங்களூர்", ["penkalur"]), ("ගාල්ල", ["galla"]),
      ("キャンベル", ["kyanberu"]), ("토론토", ["toronto"]), ("Джерси", ["jersi"]), ("ნიუ იორკი", ["niu iorki"]),
      ("เคลย์ตัน", ["khelytan"]), ("北京", ["beijing"]), ("नया York", ["naya york"]),
      ("北海", ["beihai"]), ("鹿", []), ("Уфа", []), ("munich", []), ("", []), ("5", []), ("تهران", []),
    ])
  func `letters are written as people write them, words one by one`(text: String, forms: [String]) {
    let key = CaseFolder().folded(text, .words)
    #expect(LatinLetters.forms(of: key).map { String(decoding: $0, as: UTF8.self) } == forms)
  }

  @Test func `a key of more than 64 letters has no form`() {
    let letters = String(repeating: "ж", count: 64)
    #expect(LatinLetters.forms(of: Array(letters.utf8)) == [Array(String(repeating: "zh", count: 64).utf8)])
    #expect(LatinLetters.forms(of: Array((letters + "a").utf8)).isEmpty)
  }

  @Test func `bytes that are no text have no form or one in ASCII`() {
    for bytes in [[0xE0, 0xA4], [0xFF], [0x61, 0xD0, 0x20, 0x80]] as [[UInt8]] { _ = LatinLetters.forms(of: bytes) }
  }

  @Test(
    arguments: [
      ("紐約", ["纽约"]), ("纽约", ["紐約"]), ("台东", ["臺東"]), ("台東", ["台东", "臺東"]), ("臺東", ["台东"]), ("大阪", []), ("ニューヨーク", []),
      ("york", []), ("", []), (String(repeating: "东", count: 65), []),
    ])
  func `Chinese names have a simplified and a traditional form`(text: String, forms: [String]) {
    let key = CaseFolder().folded(text, .words)
    #expect(ChineseCharacters.forms(of: key).map { String(decoding: $0, as: UTF8.self) } == forms)
  }

  @Test func `Chinese characters ascend, each with two others of one letter`() {
    let bytes = UnsafeRawBufferPointer(start: cities_chinese_bytes(), count: cities_chinese_count())
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines.count > 5_000 && bytes.last == UInt8(ascii: "\n"))
    for (line, next) in zip(lines, lines.dropFirst()) {
      let parts = line.split(separator: "\t")
      #expect(parts.count == 3 && parts.allSatisfy { $0.unicodeScalars.count == 1 }, "\(line)")
      #expect(parts[0].utf8.lexicographicallyPrecedes(next.utf8))
    }
  }

  @Test func `entries ascend, each once, from letters of keys to small letters`() {
    let bytes = UnsafeRawBufferPointer(start: cities_latin_bytes(), count: cities_latin_count())
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines.count > 10_000 && bytes.last == UInt8(ascii: "\n"))
    for (line, next) in zip(lines, lines.dropFirst()) {
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
      #expect(parts.count == 2 && parts[1].drop { $0 == "-" }.allSatisfy { ("a"..."z").contains($0) }, "\(line)")
      #expect((1...3).contains(parts[0].unicodeScalars.count) && parts[0].utf8.lexicographicallyPrecedes(next.utf8))
    }
  }
}
