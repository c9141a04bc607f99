import CitiesProtocol
import FeedSync
import TestSupport
import Testing

/// Skipped and refused records, and how they are reported.
@Suite("Trade records")
struct TradeRecordTests {
  @Test(
    arguments: [
      (#"{"from":"","to":"EUR","rate":"1"}"#, "from: \"\" is not 1 to 8 letters and digits, a letter first"),
      (#"{"from":"USD","to":"","rate":"1"}"#, "to: \"\" is not 1 to 8 letters and digits, a letter first"),
      (#"{"from":"USD","to":"EUR","rate":"0.0.1"}"#, "rate: \"0.0.1\" is not a decimal number: it has a second point"),
      (#"{"from":"USD","to":"EUR","rate":"2,500"}"#, "a comma before three digits may separate thousands"),
      (#"{"from":"USD","to":"EUR","rate":"0"}"#, "the rate from USD to EUR is 0: expected more than 0"),
      (#"{"from":"USD","to":"EUR","rate":0.00}"#, "the rate from USD to EUR is 0.00: expected more than 0"),
      (#"{"from":"USD","to":"EUR","rate":-1.5}"#, "the rate from USD to EUR is -1.5: expected more than 0"),
      (#"{"from":"USD","to":"USD","rate":"1.01"}"#, "the rate from USD to itself is 1.01: expected 1"),
      (#"{"from":"USD","to":"EUR"}"#, "rate is missing"), (#"{"to":"EUR","rate":"1"}"#, "from is missing"),
      (#"{"from":"USD","to":"EUR","rate":null}"#, "rate: expected a number, found null"),
      (#"{"from":"USD","to":"EUR","rate":""}"#, "it is empty"),
      (#"{"from":7.5,"to":"EUR","rate":"1"}"#, "from: expected text, found a number"),
      (#"{"from":["USD"],"to":"EUR","rate":"1"}"#, "from: expected text, found an array"),
      (#"{"from":"USD","to":"EUR","rate":"1","rate":"2"}"#, "\"rate\" occurs twice"),
      (#"{"from":"USD","to":"EUR","rate":1e400}"#, "more than 38 digits"),
      (#"{"from":"USD","to":"EUR","rate":1e9223372036854775807}"#, "more than 38 digits"),
      (#"{"from":"USD","to":"EUR","rate":1e-9223372036854775808}"#, "more than 38 digits"),
      (#"["USD","EUR",1]"#, "expected an object, found an array"), ("null", "expected an object, found null"),
    ])
  func `a bad rate is counted, reported with its position and skipped`(record: String, problem: String) throws {
    let good = #"{"from":"EUR","to":"USD","rate":"1.359"}"#
    let found = try contents(.rates, "[\(good),\(record),{\"from\":\"GBP\",\"to\":\"EUR\",\"rate\":2}]")
    #expect(found.counts == RecordCounts(kept: 2, skipped: 1))
    #expect(found.remarks.count == 1 && found.remarks[0].hasPrefix("rates: record 2 skipped: "))
    #expect(found.remarks[0].contains(problem), "\(found.remarks[0])")
  }

  @Test(
    arguments: [
      (#"{"sku":"","amount":"1","currency":"EUR"}"#, "sku: \"\" is not a product code: it is empty"),
      (#"{"sku":"a\nb","amount":"1","currency":"EUR"}"#, "it holds a control character"),
      (#"{"sku":2006.5,"amount":"1","currency":"EUR"}"#, "sku: expected text, found a number"),
      (#"{"sku":"A","amount":"1","currency":""}"#, "currency: \"\" is not 1 to 8 letters and digits"),
      (#"{"sku":"A","amount":"0.0.1","currency":"EUR"}"#, "amount: \"0.0.1\" is not a decimal number"),
      (#"{"sku":"A","amount":"2,500","currency":"EUR"}"#, "a comma before three digits may separate thousands"),
      (#"{"sku":"A","amount":"1e","currency":"EUR"}"#, "an exponent is not read"),
      (#"{"sku":"A","amount":1e9223372036854775807,"currency":"EUR"}"#, "more than 38 digits"),
      (#"{"sku":"A","amount":1e-9223372036854775808,"currency":"EUR"}"#, "more than 38 digits"),
      (#"{"sku":"A","amount":true,"currency":"EUR"}"#, "amount: expected a number, found a truth value"),
      (#"{"sku":"A","currency":"EUR"}"#, "amount is missing"), (#"{"sku":"A","amount":"1"}"#, "currency is missing"),
      (#"{"sku":"A","amount":"123456789012345678901234567890123456789","currency":"EUR"}"#, "at most 38 digits"),
    ])
  func `a bad transaction is counted, reported with its position and skipped`(record: String, problem: String) throws {
    let good = #"{"sku":"A","amount":"-1.00","currency":"EUR"}"#
    let found = try contents(.transactions, "[\(good),\(good),\(record),\(good)]")
    #expect(found.counts == RecordCounts(kept: 3, skipped: 1))
    #expect(found.remarks.count == 1 && found.remarks[0].hasPrefix("transactions: record 3 skipped: "))
    #expect(found.remarks[0].contains(problem), "\(found.remarks[0])")
  }

  @Test func `of several rates for a pair the lowest is kept in any order, and every other record is noted`() throws {
    let lines = ["1.359", "1.3590", "1.30", "1.4", "1.3"].map { #"{"from":"EUR","to":"USD","rate":"\#($0)"}"# }
    let found = try contents(.rates, "[\(lines.joined(separator: ","))]")
    #expect(found.counts == RecordCounts(kept: 1, repeated: 1, replaced: 3))
    let lower = "another record gives a lower rate from EUR to USD, 1.3 instead of"
    #expect(
      found.remarks == [
        "rates: record 1 replaced: \(lower) 1.359", "rates: record 2 replaced: \(lower) 1.3590",
        "rates: record 3 repeated: another record gives the same rate from EUR to USD, 1.3",
        "rates: record 4 replaced: \(lower) 1.4",
      ])
    #expect(found.notes.map(\.record) == [1, 2, 3, 4])
    let turned = try contents(.rates, "[\(lines.reversed().joined(separator: ","))]")
    #expect(turned.counts == found.counts && turned.notes.map(\.record) == [2, 3, 4, 5])
    let twice = try contents(.rates, "[\(lines[0]),\(lines[0])]")
    #expect(twice.counts == RecordCounts(kept: 1, repeated: 1))
  }

  @Test func `equal transactions are separate sales; a rate of 1 to itself is not a mistake`() throws {
    let sale = #"{"sku":"A","amount":"1","currency":"EUR"}"#
    #expect(try contents(.transactions, "[\(sale),\(sale)]") == FeedContents(RecordCounts(kept: 2)))
    let own = #"{"from":"EUR","to":"EUR","rate":"1.00"}"#
    let rate = #"{"from":"EUR","to":"USD","rate":"1.359"}"#
    #expect(try contents(.rates, "[\(own),\(rate)]").counts == RecordCounts(kept: 1, repeated: 1))
  }

  @Test func `rates of a currency to itself alone are refused: no rate is left to serve`() {
    let own = #"{"from":"EUR","to":"EUR","rate":"1.00"}"#
    let error = #expect(throws: FeedError.self) { try contents(.rates, "[\(own),\(own),null]") }
    #expect(error?.reason == .badData)
    #expect(error?.description.hasPrefix("rates: not one of 3 records is good; nothing was imported\n") == true)
    #expect(error?.description.contains("record 2 repeated: the rate from EUR to itself is 1 in any case") == true)
  }

  @Test(
    arguments: [
      ("EUR", true, 0), ("E", true, 1), ("USDT", true, 1), ("A1", true, 1), ("EU2", true, 1), ("ABCDEFGH", true, 1),
      ("e", true, 1), ("eur", true, 0), ("EUr", true, 0), ("EUR ", true, 0), ("E R", false, 1), ("1EU", false, 1),
      ("ABCDEFGHI", false, 1),
      ("É", false, 1), ("ＥＵＲ", false, 1), ("ı", false, 1), ("E\\u0301", false, 1),
    ])
  func `a currency as the schema has it is kept, and remarked on once if it is not three letters; any other is skipped`(
    text: String, isKept: Bool, remarks: Int
  ) throws {
    let sale = #"{"sku":"A","amount":1,"currency":"\#(text)"}"#
    let good = #"{"sku":"A","amount":1,"currency":"USD"}"#
    let sales = try contents(.transactions, "[\(good),\(sale),\(sale)]")
    #expect(sales.counts == (isKept ? RecordCounts(kept: 3) : RecordCounts(kept: 1, skipped: 2)))
    #expect(sales.remarks.count == (isKept ? remarks : 2), "\(sales.remarks)")
    let rate = #"{"from":"\#(text)","to":"GBP","rate":2}"#
    let rates = try contents(.rates, "[{\"from\":\"USD\",\"to\":\"GBP\",\"rate\":2},\(rate)]")
    #expect(rates.counts == (isKept ? RecordCounts(kept: 2) : RecordCounts(kept: 1, skipped: 1)))
    #expect(rates.remarks.count == remarks, "\(rates.remarks)")
  }

  @Test(
    arguments: [
      ("", "expected a JSON array of records, found nothing"), ("[", "the text ends within an array"),
      ("{}", "expected a JSON array of records, found an object"),
      ("<!DOCTYPE html>", "expected a JSON array of records, found a page of HTML or XML"),
      (#"[{"from":"EUR"#, "the text ends within a string"),
      (#"{"rates":[]}"#, "expected a JSON array of records, found an object"), ("[{}] []", "unexpected \"[\""),
      ("[{},{}]", "not one of 2 records is good"), (" [ ] ", "the list is empty"),
    ])
  func `anything but a JSON array is refused whole`(text: String, problem: String) {
    for feed in [FeedName.rates, .transactions] {
      let error = #expect(throws: FeedError.self) { try contents(feed, text) }
      #expect(error?.reason == .badData && error?.description.hasPrefix("\(feed.rawValue): ") == true)
      #expect(error?.description.contains(problem) == true, "\(error?.description ?? "-")")
      #expect(error?.description.contains("nothing was imported") == true)
    }
  }

  @Test func `another feed is none of trade's`() throws {
    let error = #expect(throws: FeedError.self) { try contents(.cities, "[]") }
    #expect(error?.description == "cities is not a feed of trade")
  }

  @Test func `more currencies than are served are refused whole`() {
    let codes = (0..<600).map { "C\($0)" }
    let rates = codes.dropFirst().map { #"{"from":"EUR","to":"\#($0)","rate":1}"# }
    let sales = codes.map { #"{"sku":"A","amount":1,"currency":"\#($0)"}"# }
    for (feed, list) in [(FeedName.rates, rates), (.transactions, sales)] {
      let error = #expect(throws: FeedError.self) { try contents(feed, "[\(list.joined(separator: ","))]") }
      #expect(error?.reason == .badData && error?.description.contains("600 currencies have ") == true)
    }
  }
}
