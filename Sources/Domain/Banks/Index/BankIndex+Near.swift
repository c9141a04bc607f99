package import Geodesy

/// A search for the locations of a filter that are nearest to a place, which can stop and continue.
package struct BankNearSearch {
  private let index: BankIndex
  private let selection: BankIndex.Selection
  private let search: PointSearch
  private var limit = 0
  private var radius = Double.infinity
  private var passed = 0
  /// The next rank that is looked at for ``unknownHours``, once all that are wanted are found.
  private var next: Int?
  private var unknown = 0
  /// Ranks that are looked at for unknown hours in the time of a leaf.
  private static let ranksPerLeaf = 8

  fileprivate init(_ index: BankIndex, _ place: GeoPoint, _ selection: BankIndex.Selection) {
    (self.index, self.selection) = (index, selection)
    search = PointSearch(index.pointTree, to: place, points: index.coordinates)
  }

  /// The place.
  package var origin: GeoPoint { search.origin }

  /// How many locations a filter by hours has left out because their hours are not known, of those not farther away
  /// than the last neighbour, or than the radius if there are fewer neighbours than wanted; `nil` without such a
  /// filter.
  ///
  /// It is right once ``advance(nodes:into:)`` has returned true.
  package var unknownHours: Int? { selection.moment == nil ? nil : unknown }

  /// Forgets what was found before; at most `limit` locations, at most `radius` whole metres away, will be found.
  package mutating func begin(limit: Int, radius: Double, into neighbours: inout Neighbours) {
    (self.limit, self.radius, passed, next, unknown) = (limit, radius, 0, nil, 0)
    search.begin(limit: limit, radius: radius, into: &neighbours)
  }

  /// Looks into up to `leaves` more leaves of the tree.
  ///
  /// The nearest come first, equal distances by rank. Items of `neighbours` are ranks.
  ///
  /// - Returns: whether all that are wanted are found.
  /// - Complexity: O(leaves).
  package mutating func advance(leaves: Int, into neighbours: inout Neighbours) -> Bool {
    if next == nil {
      let (index, selection) = (index, selection)
      var met = 0
      let isFound = search.advance(leaves: leaves, into: &neighbours) { rank in
        rank < index.count && selection.hasRegion(of: rank) && index.isSelected(rank, selection, unknownHours: &met)
      }
      passed += met
      guard isFound else { return false }
      // How many the search meets depends on the shape of the tree, so they are counted apart; most searches meet none.
      next = passed > 0 && limit > 0 ? 0 : index.count
    }
    return countUnknown(
      ranks: Self.ranksPerLeaf * min(leaves, index.count),
      reach: neighbours.count < limit ? radius : neighbours.farthest)
  }

  /// Counts the locations of unknown hours among the next few; returns whether all were looked at.
  private mutating func countUnknown(ranks: Int, reach: Double) -> Bool {
    let start = next ?? index.count
    let end = start + min(ranks, index.count - start)
    for rank in start..<end where selection.hasRegion(of: rank) {
      var met = 0
      guard !index.isSelected(rank, selection, unknownHours: &met), met > 0,
        Double(origin.metres(to: index.coordinates.point(of: rank))) <= reach
      else { continue }
      unknown += 1
    }
    next = end
    return end == index.count
  }
}

extension Neighbours {
  /// The distance of the last one in metres; 0 without any.
  fileprivate var farthest: Double { count == 0 ? 0 : Double(self[count - 1].metres) }
}

extension BankIndex {
  /// Starts a search around `place`.
  ///
  /// - Throws: ``BankFilterProblem`` for an unknown country, region or bank.
  /// - Complexity: O(r) in the regions.
  package func nearSearch(
    _ place: GeoPoint, _ filter: BankFilter = BankFilter()
  ) throws(BankFilterProblem) -> BankNearSearch {
    BankNearSearch(self, place, try selection(filter))
  }
}
