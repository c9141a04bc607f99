package import Money

/// A product's transactions converted one after the other, with their total: what the server's slices have to agree
/// with.
package struct ProductStatement {
  package let product: ProductCode
  /// The rows in the order of the transactions.
  package let rows: [ConvertedTransaction]
  package let total: ProductTotal
  /// The way from each currency of the rows that can be converted, in the order of their codes.
  package let paths: [ConversionPath]

  /// Converts the transactions of `product`, which come in the order of a ledger.
  package init(
    _ product: ProductCode, _ transactions: some Collection<Transaction>, _ rates: RateTable,
    in currency: CurrencyCode = .euro, rounding: Rounding = .once
  ) {
    var converter = CurrencyConverter(rates, to: currency, rounding: rounding)
    var sum = ProductSum(places: converter.places)
    self.product = product
    rows = transactions.map { ConvertedTransaction($0, &converter) }
    for row in rows { sum.add(row) }
    total = sum.total
    paths = converter.paths
  }

  /// The positions of ``rows`` in `order`; equal ones are in the order of the source, which is `sourceOrder`.
  package func positions(in order: TransactionOrder, sourceOrder: [Int]) -> [Int] {
    switch order {
    case .source: sourceOrder
    case .currency: Array(rows.indices)
    case .amount:
      rows.indices.sorted { one, other in
        let (left, right) = (rows[one].transaction.amount, rows[other].transaction.amount)
        // Rows are by currency and scale already.
        return left == right ? one < other : left < right
      }
    }
  }
}

/// The order of a product's transactions.
package enum TransactionOrder: String, Sendable {
  /// In the order of the source.
  case source
  /// By amount as given, regardless of its currency, then by currency.
  case amount
  /// By currency, then by amount as given.
  case currency
}

extension TradeBook {
  /// One product's rows and total in `currency`; `nil` if there is no such product.
  package func statement(
    of product: ProductCode, in currency: CurrencyCode = .euro, rounding: Rounding = .once
  ) -> ProductStatement? {
    ledger.products.firstIndex(of: product).map {
      ProductStatement(product, ledger[at: $0], rates, in: currency, rounding: rounding)
    }
  }

  /// The total of each product in `currency`, in alphabetical order.
  package func totals(in currency: CurrencyCode = .euro, rounding: Rounding = .once) -> [ProductTotal] {
    ledger.products.indices.map {
      ProductStatement(ledger.products[$0], ledger[at: $0], rates, in: currency, rounding: rounding).total
    }
  }
}
