internal import CitiesMap
internal import CitiesProtocol

/// The cities whose names make a map readable.
struct Surroundings {
  /// What is shown.
  let view: Viewport

  /// Cities in the picture, the largest first and of those without known inhabitants the nearest; each is shown only
  /// where there is room for its name.
  ///
  /// The nearest cities come from `nearest`. Where they do not reach to the picture's edges, the world's largest, from
  /// `largest`, are the ones that are missed.
  func names(
    without chosen: UInt64?, nearest: (CityNear) throws -> CityNear.Reply,
    largest: (CitySearch) throws -> CitySearch.Reply
  ) throws -> [MapMark] {
    let place = Place(at: view.centre)
    let near = try nearest(CityNear(place: place, limit: CityNear.maximumLimit, radius: view.reach)).rows.map(\.city)
    var cities = near
    if near.count >= CityNear.maximumLimit {
      let page = CitySearch(prefix: "", sort: .population, limit: CitySearch.maximumLimit)
      cities += try largest(page).rows.filter { $0.population != nil }
    }
    var seen: Set<UInt64> = chosen.map { [$0] } ?? []
    return cities.filter { view.cell(of: $0.position) != nil && seen.insert($0.id).inserted }
      .enumerated()
      .sorted { ($1.element.population ?? 0, $0.offset) < ($0.element.population ?? 0, $1.offset) }
      .map { MapMark(at: $0.element.position, kind: .city, label: $0.element.name, needsLabel: true) }
  }
}
