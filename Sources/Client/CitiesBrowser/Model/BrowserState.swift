@_exported public import Base
internal import CitiesProtocol

/// The state that is saved between sessions: the order of the list, its visible part, and the visited cities.
///
/// As text, it has a line for each: `order population`, `list best` or `list titles` if a part is hidden, or `visit`
/// with tab-separated fields:
///
///     visit TAB id TAB lat TAB lon TAB inhabitants TAB country TAB region TAB name TAB zone
///
/// Unknown fields are empty, and an unknown zone is left out. Unreadable lines are ignored.
struct BrowserState: Equatable, Sendable {
  /// The maximum number of ``visits``.
  static let mostVisits = 50
  /// The largest population that the server accepts.
  private static let maximumPopulation: UInt64 = 4_000_000_000

  /// A visible part of the list.
  enum ListPart: String, CaseIterable, Sendable {
    case all
    /// The best matches alone; without a filter, the visited, near and largest cities.
    case best
    /// The titles alone, from A to Z.
    case titles
  }

  /// The order of the list.
  var order = CitySearch.Sort.key
  /// The visible part of the list.
  var part = ListPart.all
  /// The cities whose details were shown, the latest first.
  private(set) var visits: [CityRow] = []

  /// Makes a state.
  init(order: CitySearch.Sort = .key, part: ListPart = .all, visits: [CityRow] = []) {
    (self.order, self.part, self.visits) = (order, part, Array(visits.prefix(Self.mostVisits)))
  }

  /// A change of the saved state.
  enum Change: Equatable, Sendable {
    case order(CitySearch.Sort)
    case part(ListPart)
    /// The details of a city were shown.
    case visit(CityRow)
    /// A city is removed from the visits.
    case forget(id: UInt64)

    /// Whether it has nothing to do with visited cities.
    var isAboutList: Bool {
      switch self {
      case .order, .part: true
      case .visit, .forget: false
      }
    }
  }

  /// Makes a change.
  mutating func apply(_ change: Change) {
    switch change {
    case .order(let order): self.order = order
    case .part(let part): self.part = part
    case .visit(let city):
      visits.removeAll { $0.id == city.id }
      visits = [city] + visits.prefix(Self.mostVisits - 1)
    case .forget(let id): visits.removeAll { $0.id == id }
    }
  }

  // MARK: - Text

  /// Reads a text.
  init(text: String) {
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      if (8...9).contains(fields.count), fields[0] == "visit" {
        if visits.count < Self.mostVisits, let city = Self.city(fields) { visits.append(city) }
      } else if let order = Self.word(after: "order", line, { CitySearch.Sort(word: $0) }) {
        self.order = order
      } else if let part = Self.word(after: "list", line, { ListPart(word: $0) }) {
        self.part = part
      }
    }
  }

  /// The value of a line of two words, the first of which is `name`.
  private static func word<Value>(
    after name: String, _ line: Substring, _ value: (Substring) -> Value?
  ) -> Value? {
    let words = line.split(separator: " ")
    return words.count == 2 && words[0] == name ? value(words[1]) : nil
  }

  private static func city(_ fields: [String]) -> CityRow? {
    let population = UInt64(fields[4])
    guard let id = UInt64(fields[1]), let lat = Double(fields[2]), let lon = Double(fields[3]),
      (-90...90).contains(lat), (-180...180).contains(lon), !fields[7].isEmpty,
      population ?? 0 <= maximumPopulation
    else { return nil }
    var city = CityRow(id: id, lat: lat, lon: lon, name: fields[7], country: fields[5], population: population)
    city.region = fields[6].isEmpty ? nil : fields[6]
    city.zone = fields.count < 9 || fields[8].isEmpty ? nil : fields[8]
    return city
  }

  /// The state as text, without cities whose names contain a tab or line break.
  var text: String {
    let lines = visits.map { city in
      [
        "visit", "\(city.id)", decimalText(city.lat), decimalText(city.lon), city.population.map { "\($0)" } ?? "",
        city.country, city.region ?? "", city.name,
      ] + (city.zone.map { [$0] } ?? [])
    }
    .filter { fields in !fields.contains { $0.utf8.contains { $0 < 0x20 } } }
    .map { $0.joined(separator: "\t") + "\n" }
    return "order \(order.rawValue)\n" + (part == .all ? "" : "list \(part.rawValue)\n") + lines.joined()
  }
}
