/// A given exchange rate: one unit of ``from`` is worth ``value`` units of ``to``.
package struct Rate: Hashable, Sendable {
  /// The currency to convert from.
  package let from: CurrencyCode
  /// The currency to convert to.
  package let to: CurrencyCode
  /// The value at its written scale, above zero; 1 if both currencies are the same.
  package let value: ExactDecimal

  /// Makes a rate.
  ///
  /// - Throws: ``MoneyError/rateNotPositive(from:to:_:)`` or ``MoneyError/rateToItself(_:_:)``.
  package init(from: CurrencyCode, to: CurrencyCode, value: ExactDecimal) throws(MoneyError) {
    guard !value.isNegative, !value.isZero else { throw .rateNotPositive(from: from, to: to, value) }
    guard from != to || value == .one else { throw .rateToItself(from, value) }
    (self.from, self.to, self.value) = (from, to, value)
  }

  /// The order of a table: by currencies, then by value, then by written scale, so that only equal rates tie.
  static func precedes(_ left: Rate, _ right: Rate) -> Bool {
    if left.from != right.from { return left.from < right.from }
    if left.to != right.to { return left.to < right.to }
    return left.value == right.value ? left.value.scale < right.value.scale : left.value < right.value
  }
}

/// The given exchange rates, and the best path between any two currencies.
///
///     let table = try RateTable(rates)
///     let path = try table.path(from: usd, to: cad)      // USD→EUR→CAD, or nil
///
/// It depends only on the set of its records, not on their order: of several rates for a pair, the lowest is used.
/// ("The last one wins" would change totals when the source is reordered.) Rates from a currency to itself are left
/// out.
package struct RateTable: Sendable {
  /// The currencies that have a rate, in the order of their codes.
  package let currencies: [CurrencyCode]
  /// The given rates, one for each pair, in the order of their codes.
  package let rates: [Rate]
  /// The best paths between any two currencies.
  let routes: RouteTable

  /// The most currencies of a table; ISO 4217 has about 180.
  ///
  /// Limits the routes to half a megabyte and their computation to a second for any feed.
  package static let maximumCurrencies = 512

  /// A table without rates, in which every currency reaches only itself.
  package static let empty = RateTable()

  private init() { (currencies, rates, routes) = ([], [], RouteTable(currencies: [], rates: [])) }

  /// Sorts the rates, keeps the lowest for each pair and finds all best paths.
  ///
  /// - Throws: ``MoneyError/tooManyCurrencies(_:)``.
  /// - Complexity: O(R log R + V³) for R rates of V currencies, where V² bounds the pairs of a dense table.
  package init(_ records: some Sequence<Rate>) throws(MoneyError) {
    try self.init(records) { RouteTable(currencies: $0, rates: $1) }
  }

  /// Restores a table from its ``rates`` and ``nextStops``, without searching.
  ///
  /// Damaged or hostile stops give wrong paths or none, but only along existing rates; never a trap.
  ///
  /// - Throws: ``MoneyError/misfittingRoutes(expected:found:)`` or ``MoneyError/tooManyCurrencies(_:)``.
  /// - Complexity: O(R log R).
  package init(restoring rates: some Sequence<Rate>, nextStops: [UInt16]) throws(MoneyError) {
    try self.init(rates) { currencies, _ throws(MoneyError) in
      try RouteTable(count: currencies.count, next: nextStops)
    }
  }

  /// The routes in stored form: for each pair of ``currencies``, row by row, the index of the next one on the path.
  package var nextStops: [UInt16] { routes.next }

  private init(
    _ records: some Sequence<Rate>, routes: ([CurrencyCode], [Rate]) throws(MoneyError) -> RouteTable
  ) throws(MoneyError) {
    rates = Self.lowest(of: records)
    currencies = Set(rates.flatMap { [$0.from, $0.to] }).sorted()
    guard currencies.count <= Self.maximumCurrencies else { throw .tooManyCurrencies(currencies.count) }
    self.routes = try routes(currencies, rates)
  }

  /// The lowest rate of each pair of different currencies, in the order of their codes.
  static func lowest(of records: some Sequence<Rate>) -> [Rate] {
    let sorted = records.filter { $0.from != $0.to }.sorted(by: Rate.precedes)
    // The lowest of a pair comes first.
    return sorted.indices.filter { $0 == 0 || !sorted[$0].hasPair(of: sorted[$0 - 1]) }.map { sorted[$0] }
  }

  /// The given rate from one currency to another; none is derived.
  ///
  /// - Complexity: O(log R).
  package func given(from: CurrencyCode, to: CurrencyCode) -> Rate? { rates.given(from: from, to: to) }

  /// The given rates along the best path, each in its direction or reversed; `nil` if there is none.
  ///
  /// - Complexity: O(conversions · log R).
  func legs(from: CurrencyCode, to: CurrencyCode) -> [(rate: Rate, isReversed: Bool)]? {
    guard let start = index(of: from), let end = index(of: to), let stops = routes.stops(from: start, to: end) else {
      return nil
    }
    var legs: [(rate: Rate, isReversed: Bool)] = []
    for (left, right) in zip(stops, stops.dropFirst()).map({ (currencies[$0], currencies[$1]) }) {
      // Stored stops may be damaged.
      guard let rate = given(from: left, to: right) ?? given(from: right, to: left) else { return nil }
      legs.append((rate, isReversed: rate.from != left))
    }
    return legs
  }

  /// The best path: fewest reversed rates, then fewest conversions, then the first by currency codes.
  ///
  /// The path from a currency to itself is empty, whether or not it has a rate. `nil` if no chain of rates, reversed or
  /// not, connects the two.
  ///
  /// - Throws: ``MoneyError/overflow`` if the product of the rates on the path exceeds every scale.
  /// - Complexity: O(conversions · log R); the search was done when the table was built.
  package func path(from: CurrencyCode, to: CurrencyCode) throws(MoneyError) -> ConversionPath? {
    guard from != to else { return try ConversionPath(from: from, to: to, steps: []) }
    let steps = try legs(from: from, to: to)?.map { (rate, isReversed) throws(MoneyError) in
      isReversed ? try ConversionStep(against: rate) : ConversionStep(along: rate)
    }
    return try steps.map { (steps) throws(MoneyError) in try ConversionPath(from: from, to: to, steps: steps) }
  }

  func index(of currency: CurrencyCode) -> Int? {
    let index = currencies.partitionPoint { $0 < currency }
    return index < currencies.count && currencies[index] == currency ? index : nil
  }
}

