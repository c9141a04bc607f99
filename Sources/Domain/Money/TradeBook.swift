/// The rates and the transactions of one generation: both feeds as one pair, and the root of what `trade.resident`
/// holds.
///
/// ## How it becomes resident
///
/// The sync service builds this value, asks it everything that is the same for all askers, and writes:
///
/// | Section | Holds | Bytes |
/// |---|---|---|
/// | currencies | ``CurrencyCode/packed``, ascending; those of rates and transactions | 8 a code |
/// | rates | mantissa, scale, indexes of both currencies, in the table's order | 24 a rate |
/// | routes | ``RateTable/nextStops``, so that nobody searches at load | 2 a pair (170 currencies: 58 KB) |
/// | products | the codes' text, and offsets in alphabetical order | the text + 8 a product |
/// | transactions | mantissa, scale, index of the currency; offsets by product | 24 a record |
/// | rate rows | the given rates as `rate.list` sends them, opaque | one slice |
/// | product rows | `product.list`'s rows in the default currency: count, total, `partial`; opaque | one slice a page |
///
/// So the default list is a header and a slice, as for cities, and its totals are computed once a generation, away
/// from the server. At load the server restores the rates (``RateTable/init(restoring:nextStops:)``) and computes no
/// path and no total. It computes when asked: a path (following `routes`), a product's own rows, and, for another
/// currency, ``totals(in:rounding:)`` over all transactions, kept for the generation, a few columns at most. That
/// column may be filled a slice of products a turn of the loop through ``total(ofProductAt:_:)``, so that no other
/// client waits for it. The feeds' own ages stay with `feeds.resident`: a total is told with both.
package struct TradeBook: Sendable {
  /// The given rates and the paths between all currencies.
  package let rates: RateTable
  /// The transactions by product.
  package let ledger: ProductLedger

  /// The currencies of either, in the order of their codes: the ones to name when another was asked for.
  package let currencies: [CurrencyCode]

  /// Joins the two.
  package init(rates: RateTable, ledger: ProductLedger) {
    (self.rates, self.ledger) = (rates, ledger)
    currencies = Set(rates.currencies + ledger.currencies).sorted()
  }

  /// One product's rows and total in `currency`; `nil` if there is no such product.
  ///
  /// - Complexity: O(log P + n) for its own n transactions, whatever the size of the ledger.
  package func statement(
    of product: ProductCode, in currency: CurrencyCode = .euro, rounding: Rounding = .once
  ) -> ProductStatement? {
    guard let transactions = ledger[product] else { return nil }
    let converter = CurrencyConverter(
      rates, from: transactions.lazy.map(\.currency), to: currency, rounding: rounding)
    let rows = transactions.map { ConvertedTransaction($0, converter) }
    // A ledger's rows come by currency, so each run of them is one currency.
    let paths = rows.indices.filter { $0 == 0 || rows[$0 - 1].transaction.currency != rows[$0].transaction.currency }
      .compactMap { converter.path(from: rows[$0].transaction.currency) }
    return ProductStatement(product: product, rows: rows, total: ProductTotal(rows), paths: paths)
  }

  /// The total of each product in `currency`, in the order of ``ProductLedger/products``.
  ///
  /// - Complexity: O(N) for all N transactions: once a generation and currency.
  package func totals(in currency: CurrencyCode = .euro, rounding: Rounding = .once) -> [ProductTotal] {
    let converter = CurrencyConverter(rates, to: currency, rounding: rounding)
    return ledger.products.indices.map { total(ofProductAt: $0, converter) }
  }

  /// The total of the product at `index` of ``ProductLedger/products`` with a converter that knows all currencies.
  ///
  /// - Complexity: O(n) for its own n transactions.
  package func total(ofProductAt index: Int, _ converter: CurrencyConverter) -> ProductTotal {
    ProductTotal(
      ledger[at: index].lazy.map { ConvertedTransaction($0, converter) })
  }
}
