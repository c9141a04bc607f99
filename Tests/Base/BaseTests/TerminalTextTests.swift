import Base
import Testing

@Suite struct TerminalTextTests {
  @Test(arguments: [
    ("plain", "plain"), ("Łódź, 東京", "Łódź, 東京"), ("a\u{200B}b\u{2060}c\u{FEFF}\u{AD}d", "abcd"),
    ("x\u{E0020}\u{E0041}\u{E007E}\u{E007F}", "x"), ("葛\u{E0100}城\u{FE0F}", "葛城"), ("a\u{FFF9}b\u{FFFB}\u{3164}", "ab"),
    // Other functions escape, replace or drop what acts on a terminal.
    ("a\u{202E}b\u{2028}\u{1B}", "a\u{202E}b\u{2028}\u{1B}"),
    // Persian, Malayalam and Sinhala spell with joiners; the second word ends with one.
    ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("കണ്ണൂര്\u{200D}", "കണ്ണൂര്\u{200D}"), ("ശ്രീ", "ശ്രീ"),
    ("ශ්\u{200D}රී", "ශ්\u{200D}රී"), ("क्\u{200C}ष", "क्\u{200C}ष"),
    // Elsewhere they show nothing.
    ("a\u{200D}b\u{200C}", "ab"), ("می\u{200C}", "می"), ("\u{200D}ക", "ക"), ("می\u{200C}\u{200C}خ", "میخ"),
    ("م\u{200C}a", "مa"), ("١\u{200C}٢", "١٢"), ("👩\u{200D}🚀", "👩🚀"),
  ])
  func `what people cannot see is removed unless words are spelled with it`(text: String, seen: String) {
    // Compared by code point: to Swift, texts with and without a joiner may be equal.
    #expect(Array(withoutInvisible(text).unicodeScalars) == Array(seen.unicodeScalars))
  }

  @Test func `no invisible character is left, and its first byte is known`() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value), scalar.isInvisible || scalar.actsOnTerminal else { continue }
      let isKnown = UTF8.encode(scalar)?.first?.mayBeInvisible ?? false
      let isSafe = terminalSafe("a\(scalar)b").utf8.allSatisfy { $0 < 0x80 }
      #expect(isSafe && (isKnown || !scalar.isInvisible), "U+\(String(value, radix: 16))")
    }
  }
}
