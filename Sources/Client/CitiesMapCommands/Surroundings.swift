internal import CitiesMap
internal import CitiesProtocol

/// The cities whose names make a map readable.
struct Surroundings {
  let asker: Asker
  /// A city that the map shows anyhow.
  let chosen: UInt64?

  /// Cities in the picture, the largest first and of those without known inhabitants the nearest; each is shown only
  /// where there is room for its name.
  ///
  /// The nearest to the middle are asked for. Where they do not reach to the picture's edges, the world's largest are
  /// the ones that are missed.
  func names(on view: Viewport) throws -> [MapMark] {
    let near = CityNear(place: Place(at: view.centre), limit: CityNear.maximumLimit, radius: view.reach)
    var cities = try asker.ask(near).rows.map(\.city)
    if cities.count >= CityNear.maximumLimit {
      let largest = CitySearch(prefix: "", sort: .population, limit: CitySearch.maximumLimit)
      cities += try asker.ask(largest).rows.filter { $0.population != nil }
    }
    var seen: Set<UInt64> = chosen.map { [$0] } ?? []
    return cities.filter { view.cell(of: $0.position) != nil && seen.insert($0.id).inserted }
      .enumerated()
      .sorted { ($1.element.population ?? 0, $0.offset) < ($0.element.population ?? 0, $1.offset) }
      .map { MapMark(at: $0.element.position, kind: .city, label: $0.element.name, needsLabel: true) }
  }
}
