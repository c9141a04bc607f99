import Cities
import Geodesy
import Glibc
import TestSupport
import Text

/// What a search for places must answer, found by looking at every name of every city: the rule of `Protocol/README.md`,
/// written down plainly.
struct PlainPlaces {
  struct Name {
    var city: Int
    var key: [UInt8]
    var spelling: String
    var by: PlaceHitKind
  }

  /// A city that was found.
  struct Found: Equatable {
    var id: UInt64
    var by: PlaceHitKind
    /// Empty for the title's name.
    var matched: String
  }

  struct Question {
    var query: String
    var limit = 10
    var country: String?
    var region: String?
    var near: GeoPoint?
    var typos = true
  }

  let cities: [City]
  let names: [Name]
  /// By key, the areas that have this name: `EE` for a country, `EE.37` or `EE/Harju` for a region.
  private var areas: [[UInt8]: Set<String>] = [:]
  private let folder = CaseFolder()

  /// Takes cities in key order.
  init(_ cities: [City], _ known: AreaNames) {
    self.cities = cities
    let folder = folder
    names = cities.indices.flatMap { Self.names(of: cities[$0], $0, folder) }
    for city in cities {
      for name in [city.country] + (known.countries[city.country] ?? []) { call(city.country, name) }
      guard let region = Self.region(of: city) else { continue }
      let letters = city.regionCode.utf8.contains { (0x30...0x39).contains($0) } ? [] : [city.regionCode]
      let listed = city.regionCode.isEmpty ? nil : known.regions["\(city.country).\(city.regionCode)"]
      for name in [city.region] + (listed ?? []) + letters { call(region, name) }
    }
  }

  private mutating func call(_ area: String, _ name: String) {
    let key = folder.folded(name, .words)
    if !key.isEmpty { areas[key, default: []].insert(area) }
  }

  private static func region(of city: City) -> String? {
    if !city.regionCode.isEmpty { return "\(city.country).\(city.regionCode)" }
    return city.region.isEmpty ? nil : "\(city.country)/\(city.region)"
  }

  /// One name per key: the title's, a code, else the one with the most bytes beyond ASCII, the shortest, the first.
  private static func names(of city: City, _ index: Int, _ folder: CaseFolder) -> [Name] {
    let all = [(city.name, PlaceHitKind.name)] + city.alternates.map { ($0, isCode($0) ? .code : .alternate) }
    var kept: [[UInt8]: (spelling: String, by: PlaceHitKind)] = [:]
    func order(_ name: (spelling: String, by: PlaceHitKind)) -> [Int] {
      let kind = [PlaceHitKind.name: 0, .code: 1, .alternate: 2][name.by] ?? 3
      return [kind, -name.spelling.utf8.count { $0 >= 0x80 }, name.spelling.utf8.count]
    }
    for (spelling, by) in all {
      let key = folder.folded(spelling, .words)
      guard !key.isEmpty else { continue }
      if let known = kept[key], !order((spelling, by)).lexicographicallyPrecedes(order(known)) { continue }
      kept[key] = (spelling, by)
    }
    return kept.map { key, kept in
      Name(city: index, key: key, spelling: kept.by == .name ? "" : kept.spelling, by: kept.by)
    }
  }

  private static func isCode(_ name: String) -> Bool {
    (2...4).contains(name.utf8.count) && name.utf8.allSatisfy { (0x41...0x5A).contains($0) }
  }

  /// The best cities, best first.
  func find(_ question: Question) -> [Found] {
    let words = folder.folded(question.query, .words).split(separator: UInt8(ascii: " ")).map(Array.init)
    var hits = hits(words, question, edits: false)
    if hits.isEmpty, question.typos { hits = self.hits(words, question, edits: true) }
    var best: [Int: (score: Int, key: [UInt8], found: Found)] = [:]
    for (name, score, edits) in hits {
      let found = Found(
        id: cities[name.city].id, by: edits > 0 ? .typo : name.by, matched: name.spelling)
      if let known = best[name.city] {
        guard score >= known.score else { continue }
        if score == known.score, !name.key.lexicographicallyPrecedes(known.key) { continue }
      }
      best[name.city] = (score, name.key, found)
    }
    let ordered = best.sorted { one, other in
      order(one.key, one.value.score, question).lexicographicallyPrecedes(order(other.key, other.value.score, question))
    }
    return ordered.prefix(question.limit).map(\.value.found)
  }

  private func order(_ city: Int, _ score: Int, _ question: Question) -> [Int] {
    let point = GeoPoint(latitude: cities[city].latitude, longitude: cities[city].longitude)
    let metres = question.near.map { Int($0.metres(to: point)) } ?? 0
    return [-score, metres, -(cities[city].population.map { Int($0) } ?? -1), city]
  }

