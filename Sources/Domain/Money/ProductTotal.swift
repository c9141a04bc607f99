/// The total of a product's transactions in one currency, and the amounts that it leaves out.
package struct ProductTotal: Hashable, Sendable {
  /// The sum of the rounded rows, with two places; `nil` if it has more than 38 digits.
  ///
  /// It is 0.00 if no row could be converted, and ``remainders`` then lists them all.
  package let amount: ExactDecimal?
  /// The amounts that could not be converted, by currency; empty if nothing was left out.
  package let remainders: [Remainder]

  /// Whether ``amount`` is not the whole of it.
  package var isPartial: Bool { amount == nil || !remainders.isEmpty }
}

/// The total of one product in the making: rows are added one at a time, in any order, and nothing is kept of them.
package struct ProductSum: Sendable {
  private var amount: ExactDecimal? = ExactDecimal(magnitude: 0, scale: Rounding.places, isNegative: false)
  private var remainders: [Remainder] = []

  /// The sum of no rows.
  package init() {}

  /// The total of the rows added so far.
  package var total: ProductTotal {
    ProductTotal(
      amount: amount, remainders: remainders.sorted { ($0.currency, $0.reason) < ($1.currency, $1.reason) })
  }

  /// Adds a row.
  ///
  /// - Complexity: O(1); O(currencies that cannot be converted) for a row that cannot be.
  package mutating func add(_ row: ConvertedTransaction) {
    switch row.outcome {
    case .converted(let converted): amount = amount.flatMap { Self.sum($0, converted) }
    case .unconverted(let reason): add(row.transaction, reason)
    }
  }

  /// The sum of two amounts with two places; `nil` if the sum does not fit with both places.
  private static func sum(_ total: ExactDecimal, _ amount: ExactDecimal) -> ExactDecimal? {
    guard let sum = try? total.adding(amount), sum.scale == Rounding.places else { return nil }
    return sum
  }

  private mutating func add(_ transaction: Transaction, _ reason: UnconvertedReason) {
    // Rows of one currency usually come together, so search from the end.
    let index = remainders.lastIndex { $0.currency == transaction.currency && $0.reason == reason }
    guard let index else {
      remainders.append(Remainder(transaction, reason))
      return
    }
    remainders[index].add(transaction.amount)
  }
}

/// Amounts of one currency that are not in a total.
package struct Remainder: Hashable, Sendable {
  /// The currency that the amounts are in.
  package let currency: CurrencyCode
  /// Why they could not be converted.
  package let reason: UnconvertedReason
  /// The number of amounts.
  package private(set) var count: Int
  /// Their exact sum, unrounded; `nil` if it has more than 38 digits.
  package private(set) var sum: ExactDecimal?

  init(_ transaction: Transaction, _ reason: UnconvertedReason) {
    (currency, count, sum) = (transaction.currency, 1, transaction.amount)
    self.reason = reason
  }

  mutating func add(_ amount: ExactDecimal) {
    count += 1
    sum = sum.flatMap { try? $0.adding(amount) }
  }
}

/// A transaction with its amount in the requested currency.
package struct ConvertedTransaction: Hashable, Sendable {
  /// The transaction in its own currency.
  package let transaction: Transaction
  /// Its amount in the other currency, or why there is none.
  package let outcome: ConversionOutcome

  /// Converts a transaction.
  ///
  /// - Complexity: as ``CurrencyConverter/convert(_:from:)``.
  package init(_ transaction: Transaction, _ converter: inout CurrencyConverter) {
    self.transaction = transaction
    outcome = converter.convert(transaction.amount, from: transaction.currency)
  }
}
