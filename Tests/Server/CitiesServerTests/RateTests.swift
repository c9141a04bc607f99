import CBOR
import CitiesProtocol
import Money
import TestSupport
import Testing

@testable import CitiesServer

/// `rate.list` and `rate.convert` through a socket.
@Suite struct RateTests {
  @Test func `given rates are listed as they stand`() throws {
    let reply = try tradeServer().client().ask(RateList())
    #expect(
      reply.rows.map(\.text) == [
        "CAD>EUR 0.732", "EUR>CAD 1.366", "EUR>USD 1.359", "GBP>CHF 3", "USD>EUR 0.736",
      ])
    #expect(reply.unreachable.isEmpty && reply.rows.allSatisfy { $0.steps.count == 1 })
  }

  @Test func `with a base every conversion to it is listed, and what has none`() throws {
    let client = try tradeServer().client()
    let canadian = try client.ask(RateList(base: "CAD"))
    #expect(canadian.rows.map(\.text) == ["EUR>CAD 1.366", "USD>EUR>CAD 1.005376 derived"])
    #expect(canadian.unreachable == ["CHF", "GBP"])
    let pounds = try client.ask(RateList(base: "GBP"))
    #expect(pounds.rows.map(\.text) == ["CHF<GBP 0.33333333333333333333333333333333333333 derived rounded"])
    #expect(pounds.rows[0].steps[0].given.description == "3" && pounds.rows[0].steps[0].rounded)
    #expect(try client.error(RateList(base: "XYZ"))?.data?.param == "base")
  }

  @Test(
    arguments: [
      ("12.50", "USD", "EUR", "9.20", ["9.20000"]), ("10", "USD", "CAD", "10.05", ["7.360", "10.053760"]),
      ("0.005", "EUR", "EUR", "0.00", []), ("0.015", "EUR", "EUR", "0.02", []), ("-0.005", "EUR", "EUR", "0.00", []),
      ("0", "CAD", "EUR", "0.00", ["0.000"]), ("0.045", "CHF", "GBP", "0.02", ["0.015"]),
      ("12345678901234567890.12", "EUR", "EUR", "12345678901234567890.12", []),
      ("99999999999999999999.99", "USD", "EUR", "73599999999999999999.99", ["73599999999999999999.99264"]),
    ] as [(String, String, String, String, [String])])
  func `amounts are converted exactly`(
    amount: String, from: String, to: String, result: String, trace: [String]
  ) throws {
    let reply = try tradeServer().client().ask(RateConvert(amount: .of(amount), from: from, to: to))
    #expect(reply.amount == (try .of(amount)) && reply.result.description == result)
    #expect(reply.trace.map(\.description) == trace && reply.path.from == from && reply.path.to == to)
  }

  @Test func `no path, an unknown currency and too many digits are told apart`() throws {
    let client = try tradeServer().client()
    let one = try Decimal38.of("1")
    let none = try client.error(RateConvert(amount: one, from: "USD", to: "GBP"))
    #expect(none?.code == .noConversion && none?.message == "no rates lead from USD to GBP")
    for (from, to, param) in [("XYZ", "EUR", "from"), ("EUR", "XYZ", "to")] {
      let error = try client.error(RateConvert(amount: one, from: from, to: to))
      #expect(error?.code == .invalidParams && error?.data?.param == param)
      #expect(error?.message.contains("CAD, CHF, EUR, GBP, USD") == true)
    }
    for amount in [String(repeating: "9", count: 38), String(repeating: "9", count: 37)] {
      let error = try client.error(RateConvert(amount: .of(amount), from: "EUR", to: "USD"))
      #expect(error?.code == .invalidParams && error?.data?.param == "amount")
      #expect(error?.message.contains("more than 38 digits") == true)
    }
    let huge = Decimal38(mantissa: 1, exponent: 6_144)
    #expect(try client.error(RateConvert(amount: huge, from: "EUR", to: "EUR"))?.data?.param == "amount")
    let tiny = Decimal38(mantissa: -1, exponent: -6_176)
    #expect(try client.ask(RateConvert(amount: tiny, from: "EUR", to: "EUR")).result.description == "0.00")
  }

  @Test func `three conversions keep 38 digits, and round once`() throws {
    let server = try RunningServer()
    let rate = "1.00000000000001"
    try server.serve(TradeWorld.book("A B \(rate),B C \(rate),C D \(rate)", "P 1 A"))
    let reply = try server.client().ask(RateConvert(amount: .of("10000000000000.00"), from: "A", to: "D"))
    // (1 + 10⁻¹⁴)³ has 42 digits after the point and is rounded to 38 digits in all.
    #expect(reply.path.rate.description == "1.0000000000000300000000000003000000000" && reply.path.rounded)
    #expect(reply.result.description == "10000000000000.30" && reply.trace.count == 3)
  }

  @Test func `rates beyond every scale are no conversion`() throws {
    let server = try RunningServer()
    let tiny = "0." + String(repeating: "0", count: 37) + "1"
    let codes = (0..<200).map { "C\($0)" }
    let chain = zip(codes, codes.dropFirst()).map { "\($0) \($1) \(tiny)" }.joined(separator: ",")
    try server.serve(TradeWorld.book(chain, "P 1 C0"))
    let client = try server.client()
    let error = try client.error(RateConvert(amount: .of("1"), from: "C0", to: "C199"))
    #expect(error?.code == .noConversion && error?.message.contains("cannot be multiplied") == true)
    let product = try client.ask(ProductGet(sku: "P", in: "C199"))
    #expect(product.total.text == "0.00 partial; C0 overflow 1 1 C199")
    #expect(try client.ask(RateList(base: "C199")).unreachable.contains("C0"))
  }
}
