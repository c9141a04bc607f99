/// All transactions, by product.
///
/// Products are in alphabetical order and a product's transactions in the order of currency, amount and written scale:
/// no record has a time, a source may shuffle its file at any download, and the same set of records has to give the
/// same bytes, and so the same generation.
package struct ProductLedger: Sendable {
  /// The products in alphabetical order.
  package let products: [ProductCode]
  /// The currencies that transactions were made in, in the order of their codes.
  package let currencies: [CurrencyCode]
  private let transactions: [Transaction]
  /// Where each product's transactions begin, and behind them the count of all.
  private let offsets: [Int]

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
    transactions = groups.flatMap { $0.value.sorted(by: Transaction.precedes) }
  }

  /// The records in all.
  package var count: Int { transactions.count }

  /// The transactions of `product`; `nil` if there is no such product.
  ///
  /// - Complexity: O(log P); the slice copies nothing.
  package subscript(product: ProductCode) -> ArraySlice<Transaction>? {
    let index = products.partitioningIndex { $0 >= product }
    guard index < products.count, products[index] == product else { return nil }
    return self[at: index]
  }

  /// The transactions of the product at `index` of ``products``.
  package subscript(at index: Int) -> ArraySlice<Transaction> { transactions[offsets[index]..<offsets[index + 1]] }
}
