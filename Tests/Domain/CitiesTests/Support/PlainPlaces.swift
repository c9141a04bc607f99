import Base
import Geodesy
import Glibc
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
    /// Languages that use it, if it is another name.
    var languages: Int

    init(city: Int, key: [UInt8], spelling: String, by: PlaceHitKind, languages: Int = 0) {
      (self.city, self.key, self.spelling, self.by, self.languages) = (city, key, spelling, by, languages)
      letters = PlainPlaces.letters(key)
    }

    /// Whether it is another name that nobody is known to use.
    var isUnused: Bool { by == .alternate && languages == 0 }
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
    /// Whether nothing will be typed after it.
    var isFinished = false
    var leastPeople: UInt64 = 0
  }

  /// Words after a name, and the areas that they name.
  struct Phrase {
    var areas: Set<String>
    /// Whether it has two letters, like a code.
    var isCode: Bool
  }

  /// Letters of the longest name that may be misspelt, with its spaces.
  private static let mostMisspeltLetters = 64
  /// Typing errors that a long name may have.
  private static let mostErrors = 2

  let cities: [City]
  let names: [Name]
  /// By key, the areas that have this name: `EE` for a country, `EE.37` or `EE/Harju` for a region, `EE.37#0784` for a
  /// county.
  private(set) var areas: [[UInt8]: Set<String>] = [:]
  /// By folded code, the regions and counties that have it.
  private var codes: [[UInt8]: Set<String>] = [:]
  /// The areas in which each city lies.
  let own: [Set<String>]
  let folder = CaseFolder()

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
      for key in listed.map({ folder.folded($0, .words) }) where key != code {
        if Self.isNumber(key) {
          if isFree(key, city.country, regionCodes) { codes[key, default: []].insert(county) }
        } else if isFree(key, city.country, regions) {
          areas[key, default: []].insert(county)
        }
      }
      if isWord, isFree(code, city.country, regions) { areas[code, default: []].insert(county) }
      if !isWord, isFree(code, city.country, regionCodes) { codes[code, default: []].insert(county) }
    }
  }

  /// Whether a code is a word of a query: neither a number nor one letter.
  private static func isWord(_ code: String) -> Bool {
    code.count > 1 && !isNumber(Array(code.utf8))
  }

  /// Whether a name is a number, which is a code and no word of a query.
  static func isNumber(_ name: [UInt8]) -> Bool { name.allSatisfy { (0x30...0x39).contains($0) } }

  private static func county(of city: City) -> String? {
    city.countyCode.isEmpty ? nil : "\(region(of: city) ?? "\(city.country).")#\(city.countyCode)"
  }

  private mutating func call(_ area: String, _ name: String) {
    let key = folder.folded(name, .words)
    if key.isEmpty { return }
    if Self.isNumber(key) { codes[key, default: []].insert(area) } else { areas[key, default: []].insert(area) }
  }

  private static func region(of city: City) -> String? {
    if !city.regionCode.isEmpty { return "\(city.country).\(city.regionCode)" }
    return city.region.isEmpty ? nil : "\(city.country)/\(city.region)"
  }

  /// One name per key: the title's, the one that most languages use, a code, else the one with the most bytes beyond
  /// ASCII, the shortest, the first.
  private static func names(of city: City, _ index: Int, _ folder: CaseFolder) -> [Name] {
    var kept: [[UInt8]: Name] = [:]
    func order(_ name: Name) -> [Int] {
      let text = name.spelling.utf8
      let kind = name.by == .name ? 0 : name.by == .code ? 2 : name.isUnused ? 3 : 1
      return [kind, -name.languages, -text.count { $0 >= 0x80 }, text.count]
    }
    func keep(_ spelling: String, _ by: PlaceHitKind, _ languages: Int = 0) {
      let key = folder.folded(spelling, .words)
      let name = Name(city: index, key: key, spelling: spelling, by: by, languages: languages)
      if key.isEmpty { return }
      if let known = kept[key], !order(name).lexicographicallyPrecedes(order(known)) { return }
      kept[key] = name
    }
    keep(city.name, .name)
    for other in city.alternates {
      let languages = city.languages[TextKey(other)] ?? 0
      keep(other, languages == 0 && isCode(other) ? .code : .alternate, languages)
    }
    return kept.values.map { kept in
      var name = kept
      if name.by == .name { name.spelling = "" }
      return name
    }
  }

  static func isCode(_ name: String) -> Bool {
    (2...4).contains(name.utf8.count) && name.utf8.allSatisfy { (0x41...0x5A).contains($0) }
  }

  /// The steps of a search, in this order, until something is found.
  enum Step: CaseIterable {
    case wholeWords, asTyped, area, startedName, postalCode, address, chinese, order, startedAreas, code, kind, typos
    case firstLetter, kindTypos, kindFirstLetter, endOfAddress, shorter, latin, latinTypos, latinFirstLetter

    /// The other ways to write the query that it looks for.
    var forms: SearchAttempt? {
      switch self {
      case .postalCode: .postalCode
      case .address: .address
      case .chinese: .characters
      case .order: .order
      case .code: .unknownCode
      case .kind, .kindTypos, .kindFirstLetter: .kind
      case .endOfAddress: .endOfAddress
      case .shorter: .fewerWords
      case .latin, .latinTypos, .latinFirstLetter: .latin
      default: nil
      }
    }

    /// The step that looks for the same typing errors in the query itself.
    var errors: Step? {
      switch self {
      case .typos, .kindTypos, .latinTypos: .typos
      case .firstLetter, .kindFirstLetter, .latinFirstLetter: .firstLetter
      default: nil
      }
    }
  }

  /// A name that answers a query.
  struct Hit {
    var name: Name
    var score: Int
    var edits = 0
    /// Words of the query that are the name; none if the query names an area of the city.
    var words: Int
    /// Whether the code of the city's region follows the name, in a country where people write such codes.
    var hasUsualCode = false

    /// Whether it is shown rather than another name of the same city.
    fileprivate func isShownRather(than other: Hit) -> Bool {
      func order(_ hit: Hit) -> [Int] { [-hit.score, hit.name.by == .name ? 0 : 1, -hit.words] }
      if order(self) != order(other) { return order(self).lexicographicallyPrecedes(order(other)) }
      return name.key.lexicographicallyPrecedes(other.name.key)
    }
  }

  /// The best cities, best first.
  func find(_ question: Question) -> [Found] {
    let words = words(question)
    var steps = Step.allCases
    // With a letter after it, a word that has ended stays what it is.
    if !isEnded(question) { steps.removeFirst() }
    if !question.typos, let first = steps.firstIndex(of: .code) { steps.removeSubrange(first...) }
    var (best, finder): ([Int: Hit], Step?) = ([:], nil)
    // A name without its kind of place is weighed against one with typing errors.
    for step in steps where finder == nil || finder == .kind && step == .typos {
      for words in forms(of: words, step, question) where best.isEmpty || step.forms?.isGuess != true {
        for hit in hits(words, question, step.errors ?? step) {
          // A name before a code that is not known is that of a city with 100,000 inhabitants.
          // So is one after a comma without any number.
          let isText = step == .endOfAddress && question.query.utf8.allSatisfy { $0 < 0x80 && $0 &- 0x30 >= 10 }
          if step == .code || isText, order(hit, question)[0] > -500 { continue }
          if let known = best[hit.name.city], !hit.isShownRather(than: known) { continue }
          best[hit.name.city] = hit
        }
      }
      if finder == nil, !best.isEmpty { finder = step }
    }
    var found = ordered(best.values, question)
    if finder == .wholeWords || finder == .asTyped, let best = found.first {
      let called = hits(words, question, finder ?? .asTyped)
      let meant = ordered(cities(of: meantAreas(words, called, best, question), question), question)
      if question.isFinished, !meant.isEmpty { found = meant }
      if !question.isFinished, let largest = meant.min(by: { isLarger($0.name.city, $1.name.city) }) {
        found = [largest] + found.filter { $0.name.city != largest.name.city }
      }
    }
    return found.prefix(question.limit).map { hit in
      Found(id: cities[hit.name.city].id, by: hit.edits > 0 ? .typo : hit.name.by, matched: hit.name.spelling)
    }
  }

  /// What a step looks for instead of the words.
  private func forms(of words: [[UInt8]], _ step: Step, _ question: Question) -> [[[UInt8]]] {
    guard let forms = step.forms else { return [words] }
    let keys = QueryForms.keys(
      for: forms, of: Self.key(words[...]), typed: Array(question.query.utf8),
      areas: PlaceQuery.LastAreas(
        words: areaWords(words), countryWords: countryWords(words), stay: areaStays(words)))
    let all = keys.map { $0.split(separator: UInt8(ascii: " ")).map(Array.init) }.filter { words in
      // The rest of an address is not an area.
      ![.postalCode, .address, .endOfAddress].contains(step) || namedAreas(words, question).isEmpty
        || meantAreas(words, hits(words, question, .asTyped), nil, question).isEmpty
    }
    // Typing errors are looked for in the first form alone.
    return step.errors == nil ? all : Array(all.prefix(1))
  }

  func words(_ question: Question) -> [[UInt8]] {
    folder.folded(question.query, .words).split(separator: UInt8(ascii: " ")).map(Array.init)
  }

  static func key(_ words: ArraySlice<[UInt8]>) -> [UInt8] { Array(words.joined(separator: [UInt8(ascii: " ")])) }

  func ordered(_ hits: some Sequence<Hit>, _ question: Question) -> [Hit] {
    hits.sorted { order($0, question).lexicographicallyPrecedes(order($1, question)) }
  }

  private func isLarger(_ one: Int, _ other: Int) -> Bool {
    func order(_ city: Int) -> [Int] { [-people(city), city] }
    return order(one).lexicographicallyPrecedes(order(other))
  }

  /// A number that is unknown is less than none.
  private func people(_ city: Int) -> Int { cities[city].population.map { Int($0) } ?? -1 }

  private func order(_ hit: Hit, _ question: Question) -> [Int] {
    let city = cities[hit.name.city]
    let point = GeoPoint(latitude: city.latitude, longitude: city.longitude)
    let metres = question.near.map { Int($0.metres(to: point)) } ?? 0
    let cost = question.near == nil ? 0 : Self.logarithm(10_000 + Double(metres)) - 400
    return [cost - hit.score, metres, -people(hit.name.city), hit.name.city]
  }

  // MARK: Names

  /// Every name that answers one of the readings of the words.
  func hits(_ words: [[UInt8]], _ question: Question, _ step: Step) -> [Hit] {
    if step == .area {
      let called = areas[Self.key(words[...])] ?? []
      return cities(of: called.isEmpty ? areasWithinAreas(words) : called, question)
    }
    var hits: [Hit] = []
    let countries = namedAreas(self.words(question), question).filter(Self.isCountry)
    for count in words.indices.map({ $0 + 1 }) {
      let query = Name(city: 0, key: Self.key(words[..<count]), spelling: "", by: .name)
      for phrases in phrases(words[count...], isStarted: step == .startedAreas) {
        for name in names where isIn(name.city, phrases) && isWanted(name.city, question) {
          for var hit in self.hits(name, query, isAlone: count == words.count, question, step) {
            hit.words = count
            hit.score += phrases.isEmpty ? 0 : 50
            let isOfCountry = phrases.isEmpty && name.by == .name && isIn(name.city, countries)
            if isOfCountry, question.near == nil, name.key == query.key, hit.edits == 0 { hit.score += 100 }
            let code = codeOfRegion(name.city, phrases)
            if code == .unusual { hit.score -= 300 }
            hit.hasUsualCode = code == .usual
            hits.append(hit)
          }
        }
      }
    }
    return hits
  }

  /// The ways in which a name answers the part of a query that is a name; `isAlone` if no areas follow.
  private func hits(
    _ name: Name, _ query: Name, isAlone: Bool, _ question: Question, _ step: Step
  ) -> [Hit] {
    // Any name but a title costs 200 where it is not matched as a whole.
    let start = Self.weight(cities[name.city]) - (name.by == .name ? 0 : 200)
    func hit(_ score: Int, edits: Int = 0) -> Hit { Hit(name: name, score: score, edits: edits, words: 0) }
    if step == .typos || step == .firstLetter {
      guard query.letters.count <= Self.mostMisspeltLetters, name.by != .code else { return [] }
      let isFirstRight = query.letters.first == name.letters.first
      var hits: [Hit] = []
      if step == .typos, isAlone, isFirstRight, isMisspeltStart(query.letters, of: name.letters) {
        hits.append(hit(start - 150, edits: 1))
      }
      let distance = Self.distance(query.letters, name.letters)
      let most = min(allowed(query.letters, name.letters), step == .typos ? 2 : 1)
      func digits(_ name: Name) -> [Unicode.Scalar] { name.letters.filter { ("0"..."9").contains($0) } }
      if distance <= most, isFirstRight == (step == .typos), distance == 0 || digits(query) == digits(name) {
        hits.append(hit(start + 100 - 100 * distance, edits: distance))
      }
      return hits
    }
    if step == .startedName {
      let goesOn = !isAlone && name.by != .code && name.key.starts(with: query.key + [UInt8(ascii: " ")])
      return goesOn ? [hit(start)] : []
    }
    if name.key == query.key {
      let cost = step == .kind ? 200 : 0
      return mayBeMeant(name, question) ? [hit(whole(name, isAlone: isAlone, question) - cost)] : []
    }
    let mayGoOn = [.asTyped, .wholeWords, .address, .chinese, .latin].contains(step) && name.by != .code
    let space = step == .wholeWords ? [UInt8(ascii: " ")] : []
    return isAlone && mayGoOn && name.key.starts(with: query.key + space) ? [hit(start)] : []
  }

  /// Whether the name is not a code, or the query has no small letters.
  private func mayBeMeant(_ name: Name, _ question: Question) -> Bool {
    name.by != .code || !question.query.contains { ("a"..."z").contains($0) }
  }

  /// The score of a whole name.
  private func whole(_ name: Name, isAlone: Bool, _ question: Question) -> Int {
    let city = cities[name.city]
    let isShort = isAlone && name.letters.count <= 4 && question.near == nil && !isEnded(question)
    let short = isShort && (city.population ?? 0) >= 30_000 ? 300 : 0
    let weight = Self.weight(city) + 100
    switch name.by {
    case .name: return weight + short
    case .code: return weight - 300 + (Self.isAirport(question) ? 2_000 : 0)
    default:
      if name.isUnused { return weight - 300 }
      // A place that is near is better evidence than the languages that use a name.
      return question.near == nil ? weight + 4 * name.languages + short : weight - 100
    }
  }

  private static func isAirport(_ question: Question) -> Bool {
    question.query.utf8.count == 3 && isCode(question.query)
  }

  // MARK: Areas

  /// Territories in these tests, and the countries that they belong to.
  private static let sovereigns = ["HK": "CN", "GL": "DK", "PR": "US"]
  /// Countries whose people write the codes of regions after names.
  private static let writers = ["AR", "AU", "BR", "CA", "CH", "IN", "IT", "MX", "US"]

  /// What the words after a name say about a city's region.
  private enum CodeOfRegion { case none, usual, unusual }

  private func codeOfRegion(_ city: Int, _ phrases: [Phrase]) -> CodeOfRegion {
    let country = cities[city].country
    let countries = Set([country, Self.sovereigns[country]].compactMap(\.self))
    guard phrases.contains(where: { $0.isCode && $0.areas.isDisjoint(with: countries) }) else { return .none }
    return Self.writers.contains(country) ? .usual : .unusual
  }

  static func isCountry(_ area: String) -> Bool { !area.contains { "./#".contains($0) } }
  private static func isCounty(_ area: String) -> Bool { area.contains("#") }

  /// The country or region that is meant rather than the cities that are called like the whole query, or rather than
  /// the `best` of those before an area; none if the cities are meant.
  func meantAreas(_ words: [[UInt8]], _ hits: [Hit], _ best: Hit?, _ question: Question) -> Set<String> {
    let named = namedAreas(words, question)
    if !named.isEmpty {
      let whole = hits.filter { $0.words == words.count && $0.name.key == Self.key(words[...]) }
      return whole.contains { isMeant($0, ratherThan: named, question) } ? [] : named
    }
    guard question.country == nil, question.region == nil, let best, best.words < words.count else { return [] }
    let inside = areasWithinAreas(words).filter { !Self.isCounty($0) }
    return isMeant(best, ratherThan: inside, question) ? [] : inside
  }

  /// The countries and regions that the whole query names, unless it is one letter, or two or three small ones.
  func namedAreas(_ words: [[UInt8]], _ question: Question) -> Set<String> {
    let key = Self.key(words[...])
    // A text with other letters than capitals from A to Z cannot be a code.
    let isNoCode = question.query.unicodeScalars.contains { ("a"..."z").contains($0) || !$0.isASCII }
    guard question.country == nil, question.region == nil, key.count > (isNoCode ? 3 : 1) else { return [] }
    return (areas[key] ?? []).filter { !Self.isCounty($0) }
  }

  /// In the area, a city of that title is meant, or a large one; elsewhere one of 100,000 for which people use the
  /// name, or any whose airport has that code.
  private func isMeant(_ hit: Hit, ratherThan areas: Set<String>, _ question: Question) -> Bool {
    let people = cities[hit.name.city].population ?? 0
    if hit.name.by == .code, Self.isAirport(question) { return true }
    if hit.name.by != .code, !hit.name.isUnused, people >= 100_000 { return true }
    guard isIn(hit.name.city, areas) else { return false }
    let largest = largestPopulation(ofCountries: areas)
    return hit.name.by == .name || people >= largest.map { $0 / 20 } ?? 20_000
  }

  /// The inhabitants of the largest city of the countries among `areas`.
  func largestPopulation(ofCountries areas: Set<String>) -> UInt64? {
    cities.filter { Self.isCountry($0.country) && areas.contains($0.country) }.map { $0.population ?? 0 }.max()
  }

  /// The regions and counties that the first words name, in the larger areas that the others name.
  private func areasWithinAreas(_ words: [[UInt8]]) -> Set<String> {
    for cut in words.indices.dropFirst().reversed() {
      let found = areas(Self.key(words[..<cut]), within: Self.key(words[cut...]))
      if !found.isEmpty { return found }
    }
    return []
  }

  private func areas(_ name: [UInt8], within around: [UInt8]) -> Set<String> {
    guard let inner = areas[name], let outer = areas[around] else { return [] }
    return inner.filter { area in
      guard !Self.isCountry(area) else { return false }
      let country = String(area.prefix { !"./".contains($0) })
      return outer.contains(country) || Self.sovereigns[country].map(outer.contains) ?? false
        || Self.isCounty(area) && outer.contains(String(area.prefix { $0 != "#" }))
    }
  }

  /// The most of the last words that name a country, a region, or an area within another one.
  private func areaWords(_ words: [[UInt8]]) -> Int {
    let rests = words.indices.dropFirst().map { words[$0...] }
    let known = rests.first { rest in
      let areas = areas[Self.key(rest)] ?? []
      return areas.contains { !Self.isCounty($0) }
        || rest.indices.dropFirst().contains { cut in
          !self.areas(Self.key(rest[..<cut]), within: Self.key(rest[cut...])).isEmpty
        }
    }
    return known?.count ?? 0
  }

  /// Whether the last words name a state or province, and no country, where people write these after a name.
  private func areaStays(_ words: [[UInt8]]) -> Bool {
    let last = Array(words.suffix(areaWords(words)))
    let named = (areas[Self.key(last[...])] ?? []).filter { !Self.isCounty($0) }
    let meant = named.isEmpty ? areasWithinAreas(last) : named
    let countries = meant.map { area in String(area.prefix { !"./".contains($0) }) }
    return countryWords(words) == 0 && countries.contains(where: Self.writers.contains)
  }

  /// The most of the last words that name a country.
  private func countryWords(_ words: [[UInt8]]) -> Int {
    let rests = words.indices.dropFirst().map { words[$0...] }
    return rests.first { areas[Self.key($0)]?.contains(where: Self.isCountry) ?? false }?.count ?? 0
  }

  /// The wanted cities of areas, without those of territories.
  private func cities(of areas: Set<String>, _ question: Question) -> [Hit] {
    cities.indices.filter { !own[$0].isDisjoint(with: areas) && isWanted($0, question) }.map { city in
      Hit(name: Name(city: city, key: [], spelling: "", by: .area), score: Self.weight(cities[city]), words: 0)
    }
  }

  /// Whether something that separates words follows the last one.
  func isEnded(_ question: Question) -> Bool {
    folder.folded(question.query + "x", .words).suffix(2) == Array(" x".utf8)
  }

  /// Whether the start of a name differs from a key of five letters or more, without digits, by one error at most.
  private func isMisspeltStart(_ key: [Unicode.Scalar], of name: [Unicode.Scalar]) -> Bool {
    guard allowed(key) > 0, !key.contains(where: { ("0"..."9").contains($0) }) else { return false }
    return (key.count - 1...key.count + 1).contains { Self.distance(key, Array(name.prefix($0))) <= 1 }
  }

  /// The ways to read words as names of one or two areas, of which the last may be started only; one way to read no
  /// words.
  private func phrases(_ words: ArraySlice<[UInt8]>, isStarted: Bool) -> [[Phrase]] {
    func whole(_ words: ArraySlice<[UInt8]>) -> Phrase? {
      let key = Self.key(words)
      return areas[key].map { Phrase(areas: $0, isCode: key.count == 2) }
    }
    func last(_ words: ArraySlice<[UInt8]>) -> Phrase? {
      guard isStarted else { return whole(words) }
      let start = Self.key(words)
      let named = areas.filter { $0.key.starts(with: start) }.values.reduce(into: Set()) { $0.formUnion($1) }
      let found = named.filter { !Self.isCounty($0) }
      return found.isEmpty ? nil : Phrase(areas: found, isCode: false)
    }
    guard let first = words.indices.first else { return [[]] }
    let one = last(words).map { [[$0]] } ?? []
    let pairs = words.indices.dropFirst().compactMap { cut -> [Phrase]? in
      guard let one = whole(words[first..<cut]), let other = last(words[cut...]) else { return nil }
      return [one, other]
    }
    return one + pairs
  }

  private func isIn(_ city: Int, _ phrases: [Phrase]) -> Bool { phrases.allSatisfy { isIn(city, $0.areas) } }

  /// Whether a city lies in one of the areas; one of a territory also lies in the country that it belongs to.
  func isIn(_ city: Int, _ areas: Set<String>) -> Bool {
    !own[city].isDisjoint(with: areas) || Self.sovereigns[cities[city].country].map(areas.contains) ?? false
  }

  func isWanted(_ city: Int, _ question: Question) -> Bool {
    func areas(_ name: String) -> Set<String> { self.areas[folder.folded(name, .words)] ?? [] }
    func isCountry(_ code: String) -> Bool {
      question.country.map { name in
        let key = folder.folded(name, .words)
        return areas(name).contains(code) || codes[key]?.contains(code) ?? false || folder.folded(code, .words) == key
      } ?? true
    }
    if !isCountry(cities[city].country) || cities[city].population ?? 0 < question.leastPeople { return false }
    guard let region = question.region else { return true }
    // A name of a region, of the country if one is given; else a code.
    let named = areas(region).filter { region in
      guard let end = region.firstIndex(where: { "./".contains($0) }) else { return false }
      return isCountry(String(region[..<end]))
    }
    let coded = (codes[folder.folded(region, .words)] ?? []).filter { !Self.isCountry($0) }
    return isIn(city, named.isEmpty ? coded : named)
  }

  static func weight(_ city: City) -> Int {
    logarithm(Double(max(city.population ?? 0, 1)))
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
    // Flat, and without ranges: it is most of the work of these tests, in a build without optimization.
    let width = other.count + 1
    var matrix = [Int](repeating: 0, count: (one.count + 1) * width)
    var at = 0
    while at < matrix.count {
      let (row, column) = (at / width, at % width)
      if row == 0 || column == 0 {
        matrix[at] = row + column
      } else {
        let isEqual = one[row - 1] == other[column - 1]
        var cost = min(matrix[at - width] + 1, matrix[at - 1] + 1, matrix[at - width - 1] + (isEqual ? 0 : 1))
        if row > 1, column > 1, one[row - 1] == other[column - 2], one[row - 2] == other[column - 1] {
          cost = min(cost, matrix[at - 2 * width - 2] + 1)
        }
        matrix[at] = cost
      }
      at += 1
    }
    return matrix[matrix.count - 1]
  }
}
