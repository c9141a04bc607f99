import CBOR
import CitiesProtocol
package import Money

extension ResidentTrade {
  /// Encodes `book`, for the importer.
  ///
  /// The sections do not depend on the order of the records, except the one that stores that order.
  ///
  /// - Throws: any error of the encoder; it encodes every summary.
  /// - Precondition: at most ``maximumCurrencies`` currencies, 2³² − 1 transactions and 4 GiB of codes.
  /// - Complexity: O(transactions + rates + V²) for V currencies with rates.
  package static func image(of book: TradeBook, summary: Summary, fingerprint: UInt64) throws -> ResidentImage {
    precondition(book.currencies.count <= maximumCurrencies, "too many currencies")
    let indexes = Dictionary(uniqueKeysWithValues: zip(book.currencies, book.currencies.indices))
    func records(_ rates: [Rate]) -> [UInt8] {
      rates.reduce(into: []) { bytes, rate in
        TradeRecord(rate.value, currency: indexes[rate.from] ?? 0, other: indexes[rate.to] ?? 0).append(to: &bytes)
      }
    }
    func stops(_ stops: [UInt16]) -> [UInt8] { stops.reduce(into: []) { $0.append(littleEndian: $1) } }
    let sales = Sales(book.ledger, indexes)
    guard let products = ByteTable.encode(book.ledger.products.map { Array($0.text.utf8) }) else {
      preconditionFailure("too many codes")
    }
    return ResidentImage(
      kind: kind, fingerprint: fingerprint,
      sections: [
        (.tradeSummary, try CBOREncoder().encode(summary)),
        (.currencies, book.currencies.reduce(into: []) { $0.append(littleEndian: $1.packed) }),
        (.rates, records(book.rates.rates)), (.nextStops, stops(book.rates.nextStops)),
        (.products, products), (.productOffsets, [UInt8](column: sales.offsets)), (.transactions, sales.records),
        (.leftOutOfProducts, [UInt8](column: book.ledger.leftOut)),
        (.leftOutRates, records(book.leftOutRates.pairs)), (.leftOutStops, stops(book.leftOutRates.nextStops)),
        (.sourcePositions, [UInt8](column: sales.sourcePositions)),
      ])
  }

  /// The encoded transactions, and the index of each product's first one.
  private struct Sales {
    var records: [UInt8] = []
    var offsets: [UInt32] = [0]
    var sourcePositions: [UInt32] = []

    init(_ ledger: ProductLedger, _ indexes: [CurrencyCode: Int]) {
      records.reserveCapacity(ledger.count * TradeRecord.size)
      for product in ledger.products.indices {
        for sale in ledger[at: product] {
          TradeRecord(sale.amount, currency: indexes[sale.currency] ?? 0).append(to: &records)
        }
        sourcePositions += ledger.sourceOrder(at: product).map(UInt32.init)
        offsets.append(UInt32(records.count / TradeRecord.size))
      }
    }
  }
}

extension ResidentTrade {
  /// The number of steps for ``prove(_:)``, each of a product and a transaction.
  package var proofSteps: Int { max(productCount, transactionCount) }

  /// Checks that the products and transactions at `steps` can be read, and that the order of the source leads to some.
  ///
  /// - Throws: ``ResidentError`` with the section and the first entry that cannot.
  /// - Complexity: O(k log P) in the steps and the products, about 0.2 µs each.
  package func prove(_ steps: Range<Int>) throws(ResidentError) {
    for step in steps.clamped(to: 0..<productCount) { _ = try product(at: step) }
    for step in steps.clamped(to: 0..<transactionCount) {
      _ = try record(at: step)
      let product = partitionPoint(0..<productCount) { offsets[$0 + 1] <= step }
      _ = try sourcePosition(of: step - offsets[product], ofProductAt: product)
    }
  }
}

extension ResidentTrade {
  /// Checks everything that the importer guarantees: every section follows from the records, byte for byte.
  ///
  /// - Throws: ``ResidentError`` with the section and the first contradiction in it.
  /// - Complexity: O(N + V³) for N transactions and V currencies with rates.
  package func verify() throws(ResidentError) {
    var all: [Transaction] = []
    var unread: [ProductCode: UInt32] = [:]
    for index in 0..<productCount {
      if leftOut(ofProductAt: index) > 0 { unread[try product(at: index)] = UInt32(leftOut(ofProductAt: index)) }
      let found = try transactions(ofProductAt: index)
      all += try sourceOrder(ofProductAt: index).map { found[$0] }
    }
    // Every feed of trade except the rates adds transactions.
    for (section, count) in [(FourBytes.rates, rates.rates.count), (.transactions, transactionCount)] {
      let feeds = summary.feeds.filter { ($0.feed == .rates) == (section == .rates) }
      guard feeds.reduce(0, { $0 &+ $1.records }) == count, feeds.allSatisfy({ Self.feeds.contains($0.feed) }) else {
        throw file.contradiction("section \(FourBytes.tradeSummary): no feeds of trade declare \(count) \(section)")
      }
    }
    guard unread.values.reduce(0, { $0 + UInt64($1) }) <= summary.skipped({ $0 != .rates }) else {
      throw file.contradiction("section \(FourBytes.leftOutOfProducts): more records than the feeds of trade left out")
    }
    let ledger = ProductLedger(all, leftOut: unread)
    try file.requireEqual(
      to: Self.image(of: book(of: ledger), summary: summary, fingerprint: file.header.fingerprint))
  }

  /// The book of `ledger` and the rates, with the paths found again.
  private func book(of ledger: ProductLedger) throws(MoneyError) -> TradeBook {
    let rates = try RateTable(rates.rates)
    return TradeBook(rates: rates, ledger: ledger, leftOutRates: try LeftOutRates(leftOutRates.pairs, beside: rates))
  }
}
