import Money
import TestSupport
import Testing

@testable import FeedSync

@Suite("Forms of rates")
struct RateFormatsTests {
  private func rates(_ text: String) throws -> [String] {
    try RatesFile(Array(text.utf8), name: "rates").table.rates.map { "\($0.from) \($0.to) \($0.value)" }
  }

  @Test(arguments: [
    #"[{"from":"EUR","to":"USD","rate":"1.08"},{"from":"EUR","to":"JPY","rate":160.50}]"#,
    #"[{"base":"EUR","quote":"USD","rate":"1.08"},{"BASE":"eur","Quote":"jpy","Rate":"160,50"}]"#,
    #"{"amount":1.0,"base":"EUR","date":"2026-11-27","rates":{"USD":1.08,"JPY":160.50}}"#,
    #"{"disclaimer":"x","timestamp":1,"base":"EUR","rates":{"JPY":160.50,"USD":1.08,"EUR":1}}"#,
    #"{"result":"success","base_code":"EUR","conversion_rates":{"EUR":1,"USD":1.08,"JPY":160.50}}"#,
    #"{"success":true,"source":"EUR","quotes":{"EURUSD":1.08,"EURJPY":160.50}}"#,
    #"{"data":{"currency":"EUR","rates":{"USD":"1.08","JPY":"160.50"}}}"#,
    #"{"base_currency":"EUR","data":{"USD":1.08,"JPY":160.50}}"#,
    #"{"date":"2026-11-27","eur":{"usd":1.08,"jpy":160.50}}"#,
    #"{"meta":{"a":1},"base":"EUR","data":{"USD":{"code":"USD","value":1.08},"JPY":{"value":160.50}}}"#,
    #"[{"base":"EUR","quote":"USD","amount":"1.0","rate":1.08},{"from":"EUR","to":"JPY","unit":1,"rate":160.50}]"#,
    """
    <!-- <Cube currency="RUB" rate="90"/> --><Cube><Cube time = "2026-11-27"><Cube
      currency = "USD"
      rate = '1.08'/><Cube rate="160.50" currency="JPY"></Cube></Cube></Cube>
    """,
    "date,base,quote,rate\n2026-11-27,EUR,USD,1.08\n2026-11-27,EUR,JPY,160.50\n",
    "\u{feff}From;To;Rate\r\neur;usd;1,08\r\neur;jpy; 160,50\r\n",
    """
    <?xml version="1.0" encoding="UTF-8"?><gesmes:Envelope><Cube><Cube time='2026-11-27'>
    <Cube currency='USD' rate='1.08'/><Cube currency="JPY" rate="160.50"/></Cube>
    <Cube time='2026-11-26'><Cube currency='USD' rate='1.07'/></Cube></Cube></gesmes:Envelope>
    """,
  ])
  func `the usual public forms are read`(text: String) throws {
    #expect(try rates(text) == ["EUR JPY 160.50", "EUR USD 1.08"])
  }

  @Test(arguments: [
    (#"{"rates":{"USD":1.08}}"#, "found an object without a base and its rates"),
    (#"{"base":"EUR","rates":[1]}"#, "found an object without a base and its rates"),
    (#"{"amount":10,"base":"EUR","rates":{"USD":10.8}}"#, "expected rates of one EUR, found those of 10"),
    ("<html>no rates</html>", "found a page of HTML or XML"),
    (#"{"base":"EUR","rates":{"USD":}}"#, "the JSON is broken"), ("from,to\nEUR,USD\n", "found no JSON"),
    (#"{"amount":"100","base":"EUR","rates":{"USD":108}}"#, "found those of 100"),
    (#"{"meta":{},"data":{"AED":{"code":"AED","value":3.67}}}"#, "found an object without a base and its rates"),
    (#"{"api":{"version":2},"rates":{"USD":1.08}}"#, "found an object without a base and its rates"),
    ("<Cube><Cube time='a'><Cube currency='USD' rate='1.08'/><Cube currency='JPY' rate='163.", "it ends before a '"),
    ("<Cube><Cube time='a'><Cube currency='USD' rate='1.08'/>", "it ends within an element"),
    ("<Cube><Cube currency=USD rate='1.08'/></Cube>", "has no value in quotes"),
    ("<Cube><Cube currency='USD' rate='1.08'/></Tube>", "</Tube> closes another element"),
    ("from,to,rate\nEUR,USD,\"1.08\n", "a quote that is not closed"),
  ])
  func `another form is refused`(text: String, problem: String) {
    let error = #expect(throws: FeedError.self) { try rates(text) }
    #expect(error?.description.contains(problem) == true, "\(error?.description ?? "-")")
  }

  @Test func `rates that cannot be read are counted and named`() throws {
    let texts = [
      "<Cube><Cube currency='USD' rate='1.08'/><Cube currency='JPY'/></Cube>",
      #"[{"from":"EUR","to":"USD","rate":1.08},{"from":"EUR","to":"JPY","rate":1.08,"rate":2}]"#,
      #"[{"from":"EUR","to":"USD","rate":1.08},{"from":"EUR","to":"JPY","amount":100,"rate":1.08}]"#,
      "base,quote,nominal,rate\nEUR,USD,1,1.08\nEUR,JPY,100,160\n",
    ]
    for text in texts {
      let file = try RatesFile(Array(text.utf8), name: "rates")
      #expect(file.table.rates.count == 1 && file.notes.skipped == 1, "\(text)")
      #expect(file.leftOut.pairs.map { "\($0.from) \($0.to)" } == ["EUR JPY"], "\(text)")
    }
  }

  @Test func `a bad rate of an object is left out alone`() throws {
    let file = try RatesFile(
      Array(#"{"base":"EUR","rates":{"USD":"1,234","GBP":null,"CAD":1.5,"4":1}}"#.utf8), name: "rates")
    #expect(file.table.rates.count == 1 && file.notes.skipped == 3)
    #expect(file.leftOut.pairs.map { "\($0.from) \($0.to)" } == ["EUR GBP", "EUR USD"])
  }
}
