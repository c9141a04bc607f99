package import Coroutines
package import Geodesy
import Text

/// The certainty that a name means a certain city, in ascending order.
public enum NameCertainty: UInt8, Sendable {
  /// No match, or the name of an area.
  case none
  /// No whole name matches: the name is a prefix of one, contains a prefix of an area's name, or has typos; or the name
  /// is a translation that the list has for a smaller city of the same title only.
  case guess
  /// Another city or an area may be meant.
  case likely
  /// No other city with that name, nor an area, comes near.
  case sure
}

/// Finds the city that a finished text means, and how certain that is.
///
/// ```swift
/// var resolver = PlaceResolver()
/// for name in names {
///   resolver.begin(name, PlaceConditions(limit: 1), index)
///   print(try await resolver.resolve(index, budget))
/// }
/// ```
///
/// It takes the first hit of ``NameSearch`` among whole names, by the same scores, and without the search: names with
/// equal keys are adjacent, and one pass over them finds the best two cities. The best is *sure* if its score exceeds
/// that of every other city by a margin (``NameScore/margin(of:over:)``), *likely* otherwise. Longer names that start
/// with the text must have a lower score, because ``NameSearch`` lists them, too. Without a whole name, its first hit
/// is a *guess*; so is the largest city of a title of which a smaller one has the name, as a translation.
///
/// A text that names an area means no city: see ``NamedArea``.
///
/// Once the buffers have grown, only names of several words allocate.
public struct PlaceResolver {
  /// The meaning of a text.
  public struct Resolution: Equatable, Sendable {
    /// The rank of the city; `nil` if nothing was found, or an area is meant.
    public let rank: Int?
    /// The certainty that this city is meant.
    public let certainty: NameCertainty
    /// The reason for it.
    public let reason: MatchReason
    /// The rank of the city with the next score; `nil` if no other has that name.
    public var second: Int?
    /// Whether it will do for somebody who learns which other city may be meant: no area may be, and another one has at
    /// most half of the weight.
    public var isBest = false

    /// Whether a country or region is meant.
    public var isArea: Bool { rank == nil && reason == .area }

    /// No city, for that reason.
    public static func none(_ reason: MatchReason) -> Self { Self(rank: nil, certainty: .none, reason: reason) }
  }

  /// The first byte of the encodings of Greek and of all later scripts, those that are not Latin.
  private static let firstOfOtherScripts: UInt8 = 0xCD
  /// The maximum number of ``candidates``.
  public static let maximumCandidates = 20
  /// Names examined between two checks of the budget.
  private static let steps = 64
  /// The least population of a city that is certain by a name that is not known to be in use: the list may have it for
  /// one of several towns that are called so.
  private static let leastPeopleOfUnused: UInt64 = 15_000
  /// The number of cities that are kept for a comparison; few names have more.
  private static let kept = 16
  /// Cells of a column without a value, as programs write them.
  private static let missing = [
    "nan", "NaN", "NaT", "None", "NULL", "null", "N/A", "n/a", "#N/A", "<NA>", "\\N", "-",
  ].map { Array($0.utf8) }

  /// A city with a whole name, and its score.
  private struct Candidate {
    let hit: PlaceHits.Hit
    let score: Int
    /// Its population in its stored form.
    let people: Int
    let kind: NameKind
    /// Whether the code of its region follows the name, and people of its country write such codes.
    let isInWrittenRegion: Bool

    /// Whether its score exceeds that of another city by enough.
    func isClear(of other: Self) -> Bool {
      guard other.hit.rank != hit.rank else { return true }
      let isElsewhere = other.isInWrittenRegion && !isInWrittenRegion
      let margin = NameScore.margin(of: kind, over: other.kind) + (isElsewhere ? NameScore.writtenCode : 0)
      return score - other.score >= margin
    }

    /// Whether it precedes `other` in the order of ``PlaceHits``.
    func precedes(_ other: Self) -> Bool {
      if score != other.score { return score > other.score }
      return people != other.people ? people > other.people : hit.rank < other.hit.rank
    }
  }

  /// The search for a guess: a class, because few names need its thousand bytes, and a resolver is copied.
  private final class Guesses {
    @exclusivity(unchecked) var search = NameSearch()
  }

