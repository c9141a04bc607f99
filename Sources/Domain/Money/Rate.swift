/// A given exchange rate: one unit of ``from`` is worth ``value`` units of ``to``.
package struct Rate: Hashable, Sendable {
  /// The currency that is given away.
  package let from: CurrencyCode
  /// The currency that is got for it.
  package let to: CurrencyCode
  /// Above zero, at its written scale; 1 if both currencies are the same.
  package let value: ExactDecimal

  /// Makes a rate.
  ///
  /// - Throws: ``MoneyError/rateNotPositive(from:to:_:)`` or ``MoneyError/rateToItself(_:_:)``.
  package init(from: CurrencyCode, to: CurrencyCode, value: ExactDecimal) throws(MoneyError) {
    guard !value.isNegative, !value.isZero else { throw .rateNotPositive(from: from, to: to, value) }
    guard from != to || value == .one else { throw .rateToItself(from, value) }
    (self.from, self.to, self.value) = (from, to, value)
  }

  /// The order of a table: by currencies, then by value, then by written scale, so that no two rates differ and tie.
  static func precedes(_ left: Rate, _ right: Rate) -> Bool {
    if left.from != right.from { return left.from < right.from }
    if left.to != right.to { return left.to < right.to }
    return left.value == right.value ? left.value.scale < right.value.scale : left.value < right.value
  }
}
