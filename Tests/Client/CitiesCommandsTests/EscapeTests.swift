import Base
import CBOR
import Testing

@testable import CitiesCommands

@Suite struct EscapeTests {
  private func text(_ fill: (inout [UInt8]) -> Void) -> String {
    var bytes: [UInt8] = []
    fill(&bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ("plain", "plain", "plain"), ("a\tb\nc\rd\\e", #"a\tb\nc\rd\\e"#, #"a\tb\nc\rd\\e"#), ("", "", ""),
    ("São", "São", "São"), ("\u{9C}", #"\u009c"#, #"\u009c"#), ("\u{1B}[1m", #"\u001b[1m"#, #"\u001b[1m"#),
    ("\u{7F}\u{80}\u{A0}", "\\u007f\\u0080\u{A0}", "\\u007f\\u0080\u{A0}"),
    ("\u{202E}x", "\u{202E}x", #"\u202ex"#), ("\0", #"\u0000"#, #"\u0000"#), ("\r\n", #"\r\n"#, #"\r\n"#),
  ])
  func `TSV escapes separators and on a terminal everything that acts`(value: String, plain: String, terminal: String) {
    #expect(text { $0.appendTSV(value) } == plain)
    #expect(text { $0.appendTSV(value, onTerminal: true) } == terminal)
  }

  @Test func `what people cannot see is left out on a terminal alone`() {
    let hidden = "a\u{E0041}\u{200B}b"
    #expect(text { $0.appendTSV(hidden) } == hidden && text { $0.appendCSV(hidden) } == hidden)
    #expect(text { $0.appendTSV(hidden, onTerminal: true) } == "ab")
    #expect(text { $0.appendCSV(hidden, onTerminal: true) } == "ab")
    #expect(visible(hidden) == "ab" && visibleLines("\(hidden)\n") == "ab\n")
  }

  @Test(arguments: [
    ("plain", "plain"), ("a,b", "\"a,b\""), ("say \"x\"", "\"say \"\"x\"\"\""), ("a\nb", "\"a\nb\""),
    ("a\r\nb", "\"a\r\nb\""), ("", ""), (" a ", " a "),
    ("\u{1B}[1m,", "\"\\u001b[1m,\""), ("\0\u{7F}\u{9C}", "\\u0000\\u007f\\u009c"), ("a\tb", "a\tb"), ("\\", "\\"),
  ])
  func `CSV quotes by RFC 4180`(value: String, expected: String) {
    #expect(text { $0.appendCSV(value) } == expected)
  }

  @Test func `no control character but tab and line breaks is piped`() {
    for value in [0..<UInt32(0x20), 0x7F..<0xA0].joined() {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let escape = "\\u00\(value < 0x10 ? "0" : "")\(String(value, radix: 16))"
      let isKept = [0x09, 0x0A, 0x0D].contains(value)
      #expect(text { $0.appendCSV("a\(scalar)") }.contains(escape) == !isKept)
      #expect(text { $0.appendTSV("a\(scalar)") }.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 })
    }
  }

  @Test(arguments: [
    ("one", "one"), ("one\ntwo", "one; two"), ("one\r\n  two\n\n", "one; two"), ("\n", ""), ("a\u{2028}b", "a; b"),
  ])
  func `message is on one line`(text: String, line: String) { #expect(joinedLines(text) == line) }

  @Test func `nothing that acts on a terminal reaches one`() {
    for value in (0..<UInt32(0x3000)) {
      guard let scalar = Unicode.Scalar(value), scalar.actsOnTerminal else { continue }
      let texts = [
        visible(String(scalar)), visibleLines(String(scalar)).filter { $0 != "\n" },
        text { $0.appendTSV(String(scalar), onTerminal: true) },
        text { $0.appendJSON(String(scalar)) }, text { $0.appendCSV(String(scalar), onTerminal: true) },
      ]
      for shown in texts { #expect(shown.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 }) }
    }
  }

  @Test func `text without a certain byte has nothing that acts on a terminal`() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value), scalar.actsOnTerminal else { continue }
      #expect(UTF8.encode(scalar)?.first?.mayActOnTerminal == true, "\(scalar.jsonEscape)")
    }
    #expect(!"São Tomé, 東京 (Москва)".utf8.contains { $0.mayActOnTerminal })
  }
}