  /// Whether the last search examined every name that could be better.
  public private(set) var isComplete = true
  /// The number of cities with this whole name, once ``compare(near:_:_:)`` is finished.
  public private(set) var total = 0
  /// The first of them, best first, at most ``maximumCandidates``.
  public private(set) var candidates = PlaceHits()
  /// The one nearest to a given place.
  public private(set) var nearest: PlaceHits.Hit?

  private var conditions = PlaceConditions(limit: 1)
  private var query = PlaceQuery()
  /// The original text, if it has a comma and may be an address.
  private var address: [UInt8] = []
  private var isMissing = false
  /// Whether it begins with a capital, and a later word with a small letter.
  private var hasSmallWord = false
  /// Whether the kind of a name counts more, as in a search for such a short name.
  private var prefersShort = false
  private var (best, second): (Candidate?, Candidate?) = (nil, nil)
  /// The first cities that were found, and the number of all.
  private var (firsts, count): ([Candidate], Int) = ([], 0)
  /// Where the names start with the whole text, without conditions.
  private var started: (texts: Range<Int>, node: Int?) = (0..<0, nil)
  private var named: NamedArea?
  /// A larger city with the title of the best one, whose name is a translation.
  private var namesake: Candidate?
  private let guesses = Guesses()
  private let folder = CaseFolder()

  /// Creates a resolver; ``begin(_:_:_:)`` starts it.
  public init() {}

  /// Whether a text is how programs write a cell without a value, such as `nan` or `N/A`.
  public static func isMissing(_ text: UnsafeRawBufferPointer) -> Bool {
    text.count <= 4 && missing.contains { $0.elementsEqual(text) }
  }

  /// Starts to resolve a text in UTF-8 among the cities that meet `conditions`; any bytes are allowed.
  ///
  /// - Complexity: O(bytes), up to a limit; for several words, the cost of parsing a query of `city.find`.
  public mutating func begin(_ text: UnsafeRawBufferPointer, _ conditions: PlaceConditions, _ index: CityIndex) {
    self.conditions = conditions
    self.conditions.limit = 1
    self.conditions.codes = CodeUse(text)
    self.conditions.isFinished = true
    (isComplete, best, second, count, namesake) = (true, nil, nil, 0, nil)
    firsts.removeAll(keepingCapacity: true)
    isMissing = !conditions.haveAreas && Self.isMissing(text)
    hasSmallWord = Self.hasSmallWord(text)
    let isWord = index.names != nil && !NameSearch.isSignedNumber(text)
    let key = isWord ? folder.fold(text, .words, atMost: PlaceQuery.maximumBytes) : nil
    self.conditions.endsAfterWord = folder.endsAfterWord
    query.read(key ?? UnsafeRawBufferPointer(start: nil, count: 0), index.areas)
    address.removeAll(keepingCapacity: true)
    if text.count <= PlaceQuery.maximumBytes, text.contains(UInt8(ascii: ",")) { address.append(contentsOf: text) }
    prefersShort = query.isShort && !self.conditions.endsAfterWord
    named = query.namedArea(self.conditions, index)
  }

  /// The best city with the whole text as its name; `nil` if ``resolve(_:_:)`` found none.
  public var hit: PlaceHits.Hit? { best?.hit }

  /// The ranks of the `limit` largest cities of the country whose name, or code in any case, is the whole text, and the
  /// number of all; `nil` if there is no such country.
  public func country(_ index: CityIndex, atMost limit: Int) -> (largest: [Int], total: Int)? {
    guard let areas = index.areas, let found = query.wholeArea(areas) else { return nil }
    let cities = index.cities(ofCountries: Set(areas.countries(found)).sorted())
    guard cities.total > 0 else { return nil }
    return (index.ranks(cities, offset: 0, limit: limit, byPopulation: true), cities.total)
  }

  /// Whether the text is a decimal number, apart from what its key lacks: some cities have a number for a name, but in
  /// a column it is probably an id.
  public var isNumber: Bool { !query.key.isEmpty && query.key.allSatisfy { $0 &- 0x30 < 10 } }