  /// Every name that answers one of the readings of the words, with its score.
  private func hits(
    _ words: [[UInt8]], _ question: Question, edits: Bool
  ) -> [(name: Name, score: Int, edits: Int)] {
    var hits: [(name: Name, score: Int, edits: Int)] = []
    for count in words.indices.reversed().map({ $0 + 1 }) {
      let key = Array(words[..<count].joined(separator: [UInt8(ascii: " ")]))
      let readings = places(words[count...])
      let isAlone = count == words.count
      for name in names where readings.contains(where: { isIn(cities[name.city], $0) }) {
        guard isWanted(cities[name.city], question) else { continue }
        let bonus = weight(cities[name.city]) - (name.by == .name ? 0 : 100) + (isAlone ? 0 : 50)
        if edits {
          let distance = distance(key, name.key)
          if distance > 0, distance <= allowed(key), letters(key).first == letters(name.key).first {
            hits.append((name, bonus + 100 - 100 * distance, distance))
          }
        } else if name.key == key {
          hits.append((name, bonus + 100, 0))
        } else if isAlone, name.key.starts(with: key) {
          hits.append((name, bonus, 0))
        }
      }
    }
    return hits
  }

  /// The ways to read words as names of one or two areas; one way to read no words.
  private func places(_ words: ArraySlice<[UInt8]>) -> [[Set<String>]] {
    func named(_ words: ArraySlice<[UInt8]>) -> Set<String>? { areas[Array(words.joined(separator: [UInt8(ascii: " ")]))] }
    guard let first = words.indices.first else { return [[]] }
    let whole = named(words).map { [[$0]] } ?? []
    let pairs = words.indices.dropFirst().compactMap { cut -> [Set<String>]? in
      guard let one = named(words[first..<cut]), let other = named(words[cut...]) else { return nil }
      return [one, other]
    }
    return whole + pairs
  }

  private func isIn(_ city: City, _ areas: [Set<String>]) -> Bool {
    let own = Set([city.country] + (Self.region(of: city).map { [$0] } ?? []))
    return areas.allSatisfy { !own.isDisjoint(with: $0) }
  }

  private func isWanted(_ city: City, _ question: Question) -> Bool {
    func areas(_ name: String) -> Set<String> { self.areas[folder.folded(name, .words)] ?? [] }
    if let country = question.country, !areas(country).contains(city.country) { return false }
    guard let region = question.region else { return true }
    return isIn(city, [areas(region)])
  }

  private func weight(_ city: City) -> Int {
    let population = Double(max(city.population ?? 0, 1))
    return Int((100 * log10(population) + 1e-9).rounded(.down))
  }

  private func letters(_ key: [UInt8]) -> [Unicode.Scalar] { Array(String(decoding: key, as: UTF8.self).unicodeScalars) }

  private func allowed(_ key: [UInt8]) -> Int {
    let count = letters(key).count { $0 != " " }
    return count < 5 ? 0 : count < 9 ? 1 : 2
  }

  /// The optimal string alignment distance, with the whole matrix.
  private func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    let (one, other) = (letters(one), letters(other))
    var matrix = (0...one.count).map { row in (0...other.count).map { row == 0 ? $0 : $0 == 0 ? row : 0 } }
    for row in 1..<one.count + 1 {
      for column in 1..<other.count + 1 {
        var cost = min(matrix[row - 1][column], matrix[row][column - 1]) + 1
        cost = min(cost, matrix[row - 1][column - 1] + (one[row - 1] == other[column - 1] ? 0 : 1))
        if row > 1, column > 1, one[row - 1] == other[column - 2], one[row - 2] == other[column - 1] {
          cost = min(cost, matrix[row - 2][column - 2] + 1)
        }
        matrix[row][column] = cost
      }
    }
    return matrix[one.count][other.count]
  }
}

/// Seeded cities whose names repeat, start alike, hold accents and name areas.
enum MadeUpPlaces {
  private static let syllables = [
    "a", "an", "San ", "ban", "ora", "-", "b", "Bo", "é", "ł", "日", "本", "뉴", "o'", "ana", "or", " ",
  ]
  static let areas = AreaNames(
    countries: ["EE": ["Estonia", "Bo"], "US": ["ana", "USA"]],
    regions: ["US.TX": ["Texas", "or ban"], "US.01": ["Bo", "ana"], "EE.37": ["Harju", "日"]])

  static func make(_ count: Int, seed: UInt64) -> [City] {
    var random = SeededGenerator(seed: seed)
    func name() -> String {
      let parts = (0..<Int.random(in: 1...5, using: &random)).map { _ in syllables.randomElement(using: &random) ?? "" }
      return "x" + parts.joined()
    }
    return (0..<count).map { number in
      let country = ["EE", "US", "LV", ""].randomElement(using: &random) ?? "EE"
      var city = City(
        id: UInt64(number + 1), name: name(), country: country,
        latitude: Double(Int.random(in: -3...3, using: &random)), longitude: Double(number % 5),
        population: Bool.random(using: &random) ? UInt64.random(in: 0..<4, using: &random) * 700 : nil)
      city.alternates = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        Bool.random(using: &random) ? name() : ["XA", "XAN", "Xan", "xan", "Xán", "'"].randomElement(using: &random) ?? "XA"
      }
      (city.regionCode, city.region) = [("TX", ""), ("01", ""), ("37", ""), ("", "ora"), ("", "")]
        .randomElement(using: &random) ?? ("", "")
      city.zone = ["", "Europe/Tallinn", "America/Chicago"].randomElement(using: &random) ?? ""
      return city
    }
  }
}
