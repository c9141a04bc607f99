internal import CBOR
internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol
internal import Text

/// `citiesctl map --country`: a country, and the cities in and around it.
struct CountryMap {
  /// The number of a country's largest cities, which frame and label its map.
  private static let cities: UInt64 = 1_000
  /// The most cities of other countries that may be named.
  private static let neighbours = 12
  /// Places per request for their countries.
  private static let places = 4_000

  let context: Context

  /// Draws the country with a code or name to standard output.
  ///
  /// - Throws: `ClientError` with `invalid-params` if there is no such country.
  func draw(_ country: String, _ options: MapOptions) throws -> ExitStatus {
    guard let page = try cities(of: country) else { return .nothingFound }
    return try printer(of: page, options).write(subject(page)) { try context.writeGeoJSON(page) }
  }

  /// The largest cities of a country, with the given parts; `nil` if it has none.
  ///
  /// - Throws: `ClientError` with `invalid-params` if there is no such country.
  func cities(of country: String, with parts: [CityPart]? = nil) throws -> CitySearch.Reply? {
    let request = CitySearch(prefix: "", country: country, sort: .population, limit: Self.cities, with: parts)
    let page = try context.send(request)
    if !page.rows.isEmpty { return page }
    // `city.search` accepts any text as a country, `city.find` does not.
    _ = try context.send(CityFind(query: country, limit: 0, country: country))
    return nil
  }

  /// The map of a country, given its largest cities.
  func subject(_ page: CitySearch.Reply) -> MapSubject {
    let rows = (try? context.withoutStrayWards(page.rows)) ?? page.rows
    let marks = rows.map { MapMark(at: $0.position, kind: .init($0), label: $0.name, needsLabel: true) }
    let ground = MainGround(page.rows.map { ($0.position, $0.population ?? 0) })
    let code = page.rows.first?.country ?? ""
    // The capital is named first: a map without it would be of little use.
    return MapSubject(
      title: CountryName.name(of: code),
      marks: marks.filter { $0.kind == .capital } + marks.filter { $0.kind != .capital },
      framed: ground.positions, bright: { try cells(of: code, page.rows, on: $0) }, country: code)
  }

  /// Draws the country with the cities around it.
  func printer(of page: CitySearch.Reply, _ options: MapOptions) -> MapPrinter {
    MapPrinter(
      options: options, context: context, shown: Set(page.rows.map(\.id)),
      most: Self.neighbours)
  }

  /// The cells of a view that belong to a country: its land, its cities, and the adjacent sea, where its coast is
  /// drawn; `nil` if the server does not know the countries of places.
  private func cells(of code: String, _ cities: [CityRow], on view: Viewport) throws -> [Bool]? {
    let places = view.cells.map { view.position(of: $0) ?? Position(lat: .nan, lon: .nan) }
    var countries: [String] = []
    for first in stride(from: 0, to: places.count, by: Self.places) {
      let part = places[first..<min(first + Self.places, places.count)]
      let question = CityLocate(lat: .doubles(part.map(\.lat)), lon: .doubles(part.map(\.lon)))
      guard let known = try context.send(question).countries?.texts, known.count == part.count else {
        return nil
      }
      countries += known
    }
    let towns = Set(cities.compactMap { view.cell(of: $0.position) })
    let isInside = zip(view.cells, countries).map { $1 == code || towns.contains($0) }
    let columns = view.size.columns
    return isInside.indices.map { index in
      let beside =
        [index - columns, index + columns] + (index % columns > 0 ? [index - 1] : [])
        + ((index + 1) % columns > 0 ? [index + 1] : [])
      return isInside[index]
        || countries[index].isEmpty && beside.contains { isInside.indices.contains($0) && isInside[$0] }
    }
  }
}
