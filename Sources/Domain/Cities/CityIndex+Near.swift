public import Geodesy

extension CityIndex {
  /// Finds the `limit` cities nearest to `place`, at most `radius` whole metres away.
  ///
  /// The nearest come first, equal distances by key. Items of `neighbours` are ranks.
  ///
  /// - Complexity: O(log n + k) on average for a limit of k; ``Neighbours/visited`` tells.
  public func near(
    _ place: GeoPoint, limit: Int, radius: Double = .infinity, into neighbours: inout Neighbours
  ) {
    pointTree.nearest(
      to: place, limit: limit, radius: radius, points: coordinates, into: &neighbours)
  }

  /// The same search, which can stop and continue.
  package func nearSearch(_ place: GeoPoint) -> PointSearch { PointSearch(pointTree, to: place, points: coordinates) }
}
