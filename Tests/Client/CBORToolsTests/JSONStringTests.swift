import Base
import CBORTools
import Testing

@testable import CBOR

@Suite struct JSONStringTests {
  @Test(arguments: [
    ("plain", #""plain""#), ("\"\\/", #""\"\\/""#), ("\n\r\t\u{8}", #""\n\r\t\u0008""#), ("São 🏙", #""São 🏙""#),
    ("\u{7F}\u{9C}\u{2028}", #""\u007f\u009c\u2028""#), ("\0", #""\u0000""#), ("\r\n", #""\r\n""#),
  ])
  func `escapes follow RFC 8259 and cover what acts on a terminal`(value: String, expected: String) {
    #expect(CBORValue.text(value).json() == expected)
    #expect(CBORValue.text(value).diagnostic == expected)
  }

  @Test func `every scalar below u 3000 keeps its value in JSON and none acts on a terminal`() throws {
    for value in (0..<UInt32(0x3000)) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let json = CBORValue.text("a\(scalar)b").json()
      #expect(try CBORValue(json: json) == .text("a\(scalar)b"), "U+\(String(value, radix: 16))")
      #expect(!json.unicodeScalars.contains { $0.actsOnTerminal }, "U+\(String(value, radix: 16))")
    }
  }
}