  /// Finds the city that the text means.
  ///
  /// - Throws: ``Stopped``.
  /// - Complexity: O(m) for m equal names; without any, the cost of `city.find`.
  package mutating func resolve(_ index: CityIndex, _ budget: Budget) async throws(Stopped) -> Resolution {
    guard !isMissing else { return .none(.missing) }
    try await forEachName(index, budget) { $0.take($1, index) }
    guard let best else {
      if query.key.isEmpty || named == nil { return try await guess(index, budget) }
      return .none(.area)
    }
    if let area = area(besides: best, index), !area.isCity {
      guard area.isShared(with: best.hit.rank, best.kind, index) else { return .none(.area) }
      return Resolution(rank: best.hit.rank, certainty: .likely, reason: .area, second: second?.hit.rank)
    }
    if isTranslated(best, index) { try await findNamesake(of: best, index, budget) }
    if let namesake {
      return Resolution(
        rank: namesake.hit.rank, certainty: .guess, reason: .translatedName, second: best.hit.rank)
    }
    let doubt = try await doubt(about: best, index, budget)
    let isAhead = second.map { best.score - $0.score >= NameScore.twice } ?? true
    return Resolution(
      rank: best.hit.rank, certainty: doubt == nil ? .sure : .likely, reason: doubt ?? .name, second: second?.hit.rank,
      isBest: doubt == nil || doubt != .area && isAhead)
  }

  /// Why it is not certain that a city is meant; `nil` if it is.
  private mutating func doubt(
    about best: Candidate, _ index: CityIndex, _ budget: Budget
  ) async throws(Stopped) -> MatchReason? {
    if second != nil, try await !isClear(best, index, budget) { return .namesakes }
    if best.kind == .alternate, index.people(best.hit.rank) < Self.leastPeopleOfUnused { return .unusedName }
    if named?.isDoubt(about: best.hit.rank, best.kind, index) == true { return .area }
    if hasSmallWord, try await isKindLeftOut(best, index, budget) { return .similar(.kind) }
    return isOutweighed(best, index) ? .longerName : nil
  }

  /// Whether the score of a city exceeds that of every other by enough.
  private mutating func isClear(
    _ best: Candidate, _ index: CityIndex, _ budget: Budget
  ) async throws(Stopped) -> Bool {
    if count <= firsts.count { return firsts.allSatisfy { best.isClear(of: $0) } }
    var isClear = true
    try await forEachName(index, budget) { isClear = isClear && best.isClear(of: $1) }
    return isClear
  }

  /// The area that the text names beside a city.
  private func area(besides city: Candidate, _ index: CityIndex) -> NamedArea? {
    if let named { return named }
    guard city.hit.nameBytes < query.key.count else { return nil }
    return query.areaWithinArea(besides: city.hit.rank, city.kind, conditions, index)
  }

  // MARK: Whole names

  /// Calls `body` with each city that has the name of a reading and meets the conditions, perhaps several times.
  private mutating func forEachName(
    _ index: CityIndex, _ budget: Budget, _ body: (inout Self, Candidate) -> Void
  ) async throws(Stopped) {
    guard let names = index.names, !query.key.isEmpty else { return }
    for reading in 0..<query.wholeReadings {
      try await forEach(entries(ofReading: reading, names), query.readings[reading], names, index, budget, body)
    }
  }

  /// Calls `body` with the city of each entry, as a name in a reading, that meets the conditions.
  @inline(__always)
  private mutating func forEach(
    _ entries: Range<Int>, _ reading: PlaceQuery.Reading, _ names: NameTable, _ index: CityIndex, _ budget: Budget,
    _ body: (inout Self, Candidate) -> Void
  ) async throws(Stopped) {
    var rest = entries
    while !rest.isEmpty {
      let part = rest.prefix(Self.steps)
      for entry in part {
        if let found = candidate(entry, reading, names, index) { body(&self, found) }
      }
      try await budget.check(part.count)
      rest = rest.dropFirst(part.count)
    }
  }

  private mutating func entries(ofReading reading: Int, _ names: NameTable) -> Range<Int> {
    query.key.withUnsafeBytes { key in
      let name = UnsafeRawBufferPointer(rebasing: key[..<query.readings[reading].nameBytes])
      let found = names.trie.locate(name, in: names.keys)
      if reading == 0 { started = found }
      return names.entries(called: name, at: found.texts)
    }
  }

