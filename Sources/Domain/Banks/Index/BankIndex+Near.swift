package import Geodesy

extension BankIndex {
  /// Finds the `limit` locations of `filter` nearest to `place`, at most `radius` whole metres away.
  ///
  /// The nearest come first, equal distances by rank. Items of `neighbours` are ranks.
  ///
  /// - Throws: ``BankFilterProblem`` for a country, region or bank that there is not.
  /// - Complexity: O(log n + k) on average for a limit of k, O(n) where few are selected.
  package func near(
    _ place: GeoPoint, limit: Int, radius: Double = .infinity, _ filter: BankFilter = BankFilter(),
    into neighbours: inout Neighbours
  ) throws(BankFilterProblem) {
    let selection = try selection(filter)
    let isInRegion = membership(selection)
    pointTree.nearest(to: place, limit: limit, radius: radius, points: coordinates, into: &neighbours) {
      $0 < count && isInRegion($0) && isSelected($0, selection)
    }
  }
}
