package import Coroutines
package import Geodesy

/// The locations of a filter that are nearest to a place.
package struct NearestBanks {
  /// Where from.
  package let origin: GeoPoint
  /// The locations, the nearest first, equal distances by rank; items are ranks.
  package fileprivate(set) var neighbours = Neighbours()
  /// How many locations a filter by hours has left out because their hours are not known, of those not farther away
  /// than the last neighbour, or than the radius if there are fewer neighbours than wanted; `nil` without such a
  /// filter.
  package fileprivate(set) var unknownHours: Int?
}

extension Neighbours {
  /// The distance of the last one in metres; 0 without any.
  fileprivate var farthest: Double { count == 0 ? 0 : Double(self[count - 1].metres) }
}

extension BankIndex {
  /// Steps of a budget that a leaf of the tree takes, and a location whose hours are looked at.
  private static let (stepsPerLeaf, stepsPerHours) = (16, 2)
  /// Leaves that are looked into between two checks of the budget.
  private static let leaves = 4

  /// Finds at most `limit` locations of a selection, at most `radius` whole metres from `place`.
  ///
  /// - Throws: ``Stopped``.
  /// - Complexity: O(n) in all locations where few are selected; for a selection by hours once more O(n) if the search
  ///   has met unknown ones.
  package func nearest(
    to place: GeoPoint, _ selection: Selection, limit: Int, radius: Double, _ budget: Budget
  ) async throws(Stopped) -> NearestBanks {
    var result = NearestBanks(origin: place)
    let search = PointSearch(pointTree, to: place, points: coordinates)
    search.begin(limit: limit, radius: radius, into: &result.neighbours)
    var met = 0
    while !search.advance(
      leaves: Self.leaves, into: &result.neighbours,
      where: { rank in
        rank < count && selection.hasRegion(of: rank) && isSelected(rank, selection, unknownHours: &met)
      })
    {
      try await budget.check(Self.leaves * Self.stepsPerLeaf)
    }
    guard selection.moment != nil else { return result }
    result.unknownHours = 0
    // How many the search meets depends on the shape of the tree, so they are counted apart; most searches meet none.
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
