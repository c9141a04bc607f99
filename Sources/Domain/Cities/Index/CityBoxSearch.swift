package import Geodesy

/// A resumable search for the cities in a box, largest first; reused between queries.
package struct CityBoxSearch {
  private var search = BoxSearch()
  /// The largest key that qualifies.
  private var last = UInt64.max

  /// Creates a search without results.
  package init() {}

  /// The ranks of the cities found, largest first, equal ones by key; cities of unknown population last.
  package var ranks: [Int] { search.items }
  /// The number of tree nodes visited.
  package var visited: Int { search.visited }

  /// Starts a search for the first `limit` cities in `box` with at least `minimum` inhabitants; a minimum of 0 includes
  /// cities of unknown population.
  package mutating func begin(_ box: GeoBox, limit: Int, minimum: UInt64, _ index: CityIndex) {
    let stored = min(minimum, CityRule.maximumPopulation) + (minimum > CityRule.maximumPopulation ? 2 : 1)
    last = minimum == 0 ? .max : CityIndex.populationKey(stored: stored, .max)
    search.begin(box, limit: limit, index.pointTree) { index.populationKey(at: $0) }
  }

  /// Visits up to about `steps` more nodes of the tree.
  ///
  /// - Returns: whether the search is finished.
  /// - Complexity: O(steps log n).
  package mutating func advance(steps: Int, _ index: CityIndex) -> Bool {
    search.advance(
      steps: steps, last: last, index.pointTree, key: { index.populationKey(at: $0) }, point: { index.point(at: $0) })
  }
}

extension CityIndex {
  /// The sort key of `populationRanks` for the city at `rank`: fewer inhabitants in the upper 32 bits, the rank in the
  /// lower.
  @inline(__always)
  func populationKey(at rank: Int) -> UInt64 {
    Self.populationKey(stored: UInt64(populations[rank]), UInt32(truncatingIfNeeded: rank))
  }

  /// The same for inhabitants + 1, or 0 if unknown.
  @inline(__always)
  static func populationKey(stored: UInt64, _ rank: UInt32) -> UInt64 {
    UInt64(UInt32.max - UInt32(truncatingIfNeeded: stored)) << 32 | UInt64(rank)
  }
}
