import Base
import CBOR
package import Money

extension ResidentTrade {
  /// Writes down `book`: the importer's side.
  ///
  /// The same set of records gives the same sections, in whatever order they came, but for the one that keeps that order.
  ///
  /// - Throws: what the encoder throws; it takes every summary.
  /// - Precondition: at most ``maximumCurrencies`` currencies, 2³² − 1 transactions and 4 GiB of codes.
  /// - Complexity: O(transactions + rates + V²) for V currencies with rates.
  package static func image(of book: TradeBook, summary: Summary, fingerprint: UInt64) throws -> ResidentImage {
    precondition(book.currencies.count <= maximumCurrencies, "too many currencies")
    let indexes = Dictionary(uniqueKeysWithValues: zip(book.currencies, book.currencies.indices))
    var rates: [UInt8] = []
    for rate in book.rates.rates {
      TradeRecord(rate.value, currency: indexes[rate.from] ?? 0, other: indexes[rate.to] ?? 0).append(to: &rates)
    }
    let sales = Sales(book.ledger, indexes)
    guard let products = ByteTable.encode(book.ledger.products.map { Array($0.text.utf8) }) else {
      preconditionFailure("too many codes")
    }
    return ResidentImage(
      kind: kind, fingerprint: fingerprint,
      sections: [
        (.tradeSummary, try CBOREncoder().encode(summary)),
        (.currencies, book.currencies.reduce(into: []) { $0.append(little: $1.packed) }),
        (.rates, rates), (.nextStops, book.rates.nextStops.reduce(into: []) { $0.append(little: $1) }),
        (.products, products), (.productOffsets, [UInt8](column: sales.offsets)), (.transactions, sales.records),
        (.sourcePositions, [UInt8](column: sales.sourcePositions)),
      ])
  }

  /// The transactions one behind the other, and where each product's begin.
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
