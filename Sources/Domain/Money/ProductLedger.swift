/// One sale of a product, in the currency it was made in.
package struct Transaction: Hashable, Sendable {
  /// The product sold.
  package let product: ProductCode
  /// The amount at its written scale; it may be zero or negative.
  package let amount: ExactDecimal
  /// The currency of ``amount``.
  package let currency: CurrencyCode

  /// Makes a transaction.
  package init(product: ProductCode, amount: ExactDecimal, currency: CurrencyCode) {
    (self.product, self.amount, self.currency) = (product, amount, currency)
  }

  /// The order within a product: by currency, amount and written scale, so that only equal rows tie.
  static func precedes(_ left: Transaction, _ right: Transaction) -> Bool {
    if left.currency != right.currency { return left.currency < right.currency }
    return left.amount == right.amount ? left.amount.scale < right.amount.scale : left.amount < right.amount
  }
}

/// All transactions, by product.
///
/// Products are sorted alphabetically, and a product's transactions by currency, amount and written scale, so that a
/// total does not depend on the order of the source. That order is also kept, for comparison with the source.
package struct ProductLedger: Sendable {
  /// The products in alphabetical order.
  package let products: [ProductCode]
  /// The currencies that transactions were made in, in the order of their codes.
  package let currencies: [CurrencyCode]
  /// For each product, the number of its records that could not be read.
  package let leftOut: [UInt32]
  private let transactions: [Transaction]
  /// The start of each product's transactions, then the total count.
  private let offsets: [Int]
  /// For each product, the positions of its transactions in the order of the source.
  private let sourcePositions: [Int]

  /// Sorts the records; equal ones are separate sales and are all kept.
  ///
  /// `leftOut` has the product of each record that could not be read. A product with only such records has no
  /// transactions.
  ///
  /// - Complexity: O(N + P log P + Σ n log n) for N records of P products with n each.
  package init(_ records: some Sequence<Transaction>, leftOut: [ProductCode: UInt32] = [:]) {
    let sales = Dictionary(grouping: records, by: \.product)
    let groups = sales.merging(leftOut.lazy.map { ($0.key, []) }) { sales, _ in sales }.sorted { $0.key < $1.key }
    products = groups.map(\.key)
    self.leftOut = products.map { leftOut[$0] ?? 0 }
    var end = 0
    offsets =
      [0]
      + groups.map { group in
        end += group.value.count
        return end
      }
    currencies = Set(groups.lazy.flatMap { $0.value.lazy.map(\.currency) }).sorted()
    let orders = groups.map { group in
      // Equal rows are ordered by position, so that the order is deterministic.
      group.value.indices.sorted { one, other in
        if Transaction.precedes(group.value[one], group.value[other]) { return true }
        return one < other && !Transaction.precedes(group.value[other], group.value[one])
      }
    }
    transactions = zip(groups, orders).flatMap { group, order in order.map { group.value[$0] } }
    sourcePositions = orders.flatMap { order in
      var positions = order
      for (position, index) in order.enumerated() { positions[index] = position }
      return positions
    }
  }

  /// The number of transactions.
  package var count: Int { transactions.count }

  /// The positions of the transactions of the product at `index` of ``products`` in the order of the source: 2, 0, 1 if
  /// the source lists the last of its ``subscript(at:)`` first.
  package func sourceOrder(at index: Int) -> ArraySlice<Int> { sourcePositions[offsets[index]..<offsets[index + 1]] }

  /// The transactions of the product at `index` of ``products``.
  package subscript(at index: Int) -> ArraySlice<Transaction> { transactions[offsets[index]..<offsets[index + 1]] }
}

/// The rates and the transactions of one generation: the contents of `trade.resident`.
///
/// The sync service builds this value and stores it with ``RateTable/nextStops``, so that loading needs no search for
/// paths; the server reads single products from the file and uses this module for the rest. The feeds' ages are in
/// `feeds.resident`.
package struct TradeBook: Sendable {
  /// The given rates and the paths between all currencies.
  package let rates: RateTable
  /// The transactions by product.
  package let ledger: ProductLedger
  /// The rates that could not be read.
  package let leftOutRates: LeftOutRates

  /// The currencies of all, sorted by code, for messages about unknown ones.
  package let currencies: [CurrencyCode]

  /// Joins the two.
  package init(rates: RateTable, ledger: ProductLedger, leftOutRates: LeftOutRates = .none) {
    (self.rates, self.ledger, self.leftOutRates) = (rates, ledger, leftOutRates)
    let unread = leftOutRates.pairs.flatMap { [$0.from, $0.to] }
    currencies = Set(rates.currencies + ledger.currencies + unread).sorted()
  }
}