  /// The city of an entry, unless it does not meet the conditions.
  private func candidate(
    _ entry: Int, _ reading: PlaceQuery.Reading, _ names: NameTable, _ index: CityIndex
  ) -> Candidate? {
    let (rank, kind) = names.city(of: entry)
    guard kind != .code || conditions.codes != .none, rank < index.count,
      index.lies(rank, inAllOf: reading.areas, conditions)
    else { return nil }
    let people = index.populations[rank]
    var score = names.score(of: entry) + NameScore.bonusOfWhole(kind) + NameScore.bonusOfCode(kind, conditions.codes)
    if !reading.isWhole { score += NameScore.qualified }
    if reading.isWhole, let named { score += named.bonus(rank, kind, index) }
    if reading.isWhole, prefersShort { score += NameScore.bonusOfShort(kind, people) }
    let codes = reading.hasCode ? index.regionCodes(reading.areas, of: rank) : .none
    if codes == .unusual { score -= NameScore.unusualCode }
    let hit = PlaceHits.Hit(
      rank: rank, entry: entry, score: score, isTitle: kind == .title, isWhole: true,
      isAlone: reading.isWhole, nameBytes: reading.nameBytes, edits: 0)
    return Candidate(hit: hit, score: score, people: people, kind: kind, isInWrittenRegion: codes == .written)
  }

  private mutating func take(_ city: Candidate, _ index: CityIndex) {
    if city.hit.nameBytes == query.key.count { named?.consider(city.hit.rank, city.kind, index) }
    count += 1
    if count <= Self.kept { firsts.append(city) }
    guard let first = best else {
      best = city
      return
    }
    if city.hit.rank == first.hit.rank {
      if city.precedes(first) { best = city }
    } else if city.precedes(first) {
      (best, second) = (city, first)
    } else if second.map({ city.precedes($0) }) ?? true {
      second = city
    }
  }

  /// Whether ``NameSearch`` lists another city before the best one, by a longer name that starts with the text.
  private func isOutweighed(_ city: Candidate, _ index: CityIndex) -> Bool {
    guard let names = index.names else { return false }
    func outweighs(_ entry: Int) -> Bool {
      guard names.score(of: entry) >= city.score else { return false }
      let (rank, kind) = names.city(of: entry)
      return rank != city.hit.rank && kind != .code && rank < index.count && index.lies(rank, conditions)
    }
    guard let country = conditions.country else {
      return names.best.contains(in: started.texts, started.node, score: city.score, names, where: outweighs) { $0 }
    }
    let table = names.names(ofCountry: country)
    let (texts, node) = query.key.withUnsafeBytes { table.trie.locate($0, in: table.keys) }
    return names.countryBest.contains(
      in: texts, node.map { $0 + table.firstNode }, score: city.score, names, where: outweighs
    ) { table.keys.entry(at: $0) }
  }

  // MARK: Kinds of places

  private static func hasSmallWord(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = text.first, first &- UInt8(ascii: "A") < 26 else { return false }
    return zip(text, text.dropFirst()).contains { $0 == UInt8(ascii: " ") && $1 &- UInt8(ascii: "a") < 26 }
  }

  /// Whether another city in the same areas comes near whose title is the name without a word for the kind of place.
  ///
  /// Offices write `Clay city, KY` for Clay, not for Clay City. That city becomes the second.
  private mutating func isKindLeftOut(
    _ best: Candidate, _ index: CityIndex, _ budget: Budget
  ) async throws(Stopped) -> Bool {
    guard let names = index.names, let bytes = QueryForms.bytesWithoutKind(query.key[..<best.hit.nameBytes]) else {
      return false
    }
    var isFound = false
    let entries = query.key.withUnsafeBytes { key in
      let name = UnsafeRawBufferPointer(rebasing: key[..<bytes])
      return names.entries(called: name, at: names.trie.locate(name, in: names.keys).texts)
    }
    for reading in readings(of: best) {
      try await forEach(entries, reading, names, index, budget) { resolver, other in
        guard other.kind == .title, other.hit.rank != best.hit.rank, best.score - other.score < NameScore.writtenKind,
          !isFound || resolver.second.map({ other.precedes($0) }) ?? true
        else { return }
        (resolver.second, isFound) = (other, true)
      }
    }
    return isFound
  }

  /// The readings in which a city has its name.
  private func readings(of city: Candidate) -> [PlaceQuery.Reading] {
    query.readings.prefix(query.wholeReadings).filter { $0.nameBytes == city.hit.nameBytes }
  }

  // MARK: Namesakes

  /// Whether the name of a city is in a script that its country does not use.
  @inline(__always)
  private func isTranslated(_ city: Candidate, _ index: CityIndex) -> Bool {
    city.kind != .title && (query.key.first ?? 0) >= Self.firstOfOtherScripts
      && index.writesLatin(inCountryOf: city.hit.rank)
  }

