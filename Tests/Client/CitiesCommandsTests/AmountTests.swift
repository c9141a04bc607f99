import CBOR
import Testing

@testable import CitiesCommands

@Suite struct AmountTests {
  @Test(arguments: [
    ("12.50", 1_250, -2), ("0", 0, 0), ("-3", -3, 0), ("-12.50", -1_250, -2), ("007.5", 75, -1), ("0.10", 10, -2),
    ("-0.00", 0, -2), ("10", 10, 0), ("0.0001", 1, -4),
  ])
  func `amount is read exactly with its written scale`(word: String, mantissa: Int, exponent: Int) throws {
    let amount = try AmountArgument.parse(word)
    #expect(amount.mantissa == Int128(mantissa) && amount.exponent == exponent)
  }

  @Test func `amount of 38 digits is kept to the last`() throws {
    let digits = "98765432109876543210987654321098765432"
    for text in [digits, "-" + digits, digits.prefix(2) + "." + digits.dropFirst(2), "000" + digits] {
      let amount = try AmountArgument.parse(String(text))
      #expect("\(amount)" == (text.hasPrefix("000") ? digits : text))
    }
    #expect("\(try AmountArgument.parse("0." + String(repeating: "0", count: 37) + "1"))".count == 40)
  }

  @Test(arguments: [
    ("2,5", "a point, not a comma"), ("1.234,50", "a point, not a comma"), ("1e3", "without an exponent"),
    ("1E-2", "without an exponent"), ("-1e3", "not an amount: '-1e3'"), ("", "not an amount"), ("-", "not an amount"),
    (".5", "not an amount"), ("5.", "not an amount"), ("1.2.3", "one point"), ("+1", "not an amount"),
    ("1 000", "not an amount"), ("nan", "not an amount"), ("٣", "not an amount"), ("--1", "not an amount"),
    (String(repeating: "9", count: 39), "at most 38"), ("0." + String(repeating: "0", count: 39), "at most 38"),
  ])
  func `invalid amount is refused with the reason`(word: String, reason: String) {
    let message = #expect(throws: (any Error).self) { try AmountArgument.parse(word) }
    #expect(message.map { "\($0)" }?.contains(reason) == true, "\(message.map { "\($0)" } ?? "")")
  }

  @Test func `amounts stand with their points below each other`() throws {
    let amounts = [(1_050, -2), (-3, 0), (123_456, -3), (7, -1)].map { CBORDecimal(mantissa: $0, exponent: $1) }
    let output = OutputStream(descriptor: -1)
    output.keepsEverything = true
    let columns = [
      ListingColumn<CBORDecimal>("amount") { .amount($0) }, ListingColumn<CBORDecimal>("x") { _ in .text("x") },
    ]
    try Table(columns: columns).write(amounts, to: output)
    #expect(
      String(decoding: output.bytes, as: UTF8.self) == """
         AMOUNT  X
         10.50   x
         -3      x
        123.456  x
          0.7    x

        """)
  }
}
