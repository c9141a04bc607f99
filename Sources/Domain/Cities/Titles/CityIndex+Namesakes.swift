package import Coroutines
public import Geodesy

/// The way to choose among cities with one title: in a list, thousands can share it.
public enum NamesakeGoal: Sendable {
  /// The nearest to a place; of equally near ones, the first by key.
  case nearest(to: GeoPoint)
  /// The one with the lowest id, if all are the same place: within ``onePlaceMetres`` of each other.
  case onePlace

  /// The largest distance between candidates for one place, in whole metres.
  public static let onePlaceMetres: UInt32 = 5_000
  /// The largest number of candidates that are compared in pairs: above it, they are one place only if all lie within
  /// half the distance of the first, so that a file full of namesakes cannot make a query quadratic.
  static let maximumPairwise = 256
}

extension CityIndex {
  /// The rank of the city that `goal` chooses among `matches`; `nil` if it chooses none.
  ///
  /// - Throws: ``Stopped``.
  /// - Complexity: O(m) for m matches, and O(m²) for at most 256 that are neither clearly near nor clearly far.
  package func chosen(
    among matches: CityMatches, _ goal: NamesakeGoal, _ budget: Budget
  ) async throws(Stopped) -> Int? {
    switch goal {
    case .nearest(let place): try await nearest(of: matches, to: place, budget)
    case .onePlace: try await onePlace(of: matches, budget)
    }
  }

  private func nearest(
    of matches: CityMatches, to place: GeoPoint, _ budget: Budget
  ) async throws(Stopped) -> Int? {
    var best: (metres: UInt32, rank: Int)?
    for position in matches.runs.joined() {
      let rank = rank(position, matches.order)
      let candidate = (place.metres(to: point(at: rank)), rank)
      if best.map({ candidate < $0 }) ?? true { best = candidate }
      try await budget.check()
    }
    return best?.rank
  }

  private func onePlace(of matches: CityMatches, _ budget: Budget) async throws(Stopped) -> Int? {
    var points: [GeoPoint] = []
    var (lowest, farthest): ((id: UInt64, rank: Int)?, UInt32) = (nil, 0)
    for position in matches.runs.joined() {
      let rank = rank(position, matches.order)
      let (point, id) = (point(at: rank), id(at: rank))
      if points.isEmpty || matches.total <= NamesakeGoal.maximumPairwise { points.append(point) }
      farthest = max(farthest, points[0].metres(to: point))
      guard farthest <= NamesakeGoal.onePlaceMetres else { return nil }
      if lowest.map({ id < $0.id }) ?? true { lowest = (id, rank) }
      try await budget.check()
    }
    // Two candidates within half the distance of the first are within the distance of each other.
    if farthest <= NamesakeGoal.onePlaceMetres / 2 { return lowest?.rank }
    guard matches.total <= NamesakeGoal.maximumPairwise else { return nil }
    for (index, point) in points.enumerated() {
      for other in points[(index + 1)...] {
        guard point.metres(to: other) <= NamesakeGoal.onePlaceMetres else { return nil }
        try await budget.check()
      }
    }
    return lowest?.rank
  }
}
