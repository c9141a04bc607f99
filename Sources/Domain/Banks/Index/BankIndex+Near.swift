package import Geodesy

/// A search for the locations of a filter that are nearest to a place, which can stop and continue.
package struct BankNearSearch {
  private let index: BankIndex
  private let selection: BankIndex.Selection
  private let search: PointSearch

  fileprivate init(_ index: BankIndex, _ place: GeoPoint, _ selection: BankIndex.Selection) {
    (self.index, self.selection) = (index, selection)
    search = PointSearch(index.pointTree, to: place, points: index.coordinates)
  }

  /// The place.
  package var origin: GeoPoint { search.origin }

  /// Forgets what was found before; at most `limit` locations, at most `radius` whole metres away, will be found.
  package func begin(limit: Int, radius: Double, into neighbours: inout Neighbours) {
    search.begin(limit: limit, radius: radius, into: &neighbours)
  }

  /// Looks at up to `nodes` more locations.
  ///
  /// The nearest come first, equal distances by rank. Items of `neighbours` are ranks.
  ///
  /// - Returns: whether all that are wanted are found.
  /// - Complexity: O(nodes).
  package func advance(nodes: Int, into neighbours: inout Neighbours) -> Bool {
    search.advance(nodes: nodes, into: &neighbours) { [index, selection] rank in
      rank < index.count && selection.hasRegion(of: rank) && index.isSelected(rank, selection)
    }
  }
}

extension BankIndex {
  /// Starts a search around `place`.
  ///
  /// - Throws: ``BankFilterProblem`` for a country, region or bank that there is not.
  /// - Complexity: O(r) in the regions.
  package func nearSearch(
    _ place: GeoPoint, _ filter: BankFilter = BankFilter()
  ) throws(BankFilterProblem) -> BankNearSearch {
    BankNearSearch(self, place, try selection(filter))
  }

  /// Finds the `limit` locations of `filter` nearest to `place`, at most `radius` whole metres away.
  ///
  /// - Throws: ``BankFilterProblem`` for a country, region or bank that there is not.
  /// - Complexity: O(log n + k) on average for a limit of k, O(n) where few are selected.
  package func near(
    _ place: GeoPoint, limit: Int, radius: Double = .infinity, _ filter: BankFilter = BankFilter(),
    into neighbours: inout Neighbours
  ) throws(BankFilterProblem) {
    let search = try nearSearch(place, filter)
    search.begin(limit: limit, radius: radius, into: &neighbours)
    while !search.advance(nodes: .max, into: &neighbours) {}
  }
}
