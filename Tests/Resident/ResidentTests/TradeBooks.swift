import CitiesProtocol
import Money
import Resident
import TestSupport
import TradeReference

/// Books for the tests of `trade.resident`.
enum TradeBooks {
  /// A table of the lines `EUR USD 1.359`, separated by commas.
  static func rates(_ lines: String) throws -> RateTable {
    try RateTable(
      lines.split(separator: ",").map { line in
        let words = line.split(separator: " ").map(String.init)
        return try Rate(
          from: CurrencyCode(words[0]), to: CurrencyCode(words[1]), value: ExactDecimal(parsing: words[2]))
      })
  }

  /// Transactions of the lines `T2006 10.00 USD`, separated by commas.
  static func sales(_ lines: String) throws -> [Transaction] {
    try lines.split(separator: ",").map { line in
      let words = line.split(separator: " ").map(String.init)
      return Transaction(
        product: try ProductCode(words[0]), amount: try ExactDecimal(parsing: words[1]),
        currency: try CurrencyCode(words[2]))
    }
  }

  /// A book with values that are hard to store: 38 digits, no digits, negative amounts, an island, codes that differ in
  /// case.
  static func hard() throws -> TradeBook {
    let wide = String(repeating: "9", count: 38)
    let rates = try rates("EUR USD 1.359,CAD EUR 0.732,USD EUR 0.736,EUR CAD 1.366,GBP JPY 0.\(wide),AAA ZZZ 3")
    let unread = [try Rate(from: CurrencyCode("USD"), to: CurrencyCode("CAD"), value: .one)]
    return TradeBook(
      rates: rates,
      ledger: ProductLedger(
        try sales(
          "T2006 10.00 USD,T2006 7.63 EUR,T2006 7.630 EUR,t2006 -0.01 CAD,ß \(wide) XTS,ß -\(wide) XTS,0 0.00 GBP")),
      leftOutRates: try LeftOutRates(unread, beside: rates))
  }

  /// A book of `count` random transactions of `products` products in `currencies` currencies.
  static func random(seed: UInt64, _ count: Int, products: Int, currencies: Int) throws -> TradeBook {
    var random = SeededGenerator(seed: seed)
    let codes = try (0..<currencies).map { index in
      try CurrencyCode(index == 0 ? "EUR" : "C\(String(index, radix: 36))")
    }
    let rates = try (0..<2 * currencies).map { _ in
      let ends = codes.shuffled(using: &random)
      return try Rate(
        from: ends[0], to: ends[1],
        value: ExactDecimal(mantissa: Int128.random(in: 1...999_999, using: &random), scale: 5))
    }
    let sales = try (0..<count).map { _ in
      Transaction(
        product: try ProductCode("P\(Int.random(in: 0..<products, using: &random))"),
        amount: try ExactDecimal(mantissa: Int128.random(in: -9_999_999...9_999_999, using: &random), scale: 2),
        currency: codes[Int.random(in: 0..<currencies, using: &random)])
    }
    return TradeBook(rates: try RateTable(rates), ledger: ProductLedger(sales))
  }

  /// The file of `book`, with the counts that belong to it.
  static func image(of book: TradeBook, fingerprint: UInt64 = 1) throws -> ResidentImage {
    try ResidentTrade.image(of: book, summary: summary(of: book), fingerprint: fingerprint)
  }

  /// The importer's counts of `book`.
  static func summary(of book: TradeBook) -> ResidentTrade.Summary {
    ResidentTrade.Summary(
      feeds: [
        .init(feed: .rates, records: UInt64(book.rates.rates.count), skipped: 1),
        .init(feed: .transactions, records: UInt64(book.ledger.count), skipped: 2),
      ], sample: true)
  }
}
