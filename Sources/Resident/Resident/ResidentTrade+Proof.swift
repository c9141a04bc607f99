import Money

extension ResidentTrade {
  /// Entries that ``prove(_:)`` looks at: products and transactions side by side.
  package var proofSteps: Int { max(productCount, transactionCount) }

  /// Proves that the products and transactions at `steps` can be read.
  ///
  /// - Throws: ``ResidentError`` with the section and the first entry that cannot.
  /// - Complexity: O(k) in the steps, about 0.2 µs each.
  package func prove(_ steps: Range<Int>) throws(ResidentError) {
    for step in steps.clamped(to: 0..<productCount) { _ = try product(at: step) }
    for step in steps.clamped(to: 0..<transactionCount) {
      guard let record = TradeRecord(transactions, at: step), record.currency < currencies.count else {
        throw file.error(.contents("section \(FourBytes.transactions): record \(step) is no transaction"))
      }
    }
  }
}
