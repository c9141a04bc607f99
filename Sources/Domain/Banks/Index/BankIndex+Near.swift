package import Coroutines
package import Geodesy

/// The locations nearest to a place that match a filter.
package struct NearestBanks {
  /// The place.
  package let origin: GeoPoint
  /// The locations, nearest first, ties by rank; items are ranks.
  package fileprivate(set) var neighbours = Neighbours()
  /// How many locations a filter by hours excluded because their hours are unknown, up to the distance of the last
  /// neighbour, or the radius if there are fewer neighbours than requested; `nil` without such a filter.
  package fileprivate(set) var unknownHours: Int?
}

extension Neighbours {
  /// The distance of the last one in metres; 0 if empty.
  fileprivate var farthest: Double { count == 0 ? 0 : Double(self[count - 1].metres) }
}

extension BankIndex {
  /// The budget's steps for a leaf of the tree, and for checking a location's hours.
  private static let (stepsPerLeaf, stepsPerHours) = (16, 2)
  /// Leaves searched between two checks of the budget.
  private static let leaves = 4

  /// Finds at most `limit` locations of a selection, at most `radius` whole metres from `place`.
  ///
  /// - Throws: ``Stopped``.
  /// - Complexity: O(n) in all locations if few are selected; another O(n) if a selection by hours has met unknown
  ///   ones.
  package func nearest(
    to place: GeoPoint, _ selection: Selection, limit: Int, radius: Double, _ budget: Budget
  ) async throws(Stopped) -> NearestBanks {
    var result = NearestBanks(origin: place)
    let search = PointSearch(pointTree, to: place, points: coordinates)
    search.begin(limit: limit, radius: radius, into: &result.neighbours)
    var (met, work) = (0, 0)
    while !search.advance(
      leaves: Self.leaves, into: &result.neighbours,
      where: { rank in
        rank < count && selection.hasRegion(of: rank) && isSelected(rank, selection, unknownHours: &met)
      })
    {
      try await budget.check((result.neighbours.work - work) * Self.stepsPerLeaf)
      work = result.neighbours.work
    }
    guard selection.moment != nil else { return result }
    result.unknownHours = 0
    // The number met depends on the shape of the tree, so count them separately; most searches meet none.
    guard met > 0, limit > 0 else { return result }
    let reach = result.neighbours.count < limit ? radius : result.neighbours.farthest
    for rank in 0..<count where selection.hasRegion(of: rank) {
      try await budget.check(Self.stepsPerHours)
      var unknown = 0
      guard !isSelected(rank, selection, unknownHours: &unknown), unknown > 0,
        Double(place.metres(to: coordinates.point(of: rank))) <= reach
      else { continue }
      result.unknownHours? += 1
    }
    return result
  }
}
