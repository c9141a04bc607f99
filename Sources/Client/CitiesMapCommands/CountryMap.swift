internal import CBOR
internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

/// `citiesctl map --country`: a country, and the cities in and around it.
struct CountryMap {
  /// The largest cities of a country, by which its map is framed and labelled.
  private static let cities: UInt64 = 1_000
  /// The largest cities of other countries that may be named.
  private static let neighbours = 12
  /// Places in one question for their countries.
  private static let places = 4_000

  let verb: MapVerb
  let context: Context

  private var sender: RequestSender { RequestSender(context: context, connection: verb.connection) }

  /// Draws the country with a code or name to standard output.
  ///
  /// - Throws: `ClientError` with `invalid-params` if there is no such country.
  func draw(_ country: String) throws -> ExitStatus {
    let page = try sender.send(CitySearch(prefix: "", country: country, sort: .population, limit: Self.cities))
    guard let largest = page.rows.first else {
      // `city.search` accepts any text as a country, `city.find` does not.
      _ = try sender.send(CityFind(query: country, limit: 0, country: country))
      return .nothingFound
    }
    let marks = page.rows.map { MapMark(at: $0.position, kind: .init($0), label: $0.name, needsLabel: true) }
    let ground = MainGround(page.rows.map { ($0.position, $0.population ?? 0) })
    let title = CountryNames()[largest.country] ?? largest.country
    // The capital is named first: a map without it would be of little use.
    let subject = MapSubject(
      title: title, marks: marks.filter { $0.kind == .capital } + marks.filter { $0.kind != .capital },
      framed: ground.positions, bright: { try cells(of: largest.country, page.rows, on: $0) })
    let surroundings = Surroundings(sender: sender, shown: Set(page.rows.map(\.id)), most: Self.neighbours)
    return try MapPrinter(options: verb.map, context: context, surroundings: surroundings)
      .write(subject) { try context.writeGeoJSON(page) }
  }

  /// The cells of a view that show the country with a code: its land, its cities, and the sea beside them, where its
  /// coast is drawn; `nil` if the server does not know the countries of places.
  private func cells(of code: String, _ cities: [CityRow], on view: Viewport) throws -> [Bool]? {
    let places = view.cells.map { view.position(of: $0) ?? Position(lat: .nan, lon: .nan) }
    var countries: [String] = []
    for first in stride(from: 0, to: places.count, by: Self.places) {
      let part = places[first..<min(first + Self.places, places.count)]
      let question = CityLocate(lat: .doubles(part.map(\.lat)), lon: .doubles(part.map(\.lon)))
      guard let known = try sender.send(question).countries?.texts, known.count == part.count else { return nil }
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
