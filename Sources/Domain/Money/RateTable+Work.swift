extension RateTable {
  /// The work that one conversion may take before a server refuses it: steps times digits, about 200 rates in a row.
  ///
  /// Real tables reach every currency in a few steps, each of at most 38 digits. A chain of hundreds of rates is legal,
  /// but every path along it multiplies hundreds of numbers, and a list asks for hundreds of such paths.
  package static let maximumWork = 8_192

  /// What the path from one currency to another costs: for each step, the digits of the product of rates that it extends,
  /// at most 38, and for a reversed rate another 38, as its reciprocal is a division.
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
