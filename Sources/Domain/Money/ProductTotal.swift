/// The total of a product's transactions in one currency, and the amounts that it leaves out.
package struct ProductTotal: Hashable, Sendable {
  /// The sum of the rounded rows, with their places; `nil` if it has more than 38 digits.
  ///
  /// It is zero if no row could be converted, and ``remainders`` then lists them all.
  package let amount: ExactDecimal?
  /// The amounts that could not be converted, by currency; empty if nothing was left out.
  package let remainders: [Remainder]
  /// The number of records of the product that could not be read.
  package let leftOut: UInt64
  /// The rates that could not be read, and that conversions would have used; each once, at most
  /// ``LeftOutRates/maximumNamed``.
  package let leftOutRates: [Rate]

  /// Whether ``amount`` is not the whole of it.
  package var isPartial: Bool { amount == nil || !remainders.isEmpty || leftOut > 0 || !leftOutRates.isEmpty }
}

/// The total of one product in the making: rows are added one at a time, in any order, and nothing is kept of them.
package struct ProductSum: Sendable {
  private var amount: ExactDecimal?
  private var remainders: [Remainder] = []
  private let places: Int
  private let leftOut: UInt64
  private var leftOutRates: [Rate] = []

  /// The sum of no rows, whose amounts have as many decimal places; `leftOut` records could not be read.
  package init(places: Int, leftOut: UInt64 = 0) {
    (amount, self.places) = (ExactDecimal(magnitude: 0, scale: places, isNegative: false), places)
    self.leftOut = leftOut
  }

  /// The total of the rows added so far.
  package var total: ProductTotal {
    ProductTotal(
      amount: amount, remainders: remainders.sorted { ($0.currency, $0.reason) < ($1.currency, $1.reason) },
      leftOut: leftOut, leftOutRates: leftOutRates.sorted { ($0.from, $0.to) < ($1.from, $1.to) })
  }

  /// Adds a row.
  ///
  /// - Complexity: O(1); O(currencies that cannot be converted) for a row that cannot be.
  package mutating func add(_ row: ConvertedTransaction) {
    switch row.outcome {
    case .converted(let converted): amount = amount.flatMap { sum($0, converted) }
    case .unconverted(let reason): add(row.transaction, reason)
    }
    add(row.leftOutRates)
  }

  private mutating func add(_ rates: [Rate]) {
    for rate in rates where leftOutRates.count < LeftOutRates.maximumNamed && !leftOutRates.contains(rate) {
      leftOutRates.append(rate)
    }
  }

  /// The sum of two amounts with ``places``; `nil` if the sum does not fit with all of them.
  private func sum(_ total: ExactDecimal, _ amount: ExactDecimal) -> ExactDecimal? {
    guard let sum = try? total.adding(amount), sum.scale == places else { return nil }
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
  /// The rates that could not be read, and that the conversion would have used.
  package let leftOutRates: [Rate]

  /// Converts a transaction.
  ///
  /// - Complexity: as ``CurrencyConverter/convert(_:from:)``.
  package init(_ transaction: Transaction, _ converter: inout CurrencyConverter) {
    self.transaction = transaction
    outcome = converter.convert(transaction.amount, from: transaction.currency)
    leftOutRates = converter.leftOutRates(from: transaction.currency)
  }
}
