/// For any two currencies, the next currency on the best path between them.
///
/// A path's cost is the pair (reversed rates, conversions). Every conversion has a cost, so a best path visits no
/// currency twice and its rest is also a best path: one search by Dijkstra's algorithm ("A note on two problems in
/// connexion with graphs", 1959) per target gives all costs. All best paths from a currency are equally long, so the
/// first by currency codes takes, at each stop, the smallest next currency with the right remaining cost.
struct RouteTable: Sendable {
  /// The number of currencies.
  let count: Int
  /// At `from` · ``count`` + `to`: the index of the next stop, or ``none``.
  let next: [UInt16]

  /// Marks a target that cannot be reached.
  static let none = UInt16.max

  /// Runs one search per target.
  ///
  /// `currencies` must ascend and be those of `rates`, at most ``RateTable/maximumCurrencies``.
  ///
  /// - Complexity: O(V³) for V currencies at worst, by the dense form of the search, which needs no heap and is faster
  ///   for full tables; O(V²) for a chain.
  init(currencies: [CurrencyCode], rates: [Rate]) {
    count = currencies.count
    let arrivals = Self.arrivals(currencies, rates)
    var next = [UInt16](repeating: Self.none, count: count * count)
    for target in 0..<count {
      for (from, stop) in Self.nextStops(to: target, arrivals).enumerated() { next[from * count + target] = stop }
    }
    self.next = next
  }

  /// Restores the stops of an earlier table.
  ///
  /// - Throws: ``MoneyError/misfittingRoutes(expected:found:)``.
  init(count: Int, next: [UInt16]) throws(MoneyError) {
    guard next.count == count * count else { throw .misfittingRoutes(expected: count * count, found: next.count) }
    (self.count, self.next) = (count, next)
  }

  /// The first stops of the best paths to `target`, by currency: settles all currencies, cheapest first (Dijkstra).
  private static func nextStops(to target: Int, _ arrivals: [[Arrival]]) -> [UInt16] {
    var next = [UInt16](repeating: none, count: arrivals.count)
    var cost = [UInt32](repeating: RouteCost.unreachable, count: arrivals.count)
    // The currencies that are reached but not settled, unsorted.
    var open = [target]
    cost[target] = 0
    while let cheapest = open.indices.min(by: { cost[open[$0]] < cost[open[$1]] }) {
      open.swapAt(cheapest, open.count - 1)
      let stop = open.removeLast()
      for arrival in arrivals[stop] {
        let (candidate, known) = (cost[stop] + arrival.cost, cost[arrival.from])
        if known == RouteCost.unreachable { open.append(arrival.from) }
        // Every stop of equal cost is settled before this currency, so the smallest of them is found in time.
        guard candidate < known || candidate == known && stop < next[arrival.from] else { continue }
        (cost[arrival.from], next[arrival.from]) = (candidate, UInt16(stop))
      }
    }
    return next
  }

  /// For each currency, the conversions that end in it.
  private static func arrivals(_ currencies: [CurrencyCode], _ rates: [Rate]) -> [[Arrival]] {
    let indexes = Dictionary(uniqueKeysWithValues: zip(currencies, currencies.indices))
    let pairs = rates.compactMap { rate in indexes[rate.from].flatMap { from in indexes[rate.to].map { (from, $0) } } }
    var arrivals = [[Arrival]](repeating: [], count: currencies.count)
    // A reversed rate never beats a given one for the same conversion, so it may stay in the list.
    for (from, to) in pairs {
      arrivals[to].append(Arrival(from: from, cost: RouteCost.conversion))
      arrivals[from].append(Arrival(from: to, cost: RouteCost.reversal))
    }
    return arrivals
  }

  /// The stops from one currency to another, both included; `nil` if there is no path.
  ///
  /// - Complexity: O(stops).
  func stops(from: Int, to: Int) -> [Int]? {
    var stops = [from]
    while let last = stops.last, last != to {
      let following = Int(next[last * count + to])
      // Stored stops may be damaged: stay within the table, and end cycles.
      guard following < count, stops.count < count else { return nil }
      stops.append(following)
    }
    return stops
  }
}

/// A conversion that ends in a known currency.
struct Arrival {
  /// The index of the currency it starts from.
  let from: Int
  /// Its cost.
  let cost: UInt32
}

/// The pair (reversed rates, conversions) in one integer, so that costs add and compare as such.
enum RouteCost {
  /// The cost of a given rate; a path has fewer than 2¹⁶ conversions, so they never carry into the reversals.
  static let conversion: UInt32 = 1
  /// The cost of a reversed rate.
  static let reversal: UInt32 = 1 << 16 | 1
  /// More than any path costs.
  static let unreachable = UInt32.max
}
