import Base
internal import CitiesProtocol

/// Words about cities.
extension Strings {
  static let plainGrid = "coasts not known so closely"
  static let folded = "any accents"
  static let plain = "exact accents"
  static let byPopulation = "largest first"
  static let neighbours = "Nearby"
  static let visits = "Visited"
  static func count(_ count: Int) -> String { grouped(count) + (count == 1 ? " city" : " cities") }
  static func more(_ count: Int) -> String { " + \(count) by other names" }
  static func copied(_ position: Position) -> String {
    "Copied \(decimalText(position.lat)),\(decimalText(position.lon))"
  }
  static func notOpened(_ reason: String) -> String { "No program for maps could be started: \(reason)" }

  /// The heading of a section of the list.
  static func heading(_ heading: CityLines.Heading, _ query: String) -> String {
    switch heading {
    case .largest: "Largest places"
    case .around: "Around you"
    case .all: "All places, A to Z"
    case .alsoKnown: "Also known as"
    case .bestMatches: "Best matches"
    case .titles: "Titles that start with \"\(query)\""
    case .nothing: query.isEmpty ? "There are no places." : "No title starts with this."
    }
  }

  /// Inhabitants, for a column of numbers; empty where they are not known.
  static func population(_ city: CityRow) -> String {
    city.population.map { grouped(Int(clamping: $0)) } ?? ""
  }

  /// The details of a city, as labels and values, the most important first.
  static func details(
    _ city: CityRow, country: String?, _ facts: CityFacts?
  ) -> [(label: String, value: String)] {
    var lines: [(label: String, value: String)] = []
    if let country { lines.append(("Country", country)) }
    if let region = facts?.region { lines.append(("Region", region)) }
    if city.population != nil { lines.append(("Inhabitants", population(city))) }
    if let zone = facts?.zone { lines.append(("Time zone", zone)) }
    if let facts, !facts.otherNames.isEmpty { lines.append(("Other names", facts.otherNames.joined(separator: ", "))) }
    lines.append(("Position", Degrees.exactText(lat: city.lat, lon: city.lon)))
    lines.append(("GeoNames id", "\(city.id)"))
    return lines
  }
}
