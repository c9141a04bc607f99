@_exported public import Base
internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol
internal import Text

/// `citiesctl show` as a page: a city, its time, its surroundings and a map.
extension ShowVerb {
  /// The fewest inhabitants of a large city; it also has a tenth of those of the city itself.
  private static let largeCity: UInt64 = 100_000
  private static let neighbours = 5

  /// Writes the page to standard output.
  func drawPage(in context: Context) throws -> ExitStatus {
    let city = try reply(with: CityPart.allCases, in: context).city
    let names = CityNames(of: city, language: rendering.language, in: context)
    var page = FactPage(names.title)
    page.add("other names", names.others.joined(separator: ", "))
    page.add("country", CountryName[city.country].map { "\($0) (\(city.country))" } ?? city.country)
    page.add("region", city.region)
    page.add("population", city.population.map(groupedText))
    try addTime(of: city, to: &page, context)
    page.add("position", "\(decimalText(city.lat)),\(decimalText(city.lon))", look: .id)
    page.add("id", "\(city.id)", look: .id)
    page.add("code", names.codes.joined(separator: ", "), look: .id)
    page.add("large city", try largeCity(near: city, context).map { way(from: city, to: $0) })
    page.add("neighbours", try neighbours(of: city, context))
    let mark = MapMark(at: city.position, kind: .city, label: city.name, isChosen: true)
    try MapPrinter(context: context, shown: [city.id])
      .write(page, beside: MapSubject(title: city.title, marks: [mark]))
    return .found
  }

  /// Adds the local time, the next clock change, and the times of sunrise and sunset on that day.
  private func addTime(of city: CityRow, to page: inout FactPage, _ context: Context) throws {
    let reply = try context.send(CityTime(places: [Place(at: city.position)]))
    guard let row = reply.rows.first, let local = row.local, let offset = row.offset else { return }
    page.add("local time", "\(CityTimeListing.shown(local)) \(offset)")
    page.add("time zone", row.zone)
    page.add("clock change", row.change.map(CityTimeListing.shown))
    page.add("sun", CityClock(row, at: reply.at)?.sunshine(at: city.position))
  }

  /// `Helsinki, FI, 82 km north`.
  private func way(from city: CityRow, to other: CityRow) -> String {
    let way = GreatCircle(from: city.position, to: other.position)
    let name = other.country == city.country ? other.name : other.title
    return "\(name), \(ValueForm.distance(UInt64(way.metres.rounded()))) \(way.direction)"
  }

  /// The best-known cities around `city`, as weighed against their distance by the server.
  private func neighbours(of city: CityRow, _ context: Context) throws -> [String] {
    let rows = try context.send(CityNear(place: Place(at: city.position), rule: .place, limit: 500))
      .rows
    return rows.filter { $0.city.id != city.id && !isPart($0.city, of: city) }.prefix(Self.neighbours)
      .map { way(from: city, to: $0.city) }
  }

  /// The nearest other large city, searched in growing boxes; `nil` if there is none.
  private func largeCity(near city: CityRow, _ context: Context) throws -> CityRow? {
    let fewest = max(Self.largeCity, (city.population ?? 0) / 10)
    var others: [(city: CityRow, metres: Double)] = []
    for width in [400_000.0, 1_600_000, 6_400_000, .infinity] {
      let box = Viewport.around(city.position, width: width, in: MapSize(columns: 2, rows: 1)).area
      let rows = try context.send(
        CityWithin(box: box, limit: CityWithin.maximumLimit, population: fewest)
      ).rows
      others += rows.filter { $0.id != city.id && !isPart($0, of: city) }
        .map { ($0, GreatCircle(from: city.position, to: $0.position).metres) }
      // Outside a box, a city may be nearer than one in its corner. Half of the way to the sides is surely inside, also
      // far from the equator, where a box is narrower than `width`.
      let nearest = others.min { $0.metres < $1.metres }
      if let nearest, nearest.metres <= width / 4 { return nearest.city }
    }
    return nil
  }

  /// Whether `other` may be a district of `city`.
  private func isPart(_ other: CityRow, of city: CityRow) -> Bool {
    other.isPart(of: city, metres: GreatCircle(from: city.position, to: other.position).metres)
  }
}

/// The names of a city to show.
struct CityNames {
  /// The title, and the name in the user's language if it differs.
  let title: String
  /// English, local and other names, romanizations last.
  let others: [String]
  /// Codes of the city, such as those of its airports.
  let codes: [String]

  /// The most other names.
  private static let most = 10
  /// The most widely known languages.
  private static let known = ["en", "es", "fr", "de", "pt", "ru", "zh_CN", "ja", "ar"]

  init(of city: CityRow, language: String?, in context: Context) {
    let userName = context.readerNames(language)?[city.id].flatMap { $0 == city.name ? nil : $0 }
    title = city.title + (userName.map { " (\($0))" } ?? "")
    let local = CountryFacts.all()[city.country]?.languages ?? []
    let translated = (["en"] + local + Self.known).compactMap { context.names(in: $0)?[city.id] }
    let known = SortedNames(city.alternates ?? [])
    codes = known.codes
    var seen: Set = [TextKey(city.name), TextKey(userName ?? "")]
    others = Array((translated + known.names).filter { seen.insert($0) }.prefix(Self.most))
  }
}
