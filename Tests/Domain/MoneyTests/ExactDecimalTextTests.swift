import Money
import TestSupport
import Testing

@Suite struct ExactDecimalTextTests {
  @Test(arguments: [
    "0", "1", "-1", "10.00", "0.1", "1.0000000000000002", "0.00000000000001", "-1.005", "34.57", "100", "0.0", "0.000",
    "12345678901234567890.12", "99999999999999999999999999999999999999", "-0.99999999999999999999999999999999999999",
    "0.00000000000000000000000000000000000001", "100000000000000000000000000000000000.00",
  ])
  func `what is written plainly comes back as it was written`(text: String) throws {
    #expect(try decimal(text).description == text)
  }

  @Test(arguments: [("-0", "0"), ("-0.00", "0.00"), ("007.50", "7.50"), ("-00", "0")])
  func `negative zero and zeros in front are read as their value`(text: String, plain: String) throws {
    #expect(try decimal(text).description == plain)
  }

  @Test(arguments: [
    ("", "it is empty"), ("0.0.1", "second point"), ("2,5", "not a comma"), ("1,000.00", "not a comma"),
    ("NaN", "only digits"), ("nan", "only digits"), ("Infinity", "only digits"), ("-Infinity", "only digits"),
    ("null", "only digits"), ("true", "only digits"), ("0x10", "only digits"), ("1_000", "only digits"),
    ("1e5", "exponent"), ("1E-7", "exponent"), ("+1", "plus sign"), ("-", "digit is missing"), ("--1", "stand first"),
    ("1-", "stand first"), (".5", "before the point"), ("-.5", "before the point"), ("5.", "missing at its end"),
    (".", "before the point"), (" 1", "space"), ("1 ", "space"), ("1\n", "space"), ("\u{FEFF}1", "only digits"),
    ("١", "only digits"), ("１", "only digits"), ("1\u{0}", "only digits"), ("€5", "only digits"),
    ("100000000000000000000000000000000000000", "38 digits"),
    ("0.000000000000000000000000000000000000001", "38 digits"),
    ("1.00000000000000000000000000000000000000", "38 digits"),
  ])
  func `everything else is refused with the reason`(text: String, reason: String) throws {
    let error = #expect(throws: MoneyError.self) { try decimal(text) }
    #expect(error?.description.contains("is not a decimal number: ") == true)
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test func `hostile text is quoted short and on one line`() throws {
    let error = #expect(throws: MoneyError.self) {
      try decimal("\u{1B}[31m\"\n" + String(repeating: "é", count: 5_000))
    }
    let message = try #require(error?.description)
    #expect(message.utf8.count < 250 && message.contains("…") && message.contains(#"\u{1B}[31m\"\n"#), "\(message)")
  }

  @Test func `mantissa and scale round trip at their limits`() throws {
    let limit = Int128(ExactDecimal.maximumMagnitude)
    for (mantissa, scale) in [(0, 0), (-1000, 2), (limit, 6176), (-limit, -6144)] as [(Int128, Int)] {
      let value = try ExactDecimal(mantissa: mantissa, scale: scale)
      #expect((value.mantissa, value.scale) == (mantissa, scale))
    }
    for (mantissa, scale) in [(limit + 1, 0), (.min, 0), (.max, 0), (1, 6177), (1, -6145)] as [(Int128, Int)] {
      #expect(throws: MoneyError.overflow) { try ExactDecimal(mantissa: mantissa, scale: scale) }
    }
  }

  @Test func `scales below zero are written out`() throws {
    #expect(try ExactDecimal(mantissa: -12, scale: -3).description == "-12000")
    #expect(try ExactDecimal(mantissa: 0, scale: -3).description == "0")
    #expect(try ExactDecimal(mantissa: 1, scale: -6144).description.utf8.count == 6_145)
    #expect(try ExactDecimal(mantissa: 1, scale: 6176).description.utf8.count == 6_178)
  }

  @Test func `any text either reads back or is refused`() throws {
    var random = SeededGenerator(seed: 1)
    let alphabet = Array("0123456789..--,e+ x")
    var accepted = 0
    for _ in 0..<20_000 {
      let text = String(
        (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in alphabet.randomElement(using: &random) })
      let isPlain = text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?/) != nil
      let value = try? decimal(text)
      #expect((value != nil) == isPlain, "\(text)")
      guard let value else { continue }
      accepted += 1
      #expect(Fraction(text).rounded(places: value.scale) == value.description)
    }
    #expect(accepted > 500)
  }
}
