/// Converts amounts of any currency into one, and remembers the paths that it has found.
///
/// A path is looked up when its currency is first met; from then on a conversion costs O(1). So a question pays for the
/// currencies that occur in it, one at a time, and can stop between any two conversions.
package struct CurrencyConverter: Sendable {
  /// The currency that everything is converted into.
  package let target: CurrencyCode
  /// When amounts are rounded.
  package let rounding: Rounding
  private let table: RateTable
  private var ways: [Way] = []
  private var indexes: [CurrencyCode: Int] = [:]
  /// The currency that was converted last: rows of one currency mostly come together.
  private var recent: (currency: CurrencyCode, index: Int)?

  /// How a currency gets to the target, or why it does not.
  private enum Way {
    case path(ConversionPath)
    case none(UnconvertedReason)
  }

  /// Makes a converter without known paths.
  package init(_ table: RateTable, to target: CurrencyCode, rounding: Rounding = .once) {
    (self.table, self.target, self.rounding) = (table, target, rounding)
  }

  /// Refuses a currency whose path takes more than ``RateTable/maximumWork``; a server checks before it converts.
  ///
  /// - Returns: the work of finding the path now: 0 for a currency that was converted before.
  /// - Throws: ``MoneyError/tooExpensive(from:to:)``.
  /// - Complexity: O(1) for a currency that was converted before, O(conversions · log R) otherwise.
  package func checkWork(from currency: CurrencyCode) throws(MoneyError) -> Int {
    guard currency != recent?.currency, indexes[currency] == nil else { return 0 }
    return try table.affordableWork(from: currency, to: target)
  }

  /// The path from `currency`; `nil` if the target cannot be reached from it.
  ///
  /// - Complexity: O(conversions · log R) the first time, then O(1).
  package mutating func path(from currency: CurrencyCode) -> ConversionPath? {
    if case .path(let path) = ways[index(of: currency)] { path } else { nil }
  }

  /// The paths that were found so far, in the order of their currencies' codes.
  package var paths: [ConversionPath] {
    ways.compactMap { if case .path(let path) = $0 { path } else { nil } }.sorted { $0.from < $1.from }
  }

  /// `amount` of `currency` in ``target``, or the reason why there is none.
  ///
  /// - Complexity: as ``path(from:)``, and O(steps) when every step is rounded.
  package mutating func convert(_ amount: ExactDecimal, from currency: CurrencyCode) -> ConversionOutcome {
    switch ways[index(of: currency)] {
    case .none(let reason): return .unconverted(reason)
    case .path(let path):
      do {
        return .converted(try path.convert(amount, rounding: rounding))
      } catch {
        return .unconverted(.tooLarge)
      }
    }
  }

  /// Where the way from `currency` is in ``ways``.
  private mutating func index(of currency: CurrencyCode) -> Int {
    if let recent, recent.currency == currency { return recent.index }
    let index = indexes[currency] ?? add(currency)
    recent = (currency, index)
    return index
  }

  private mutating func add(_ currency: CurrencyCode) -> Int {
    do {
      ways.append(try table.path(from: currency, to: target).map { .path($0) } ?? .none(.unreachable))
    } catch {
      ways.append(.none(.tooLarge))
    }
    indexes[currency] = ways.count - 1
    return ways.count - 1
  }
}

/// An amount in the currency that was requested, or why there is none.
package enum ConversionOutcome: Hashable, Sendable {
  /// The amount, with two places.
  case converted(ExactDecimal)
  /// No amount.
  case unconverted(UnconvertedReason)
}

/// Why an amount has no counterpart in another currency.
package enum UnconvertedReason: String, Comparable, Sendable {
  /// No chain of rates leads there.
  case unreachable
  /// The result, or the rate on the way to it, is beyond what 38 digits and a scale hold.
  case tooLarge

  /// The order in which remainders are listed.
  package static func < (left: UnconvertedReason, right: UnconvertedReason) -> Bool { left.rawValue < right.rawValue }
}
