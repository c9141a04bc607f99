internal import CitiesCommands
internal import CitiesProtocol

/// Texts about cities.
extension Strings {
  static let plainGrid = "no coastline at this zoom"
  static let plain = "accents matter"
  static let byPopulation = "largest first"
  static let neighbours = "Nearby"
  static let visits = "Visited"
  static let alsoKnown = "Other names"
  static func count(_ count: Int) -> String { counted(count, "city", "cities") }
  /// The number of listed cities, by title and otherwise.
  static func count(_ screen: CityScreen, withHits: Bool) -> String {
    let count = screen.hits.unlisted
    guard withHits, count > 0 else { return Self.count(screen.rows.total) }
    let hits =
      switch screen.hits.heading {
      case .similar: count == 1 ? "1 with a similar name" : "\(count) with similar names"
      case .alsoKnown: count == 1 ? "1 by another name" : "\(count) by other names"
      default: counted(count, "other match", "other matches")
      }
    return screen.rows.total == 0 ? hits : "\(Self.count(screen.rows.total)) + \(hits)"
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

  /// A bar for a population.
  ///
  /// In one cell it is vertical, with a logarithmic scale. In more cells it is horizontal and grows with the square
  /// root, so that towns are visible beside the largest city; villages have none.
  static func bar(_ inhabitants: UInt64, cells: Int) -> String {
    guard cells > 1 else {
      let bars = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
      let limits: [UInt64] = [1_000, 5_000, 20_000, 100_000, 500_000, 2_000_000, 8_000_000]
      return bars[limits.count { $0 <= inhabitants }]
    }
    let part = min(1, (Double(inhabitants) / largest).squareRoot())
    let eighths = Int((part * Double(8 * cells)).rounded())
    return String(repeating: "█", count: eighths / 8) + ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
  }

  /// The population of the largest city, whose bar fills its cells.
  private static let largest = 25_000_000.0

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

  /// The details of a city, as labels and values, the most important first.
  static func details(
    _ city: CityRow, country: String?, localTime: String?
  ) -> [(label: String, value: String)] {
    var lines: [(label: String, value: String)] = []
    if let country { lines.append(("Country", country)) }
    if let region = city.region { lines.append(("Region", region)) }
    if city.population != nil { lines.append(("Population", population(city))) }
    if let localTime { lines.append(("Local time", localTime)) }
    if let zone = city.zone { lines.append(("Time zone", zone)) }
    lines.append(("Coordinates", Degrees.exactText(lat: city.lat, lon: city.lon)))
    lines.append(("GeoNames ID", "\(city.id)"))
    return lines
  }
}
