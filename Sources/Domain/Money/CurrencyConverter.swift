/// Converts amounts of any currency into one, caching the paths.
///
/// A path is computed for the first amount of a currency; later conversions are O(1). So a query pays only for its own
/// currencies, one at a time, and can stop between conversions.
package struct CurrencyConverter: Sendable {
  /// The target currency.
  package let target: CurrencyCode
  /// When amounts are rounded.
  package let rounding: Rounding
  /// The decimal places of all amounts.
  package let places: Int
  private let table: RateTable
  private let leftOut: LeftOutRates
  private var ways: [Way] = []
  private var indexes: [CurrencyCode: Int] = [:]
  /// The last currency: rows of one currency usually come together.
  private var recent: (currency: CurrencyCode, index: Int)?

  /// The path from a currency to the target, or why there is none, and the left-out rates that it would have used.
  private struct Way {
    var path: ConversionPath?
    var reason = UnconvertedReason.unreachable
    let leftOut: [Rate]
  }

  /// Makes a converter with an empty cache.
  package init(
    _ table: RateTable, leftOut: LeftOutRates = .none, to target: CurrencyCode, rounding: Rounding = .once
  ) {
    (self.table, self.leftOut, self.target, self.rounding) = (table, leftOut, target, rounding)
    places = rounding.places(target.decimals)
  }

  /// Refuses a currency whose path exceeds ``RateTable/maximumWork``; a server checks this before converting.
  ///
  /// - Returns: the work of computing the path: 0 if it is cached.
  /// - Throws: ``MoneyError/tooExpensive(from:to:)``.
  /// - Complexity: O(1) if the path is cached, O(conversions · log R) otherwise.
  package func checkWork(from currency: CurrencyCode) throws(MoneyError) -> Int {
    guard currency != recent?.currency, indexes[currency] == nil else { return 0 }
    return leftOut.work + (try table.affordableWork(from: currency, to: target))
  }

  /// The path from `currency`; `nil` if the target is unreachable.
  ///
  /// - Complexity: O(conversions · log R) the first time, then O(1).
  package mutating func path(from currency: CurrencyCode) -> ConversionPath? {
    ways[index(of: currency)].path
  }

  /// The rates that could not be read, and that the path from `currency` would have used.
  ///
  /// - Complexity: as ``path(from:)``.
  package mutating func leftOutRates(from currency: CurrencyCode) -> [Rate] { ways[index(of: currency)].leftOut }

  /// The paths found so far, sorted by their currencies' codes.
  package var paths: [ConversionPath] {
    ways.compactMap(\.path).sorted { $0.from < $1.from }
  }

  /// `amount` of `currency` in ``target``, or the reason why there is none.
  ///
  /// - Complexity: as ``path(from:)``, and O(steps) when every step is rounded.
  package mutating func convert(_ amount: ExactDecimal, from currency: CurrencyCode) -> ConversionOutcome {
    let way = ways[index(of: currency)]
    guard let path = way.path else { return .unconverted(way.reason) }
    do { return .converted(try path.convert(amount, rounding: rounding)) } catch { return .unconverted(.tooLarge) }
  }

  /// The index of `currency` in ``ways``.
  private mutating func index(of currency: CurrencyCode) -> Int {
    if let recent, recent.currency == currency { return recent.index }
    let index = indexes[currency] ?? add(currency)
    recent = (currency, index)
    return index
  }

  private mutating func add(_ currency: CurrencyCode) -> Int {
    var way = Way(leftOut: leftOut.used(from: currency, to: target))
    do { way.path = try table.path(from: currency, to: target) } catch { way.reason = .tooLarge }
    ways.append(way)
    indexes[currency] = ways.count - 1
    return ways.count - 1
  }
}

/// An amount in the currency that was requested, or why there is none.
package enum ConversionOutcome: Hashable, Sendable {
  /// The amount, with the places of the converter.
  case converted(ExactDecimal)
  /// No amount.
  case unconverted(UnconvertedReason)
}

/// Why an amount has no counterpart in another currency; the raw values are the words of replies.
package enum UnconvertedReason: String, Comparable, Sendable {
  /// No chain of rates connects the currencies.
  case unreachable
  /// The result, or the rate of the path, does not fit 38 digits and a scale.
  case tooLarge = "overflow"

  /// The order in which remainders are listed.
  package static func < (left: UnconvertedReason, right: UnconvertedReason) -> Bool { left.rawValue < right.rawValue }
}