  /// Finds the largest city with the title of `city`, which has a translated name.
  ///
  /// Of several cities with a title, lists have the name in another script for some only: 华盛顿 for Washington in Utah.
  /// A name of more words than the title may say which one is meant, and stays.
  private mutating func findNamesake(
    of city: Candidate, _ index: CityIndex, _ budget: Budget
  ) async throws(Stopped) {
    guard let names = index.names, let title = index.titleKey(of: city.hit.rank, folder),
      query.key[..<city.hit.nameBytes].count(where: { $0 == UInt8(ascii: " ") })
        <= title.count(where: { $0 == UInt8(ascii: " ") })
    else { return }
    let entries = names.entries(called: title, at: names.trie.locate(title, in: names.keys).texts)
    for reading in readings(of: city) {
      try await forEach(entries, reading, names, index, budget) { resolver, other in
        guard other.kind == .title, other.people > city.people else { return }
        if resolver.namesake.map({ other.precedes($0) }) ?? true { resolver.namesake = other }
      }
    }
  }

  /// Counts the cities with the whole text as a name, and lists the first of them; ``nearest`` is measured from
  /// `origin`.
  ///
  /// - Throws: ``Stopped``.
  /// - Complexity: O(m) for m equal names.
  package mutating func compare(
    near origin: GeoPoint? = nil, _ index: CityIndex, _ budget: Budget
  ) async throws(Stopped) {
    // A bit for each rank, because two readings can find the same city.
    var seen = [UInt64](repeating: 0, count: index.count / UInt64.bitWidth + 1)
    candidates.begin(limit: Self.maximumCandidates, near: nil)
    (total, nearest) = (0, nil)
    var least: (metres: UInt32, rank: Int)?
    func take(_ resolver: inout Self, _ city: Candidate) {
      resolver.candidates.offer(city.hit, index)
      let (word, bit) = (city.hit.rank / UInt64.bitWidth, UInt64(1) << UInt64(city.hit.rank % UInt64.bitWidth))
      guard seen[word] & bit == 0 else { return }
      seen[word] |= bit
      resolver.total += 1
      guard let origin else { return }
      let metres = origin.metres(to: index.point(at: city.hit.rank))
      if let least, (metres, city.hit.rank) >= least { return }
      (least, resolver.nearest) = ((metres, city.hit.rank), city.hit)
    }
    try await forEachName(index, budget, take)
    if let namesake { take(&self, namesake) }
  }

  // MARK: Guesses

  /// The best name that starts with the key, or differs from it by typos.
  private mutating func guess(_ index: CityIndex, _ budget: Budget) async throws(Stopped) -> Resolution {
    // A date, an id or an amount is not the start of a name.
    guard query.key.contains(where: { $0 &- 0x30 >= 10 && $0 != UInt8(ascii: " ") }) else { return .none(.nothing) }
    query.key.withUnsafeBytes { key in
      address.withUnsafeBytes { guesses.search.begin(key, typed: $0, conditions, index) }
    }
    while !guesses.search.advance(steps: Self.steps, index) { try await budget.check(Self.steps) }
    isComplete = guesses.search.isComplete
    guard guesses.search.hits.count > 0 else { return .none(.nothing) }
    let hit = guesses.search.hits[0]
    // An area's name does not mean its largest city.
    guard !hit.isByArea else { return .none(.area) }
    return Resolution(rank: hit.rank, certainty: .guess, reason: .similar(guesses.search.attempt(of: hit)))
  }
}

extension NameTable {
  /// The entries with the whole key `name`, which are the first of those that start with it, `found`.
  func entries(called name: UnsafeRawBufferPointer, at found: Range<Int>) -> Range<Int> {
    guard !found.isEmpty, keys.key(at: found.lowerBound).byte(name.count) == 0 else { return 0..<0 }
    return entriesOfKey(at: found)
  }
}

extension BestNames {
  /// Whether one of the best names below a node, or of the few names at `texts` without a list, satisfies `outweighs`,
  /// which none with a lower score than `score` does.
  @inline(__always)
  fileprivate func contains(
    in texts: Range<Int>, _ node: Int?, score: Int, _ names: NameTable, where outweighs: (Int) -> Bool,
    entry: (Int) -> Int
  ) -> Bool {
    guard let node, let list = list(of: node) else {
      return texts.prefix(Self.smallest).contains { outweighs(entry($0)) }
    }
    for place in list {
      let name = entry(self[place])
      // The list descends.
      guard names.score(of: name) >= score else { return false }
      if outweighs(name) { return true }
    }
    return false
  }
}

