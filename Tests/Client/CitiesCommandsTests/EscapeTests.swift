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
    ("São", "São", "São"), ("\u{9C}", "\u{9C}", #"\u009c"#), ("\u{1B}[1m", "\u{1B}[1m", #"\u001b[1m"#),
    ("\u{202E}x", "\u{202E}x", #"\u202ex"#), ("\0", "\0", #"\u0000"#), ("\r\n", #"\r\n"#, #"\r\n"#),
  ])
  func tsvEscapesSeparatorsAndOnATerminalEverythingThatActs(value: String, plain: String, terminal: String) {
    #expect(text { $0.appendTSV(value) } == plain)
    #expect(text { $0.appendTSV(value, onTerminal: true) } == terminal)
  }

  @Test(arguments: [
    ("plain", "plain"), ("a,b", "\"a,b\""), ("say \"x\"", "\"say \"\"x\"\"\""), ("a\nb", "\"a\nb\""),
    ("a\r\nb", "\"a\r\nb\""), ("", ""), (" a ", " a "),
  ])
  func csvQuotesByRFC4180(value: String, expected: String) {
    #expect(text { $0.appendCSV(value) } == expected)
  }

  @Test(arguments: [
    ("plain", #""plain""#), ("\"\\/", #""\"\\/""#), ("\n\r\t\u{8}", #""\n\r\t\u0008""#), ("São 🏙", #""São 🏙""#),
    ("\u{7F}\u{9C}\u{2028}", #""\u007f\u009c\u2028""#), ("\0", #""\u0000""#), ("\r\n", #""\r\n""#),
  ])
  func jsonEscapesByRFC8259AndWhatActsOnATerminal(value: String, expected: String) {
    #expect(text { $0.appendJSON(value) } == expected)
  }

  @Test func everyScalarBelowU3000KeepsItsValueInJSON() throws {
    for value in (0..<UInt32(0x3000)) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let json = text { $0.appendJSON(String(scalar)) }
      #expect(try JSONParser.parse(json) == .text(String(scalar)), "U+\(String(value, radix: 16))")
    }
  }

  @Test func nothingThatActsOnATerminalReachesOne() {
    for value in (0..<UInt32(0x3000)) {
      guard let scalar = Unicode.Scalar(value), scalar.actsOnTerminal else { continue }
      let texts = [
        visible(String(scalar)), text { $0.appendTSV(String(scalar), onTerminal: true) },
        text { $0.appendJSON(String(scalar)) }, text { $0.appendCSV(String(scalar), onTerminal: true) },
      ]
      for shown in texts { #expect(shown.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 }) }
    }
  }

  @Test(
    arguments: [
      (44.0, "44.0"), (-33.9, "-33.9"), (0, "0.0"), (0.00001, "0.00001"), (-0.0000123, "-0.0000123"),
      (1e16, "10000000000000000.0"), (1.5e20, "150000000000000000000.0"), (123456.789, "123456.789"),
      (.leastNonzeroMagnitude, nil),
      (.greatestFiniteMagnitude, nil),
    ] as [(Double, String?)])
  func numbersHaveNoExponentAndReadBackEqual(number: Double, expected: String?) {
    let text = decimalText(number)
    if let expected { #expect(text == expected) }
    #expect(!text.contains("e") && Double(text) == number)
  }

  @Test func numbersOfEveryMagnitudeReadBackEqual() {
    var generator = SeededGenerator(state: 7)
    for exponent in -30...30 {
      let power = (0..<abs(exponent)).reduce(1.0) { value, _ in exponent < 0 ? value / 10 : value * 10 }
      for _ in 0..<20 {
        let number = Double.random(in: -10...10, using: &generator) * power
        #expect(Double(decimalText(number)) == number)
      }
    }
  }
}

/// A seeded generator (SplitMix64), so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
