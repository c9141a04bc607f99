internal import CitiesCommands
internal import CitiesProtocol
internal import Text

/// Texts about cities.
extension Strings {
  static let plainGrid = "no coastline at this zoom"
  static let plain = "accents matter"
  static let byPopulation = "largest first"
  /// A city as a line to be spoken, with its other name.
  static func spoken(_ city: CityRow, _ other: String?) -> String {
    let area = city.region.flatMap { $0 == city.name ? nil : $0 } ?? CountryName[city.country]
    let texts = [city.title, other, area, Degrees.exactText(lat: city.lat, lon: city.lon), population(city)]
    return texts.compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ", ")
  }
  static func plainQuestion(isMulti: Bool) -> String {
    (isMulti ? "Numbers" : "Number") + " to pick, or a name to look for; nothing to cancel:"
  }
  static func marked(_ count: Int) -> String { "\(count) marked" }
  static let neighbours = "Nearby"
  static let visits = "Visited"
  static let (clockChange, sun) = ("Next change", "Sun")
  static let alsoKnown = "Other names"
  static func count(_ count: Int) -> String { counted(count, "city", "cities") }
  /// The number of listed titles, or of the hits without any.
  static func count(_ screen: CityScreen) -> String {
    count(screen.rows.total > 0 ? screen.rows.total : screen.hits.rows.count)
  }
  static func copied(_ position: Position) -> String {
    "Copied \(decimalText(position.lat)),\(decimalText(position.lon))"
  }
  static func notOpened(_ reason: String) -> String { "Could not start a map program: \(reason)" }

  /// The heading of a section of the list.
  static func heading(_ heading: CityLines.Heading, _ query: String) -> String {
    switch heading {
    case .visited: "Recent"
    case .largest: "Largest places"
    case .around: "Near you"
    case .all: "All places, A to Z"
    case .titles: "Cities starting with \"\(query)\""
    case .nothing: query.isEmpty ? "No places" : "No city starts with \"\(query)\""
    case .alsoKnown: "Also known as"
    case .similar: "Similar names"
    case .matches: "Other matches"
    case .area: "Largest in \"\(query)\""
    case .nearest: "Nearest to \(query)"
    }
  }

  /// The population, for a column of numbers; empty if unknown.
  static func population(_ city: CityRow) -> String {
    city.population.map { grouped(Int(clamping: $0)) } ?? ""
  }

  /// A line of the visited cities, with the region, because titles are not unique.
  static func visit(_ city: CityRow) -> String { city.title + (city.region.map { "  \($0)" } ?? "") }

  /// The population in at most five cells: `25M`, `1.4M`, `997k`, `4,302`.
  static func shortPopulation(_ city: CityRow) -> String {
    guard let count = city.population else { return "" }
    // Rounded without a sum, which could overflow.
    if count >= 9_950_000 { return "\((count / 500_000 + 1) / 2)M" }
    if count >= 999_500 { return "\((count + 50_000) / 1_000_000).\((count + 50_000) / 100_000 % 10)M" }
    return count < 10_000 ? population(city) : "\((count + 500) / 1_000)k"
  }

  /// The time of day, such as `13:52`.
  static func clock(_ local: Int64) -> String {
    WeekText.clock(Int(local.flooredDivision(by: 86_400).remainder / 60))
  }

  /// The local time, such as `Sun 13:52, UTC+2`.
  static func localTime(_ moment: Int64, offset seconds: Int64) -> String {
    let local = moment + seconds
    return "\(WeekText.days[WeekText.weekday(local)].prefix(3)) \(clock(local)), \(offset(seconds))"
  }

  /// An offset in seconds east of UTC, such as `UTC+2`.
  static func offset(_ seconds: Int64) -> String {
    let (hours, minutes) = (abs(seconds) / 3_600, abs(seconds) / 60 % 60)
    guard seconds != 0 else { return "UTC" }
    return "UTC\(seconds < 0 ? "-" : "+")\(hours)" + (minutes == 0 ? "" : ":\(minutes < 10 ? "0" : "")\(minutes)")
  }

  /// The details of a city, as labels and values, the most important first, the id last.
  static func details(
    _ city: CityRow, country: String?, localTime: String?
  ) -> [(label: String, value: String)] {
    var lines: [(label: String, value: String)] = []
    lines.append(("Coordinates", Degrees.exactText(lat: city.lat, lon: city.lon)))
    if let country { lines.append(("Country", country)) }
    if let region = city.region { lines.append(("Region", region)) }
    if city.population != nil { lines.append(("Population", population(city))) }
    if let localTime { lines.append(("Local time", localTime)) }
    if let zone = city.zone { lines.append(("Time zone", zone)) }
    lines.append(("GeoNames ID", "\(city.id)"))
    return lines
  }
}
