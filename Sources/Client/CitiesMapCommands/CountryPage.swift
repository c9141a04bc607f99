internal import CitiesCommands
internal import CitiesMap
internal import CitiesProtocol
internal import Text

/// `citiesctl country`: a page about a country with its map, or a row.
extension CountryVerb {
  /// The number of largest cities and of time zones on the page.
  private static let (largest, zones) = (8, 6)

  /// Writes the page to standard output.
  func drawPage(in context: Context) throws -> ExitStatus {
    let map = CountryMap(context: context)
    guard let cities = try map.cities(of: country, with: [.region, .zone]), let code = cities.rows.first?.country
    else { return .nothingFound }
    let facts = CountryFacts.all()[code]
    let capital = try facts?.capital.map { try context.send(CityGet(id: $0)).city }
    let people = cities.rows.reduce(into: [TextKey: UInt64]()) { people, city in
      if let zone = city.zone { people[TextKey(zone), default: 0] += city.population ?? 0 }
    }
    let zones = people.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key.text)
    let name = CountryName.name(of: code)
    guard context.showsPage else {
      try write(
        [
          (
            code, name, capital, facts?.currency, zones, cities.total,
            facts.map { ($0.languages, $0.callingCodes, $0.neighbours) }
          )
        ], generation: cities.generation, in: context)
      return .found
    }
    var page = FactPage(name)
    page.add("code", code, look: .id)
    page.add("capital", capital.map(Self.text))
    page.add("large cities", Self.aligned(cities.rows.filter { $0.id != capital?.id }.prefix(Self.largest)))
    page.add("cities", groupedText(cities.total))
    page.add("time", try times(in: zones, context))
    page.add("currency", facts?.currency)
    page.add("languages", facts?.languageNames)
    page.add("calling code", facts?.callingCodes)
    page.add("neighbours", facts?.neighbours.map(CountryName.name).joined(separator: ", "))
    try map.printer(of: cities, MapOptions()).write(page, beside: map.subject(cities))
    return .found
  }

  /// `Tokyo  9,733,276`.
  private static func text(_ city: CityRow) -> String {
    city.name + (city.population.map { "  \(groupedText($0))" } ?? "")
  }

  /// The names of cities, with their inhabitants aligned.
  private static func aligned(_ cities: some Collection<CityRow>) -> [String] {
    let width = cities.map { cellWidth(text($0)) }.max() ?? 0
    return cities.map { city in
      let gap = String(repeating: " ", count: width - cellWidth(text(city)))
      return city.name + gap + text(city).dropFirst(city.name.count)
    }
  }

  /// The local time in each zone.
  private func times(in zones: [String], _ context: Context) throws -> [String] {
    guard !zones.isEmpty else { return [] }
    let request = CityTime(places: zones.prefix(Self.zones).map(Place.init(zone:)))
    let rows = try context.send(request).rows
    let lines = rows.map { row in
      [row.local.map { String($0.dropFirst(11).prefix(5)) }, row.offset, row.zone].compactMap(\.self).joined(
        separator: " ")
    }
    return lines + (zones.count > Self.zones ? ["and \(zones.count - Self.zones) more time zones"] : [])
  }
}
