import Money
import Testing

@Suite struct CodeTests {
  @Test(arguments: [
    ("EUR", "EUR"), ("eur", "EUR"), ("uSd", "USD"), ("usdt", "USDT"), ("X", "X"), ("A1B2C3D4", "A1B2C3D4"),
  ])
  func `currencies are read in any case`(text: String, code: String) throws {
    let read = try currency(text)
    #expect(read.description == code)
    #expect(try CurrencyCode(packed: read.packed) == read)
  }

  @Test(arguments: ["", " ", "EU R", " EUR", "EUR ", "€", "ÉUR", "1EU", "ABCDEFGHI", "E-R", "EUR\n", "EU\u{0}", "ＥＵＲ"])
  func `anything else is no currency`(text: String) throws {
    let error = #expect(throws: MoneyError.self) { try currency(text) }
    #expect(error?.description.contains("is not a currency code: expected a letter and up to 7") == true)
  }

  @Test(arguments: [0, 1, 0x4500_5500_0000_0000, 0x4555_5200_0000_0001, 0x6575_7200_0000_0000, .max] as [UInt64])
  func `foreign bytes that are no code are refused`(packed: UInt64) {
    #expect(throws: MoneyError.self) { try CurrencyCode(packed: packed) }
  }

  @Test func `currencies are ordered as their codes`() throws {
    let codes = ["A", "A1", "AA", "AAA", "AAAA", "AAB", "B", "EUR", "EURX", "USD", "ZZZZZZZZ"]
    #expect(try codes.reversed().map(currency).sorted().map(\.description) == codes)
    #expect(try currency("eur") == .euro)
  }

  @Test(arguments: [
    ("", "it is empty"), (" T", "space"), ("T ", "space"), ("T\t1", "control"), ("T\n", "control"),
    ("T\u{9C}", "control"),
    (String(repeating: "x", count: 129), "longer than 128 bytes"),
  ])
  func `texts that are no product are refused`(text: String, reason: String) {
    let error = #expect(throws: MoneyError.self) { try ProductCode(text) }
    #expect(error?.description.contains(reason) == true)
  }

  @Test func `products are alphabetical without regard to case then by bytes`() throws {
    let sorted = ["A 1", "A1", "a1", "A10", "a2", "B", "b", "T2006", "t2006", "Ä", "ä"]
    #expect(try sorted.shuffled().map(ProductCode.init).sorted().map(\.text) == sorted)
    #expect(try ProductCode("e\u{301}") != ProductCode("é"), "spellings differ; a feed brings them into one form")
    #expect(Set(try ["T1", "T1", "t1"].map(ProductCode.init)).count == 2)
  }

  @Test(arguments: ["0", "0.00", "-1.359", "-0.00000000000001"])
  func `rates that are not positive are refused`(value: String) {
    let error = #expect(throws: MoneyError.self) { try rate("EUR", "USD", value) }
    #expect(error?.description == "the rate from EUR to USD is \(value): expected more than 0")
  }

  @Test func `the rate to itself is one and nothing else`() throws {
    #expect(try rate("EUR", "eur", "1.000").value == .one)
    for value in ["1.0000000000000002", "0.1", "2"] {
      let error = #expect(throws: MoneyError.self) { try rate("EUR", "EUR", value) }
      #expect(error?.description == "the rate from EUR to itself is \(value): expected 1")
    }
    #expect(throws: MoneyError.self) { try rate("EUR", "EUR", "-1") }
  }
}
