import CitiesProtocol
import FeedSync
import TestSupport
import Testing

/// What is skipped, what is refused, and how that is told.
@Suite("Trade records")
struct TradeRecordTests {
  @Test(
    "a bad rate is counted, told with its position and skipped",
    arguments: [
      (#"{"from":"","to":"EUR","rate":"1"}"#, "from: \"\" is not a currency code"),
      (#"{"from":"USD","to":"","rate":"1"}"#, "to: \"\" is not a currency code"),
      (#"{"from":"USD","to":"EUR","rate":"0.0.1"}"#, "rate: \"0.0.1\" is not a decimal number: it has a second point"),
      (#"{"from":"USD","to":"EUR","rate":"2,5"}"#, "write a point, not a comma"),
      (#"{"from":"USD","to":"EUR","rate":"0"}"#, "the rate from USD to EUR is 0: expected more than 0"),
      (#"{"from":"USD","to":"EUR","rate":0.00}"#, "the rate from USD to EUR is 0.00: expected more than 0"),
      (#"{"from":"USD","to":"EUR","rate":-1.5}"#, "the rate from USD to EUR is -1.5: expected more than 0"),
      (#"{"from":"USD","to":"USD","rate":"1.01"}"#, "the rate from USD to itself is 1.01: expected 1"),
      (#"{"from":"USD","to":"EUR"}"#, "rate is missing"), (#"{"to":"EUR","rate":"1"}"#, "from is missing"),
      (#"{"from":"USD","to":"EUR","rate":null}"#, "rate: expected a number, found null"),
      (#"{"from":"USD","to":"EUR","rate":""}"#, "it is empty"),
      (#"{"from":7,"to":"EUR","rate":"1"}"#, "from: expected text, found a number"),
      (#"{"from":["USD"],"to":"EUR","rate":"1"}"#, "from: expected text, found an array"),
      (#"{"from":"USD","to":"EUR","rate":"1","rate":"2"}"#, "\"rate\" stands in it twice"),
      (#"{"from":"USD","to":"EUR","rate":1e400}"#, "more than 38 digits"),
      (#"["USD","EUR",1]"#, "expected an object, found an array"), ("null", "expected an object, found null"),
    ])
  func badRates(record: String, problem: String) throws {
    let good = #"{"from":"EUR","to":"USD","rate":"1.359"}"#
    let found = try contents(.rates, "[\(good),\(record),{\"from\":\"GBP\",\"to\":\"EUR\",\"rate\":2}]")
    #expect(found.records == 2 && found.skipped == 1)
    #expect(found.remarks.count == 1 && found.remarks[0].hasPrefix("rates: record 2 skipped: "))
    #expect(found.remarks[0].contains(problem), "\(found.remarks[0])")
  }

  @Test(
    "a bad transaction is counted, told with its position and skipped",
    arguments: [
      (#"{"sku":"","amount":"1","currency":"EUR"}"#, "sku: \"\" is not a product code: it is empty"),
      (#"{"sku":"a\nb","amount":"1","currency":"EUR"}"#, "it holds a control character"),
      (#"{"sku":" A","amount":"1","currency":"EUR"}"#, "begins or ends with a blank"),
      (#"{"sku":2006,"amount":"1","currency":"EUR"}"#, "sku: expected text, found a number"),
      (#"{"sku":"A","amount":"1","currency":""}"#, "currency: \"\" is not a currency code"),
      (#"{"sku":"A","amount":"0.0.1","currency":"EUR"}"#, "amount: \"0.0.1\" is not a decimal number"),
      (#"{"sku":"A","amount":"2,5","currency":"EUR"}"#, "write a point, not a comma"),
      (#"{"sku":"A","amount":"1e2","currency":"EUR"}"#, "an exponent is not read"),
      (#"{"sku":"A","amount":true,"currency":"EUR"}"#, "amount: expected a number, found a truth value"),
      (#"{"sku":"A","currency":"EUR"}"#, "amount is missing"), (#"{"sku":"A","amount":"1"}"#, "currency is missing"),
      (#"{"sku":"A","amount":"123456789012345678901234567890123456789","currency":"EUR"}"#, "at most 38 digits"),
    ])
  func badTransactions(record: String, problem: String) throws {
    let good = #"{"sku":"A","amount":"-1.00","currency":"EUR"}"#
    let found = try contents(.transactions, "[\(good),\(good),\(record),\(good)]")
    #expect(found.records == 3 && found.skipped == 1)
    #expect(found.remarks.count == 1 && found.remarks[0].hasPrefix("transactions: record 3 skipped: "))
    #expect(found.remarks[0].contains(problem), "\(found.remarks[0])")
  }

  @Test("a pair with several rates is remarked on once, and the lowest stands in any order")
  func conflicts() throws {
    let lines = ["1.359", "1.3590", "1.30", "1.4"].map { #"{"from":"EUR","to":"USD","rate":"\#($0)"}"# }
    let found = try contents(.rates, "[\(lines.joined(separator: ","))]")
    #expect(found.records == 1 && found.skipped == 0)
    #expect(
      found.remarks == ["rates: record 1: EUR to USD is given as 1.359, 1.4 and 1.30: the lowest is kept"])
    let turned = try contents(.rates, "[\(lines.reversed().joined(separator: ","))]")
    #expect(turned.remarks == ["rates: record 1: EUR to USD is given as 1.359, 1.4 and 1.30: the lowest is kept"])
    let twice = try contents(.rates, "[\(lines[0]),\(lines[0])]")
    #expect(twice == FeedContents(records: 1, skipped: 0))
  }

  @Test("equal transactions are separate sales; a rate of 1 to itself is no mistake")
  func repetitions() throws {
    let sale = #"{"sku":"A","amount":"1","currency":"EUR"}"#
    #expect(try contents(.transactions, "[\(sale),\(sale)]") == FeedContents(records: 2, skipped: 0))
    let own = #"{"from":"EUR","to":"EUR","rate":"1.00"}"#
    #expect(try contents(.rates, "[\(own)]") == FeedContents(records: 0, skipped: 0))
  }

  @Test(
    "what is no JSON array is refused whole",
    arguments: [
      ("", "the text ends too early"), ("{}", "expected an array, found an object"),
      ("<!DOCTYPE html>", "expected an array, found no JSON"), (#"[{"from":"EUR"#, "the text ends within a string"),
      (#"{"rates":[]}"#, "expected an array, found an object"), ("[{}] []", "unexpected \"[\""),
      ("[{},{}]", "not one of 2 records is good"), (" [ ] ", "the list is empty"),
    ])
  func refused(text: String, problem: String) {
    for feed in [FeedName.rates, .transactions] {
      let error = #expect(throws: FeedError.self) { try contents(feed, text) }
      #expect(error?.reason == .badData && error?.description.hasPrefix("\(feed.rawValue): ") == true)
      #expect(error?.description.contains(problem) == true, "\(error?.description ?? "-")")
      #expect(error?.description.contains("nothing was taken from it") == true)
    }
  }

  @Test("another feed is none of trade's")
  func otherFeed() throws {
    let error = #expect(throws: FeedError.self) { try contents(.cities, "[]") }
    #expect(error?.description == "cities is no feed of trade")
  }

  @Test("more currencies than are served are refused whole")
  func tooManyCurrencies() {
    let codes = (0..<600).map { "C\($0)" }
    let rates = codes.dropFirst().map { #"{"from":"EUR","to":"\#($0)","rate":1}"# }
    let sales = codes.map { #"{"sku":"A","amount":1,"currency":"\#($0)"}"# }
    for (feed, list) in [(FeedName.rates, rates), (.transactions, sales)] {
      let error = #expect(throws: FeedError.self) { try contents(feed, "[\(list.joined(separator: ","))]") }
      #expect(error?.reason == .badData && error?.description.contains("600 currencies have ") == true)
    }
  }
}
