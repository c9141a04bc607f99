internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol

/// `citiesctl map --country`: a country, and the cities in and around it.
struct CountryMap {
  /// The largest cities of a country, by which its map is framed and labelled.
  private static let cities: UInt64 = 1_000

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
    let marks = page.rows.map { MapMark(at: $0.position, kind: .city, label: $0.name, needsLabel: true) }
    let ground = MainGround(page.rows.map { ($0.position, $0.population ?? 0) })
    let title = CountryNames()[largest.country] ?? largest.country
    let subject = MapSubject(title: title, marks: marks, framed: ground.positions)
    let surroundings = Surroundings(sender: sender, shown: Set(page.rows.map(\.id)))
    return try MapPrinter(options: verb.map, context: context, surroundings: surroundings)
      .write(subject) { try context.writeGeoJSON(page) }
  }
}
