import Base
internal import CitiesProtocol

/// Words about cities.
extension Strings {
  static let plainGrid = "no coastline at this zoom"
  static let plain = "accents matter"
  static let byPopulation = "largest first"
  static let neighbours = "Nearby"
  static let visits = "Visited"
  static let alsoKnown = "Other names"
  static func count(_ count: Int) -> String { grouped(count) + (count == 1 ? " city" : " cities") }
  /// What the list holds: titles, and cities that are found by other names.
  static func count(_ screen: CityScreen, withHits: Bool) -> String {
    let count = screen.hits.unlisted
    guard withHits, count > 0 else { return Self.count(screen.rows.total) }
    let hits =
      if screen.hits.areSimilar {
        count == 1 ? "1 with a similar name" : "\(count) with similar names"
      } else {
        count == 1 ? "1 by another name" : "\(count) by other names"
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
    case .largest: "Largest places"
    case .around: "Near you"
    case .all: "All places, A to Z"
    case .titles: "Cities starting with \"\(query)\""
    case .nothing: query.isEmpty ? "No places" : "No city starts with \"\(query)\""
    case .alsoKnown: "Also known as"
    case .similar: "Similar names"
    }
  }

  /// Inhabitants, for a column of numbers; empty where they are not known.
  static func population(_ city: CityRow) -> String {
    city.population.map { grouped(Int(clamping: $0)) } ?? ""
  }

  /// A line of the visited cities, with the region: several may have one title.
  static func visit(_ city: CityRow) -> String { city.title + (city.region.map { "  \($0)" } ?? "") }

  /// What the clocks of a city show, as `Sun 13:52, UTC+2`; `nil` where that is not known.
  static func localTime(_ facts: CityFacts) -> String? {
    guard let local = facts.local, let seconds = try? RFC3339.parse(local + "Z") else { return nil }
    // 1970-01-01 was a Thursday.
    let day = (seconds.flooredDivision(by: 86_400).quotient + 3).flooredDivision(by: 7).remainder
    let clock = "\(weekdays[Int(day)].prefix(3)) \(local.dropFirst(11).prefix(5))"
    return clock + (facts.offset.map { ", \(offset($0))" } ?? "")
  }

  /// An offset such as `+02:00` as `UTC+2`.
  static func offset(_ text: String) -> String {
    var hours = text.dropFirst()
    if hours.hasSuffix(":00") { hours = hours.dropLast(3) }
    if hours.hasPrefix("0") { hours = hours.dropFirst() }
    return hours == "0" ? "UTC" : "UTC\(text.prefix(1))\(hours)"
  }

  /// The details of a city, as labels and values, the most important first.
  static func details(
    _ city: CityRow, country: String?, _ facts: CityFacts?
  ) -> [(label: String, value: String)] {
    var lines: [(label: String, value: String)] = []
    if let country { lines.append(("Country", country)) }
    if let region = facts?.region { lines.append(("Region", region)) }
    if city.population != nil { lines.append(("Population", population(city))) }
    if let time = facts.flatMap(localTime) { lines.append(("Local time", time)) }
    if let zone = facts?.zone { lines.append(("Time zone", zone)) }
    lines.append(("Coordinates", Degrees.exactText(lat: city.lat, lon: city.lon)))
    lines.append(("GeoNames ID", "\(city.id)"))
    return lines
  }
}