extension CityIndex {
  /// Whether the city at `rank` lies in one area of each choice, and meets `conditions`.
  @inline(__always)
  func lies(
    _ rank: Int, inAllOf choices: [AreaChoice] = [], _ conditions: PlaceConditions = PlaceConditions(limit: 0)
  ) -> Bool {
    guard conditions.leastPeople == 0 || people(rank) >= conditions.leastPeople else { return false }
    guard conditions.haveAreas || !choices.isEmpty else { return true }
    guard let areas else { return false }
    let locality = localities.locality(ofRank: rank)
    if let country = conditions.country, locality.country != country { return false }
    if !conditions.countries.isEmpty, !conditions.countries.contains(locality.country) { return false }
    if let region = conditions.region, !areas.contains(locality, region) { return false }
    return choices.allSatisfy { areas.contains(locality, $0) }
  }

  /// The countries whose people write the codes of regions or provinces after the names of cities.
  private static let writtenCodes = ["ar", "au", "br", "ca", "ch", "in", "it", "mx", "us"].map { Array($0.utf8) }

  /// The use of the codes of a city's region in addresses.
  enum RegionCodes {
    /// No area is named by the code of the city's region or province.
    case none
    /// People write this code after the names of cities.
    case written
    /// People do not: `Georgetown, DE` is in Delaware rather than in Demerara, Guyana.
    case unusual
  }

  /// The cost of a reading for the city at `rank`, if the code of its region is one that people do not write.
  @inline(__always)
  func penalty(of reading: PlaceQuery.Reading, _ rank: Int) -> Int {
    reading.hasCode && regionCodes(reading.areas, of: rank) == .unusual ? NameScore.unusualCode : 0
  }

  /// How areas that contain the city at `rank` are named, if it is by codes.
  func regionCodes(_ choices: [AreaChoice], of rank: Int) -> RegionCodes {
    guard let areas else { return .none }
    let locality = localities.locality(ofRank: rank)
    guard choices.contains(where: { $0.isCode && !areas.isCountry($0, of: locality) }) else { return .none }
    return writesRegions(inCountry: locality.country) ? .written : .unusual
  }

  /// The countries whose people write names in other scripts than Latin, and those in two.
  private static let otherScripts = [
    "ae", "af", "am", "ba", "bd", "bg", "bh", "bt", "by", "cn", "cy", "dz", "eg", "eh", "er", "et", "ge",
    "gr", "hk", "il", "in", "iq", "ir", "jo", "jp", "kg", "kh", "kp", "kr", "kw", "kz", "la", "lb", "lk",
    "ly", "ma", "md", "me", "mk", "mm", "mn", "mo", "mr", "mv", "np", "om", "pk", "ps", "qa", "rs", "ru",
    "sa", "sd", "sg", "sy", "th", "tj", "tm", "tn", "tw", "ua", "uz", "ye",
  ].map { Array($0.utf8) }

  /// Whether people of the country of the city at `rank` write names in Latin letters only.
  func writesLatin(inCountryOf rank: Int) -> Bool {
    let code = countries.code(at: localities.locality(ofRank: rank).country)
    return !Self.otherScripts.contains { $0.elementsEqual(code) }
  }

  /// The name in the title of the city at `rank` as a search key, which belongs to `folder`.
  func titleKey(of rank: Int, _ folder: CaseFolder) -> UnsafeRawBufferPointer? {
    let key = plain.key(at: rank)
    let title = key.bytes(min(key.count, CityRule.maximumKeyBytes))
    return folder.fold(UnsafeRawBufferPointer(rebasing: title.prefix { $0 != keySeparator }), .words)
  }

  /// Whether people of the country with that number write its regions after the names of cities.
  func writesRegions(inCountry country: Int) -> Bool {
    let code = countries.code(at: country)
    return Self.writtenCodes.contains { $0.elementsEqual(code) }
  }
}

extension PlaceConditions {
  /// Whether they restrict the country or region.
  var haveAreas: Bool { country != nil || region != nil || !countries.isEmpty }
}
