import CBOR
import CBORTools
import CitiesProtocol
import Testing

@testable import CitiesAssistant

@Suite struct MessageSchemaTests {
  private let schema = MessageSchema()

  @Test(arguments: [
    (
      "rate-convert-params",
      """
      {"type":"object","properties":{"to":{"type":"string","pattern":"^([A-Z][A-Z0-9]{0,7})$"},\
      "from":{"type":"string","pattern":"^([A-Z][A-Z0-9]{0,7})$"},\
      "amount":{"type":"string","description":"A decimal number, such as 12.50"},\
      "rounding":{"enum":["once","step"]}},"required":["to","from","amount"],"additionalProperties":false}
      """
    ),
    ("latitude", #"{"type":"number","minimum":-90.0,"maximum":90.0}"#),
    ("metres", #"{"type":"number","minimum":0.0}"#),
    (
      "opening-hours",
      """
      {"type":"object","properties":{"day":{"type":"integer","minimum":0,"maximum":6},\
      "opens":{"type":"integer","minimum":0,"maximum":1439},"closes":{"type":"integer","minimum":1,"maximum":2879}},\
      "required":["day","opens","closes"],"additionalProperties":false}
      """
    ),
    ("utc-offset", #"{"type":"string","pattern":"^([+\\-][0-9]{2}:[0-9]{2}(:[0-9]{2})?)$"}"#),
    ("flags-by-name", #"{"type":"object","properties":{},"required":[],"additionalProperties":{"type":"boolean"}}"#),
    ("sku", #"{"type":"string"}"#), ("uint64-array", #"{"type":"array"}"#),
  ])
  func `rules are schemas of JSON`(rule: String, json: String) {
    #expect(schema.schema(of: rule, isClosed: true).json() == json)
  }

  @Test func `arrays have bounds`() {
    let places = schema.schema(of: "city-time-params", isClosed: true)["properties"]?["places"]
    #expect(places?["minItems"] == .unsigned(1) && places?["maxItems"] == .unsigned(100))
    #expect(schema.schema(of: "place-time", isClosed: false)["additionalProperties"] == nil)
  }

  /// A construct of CDDL that is not read would leave a schema that allows anything.
  @Test(arguments: MessageRegistry.all.map { $0.method })
  func `every message has a schema of its parameters and of its reply`(method: String) {
    let rule = method.split(separator: ".").joined(separator: "-")
    for part in ["params", "result"] {
      let whole = schema.schema(of: "\(rule)-\(part)", isClosed: false)
      #expect(whole["type"] == .text("object") || whole["anyOf"] != nil)
      #expect(!whole.json().contains("{}]") && !whole.json().contains(#""items":{}"#))
    }
  }
}
