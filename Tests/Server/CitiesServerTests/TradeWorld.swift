import CBOR
import CitiesProtocol
import Money
import Resident
import TestSupport

@testable import CitiesServer

/// Books of rates and transactions for a running server.
enum TradeWorld {
  /// The rates of the specification, and an island.
  static let rates = "EUR USD 1.359,CAD EUR 0.732,USD EUR 0.736,EUR CAD 1.366,GBP CHF 3"
  /// The transactions of the specification, and what cannot be converted.
  static let sales = """
    T2006 10.00 USD,M2007 34.57 CAD,R2008 17.95 USD,T2006 7.63 EUR,B2009 21.23 USD,X1 1.00 EUR,X1 -5.5 GBP,X1 2 GBP
    """

  /// A book of the lines `EUR USD 1.359` and `T2006 10.00 USD`, separated by commas.
  static func book(_ rates: String = TradeWorld.rates, _ sales: String = TradeWorld.sales) throws -> TradeBook {
    TradeBook(rates: try RateTable(words(rates).map(rate)), ledger: ProductLedger(try words(sales).map(sale)))
  }

  /// `count` transactions of `products` products in six currencies, the same for the same seed.
  static func book(seed: UInt64, _ count: Int, products: Int) throws -> TradeBook {
    var random = SeededGenerator(seed: seed)
    let codes = try ["CAD", "EUR", "GBP", "JPY", "USD", "XTS"].map { try CurrencyCode($0) }
    let sales = try (0..<count).map { _ in
      Transaction(
        product: try ProductCode("P\(Int.random(in: 0..<products, using: &random))"),
        amount: try ExactDecimal(mantissa: Int128.random(in: -99_999...999_999, using: &random), scale: 2),
        currency: codes[Int.random(in: codes.indices, using: &random)])
    }
    let rates = try words(rates + ",JPY USD 0.0067,GBP EUR 1.17").map(rate)
    return TradeBook(rates: try RateTable(rates), ledger: ProductLedger(sales))
  }

  /// The file of `book`.
  static func image(of book: TradeBook, sample: Bool = false, skipped: UInt64 = 0) throws -> ResidentImage {
    let summary = ResidentTrade.Summary(
      feeds: [
        .init(feed: .rates, records: UInt64(book.rates.rates.count), skipped: 0),
        .init(feed: .transactions, records: UInt64(book.ledger.count), skipped: skipped),
      ], sample: sample)
    return try ResidentTrade.image(of: book, summary: summary, fingerprint: 1)
  }

  private static func words(_ lines: String) -> [[String]] {
    lines.split(separator: ",").map { $0.split(separator: " ").map(String.init) }
  }

  private static func rate(_ words: [String]) throws -> Rate {
    try Rate(from: CurrencyCode(words[0]), to: CurrencyCode(words[1]), value: ExactDecimal(parsing: words[2]))
  }

  private static func sale(_ words: [String]) throws -> Transaction {
    Transaction(
      product: try ProductCode(words[0]), amount: try ExactDecimal(parsing: words[1]),
      currency: try CurrencyCode(words[2]))
  }
}

extension RunningServer {
  /// Where the trade book is.
  var tradeBook: String { folder.path("state/trade.resident") }

  /// Puts `book` in the place of the book that is served, and waits until it is.
  func serve(_ book: TradeBook, sample: Bool = false, skipped: UInt64 = 0) throws {
    let image = try TradeWorld.image(of: book, sample: sample, skipped: skipped)
    try image.write(to: tradeBook)
    let client = try client()
    let name = image.generation.description
    guard try eventually({ try client.ask(Hello(client: "test")).generations["trade"] == name }) else {
      throw ServerEnded()
    }
  }
}

/// A server with the specification's book.
func tradeServer() throws -> RunningServer {
  let server = try RunningServer()
  try server.serve(TradeWorld.book())
  return server
}

extension Decimal38 {
  /// The decimal that a text says, with its scale.
  static func of(_ text: String) throws -> Decimal38 { Decimal38(try ExactDecimal(parsing: text)) }
}

extension TotalRow {
  /// The amount, and the amounts missing from it, as text.
  var text: String {
    let amount = amount.map(\.description) ?? "-"
    let missing = remainders.map { "\($0.currency) \($0.reason) \($0.count) \($0.sum?.description ?? "-")" }
    return ([amount + (partial ? " partial" : "")] + missing).joined(separator: "; ") + " \(currency)"
  }
}

extension ConversionRow {
  /// The currencies on the way and the rate, as text.
  var text: String {
    let way = ([from] + steps.map { "\($0.reversed ? "<" : ">")\($0.to)" }).joined()
    return "\(way) \(rate)\(derived ? " derived" : "")\(rounded ? " rounded" : "")"
  }
}

extension ProductGet.Row {
  /// The amount, its counterpart or why there is none, and the way, as text.
  var text: String {
    let way = trace.map { " [\($0.map(\.description).joined(separator: " "))]" } ?? ""
    return "\(amount) \(currency) \(converted?.description ?? reason ?? "-")\(way)"
  }
}

extension TotalRow {
  /// The wire's form of a total in `currency`: what the server writes key by key.
  init(_ total: ProductTotal, in currency: CurrencyCode) {
    self.init(
      currency: currency.description, amount: total.amount.map { Decimal38($0) }, partial: total.isPartial,
      remainders: total.remainders.map {
        Remainder(
          currency: $0.currency.description, reason: $0.reason.rawValue, count: UInt64($0.count),
          sum: $0.sum.map { Decimal38($0) })
      })
  }
}

extension Decimal38 {
  init(_ value: ExactDecimal) { self.init(mantissa: value.mantissa, exponent: -value.scale) }
}
