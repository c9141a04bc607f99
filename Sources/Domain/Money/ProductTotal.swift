/// What a product's transactions come to in one currency, and what they leave out.
package struct ProductTotal: Hashable, Sendable {
  /// The transactions, converted or not.
  package let transactionCount: Int
  /// The sum of the rounded rows, with two places; `nil` if it has more than 38 digits.
  ///
  /// It is 0.00 if no row could be converted, and ``remainders`` then lists them all.
  package let amount: ExactDecimal?
  /// What could not be converted, by currency; empty if nothing was left out.
  package let remainders: [Remainder]

  /// Whether ``amount`` is not the whole of it.
  package var isPartial: Bool { amount == nil || !remainders.isEmpty }

  /// Adds up rows in the order of a ledger.
  ///
  /// - Complexity: O(rows).
  init(_ rows: some Collection<ConvertedTransaction>) {
    var total: ExactDecimal? = ExactDecimal(magnitude: 0, scale: Rounding.places, isNegative: false)
    var remainders: [Remainder] = []
    for row in rows {
      switch row.outcome {
      case .converted(let amount): total = total.flatMap { Self.sum($0, amount) }
      case .unconverted(let reason): Self.add(row.transaction, reason, to: &remainders)
      }
    }
    (transactionCount, amount) = (rows.count, total)
    self.remainders = remainders.sorted { ($0.currency, $0.reason) < ($1.currency, $1.reason) }
  }

  /// Converts and adds up the transactions of one product, in the order of a ledger.
  ///
  /// - Complexity: O(transactions).
  package init(_ transactions: some Collection<Transaction>, _ converter: CurrencyConverter) {
    self.init(transactions.lazy.map { ConvertedTransaction($0, converter) })
  }

  /// The sum of two amounts of two places; `nil` if it has no room for both places.
  private static func sum(_ total: ExactDecimal, _ amount: ExactDecimal) -> ExactDecimal? {
    guard let sum = try? total.adding(amount), sum.scale == Rounding.places else { return nil }
    return sum
  }

  private static func add(_ transaction: Transaction, _ reason: UnconvertedReason, to remainders: inout [Remainder]) {
    // A ledger's rows come by currency, so the entry is the last one, or the last but one if there are two reasons.
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
  /// How many amounts there are.
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

/// A transaction with its counterpart in the currency that was asked for.
package struct ConvertedTransaction: Hashable, Sendable {
  /// The transaction in its own currency.
  package let transaction: Transaction
  /// Its amount in the other currency, or why there is none.
  package let outcome: ConversionOutcome

  /// Converts a transaction.
  init(_ transaction: Transaction, _ converter: CurrencyConverter) {
    self.transaction = transaction
    outcome = converter.convert(transaction.amount, from: transaction.currency)
  }
}

/// A product's transactions, each in its own currency and converted, with their total.
package struct ProductStatement: Sendable {
  /// Whose transactions they are.
  package let product: ProductCode
  /// The rows in the order of the ledger.
  package let rows: [ConvertedTransaction]
  /// The sum of the rows.
  package let total: ProductTotal
  /// The way from each currency of the rows that can be converted, in the order of their codes.
  package let paths: [ConversionPath]

  /// Converts the transactions of `product`, which come in the order of a ledger.
  ///
  /// - Complexity: O(transactions), and the paths of their currencies.
  package init(
    _ product: ProductCode, _ transactions: some Collection<Transaction>, _ rates: RateTable, in currency: CurrencyCode,
    rounding: Rounding
  ) {
    let converter = CurrencyConverter(
      rates, from: transactions.lazy.map(\.currency), to: currency, rounding: rounding)
    self.product = product
    rows = transactions.map { ConvertedTransaction($0, converter) }
    total = ProductTotal(rows)
    paths = Set(transactions.lazy.map(\.currency)).sorted().compactMap { converter.path(from: $0) }
  }
}
