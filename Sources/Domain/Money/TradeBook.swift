/// The rates and the transactions of one generation: both feeds as one pair, and the root of what `trade.resident`
/// holds.
///
/// The sync service builds this value and writes it down with ``RateTable/nextStops``, so that nobody searches for paths
/// at load; the server reads single products from the file and asks the rest of this module. The feeds' own ages stay
/// with `feeds.resident`: a total is told with both.
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
    ledger[product].map { ProductStatement(product, $0, rates, in: currency, rounding: rounding) }
  }

  /// The total of each product in `currency`, in the order of ``ProductLedger/products``.
  ///
  /// - Complexity: O(N) for all N transactions: once a generation and currency.
  package func totals(in currency: CurrencyCode = .euro, rounding: Rounding = .once) -> [ProductTotal] {
    var converter = CurrencyConverter(rates, to: currency, rounding: rounding)
    return ledger.products.indices.map { ProductTotal(ledger[at: $0], &converter) }
  }
}
