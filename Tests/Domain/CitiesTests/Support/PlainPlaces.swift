import Geodesy
import Glibc
import TestSupport
import Text

@testable import Cities

/// What a search for places must answer, found by looking at every name of every city: the rule of
/// `Protocol/README.md`, written down plainly.
struct PlainPlaces {
  struct Name {
    var city: Int
    var key: [UInt8]
    var letters: [Unicode.Scalar]
    var spelling: String
    var by: PlaceHitKind

    init(city: Int, key: [UInt8], spelling: String, by: PlaceHitKind) {
      (self.city, self.key, self.spelling, self.by) = (city, key, spelling, by)
      letters = PlainPlaces.letters(key)
    }
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

  /// Letters of the longest name that may be misspelt, with its spaces.
  private static let mostMisspeltLetters = 64
  /// Typing errors that a long name may have.
  private static let mostErrors = 2

  let cities: [City]
  let names: [Name]
  /// By key, the areas that have this name: `EE` for a country, `EE.37` or `EE/Harju` for a region, `EE.37#0784` for a
  /// county.
  private var areas: [[UInt8]: Set<String>] = [:]
  /// By folded code, the regions and counties that have it.
  private var codes: [[UInt8]: Set<String>] = [:]
  /// The areas in which each city lies.
  private let own: [Set<String>]
  private let folder = CaseFolder()

  /// Takes cities in key order.
  init(_ cities: [City], _ known: AreaNames) {
    self.cities = cities
    let folder = folder
    own = cities.map { Set([$0.country, Self.region(of: $0), Self.county(of: $0)].compactMap(\.self)) }
    names = cities.indices.flatMap { Self.names(of: cities[$0], $0, folder) }
    let countries = Set(cities.map { folder.folded($0.country, .words) })
    for city in cities {
      if Self.isWord(city.country) { call(city.country, city.country) }
      for name in known.countries[city.country] ?? [] where !countries.contains(folder.folded(name, .words)) {
        call(city.country, name)
      }
      guard let region = Self.region(of: city) else { continue }
      let listed = city.regionCode.isEmpty ? nil : known.regions["\(city.country).\(city.regionCode)"]
      let code = folder.folded(city.regionCode, .words)
      for name in [city.region] + (listed ?? []) where folder.folded(name, .words) != code { call(region, name) }
      if Self.isWord(city.regionCode) { call(region, city.regionCode) }
      codes[code, default: []].insert(region)
    }
    addCounties(known)
  }

  /// Adds the counties by the names and codes that no region of their country has.
  private mutating func addCounties(_ known: AreaNames) {
    let (regions, regionCodes) = (areas, codes)
    func isFree(_ key: [UInt8], _ country: String, _ table: [[UInt8]: Set<String>]) -> Bool {
      !(table[key] ?? []).contains { $0.hasPrefix("\(country).") || $0.hasPrefix("\(country)/") }
    }
    for city in cities {
      guard let county = Self.county(of: city) else { continue }
      let listed = known.counties["\(city.country).\(city.regionCode).\(city.countyCode)"] ?? []
      let code = folder.folded(city.countyCode, .words)
      let isWord = Self.isWord(city.countyCode)
      for key in listed.map({ folder.folded($0, .words) }) where key != code && isFree(key, city.country, regions) {
        areas[key, default: []].insert(county)
      }
      if isWord, isFree(code, city.country, regions) { areas[code, default: []].insert(county) }
      if !isWord, isFree(code, city.country, regionCodes) { codes[code, default: []].insert(county) }
    }
  }

