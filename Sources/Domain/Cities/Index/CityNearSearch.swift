internal import Base
package import Geodesy

/// By which rule cities are near a place.
public enum NearRule: Sendable {
  /// The nearest come first.
  case nearest
  /// The city that a place belongs to comes first: larger cities count more; see ``CityWeight``.
  ///
  /// Up to 100 km away, cities of the place's `country` come before others; it has the two capital letters of the code,
  /// the first one in the upper byte, or is 0 if there is none. Cities farther away follow, the nearest first.
  case place(country: UInt16)
}

/// The weight of a city in the rule ``NearRule/place(country:)``.
///
/// Decision 37 (`contrib/docs/decisions`) has the places that the numbers were chosen by.
package enum CityWeight {
  /// A village reaches 3 km, a city of a million 11, one of ten millions 24.
  package static let rule = WeightRule(reach: 2_500, reachPerWeight: 50 / scale, radius: 100_000)
  /// The population assumed for a city of unknown population: the smallest in lists of cities.
  private static let unknown: UInt64 = 500
  /// Weights are whole numbers of this fraction.
  private static let scale = 1_024.0

  /// The weight of a city with `population` inhabitants: these to the power of 3/8.
  ///
  /// Square roots are exact to the last digit on every processor (IEEE 754), so that the same list gives the same
  /// bytes.
  package static func of(_ population: UInt64?) -> UInt32 {
    let inhabitants = Double(min(max(population ?? unknown, 1), CityRule.maximumPopulation))
    let root = inhabitants.squareRoot().squareRoot()
    return UInt32((root * root.squareRoot() * scale).rounded())
  }
}

/// A search for the cities near a place that can stop and continue.
package enum CityNearSearch {
  /// By ``NearRule/nearest``.
  case nearest(PointSearch)
  /// By ``NearRule/place(country:)``, in an index, with the cities of the country in its list of countries' cities.
  case place(WeightedSearch, CityIndex, Range<Int>)

  /// The place.
  package var origin: GeoPoint {
    switch self {
    case .nearest(let search): search.origin
    case .place(let search, _, _): search.origin
    }
  }

  /// Forgets what was found before; at most `limit` cities, at most `radius` whole metres away, will be found.
  package func begin(limit: Int, radius: Double, into neighbours: inout Neighbours) {
    switch self {
    case .nearest(let search): search.begin(limit: limit, radius: radius, into: &neighbours)
    case .place(let search, _, _): search.begin(limit: limit, radius: radius, into: &neighbours)
    }
  }

  /// Looks into up to `leaves` more leaves of the tree.
  ///
  /// - Returns: whether the search is finished and the neighbours, whose items are ranks, are in order.
  /// - Complexity: O(leaves log n).
  @inline(__always)
  package func advance(leaves: Int, into neighbours: inout Neighbours) -> Bool {
    switch self {
    case .nearest(let search): search.advance(leaves: leaves, into: &neighbours)
    case .place(let search, let index, let list):
      search.advance(leaves: leaves, into: &neighbours) {
        CityWeight.of(index.population(at: $0))
      } isPreferred: { rank in
        guard !list.isEmpty else { return true }
        let place = partitionPoint(list) { index.countries.ranks[$0] < rank }
        return place < list.upperBound && index.countries.ranks[place] == rank
      }
    }
  }
}

extension CityIndex {
  /// Has the rows of up to `count` cities near a place loaded at once: each would wait for the one before when it is
  /// written.
  @inline(__always)
  package func prefetch(_ neighbours: borrowing Neighbours, count: Int) {
    for position in 0..<min(count, neighbours.count) { prefetchRow(neighbours[position].item) }
  }

  /// The axes of its tree, for ``nearestCities(_:)``.
  ///
  /// - Complexity: O(n), and O(1) for large lists; a tenth of a millisecond at most.
  package var treeAxes: TreeAxes { TreeAxes(pointTree) }

  /// Where the cities of a country are in the list of countries' cities, by the letters of its code.
  private func cities(of country: UInt16) -> Range<Int> {
    // Codes are folded to small letters.
    withUnsafeBytes(of: (country | 0x2020).bigEndian) { country == 0 ? 0..<0 : countries.list(of: $0) }
  }

  /// Searches for the nearest city of several places at once; items are ranks, and `axes` are those of this index.
  package func nearestCities(_ axes: TreeAxes) -> NearestItems {
    NearestItems(pointTree, points: coordinates, axes: axes)
  }

  /// The same search, which can stop and continue.
  @inline(__always)
  package func nearSearch(_ place: GeoPoint, _ rule: NearRule = .nearest) -> CityNearSearch {
    switch rule {
    case .nearest: .nearest(PointSearch(pointTree, to: place, points: coordinates))
    case .place(let country):
      .place(
        WeightedSearch(pointTree, around: place, by: CityWeight.rule, points: coordinates), self, cities(of: country))
    }
  }
}
