/// One sale of a product, in the currency it was made in.
package struct Transaction: Hashable, Sendable {
  /// What was sold.
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
