import Money

/// What makes one path better than another, spelled out: reversed rates, conversions, then the codes.
struct PlainPath: Comparable {
  var reversed = 0
  var stops: [CurrencyCode]
  var way: String

  static func < (left: PlainPath, right: PlainPath) -> Bool {
    if left.reversed != right.reversed { return left.reversed < right.reversed }
    if left.stops.count != right.stops.count { return left.stops.count < right.stops.count }
    return left.stops.lexicographicallyPrecedes(right.stops)
  }

  func extended(to stop: CurrencyCode, isReversed: Bool) -> PlainPath {
    PlainPath(
      reversed: reversed + (isReversed ? 1 : 0), stops: stops + [stop],
      way: "\(way)\(isReversed ? "<" : ">")\(stop)")
  }
}

/// Two plain references for the choice of paths.
struct PlainPaths {
  private var ways: [CurrencyCode: [(to: CurrencyCode, isReversed: Bool)]] = [:]

  init(_ rates: [Rate]) {
    for rate in rates {
      ways[rate.from, default: []].append((rate.to, false))
      ways[rate.to, default: []].append((rate.from, true))
    }
  }

  /// The best of all simple paths, each of them walked; for small graphs.
  func bestByEnumeration(from: CurrencyCode, to: CurrencyCode) -> PlainPath? {
    simplePaths(PlainPath(stops: [from], way: "\(from)"), to).min()
  }

  private func simplePaths(_ path: PlainPath, _ target: CurrencyCode) -> [PlainPath] {
    guard let last = path.stops.last, last != target else { return [path] }
    return (ways[last] ?? []).filter { !path.stops.contains($0.to) }
      .flatMap { simplePaths(path.extended(to: $0.to, isReversed: $0.isReversed), target) }
  }

  /// The best paths from a currency, by improving whole paths until none improves (Bellman and Ford's way).
  func bestByImprovement(from: CurrencyCode) -> [CurrencyCode: PlainPath] {
    var best = [from: PlainPath(stops: [from], way: "\(from)")]
    var changed = [from]
    while !changed.isEmpty {
      var next: Set<CurrencyCode> = []
      for (stop, path) in changed.compactMap({ stop in best[stop].map { (stop, $0) } }) {
        for way in ways[stop] ?? [] where !path.stops.contains(way.to) {
          let longer = path.extended(to: way.to, isReversed: way.isReversed)
          guard best[way.to].map({ longer < $0 }) ?? true else { continue }
          best[way.to] = longer
          next.insert(way.to)
        }
      }
      changed = Array(next)
    }
    return best
  }
}