extension Rate {
  fileprivate func hasPair(of other: Rate) -> Bool { from == other.from && to == other.to }
}

extension [Rate] {
  /// The rate of a pair, in a list in the order of the codes.
  func given(from: CurrencyCode, to: CurrencyCode) -> Rate? {
    let index = partitionPoint { ($0.from, $0.to) < (from, to) }
    guard index < count, self[index].from == from, self[index].to == to else { return nil }
    return self[index]
  }
}

extension RateTable {
  /// The work that one conversion may take before a server refuses it: steps times digits, about 200 rates in a row.
  ///
  /// Real tables reach every currency in a few steps, each of at most 38 digits. A chain of hundreds of rates is legal,
  /// but every path along it multiplies hundreds of numbers, and a list needs hundreds of such paths.
  package static let maximumWork = 8_192

  /// The cost of the path from one currency to another: for each step, the digits of the product of rates that it
  /// extends, at most 38, and another 38 for a reversed rate, whose reciprocal is a division.
  ///
  /// Computed without multiplying. Without a path, and from a currency to itself, the work is 0.
  ///
  /// - Complexity: O(conversions · log R), up to the conversion that exceeds `maximum`.
  package func work(from: CurrencyCode, to: CurrencyCode, upTo maximum: Int = .max) -> Int {
    var (work, numerator, denominator) = (0, 0, 0)
    for (rate, isReversed) in legs(from: from, to: to) ?? [] where work <= maximum {
      let digits = PowersOfTen.digits(rate.value.magnitude)
      if isReversed {
        denominator = min(denominator + digits, PowersOfTen.maximumDigits)
        work += denominator + PowersOfTen.maximumDigits
      } else {
        numerator = min(numerator + digits, PowersOfTen.maximumDigits)
        work += numerator
      }
    }
    return work
  }

  /// The work of a conversion, if it is affordable.
  ///
  /// - Throws: ``MoneyError/tooExpensive(from:to:)`` if it is more than ``maximumWork``.
  /// - Complexity: as ``work(from:to:upTo:)``.
  package func affordableWork(from: CurrencyCode, to: CurrencyCode) throws(MoneyError) -> Int {
    let work = work(from: from, to: to, upTo: Self.maximumWork)
    guard work <= Self.maximumWork else { throw .tooExpensive(from: from, to: to) }
    return work
  }
}
