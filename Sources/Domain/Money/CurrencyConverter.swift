/// Converts amounts of any currency into one, and remembers the paths.
///
/// It is made once for a question (or once a generation, for the default currency) and then costs a conversion O(1).
package struct CurrencyConverter: Sendable {
  /// The currency that everything is converted into.
  package let target: CurrencyCode
  /// When amounts are rounded.
  package let rounding: Rounding
  private let paths: [CurrencyCode: ConversionPath]
  /// The currencies whose path multiplies to a rate beyond every scale.
  private let extremes: Set<CurrencyCode>

  /// Finds the path from each currency of `table`.
  ///
  /// - Complexity: O(V · conversions · log R).
  package init(_ table: RateTable, to target: CurrencyCode, rounding: Rounding = .once) {
    self.init(table, from: table.currencies, to: target, rounding: rounding)
  }

  /// Finds the path from each of `sources`: all that a product needs.
  ///
  /// - Complexity: O(sources · conversions · log R).
  package init(
    _ table: RateTable, from sources: some Sequence<CurrencyCode>, to target: CurrencyCode, rounding: Rounding = .once
  ) {
    (self.target, self.rounding) = (target, rounding)
    var paths: [CurrencyCode: ConversionPath] = [:]
    var extremes: Set<CurrencyCode> = []
    for source in [target] + Array(sources) where paths[source] == nil {
      do {
        paths[source] = try table.path(from: source, to: target)
      } catch {
        extremes.insert(source)
      }
    }
    (self.paths, self.extremes) = (paths, extremes)
  }

  /// The path from `currency`; `nil` if the target cannot be reached from it.
  package func path(from currency: CurrencyCode) -> ConversionPath? { paths[currency] }

  /// `amount` of `currency` in ``target``, or why there is none; never a guess.
  package func convert(_ amount: ExactDecimal, from currency: CurrencyCode) -> ConversionOutcome {
    guard let path = paths[currency] else {
      return .unconverted(extremes.contains(currency) ? .tooLarge : .unreachable)
    }
    do {
      return .converted(try path.convert(amount, rounding: rounding))
    } catch {
      return .unconverted(.tooLarge)
    }
  }
}

/// An amount in the currency that was asked for, or why there is none.
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
