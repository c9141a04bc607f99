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
      {"type":"object","properties":\
      {"to":{"type":"string","pattern":"^([A-Z][A-Z0-9]{0,7})$","description":"The currency to convert to."},\
      "from":{"type":"string","pattern":"^([A-Z][A-Z0-9]{0,7})$","description":"The currency to convert from."},\
      "amount":{"type":["string","number"],"description":"A decimal number, such as 12.50"},\
      "rounding":{"type":"string","enum":["once","step"],"description":"When the amount is rounded."}},\
      "required":["to","from","amount"],"additionalProperties":false}
      """
    ),
    ("latitude", #"{"type":"number","minimum":-90.0,"maximum":90.0}"#),
    ("metres", #"{"type":"number","minimum":0.0}"#),
    (
      "holiday-hours",
      """
      {"type":"object","properties":{"opens":{"type":"integer","minimum":0,"maximum":1439,\
      "description":"The minute of the day at which it opens, 0 to 1,439, inclusive."},\
      "closes":{"type":"integer","minimum":1,"maximum":2879,\
      "description":"The minute at which it closes, counted from that midnight."}},\
      "required":["opens","closes"],"additionalProperties":false}
      """
    ),
    ("utc-offset", #"{"type":"string","pattern":"^([+\\-][0-9]{2}:[0-9]{2}(:[0-9]{2})?)$"}"#),
    ("flags-by-name", #"{"type":"object","properties":{},"required":[],"additionalProperties":{"type":"boolean"}}"#),
    ("sku", #"{"type":"string"}"#), ("uint64-array", #"{"type":"array"}"#),
  ])
  func `rules are schemas of JSON`(rule: String, json: String) {
    #expect(schema.schema(of: rule, isClosed: true).json() == json)
  }

  /// A tool may have other defaults than the wire.
  @Test(arguments: [
    ("city-near-params", "limit", "The most rows, at most 1,000."), ("bank-near-params", "filter", "A filter."),
    ("bank-conditions", "open", "`true`: only locations known to be open; `false` or absent: all."),
    ("bank-conditions", "at", "The time for `open`, in the filter and in replies. RFC 3339 text."),
  ])
  func `parameters are described without their defaults`(rule: String, parameter: String, description: String) {
    let properties = schema.schema(of: rule, isClosed: true)["properties"]
    #expect(properties?[parameter]?["description"] == .text(description))
    #expect(schema.schema(of: rule, isClosed: false)["properties"]?[parameter]?["description"] == nil)
  }

  @Test(arguments: MessageRegistry.public.map { $0.method })
  func `every parameter is described`(method: String) {
    let rule = method.split(separator: ".").joined(separator: "-")
    guard case .map(let properties)? = schema.schema(of: "\(rule)-params", isClosed: true)["properties"] else { return }
    for (key, value) in properties { #expect(value["description"] != nil, "\(method): \(key.json())") }
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