  /// Whether a code is a word of a query: neither a number nor one letter.
  private static func isWord(_ code: String) -> Bool {
    code.count > 1 && !code.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func county(of city: City) -> String? {
    city.countyCode.isEmpty ? nil : "\(region(of: city) ?? "\(city.country).")#\(city.countyCode)"
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

  /// The steps of a search, in this order, until something is found.
  private enum Step: CaseIterable {
    case wholeWords, asTyped, area, address, chinese, order, startedAreas, code, typos, firstLetter, shorter
    case latin, latinTypos, latinFirstLetter

    /// The other ways to write the query that it looks for.
    var forms: QueryForms? {
      switch self {
      case .address: .address
      case .chinese: .chinese
      case .order: .order
      case .code: .code
      case .shorter: .shorter
      case .latin, .latinTypos, .latinFirstLetter: .latin
      default: nil
      }
    }
  }

  /// The steps after which typing errors are looked for in Latin letters, too.
  private static let ofTypos: [Step: Step] = [.latinTypos: .typos, .latinFirstLetter: .firstLetter]

  /// A name that answers a query.
  private struct Hit {
    var name: Name
    var score: Int
    var edits: Int
    /// Words of the query that are the name.
    var words: Int

    /// Whether it is shown rather than another name of the same city.
    func isShownRather(than other: Hit) -> Bool {
      func order(_ hit: Hit) -> [Int] { [-hit.score, hit.name.by == .name ? 0 : 1, -hit.words] }
      if order(self) != order(other) { return order(self).lexicographicallyPrecedes(order(other)) }
      return name.key.lexicographicallyPrecedes(other.name.key)
    }
  }

  /// The best cities, best first.
  func find(_ question: Question) -> [Found] {
    let words = folder.folded(question.query, .words).split(separator: UInt8(ascii: " ")).map(Array.init)
    var steps = Step.allCases
    // With a letter after it, a word that has ended stays what it is.
    if !isEnded(question) { steps.removeFirst() }
    if !question.typos, let first = steps.firstIndex(of: .code) { steps.removeSubrange(first...) }
    var best: [Int: Hit] = [:]
    for step in steps where best.isEmpty {
      let space = UInt8(ascii: " ")
      let key = Array(words.joined(separator: [space]))
      let forms = step.forms.map { form in
        form.keys(of: key, typed: []).map { $0.split(separator: space).map(Array.init) }
      }
      let tried = Self.ofTypos[step] == nil ? forms ?? [words] : Array(forms?.prefix(1) ?? [])
      for words in tried where best.isEmpty || step.forms?.isGuess != true {
        for hit in hits(words, question, Self.ofTypos[step] ?? step) {
          // A name before a code that is not known is that of a city with 100,000 inhabitants.
          if step == .code, order(hit.name.city, hit.score, question)[0] > -500 { continue }
          if let known = best[hit.name.city], !hit.isShownRather(than: known) { continue }
          best[hit.name.city] = hit
        }
      }
    }
    let ordered = best.values.sorted { one, other in
      order(one.name.city, one.score, question).lexicographicallyPrecedes(order(other.name.city, other.score, question))
    }
    return ordered.prefix(question.limit).map { hit in
      Found(id: cities[hit.name.city].id, by: hit.edits > 0 ? .typo : hit.name.by, matched: hit.name.spelling)
    }
  }

  /// The city that a name of a column means: the only one or the clearly largest one that is called so, or whose title
  /// it is; else the best of those that are called so, else the first that is found.
  ///
  /// A key of digits alone is never sure.
  func match(_ question: Question) -> (id: UInt64?, certainty: NameCertainty) {
    let match = matchOfText(question)
    let key = folder.folded(question.query, .words)
    let isNumber = !key.isEmpty && key.allSatisfy { (0x30...0x39).contains($0) }
    return isNumber && match.certainty == .sure ? (match.id, .likely) : match
  }

  private func matchOfText(_ question: Question) -> (id: UInt64?, certainty: NameCertainty) {
    if question.query.wholeMatch(of: /[-+−][\d ,.]*\d[\d ,.]*/) != nil { return (nil, .none) }
    let words = folder.folded(question.query, .words).split(separator: UInt8(ascii: " ")).map(Array.init)
    let called = hits(words, question, .asTyped).filter { hit in
      hit.name.key == Array(words[..<hit.words].joined(separator: [UInt8(ascii: " ")]))
    }
    func people(_ city: Int) -> UInt64 { cities[city].population ?? 0 }
    let byPeople = Set(called.map(\.name.city)).sorted { one, other in
      let known = [one, other].map { city in cities[city].population.map { Int($0) } ?? -1 }
      return known[0] != known[1] ? known[0] > known[1] : one < other
    }
    let titles = titled(question)
    if let title = titles.cities.first, titles.cities.count == 1 {
      let isOutweighed = byPeople.first.map { people($0) >= 10 * max(people(title), 1) } ?? false
      if !titles.areNames || !isOutweighed { return (cities[title].id, .sure) }
    }
    guard let first = byPeople.first else {
      let guess = words.isEmpty ? nil : find(question).first
      return guess.flatMap { $0.by == .area ? nil : ($0.id, .guess) } ?? (nil, .none)
    }
    if byPeople.dropFirst().first.map({ people(first) >= 10 * max(people($0), 1) }) ?? true {
      return (cities[first].id, .sure)
    }
    let best = called.min { one, other in
      order(one.name.city, one.score, question).lexicographicallyPrecedes(order(other.name.city, other.score, question))
    }
    return (best.map { cities[$0.name.city].id }, .likely)
  }

  /// The cities that are wanted and have a title, by letters as they are before base letters, and by the whole title
  /// before the name.
  private func titled(_ question: Question) -> (cities: [Int], areNames: Bool) {
    let inside = cities.indices.filter { isWanted($0, question) }
    for mode in [FoldMode.plain, .baseLetters] {
      let wanted = folder.folded(question.query, mode)
      let whole = inside.filter { place in
        let city = cities[place]
        return folder.folded(city.country.isEmpty ? city.name : "\(city.name), \(city.country)", mode) == wanted
      }
      if !whole.isEmpty { return (whole, false) }
      let named = inside.filter { folder.folded(cities[$0].name, mode) == wanted }
      if !named.isEmpty { return (named, true) }
    }
    return ([], false)
  }

  private func order(_ city: Int, _ score: Int, _ question: Question) -> [Int] {
    let point = GeoPoint(latitude: cities[city].latitude, longitude: cities[city].longitude)
    let metres = question.near.map { Int($0.metres(to: point)) } ?? 0
    let cost = question.near == nil ? 0 : Self.logarithm(10_000 + Double(metres)) - 400
    return [cost - score, metres, -(cities[city].population.map { Int($0) } ?? -1), city]
  }

  /// Every name that answers one of the readings of the words.
  private func hits(_ words: [[UInt8]], _ question: Question, _ step: Step) -> [Hit] {
    var hits: [Hit] = []
    if step == .area {
      let areas = areas[Array(words.joined(separator: [UInt8(ascii: " ")]))] ?? []
      let inside = cities.indices.filter { isIn($0, [areas]) && isWanted($0, question) }
      return inside.map { city in
        Hit(name: Name(city: city, key: [], spelling: "", by: .area), score: weight(cities[city]), edits: 0, words: 0)
      }
    }
    for count in words.indices.map({ $0 + 1 }) {
      let key = Array(words[..<count].joined(separator: [UInt8(ascii: " ")]))
      let typed = Self.letters(key)
      let readings = places(words[count...], isStarted: step == .startedAreas)
      let isAlone = count == words.count
      guard !readings.isEmpty else { continue }
      for name in names where readings.contains(where: { isIn(name.city, $0) }) {
        guard isWanted(name.city, question) else { continue }
        let score = weight(cities[name.city]) + (isAlone ? 0 : 50)
        let isTitle = name.by == .name
        var codePoints = 0
        if name.by == .code {
          let isTyped = step != .typos && step != .firstLetter && name.key == key
          guard isTyped, !question.query.contains(where: { ("a"..."z").contains($0) }) else { continue }
          codePoints = Self.isCode(question.query) && question.query.utf8.count == 3 ? 2_000 : 0
        }
        if step == .typos || step == .firstLetter {
          guard typed.count <= Self.mostMisspeltLetters else { continue }
          let isFirstRight = typed.first == name.letters.first
          if step == .typos, isAlone, isFirstRight, isMisspeltStart(typed, of: name.letters) {
            hits.append(Hit(name: name, score: score - (isTitle ? 0 : 200) - 150, edits: 1, words: count))
          }
          let distance = Self.distance(typed, name.letters)
          let most = min(allowed(typed, name.letters), step == .typos ? 2 : 1)
          guard distance <= most, isFirstRight == (step == .typos) else { continue }
          hits.append(
            Hit(name: name, score: score + 100 - (isTitle ? 0 : 200) - 100 * distance, edits: distance, words: count))
        } else if name.key == key {
          let isShort = isAlone && isTitle && typed.count <= 4 && (cities[name.city].population ?? 0) >= 30_000
          let short = isShort && question.near == nil && !isEnded(question) ? 300 : 0
          hits.append(
            Hit(name: name, score: score + 100 + short + codePoints - (isTitle ? 0 : 100), edits: 0, words: count))
        } else if isAlone, [.asTyped, .wholeWords, .address, .chinese, .latin].contains(step),
          name.key.starts(with: step == .wholeWords ? key + [UInt8(ascii: " ")] : key)
        {
          hits.append(Hit(name: name, score: score - (isTitle ? 0 : 200), edits: 0, words: count))
        }
      }
    }
    return hits
  }

  /// Whether something that separates words follows the last one.
  private func isEnded(_ question: Question) -> Bool {
    folder.folded(question.query + "x", .words).suffix(2) == Array(" x".utf8)
  }

  /// Whether the start of a name differs from a key of five letters or more by one error at most.
  private func isMisspeltStart(_ key: [Unicode.Scalar], of name: [Unicode.Scalar]) -> Bool {
    guard allowed(key) > 0 else { return false }
    return (key.count - 1...key.count + 1).contains { Self.distance(key, Array(name.prefix($0))) <= 1 }
  }

  /// The ways to read words as names of one or two areas, of which the last may be started only; one way to read no
  /// words.
  private func places(_ words: ArraySlice<[UInt8]>, isStarted: Bool) -> [[Set<String>]] {
    func key(_ words: ArraySlice<[UInt8]>) -> [UInt8] { Array(words.joined(separator: [UInt8(ascii: " ")])) }
    func last(_ words: ArraySlice<[UInt8]>) -> Set<String>? {
      guard isStarted else { return areas[key(words)] }
      let start = key(words)
      let named = areas.filter { $0.key.starts(with: start) }.values.reduce(into: Set()) { $0.formUnion($1) }
      let found = named.filter { !$0.contains("#") }
      return found.isEmpty ? nil : found
    }
    guard let first = words.indices.first else { return [[]] }
    let whole = last(words).map { [[$0]] } ?? []
    let pairs = words.indices.dropFirst().compactMap { cut -> [Set<String>]? in
      guard let one = areas[key(words[first..<cut])], let other = last(words[cut...]) else { return nil }
      return [one, other]
    }
    return whole + pairs
  }

  private func isIn(_ city: Int, _ areas: [Set<String>]) -> Bool {
    areas.allSatisfy { !own[city].isDisjoint(with: $0) }
  }

  private func isWanted(_ city: Int, _ question: Question) -> Bool {
    func areas(_ name: String) -> Set<String> { self.areas[folder.folded(name, .words)] ?? [] }
    func isCountry(_ code: String) -> Bool {
      question.country.map { name in
        areas(name).contains(code) || folder.folded(code, .words) == folder.folded(name, .words)
      } ?? true
    }
    if !isCountry(cities[city].country) { return false }
    guard let region = question.region else { return true }
    // A name of a region, of the country if one is given; else a code.
    let named = areas(region).filter { region in
      guard let end = region.firstIndex(where: { "./".contains($0) }) else { return false }
      return isCountry(String(region[..<end]))
    }
    return isIn(city, [named.isEmpty ? codes[folder.folded(region, .words)] ?? [] : named])
  }

  private func weight(_ city: City) -> Int {
    Self.logarithm(Double(max(city.population ?? 0, 1)))
  }

  private static func logarithm(_ number: Double) -> Int { Int((100 * log10(number) + 1e-9).rounded(.down)) }

  private static func letters(_ key: [UInt8]) -> [Unicode.Scalar] {
    Array(String(decoding: key, as: UTF8.self).unicodeScalars)
  }

  private func allowed(_ keys: [Unicode.Scalar]...) -> Int {
    let count = keys.map { letters in letters.count { $0 != " " } }.max() ?? 0
    return count < 5 ? 0 : count < 9 ? 1 : 2
  }

  /// The optimal string alignment distance, with the whole matrix; the difference in length, a lower bound, where that
  /// is more than any rule allows.
  private static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    let difference = abs(one.count - other.count)
    guard difference <= mostErrors else { return difference }
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
    countries: ["EE": ["Estonia", "Bo", "Lv"], "US": ["ana", "USA"]],
    regions: ["US.TX": ["Texas", "or ban"], "US.01": ["Bo", "01", "ana"], "EE.37": ["Harju", "日"]],
    counties: ["US.TX.bo": ["Bo", "an"], "US.01.01": ["Harju", "or"], "EE.37.01": ["ana", "San"], "EE..bo": ["a"]])

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
        Bool.random(using: &random)
          ? name() : ["XA", "XAN", "Xan", "xan", "Xán", "'"].randomElement(using: &random) ?? "XA"
      }
      (city.regionCode, city.region) =
        [("TX", ""), ("01", ""), ("37", ""), ("", "ora"), ("", "")]
        .randomElement(using: &random) ?? ("", "")
      city.countyCode = ["", "bo", "01"].randomElement(using: &random) ?? ""
      city.zone = ["", "Europe/Tallinn", "America/Chicago"].randomElement(using: &random) ?? ""
      return city
    }
  }
}
