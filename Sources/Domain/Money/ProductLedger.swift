import Base

/// One sale of a product, in the currency it was made in.
package struct Transaction: Hashable, Sendable {
  /// The product sold.
  package let product: ProductCode
  /// At its written scale; zero and below are amounts as well.
  package let amount: ExactDecimal
  /// The currency of ``amount``.
  package let currency: CurrencyCode

  /// Makes a transaction.
  package init(product: ProductCode, amount: ExactDecimal, currency: CurrencyCode) {
    (self.product, self.amount, self.currency) = (product, amount, currency)
  }

  /// The order within a product: by currency, amount and written scale, so that rows which differ never tie.
  static func precedes(_ left: Transaction, _ right: Transaction) -> Bool {
    if left.currency != right.currency { return left.currency < right.currency }
    return left.amount == right.amount ? left.amount.scale < right.amount.scale : left.amount < right.amount
  }
}

/// All transactions, by product.
///
/// Products are in alphabetical order and a product's transactions in the order of currency, amount and written scale,
/// so that a total does not depend on how a source shuffles its file. The order in which the source lists them is kept
/// beside them, which makes both easy to compare.
package struct ProductLedger: Sendable {
  /// The products in alphabetical order.
  package let products: [ProductCode]
  /// The currencies that transactions were made in, in the order of their codes.
  package let currencies: [CurrencyCode]
  private let transactions: [Transaction]
  /// Where each product's transactions start, and after them the count of all.
  private let offsets: [Int]
  /// For each product's transactions in the order of the source, their positions among its own.
  private let sourcePositions: [Int]

  /// Sorts the records; equal ones are separate sales and all stay.
  ///
  /// - Complexity: O(N + P log P + Σ n log n) for N records of P products with n each.
  package init(_ records: some Sequence<Transaction>) {
    let groups = Dictionary(grouping: records, by: \.product).sorted { $0.key < $1.key }
    products = groups.map(\.key)
    var end = 0
    offsets =
      [0]
      + groups.map { group in
        end += group.value.count
        return end
      }
    currencies = Set(groups.lazy.flatMap { $0.value.lazy.map(\.currency) }).sorted()
    let orders = groups.map { group in
      // Equal rows are ordered by their position, so that the order is one and the same at every run.
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

  /// The records in all.
  package var count: Int { transactions.count }

  /// The transactions of `product`; `nil` if there is no such product.
  ///
  /// - Complexity: O(log P); the slice copies nothing.
  package subscript(product: ProductCode) -> ArraySlice<Transaction>? {
    let index = products.partitionPoint { $0 < product }
    guard index < products.count, products[index] == product else { return nil }
    return self[at: index]
  }

  /// The positions of the transactions of the product at `index` of ``products`` in the order of the source: 2, 0, 1 if
  /// the source lists the last of its ``subscript(at:)`` first.
  package func sourceOrder(at index: Int) -> ArraySlice<Int> { sourcePositions[offsets[index]..<offsets[index + 1]] }

  /// The transactions of the product at `index` of ``products``.
  package subscript(at index: Int) -> ArraySlice<Transaction> { transactions[offsets[index]..<offsets[index + 1]] }
}

/// The rates and the transactions of one generation: both feeds as one pair, and the root of what `trade.resident`
/// holds.
///
/// The sync service builds this value and writes it down with ``RateTable/nextStops``, so that no reader searches for
/// paths at load; the server reads single products from the file and asks the rest of this module. The feeds' own ages
/// stay with `feeds.resident`: a total comes with both.
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
}
