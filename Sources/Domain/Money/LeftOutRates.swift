/// The rates of a source that could not be read although their currencies could.
///
/// The best path between two currencies depends on the pairs that have a rate, not on the values. So it is known which
/// conversions such a rate would have been part of: those whose best path among all pairs includes it. A conversion by
/// another path, or by another rate of that pair, may be wrong then.
package struct LeftOutRates: Sendable {
  /// The most rates that are named for one conversion or total.
  static let maximumNamed = 16

  /// The pairs, each once, in the order of their codes; as rates of 1, because their values are unknown.
  package let pairs: [Rate]
  /// The given rates and ``pairs``.
  private let all: RateTable

  /// None.
  package static let none = LeftOutRates()

  private init() { (pairs, all) = ([], .empty) }

  /// The `pairs` that are left out beside the rates of `table`.
  ///
  /// - Throws: ``MoneyError/tooManyCurrencies(_:)``.
  /// - Complexity: as ``RateTable/init(_:)``; O(1) if there are none.
  package init(_ pairs: [Rate], beside table: RateTable) throws(MoneyError) {
    self.pairs = RateTable.lowest(of: pairs)
    all = pairs.isEmpty ? .empty : try RateTable(table.rates + pairs)
  }

  /// Restores them from the ``nextStops`` of all pairs, without searching.
  ///
  /// - Throws: as ``RateTable/init(restoring:nextStops:)``.
  package init(restoring pairs: [Rate], beside table: RateTable, nextStops: [UInt16]) throws(MoneyError) {
    self.pairs = pairs
    all = try RateTable(restoring: pairs.isEmpty ? [] : table.rates + pairs, nextStops: nextStops)
  }

  /// The routes in stored form, as ``RateTable/nextStops``.
  package var nextStops: [UInt16] { all.nextStops }

  /// The steps of a budget for ``used(from:to:)``.
  package var work: Int { pairs.isEmpty ? 0 : all.currencies.count }

  /// The left-out rates that the conversion from one currency to another would have used, in their order on the path;
  /// at most ``maximumNamed``.
  ///
  /// - Complexity: O(conversions · log R); O(1) if there are none.
  package func used(from: CurrencyCode, to: CurrencyCode) -> [Rate] {
    guard !pairs.isEmpty, let legs = all.legs(from: from, to: to) else { return [] }
    let used = legs.lazy.compactMap { pairs.given(from: $0.rate.from, to: $0.rate.to) }
    return Array(used.prefix(Self.maximumNamed))
  }
}
