import CBOR
import Testing

@testable import CitiesCommands

@Suite struct JSONTests {
  @Test(
    arguments: [
      ("0", .unsigned(0)), ("18446744073709551615", .unsigned(.max)), ("-1", .negative(0)),
      ("-9223372036854775808", .negative(9_223_372_036_854_775_807)), ("1.5", .double(1.5)), ("1e2", .double(100)),
      ("-0.5E-1", .double(-0.05)), ("18446744073709551616", .double(18_446_744_073_709_551_616)), ("true", .bool(true)),
      ("false", .bool(false)), ("null", .null), (#""""#, .text("")), (#""a\n\"\\\/\u00e9""#, .text("a\n\"\\/é")),
      (#""\ud83c\udfd9""#, .text("🏙")), ("[]", .array([])), (" [ 1 , 2 ] ", .array([.unsigned(1), .unsigned(2)])),
      ("{}", .map([])), (#"{"a": {"b": []}}"#, .map([(.text("a"), .map([(.text("b"), .array([]))]))])),
    ] as [(String, CBORValue)])
  func valueIsRead(json: String, expected: CBORValue) throws { #expect(try JSONParser.parse(json) == expected) }

  @Test(arguments: [
    "", " ", "{", "[", "\"", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "01", "-", "1.", ".5", "1e",
    "+1", "tru", "nul", "1 2", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"",
    "{\"a\":1,\"a\":2}", "1e400", "NaN", "\"\\u+123\"", "\u{FEFF}1", "'a'",
  ])
  func whatIsNoJSONIsRefused(json: String) {
    #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(json) }
  }

  @Test func depthIsLimited() throws {
    func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    _ = try JSONParser.parse(nested(16))
    for depth in [17, 100_000] {
      #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(nested(depth)) }
    }
  }

  @Test func everyCutOfADocumentIsRefusedWithItsPlace() {
    let whole = #"{"a":[1,-2.5e3,"x\u00e9\n",true,null],"b":{}}"#
    for length in 0..<whole.utf8.count {
      let cut = String(decoding: Array(whole.utf8.prefix(length)), as: UTF8.self)
      let failure = #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(cut) }
      #expect((failure?.offset ?? .max) <= length)
    }
  }

  @Test(
    arguments: [
      (.unsigned(7), "7", "7"), (.negative(0), "-1", "-1"),
      (.negative(.max), "-18446744073709551616", "-18446744073709551616"),
      (.bytes([0, 255]), "\"00ff\"", "h'00ff'"), (.tagged(0, .text("2026")), "\"2026\"", "0(\"2026\")"),
      (.tagged(4, .array([.negative(1), .unsigned(1499)])), "\"14.99\"", "4([-2, 1499])"),
      (.tagged(4, .array([.negative(2), .negative(4)])), "\"-0.005\"", "4([-3, -5])"),
      (.tagged(4, .array([.unsigned(0), .unsigned(5)])), "\"5\"", "4([0, 5])"),
      (.tagged(4, .array([.unsigned(5), .unsigned(5)])), "[5,5]", "4([5, 5])"),
      (.map([(.unsigned(1), .null)]), "{\"1\":null}", "{1: null}"),
      (.array([.bool(true), .double(1)]), "[true,1.0]", "[true, 1.0]"),
      (.simple(23), "null", "simple(23)"),
    ] as [(CBORValue, String, String)])
  func itemOfTheWireIsWrittenAsJSONAndAsDiagnosticNotation(item: CBORValue, json: String, notation: String) {
    var bytes: [UInt8] = []
    bytes.appendJSON(item)
    #expect(String(decoding: bytes, as: UTF8.self) == json)
    #expect(diagnosticNotation(item) == notation)
  }
}
