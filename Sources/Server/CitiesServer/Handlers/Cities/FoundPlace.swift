import Cities
import CitiesProtocol
import Coroutines
import Countries
import FrameService
import Geodesy

/// The place found for a request.
struct FoundPlace {
  /// The property of a place that a request needs.
  enum Goal {
    /// Its position.
    case point
    /// Its city; for a position, the nearest one, of its own country if one is near.
    case city
  }

  let point: GeoPoint
  /// The rank of the place's city, or of the city nearest to a position if requested; `nil` if there is none.
  let city: Int?
  /// The city found for the place's query.
  let resolved: CityHit?

  /// A position; `city` is its nearest city.
  init(_ point: GeoPoint, nearest city: Int? = nil) { (self.point, self.city, resolved) = (point, city, nil) }

  /// The city at `rank`; `resolved` if it was found by a query.
  init(_ rank: Int, _ index: CityIndex, _ resolved: CityHit? = nil) {
    (point, city, self.resolved) = (index.point(at: rank), rank, resolved)
  }
}

extension CityFinder {
  /// The nearest cities among which one of the position's own country is looked for.
  private static let neighbours = 256

  /// Finds a place in `index`; `param` names the place in errors.
  ///
  /// - Throws: `invalid-params`, `not-found`, `ambiguous` if several cities qualify and are not one place,
  ///   ``Stopped``.
  func find(
    _ place: Place, _ param: String, for goal: FoundPlace.Goal = .point, _ index: CityIndex, _ budget: Budget
  ) async throws -> FoundPlace {
    switch (place.at, place.id, place.title, place.query) {
    case (let at?, nil, nil, nil):
      let point = try point(at, param)
      guard case .city = goal else { return FoundPlace(point) }
      return FoundPlace(point, nearest: try await nearestCity(point, index, budget))
    case (nil, let id?, nil, nil): return FoundPlace(try rank(id: id, index), index)
    case (nil, nil, let title?, nil):
      let namesakes = try namesakes(title, index)
      guard let rank = try await index.chosen(among: namesakes, .onePlace, budget) else {
        throw try Self.ambiguous(title, namesakes, index)
      }
      return FoundPlace(rank, index)
    case (nil, nil, nil, let query?):
      let hit = try await resolve(query, likely: place.likely, for: .place, index, budget)
      return FoundPlace(hit.rank, index, hit)
    default:
      throw WireError.invalidParam(param, "expected exactly one of \"at\", \"id\", \"title\" and \"query\"")
    }
  }
  /// The nearest city of the country of `point`; the nearest of all if there is no country, or none of its cities is
  /// among the nearest.
  private func nearestCity(_ point: GeoPoint, _ index: CityIndex, _ budget: Budget) async throws -> Int? {
    let country = CountryMap.shipped.country(at: point).letters
    let search = index.nearSearch(point)
    var neighbours = Neighbours()
    var nearest: Int?
    // The first one is nearly always in the country.
    for limit in country == 0 ? [1] : [1, Self.neighbours] {
      search.begin(limit: limit, radius: .infinity, into: &neighbours)
      try await search.finish(into: &neighbours, budget)
      let ranks = (0..<neighbours.count).map { neighbours[$0].item }
      nearest = ranks.first
      if let own = ranks.first(where: { index.isCity($0, in: country) }) { return own }
    }
    return nearest
  }
}
