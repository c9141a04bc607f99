import Base

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

/// The given exchange rates, and for any two currencies the best way from one to the other.
///
///     let table = try RateTable(rates)
///     let path = try table.path(from: usd, to: cad)      // USD→EUR→CAD, or nil
///
/// It is a value that depends on the set of its records alone, never on their order: the same pair given twice with
/// different rates is one rate, the lowest. ("The last one wins" would let the total change when the source shuffles
/// its file.) Rates from a currency to itself say nothing and are left out.
package struct RateTable: Sendable {
  /// The currencies that have a rate, in the order of their codes.
  package let currencies: [CurrencyCode]
  /// The given rates, one for each pair, in the order of their codes.
  package let rates: [Rate]
  /// Where to go next on the best path between any two currencies.
  let routes: RouteTable

  /// The currencies of the largest table; ISO 4217 has about 180.
  ///
  /// It bounds the routes to half a megabyte and their computation to a second for any feed.
  package static let maximumCurrencies = 512

  /// No rates: every currency reaches itself alone.
  package static let empty = RateTable()

  private init() { (currencies, rates, routes) = ([], [], RouteTable(currencies: [], rates: [])) }

  /// Sorts the rates, settles pairs that were given more than once and finds all best paths.
  ///
  /// - Throws: ``MoneyError/tooManyCurrencies(_:)``.
  /// - Complexity: O(R log R + V³) for R rates of V currencies, where V² bounds the pairs of a dense table.
  package init(_ records: some Sequence<Rate>) throws(MoneyError) {
    try self.init(records) { RouteTable(currencies: $0, rates: $1) }
  }

  /// Restores a table from its ``rates`` and ``nextStops``, without searching.
  ///
  /// Stops that are damaged or hostile give wrong paths or none, along rates that exist; never a trap.
  ///
  /// - Throws: ``MoneyError/misfittingRoutes(expected:found:)`` or ``MoneyError/tooManyCurrencies(_:)``.
  /// - Complexity: O(R log R).
  package init(restoring rates: some Sequence<Rate>, nextStops: [UInt16]) throws(MoneyError) {
    try self.init(rates) { currencies, _ throws(MoneyError) in
      try RouteTable(count: currencies.count, next: nextStops)
    }
  }

  /// The routes as they are stored: for each pair of ``currencies``, row by row, the index of the next one on the way.
  package var nextStops: [UInt16] { routes.next }

  private init(
    _ records: some Sequence<Rate>, routes: ([CurrencyCode], [Rate]) throws(MoneyError) -> RouteTable
  ) throws(MoneyError) {
    let sorted = records.filter { $0.from != $0.to }.sorted(by: Rate.precedes)
    // The lowest of a pair comes first.
    rates = sorted.indices.filter { $0 == 0 || !sorted[$0].hasPair(of: sorted[$0 - 1]) }.map { sorted[$0] }
    currencies = Set(rates.flatMap { [$0.from, $0.to] }).sorted()
    guard currencies.count <= Self.maximumCurrencies else { throw .tooManyCurrencies(currencies.count) }
    self.routes = try routes(currencies, rates)
  }

  /// The given rate from one currency to another, without deriving any.
  ///
  /// - Complexity: O(log R).
  package func given(from: CurrencyCode, to: CurrencyCode) -> Rate? {
    let index = rates.partitionPoint { ($0.from, $0.to) < (from, to) }
    guard index < rates.count, rates[index].from == from, rates[index].to == to else { return nil }
    return rates[index]
  }

  /// The best path: fewest reversed rates, then fewest conversions, then the first by currency codes.
  ///
  /// A currency reaches itself by the empty path, whether or not it has a rate. `nil` if no chain of rates, reversed
  /// or not, leads from one to the other.
  ///
  /// - Throws: ``MoneyError/overflow`` if the rates on the path multiply to a number beyond every scale.
  /// - Complexity: O(conversions · log R); the search itself was done when the table was made.
  package func path(from: CurrencyCode, to: CurrencyCode) throws(MoneyError) -> ConversionPath? {
    guard from != to else { return try ConversionPath(from: from, to: to, steps: []) }
    guard let start = index(of: from), let end = index(of: to), let stops = routes.stops(from: start, to: end) else {
      return nil
    }
    var steps: [ConversionStep] = []
    for (left, right) in zip(stops, stops.dropFirst()) {
      guard let step = try step(from: currencies[left], to: currencies[right]) else { return nil }
      steps.append(step)
    }
    return try ConversionPath(from: from, to: to, steps: steps)
  }

  private func step(from: CurrencyCode, to: CurrencyCode) throws(MoneyError) -> ConversionStep? {
    if let rate = given(from: from, to: to) { return ConversionStep(along: rate) }
    guard let rate = given(from: to, to: from) else { return nil }
    return try ConversionStep(against: rate)
  }

  func index(of currency: CurrencyCode) -> Int? {
    let index = currencies.partitionPoint { $0 < currency }
    return index < currencies.count && currencies[index] == currency ? index : nil
  }
}

extension Rate {
  fileprivate func hasPair(of other: Rate) -> Bool { from == other.from && to == other.to }
}

extension RateTable {
  /// The work that one conversion may take before a server refuses it: steps times digits, about 200 rates in a row.
  ///
  /// Real tables reach every currency in a few steps, each of at most 38 digits. A chain of hundreds of rates is legal,
  /// but every path along it multiplies hundreds of numbers, and a list asks for hundreds of such paths.
  package static let maximumWork = 8_192

  /// What the path from one currency to another costs: for each step, the digits of the product of rates that it
  /// extends, at most 38, and for a reversed rate another 38, as its reciprocal is a division.
  ///
  /// Nothing is multiplied to find out. Without a path, and from a currency to itself, the work is 0.
  ///
  /// - Complexity: O(conversions · log R), and no more conversions than `maximum` needs to be exceeded.
  package func work(from: CurrencyCode, to: CurrencyCode, upTo maximum: Int = .max) -> Int {
    guard from != to, let start = index(of: from), let end = index(of: to) else { return 0 }
    guard let stops = routes.stops(from: start, to: end) else { return 0 }
    var work = ConversionWork()
    for (left, right) in zip(stops, stops.dropFirst()) {
      if let rate = given(from: currencies[left], to: currencies[right]) {
        work.add(rate, isReversed: false)
      } else if let rate = given(from: currencies[right], to: currencies[left]) {
        work.add(rate, isReversed: true)
      }
      if work.count > maximum { break }
    }
    return work.count
  }

  /// The work of a conversion that may be made.
  ///
  /// - Throws: ``MoneyError/tooExpensive(from:to:)`` if it is more than ``maximumWork``.
  /// - Complexity: as ``work(from:to:upTo:)``.
  package func affordableWork(from: CurrencyCode, to: CurrencyCode) throws(MoneyError) -> Int {
    let work = work(from: from, to: to, upTo: Self.maximumWork)
    guard work <= Self.maximumWork else { throw .tooExpensive(from: from, to: to) }
    return work
  }
}

/// The work of a path, counted step by step.
private struct ConversionWork {
  private(set) var count = 0
  private var numerator = 0
  private var denominator = 0

  mutating func add(_ rate: Rate, isReversed: Bool) {
    let digits = PowersOfTen.digits(rate.value.magnitude)
    if isReversed {
      denominator = min(denominator + digits, PowersOfTen.maximumDigits)
      count += denominator + PowersOfTen.maximumDigits
    } else {
      numerator = min(numerator + digits, PowersOfTen.maximumDigits)
      count += numerator
    }
  }
}
