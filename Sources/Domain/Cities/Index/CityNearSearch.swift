package import Coroutines
package import Geodesy

/// The order of cities near a place.
public enum NearRule: Sendable {
  /// Nearest first.
  case nearest
  /// Nearest first, of those with at least `least` inhabitants.
  case populated(least: UInt64)
  /// The main city of the place first: larger cities weigh more; see ``CityWeight``.
  ///
  /// Within 100 km, cities of `country` come before others. Cities farther away follow, nearest first. `country` is the
  /// code's two capital letters, the first in the upper byte, or 0 for none.
  case place(country: UInt16)
}

/// The weight of a city in the rule ``NearRule/place(country:)``.
///
/// Decision 37 (`contrib/docs/decisions`) lists the places by which the numbers were chosen.
package enum CityWeight {
  /// The reach of a village is 3 km, of a city of a million 11 km, and none is longer than 12 km.
  ///
  /// Large neighbours of a metropolis are cities of their own; so is a city of 50,000 within a kilometre of its centre.
  package static let rule = WeightRule(
    reach: 2_500, reachPerWeight: 50 / scale, mostReach: 12_000, core: 1_000, coreWeight: of(50_000), radius: 100_000)
  /// The population assumed if it is unknown: the smallest in lists of cities.
  private static let unknown: UInt64 = 500
  /// Weights are stored as multiples of 1 / `scale`.
  private static let scale = 1_024.0

  /// The weight of a city with `population` inhabitants: population to the power of 3/8.
  ///
  /// Square roots are exact to the last digit on every processor (IEEE 754), so the same list gives the same bytes.
  package static func of(_ population: UInt64?) -> UInt32 {
    let inhabitants = Double(min(max(population ?? unknown, 1), CityRule.maximumPopulation))
    let root = inhabitants.squareRoot().squareRoot()
    return UInt32((root * root.squareRoot() * scale).rounded())
  }
}

/// A resumable search for the cities near a place.
package enum CityNearSearch {
  /// By ``NearRule/nearest``.
  case nearest(PointSearch)
  /// By ``NearRule/populated(least:)``, in an index.
  case populated(PointSearch, CityIndex, least: UInt64)
  /// By ``NearRule/place(country:)``, in an index; the range is the country's part of the list of countries' cities.
  case place(WeightedSearch, CityIndex, Range<Int>)

  /// The place.
  package var origin: GeoPoint {
    switch self {
    case .nearest(let search), .populated(let search, _, _): search.origin
    case .place(let search, _, _): search.origin
    }
  }

  /// Discards earlier results; finds at most `limit` cities, at most `radius` whole metres away.
  package func begin(limit: Int, radius: Double, into neighbours: inout Neighbours) {
    switch self {
    case .nearest(let search), .populated(let search, _, _):
      search.begin(limit: limit, radius: radius, into: &neighbours)
    case .place(let search, _, _): search.begin(limit: limit, radius: radius, into: &neighbours)
    }
  }

  /// Searches to the end, in slices.
  ///
  /// - Throws: ``Stopped``.
  package func finish(into neighbours: inout Neighbours, _ budget: Budget) async throws(Stopped) {
    var isFinished = false
    while !isFinished {
      let before = neighbours.work
      isFinished = advance(leaves: Self.leaves, into: &neighbours)
      try await budget.check((neighbours.work - before) * Self.steps)
    }
  }

  /// Leaves between two checks of the budget, and the steps of each.
  private static let (leaves, steps) = (16, 16)

  /// Does the work of about `leaves` more leaves of the tree.
  ///
  /// - Returns: whether the search is finished and the neighbours, whose items are ranks, are in order.
  /// - Complexity: O(leaves log n).
  @inline(__always)
  package func advance(leaves: Int, into neighbours: inout Neighbours) -> Bool {
    switch self {
    case .nearest(let search): search.advance(leaves: leaves, into: &neighbours)
    case .populated(let search, let index, let least):
      search.advance(leaves: leaves, into: &neighbours) { index.people($0) >= least }
    case .place(let search, let index, let list):
      search.advance(leaves: leaves, into: &neighbours) {
        CityWeight.of(index.population(at: $0))
      } isPreferred: { rank in
        list.isEmpty || index.isListed(rank, in: list)
      }
    }
  }
}

extension CityIndex {
  /// Prefetches the rows of up to `count` cities near a place at once: otherwise writing each row would wait for memory
  /// in turn.
  @inline(__always)
  package func prefetch(_ neighbours: borrowing Neighbours, count: Int) {
    for position in 0..<min(count, neighbours.count) { prefetchRow(neighbours[position].item) }
  }

  /// The axes of the index's tree, for ``nearestCities(_:)``.
  ///
  /// - Complexity: O(n), and O(1) for large lists; a tenth of a millisecond at most.
  package var treeAxes: TreeAxes { TreeAxes(pointTree) }

  /// The country's part of the list of countries' cities, by the letters of its code.
  private func cities(of country: UInt16) -> Range<Int> {
    // Codes are folded to lower case.
    withUnsafeBytes(of: (country | 0x2020).bigEndian) { country == 0 ? 0..<0 : countries.list(of: $0) }
  }

  @inline(__always)
  fileprivate func isListed(_ rank: Int, in list: Range<Int>) -> Bool {
    let place = partitionPoint(list) { countries.ranks[$0] < rank }
    return place < list.upperBound && countries.ranks[place] == rank
  }

  /// Whether the city at `rank` is in a country, by the letters of its code.
  ///
  /// - Complexity: O(log n).
  package func isCity(_ rank: Int, in country: UInt16) -> Bool { isListed(rank, in: cities(of: country)) }

  /// A search for the nearest city of several places at once; items are ranks, and `axes` belong to this index.
  package func nearestCities(_ axes: TreeAxes) -> NearestItems {
    NearestItems(pointTree, points: coordinates, axes: axes)
  }

  /// A resumable search for the cities near one place.
  @inline(__always)
  package func nearSearch(_ place: GeoPoint, _ rule: NearRule = .nearest) -> CityNearSearch {
    switch rule {
    case .nearest: .nearest(PointSearch(pointTree, to: place, points: coordinates))
    case .populated(let least):
      .populated(PointSearch(pointTree, to: place, points: coordinates), self, least: least)
    case .place(let country):
      .place(
        WeightedSearch(pointTree, around: place, by: CityWeight.rule, points: coordinates), self, cities(of: country))
    }
  }
}
