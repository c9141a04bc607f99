public import Geodesy

/// The conditions of a search for places.
public struct PlaceConditions {
  /// The largest number of hits, up to ``NameSearch/maximumLimit``.
  public var limit: Int
  /// Cities near this place are preferred.
  public var near: GeoPoint?
  /// Whether to correct typos if nothing else is found.
  public var allowsTypos: Bool
  /// Whether the last word of the query is complete: names in which the word ends there are tried first, others only if
  /// there are none.
  public var endsAfterWord = false
  /// Whether the query may mean a city by its code.
  public var codes = CodeUse.any
  /// Whether ``NameSearch/made`` lists the attempts.
  public var isExplained = false
  /// Whether the query is finished: if it means an area, all hits are cities of the area, not only the first one.
  public var isFinished = false
  /// The fewest inhabitants of a city.
  public var leastPeople: UInt64 = 0
  /// Restricts the search to this country.
  var country: Int?
  /// Restricts the search to these countries, if there are several.
  var countries: [Int] = []
  /// Restricts the search to these areas.
  var region: AreaChoice?

  /// Creates conditions with a limit and no restrictions.
  public init(limit: Int, near: GeoPoint? = nil, allowsTypos: Bool = true) {
    (self.limit, self.near, self.allowsTypos) = (limit, near, allowsTypos)
  }
}

/// A resumable search for places by name.
///
/// ```swift
/// search.begin(folded, conditions, index)
/// while !search.advance(steps: 1_000, index) { pause() }
/// for place in 0..<search.hits.count { show(index.row(at: search.hits[place].rank)) }
/// ```
///
/// A query is a name, the start of one, or a name followed by words that name areas. A space at its end completes the
/// last word, unless no name matches in that way. If nothing is found, the whole query may name an area, whose largest
/// cities are returned, or the last area may be incomplete; finally there may be typos. Each interpretation becomes a
/// few ranges of the name table: the whole names, which are adjacent with the best first, and longer names, for which
/// the trie's node has a list of the best. The names of a range are scanned only if a list is not sufficient, because
/// the region is restricted or because the distance must decide between equals at its end. For typos see ``TypoWalk``.
///
/// It belongs to one thread and is reused: once it has grown, only queries of several words allocate.
public struct NameSearch {
  /// The largest number of hits.
  public static let maximumLimit = BestNames.length
  /// The number of names and nodes after which a search stops with what it has found.
  static let maximumSteps = 2_000_000

  /// The best cities so far, best first.
  public private(set) var hits = PlaceHits()
  /// Whether everything was examined that could be better than the hits.
  public private(set) var isComplete = true

  /// Names that remain to be scanned.
  private struct Scan {
    /// Positions of entries, or of a country's list of entries.
    var positions: Range<Int>
    let country: Int?
    let reading: Int
    /// Whether the query has the whole names, not only their starts.
    let isWhole: Bool
    /// The number of typos in the start of the names.
    var edits = 0
  }

  /// What remains to be done in an attempt.
  private enum Work {
    /// Other forms of the query; `next` is the first that remains to be tried.
    case forms([[UInt8]], next: Int)
    /// The cities of an area from `next` on, by population; if `isFirstOnly`, the first of them comes before other
    /// hits.
    case cities(AreaChoice, CityMatches, next: Int, isFirstOnly: Bool)
    /// The name of an interpretation may have typos, either in its first letter only or elsewhere only.
    case typos(reading: Int, TypoWalk.Pass)
  }

  private var query = PlaceQuery()
  /// The folded query, and its original text.
  private var original: [UInt8] = []
  private var typed: [UInt8] = []
  /// The country or region that the query names, if its cities are hits.
  private(set) var area: AreaChoice?
  /// The area that the query names besides cities.
  private(set) var named: NamedArea?
  /// The key that replaced the query, if the hits are a guess; else empty.
  public private(set) var searched: [UInt8] = []
  /// The query and a space: the start of the names that continue with another word.
  private var endedKey: [UInt8] = []
  /// The key of the query without the kind of place.
  private var withoutKind: [UInt8] = []
  private var conditions = PlaceConditions(limit: 0)
  private var scans: [Scan] = []
  private var walk = TypoWalk()
  /// The attempt that found the hits, or the last one that was made.
  public private(set) var attempt = SearchAttempt.asTyped
  /// The attempts that were made, each with a key that it looked for, if the conditions ask for it.
  public private(set) var made: [(attempt: SearchAttempt, key: [UInt8])] = []
  private var work = Work.forms([], next: 0)
  private var isFinished = true
  private var steps = 0

  /// Creates a search; ``begin(_:_:_:)`` starts it.
  public init() {}

  /// The folded query, and the conditions.
  var question: (key: [UInt8], conditions: PlaceConditions) { (original, conditions) }

  /// Whether ``made`` lists the attempts.
  public var isExplained: Bool { conditions.isExplained }

  /// The countries and regions that the query names, if their cities are hits; countries first.
  public func areas(_ index: CityIndex, atMost limit: Int) -> [CityIndex.FoundArea] {
    area.map { index.areas($0, atMost: limit) } ?? []
  }

  /// Whether a text in UTF-8 is a number with a sign, such as `-5` or `+3.5`, which is never a name.
  public static func isSignedNumber(_ text: UnsafeRawBufferPointer) -> Bool {
    let text = text.drop { $0 == UInt8(ascii: " ") }
    let isMinus = text.starts(with: "\u{2212}".utf8)
    guard let sign = text.first, isMinus || "+-".utf8.contains(sign) else { return false }
    let number = text.dropFirst(isMinus ? 3 : 1)
    return number.contains { $0 &- 0x30 < 10 } && number.allSatisfy { $0 &- 0x30 < 10 || " ,.".utf8.contains($0) }
  }

  /// Starts a search for a query folded by `FoldMode.words`, in time independent of the number of names; `typed` is its
  /// original text, which may have been typed with another keyboard layout.
  public mutating func begin(
    _ folded: UnsafeRawBufferPointer, typed: UnsafeRawBufferPointer? = nil, _ conditions: PlaceConditions,
    _ index: CityIndex
  ) {
    self.conditions = conditions
    self.conditions.limit = min(conditions.limit, Self.maximumLimit)
    hits.begin(limit: self.conditions.limit, near: conditions.near)
    scans.removeAll(keepingCapacity: true)
    (isComplete, steps, isFinished) = (true, 0, true)
    (searched, withoutKind, made) = ([], [], [])
    (area, named) = (nil, nil)
    guard let names = index.names, !folded.isEmpty, folded.count <= PlaceQuery.maximumBytes, conditions.limit > 0 else {
      return
    }
    original.removeAll(keepingCapacity: true)
    original.append(contentsOf: folded)
    self.typed.removeAll(keepingCapacity: true)
    // Its key is short, but signs without a key may make it long.
    if let typed, typed.count <= PlaceQuery.maximumBytes { self.typed.append(contentsOf: typed) }
    query.read(folded, index.areas)
    named = query.namedArea(conditions, index)
    isFinished = false
    if conditions.endsAfterWord {
      endedKey.removeAll(keepingCapacity: true)
      endedKey.append(contentsOf: folded)
      endedKey.append(UInt8(ascii: " "))
    }
    begin(conditions.endsAfterWord ? .wholeWords : .asTyped, names, index)
  }

  /// Continues for about `steps` names or nodes.
  ///
  /// - Returns: Whether the search is finished.
  /// - Complexity: O(steps).
  public mutating func advance(steps limit: Int, _ index: CityIndex) -> Bool {
    var left = limit
    guard !isFinished, let names = index.names else { return true }
    while left > 0 {
      guard steps < Self.maximumSteps else {
        isComplete = false
        return true
      }
      let before = left
      if !scans.isEmpty {
        scan(&left, names, index)
      } else if !goOn(&left, names, index) {
        left -= 1
        isFinished = !beginNext(names, index)
        if isFinished { return true }
      }
      steps += before - left
    }
    return false
  }

  // MARK: Attempts

  /// Begins an attempt.
  private mutating func begin(_ attempt: SearchAttempt, _ names: NameTable, _ index: CityIndex) {
    (self.attempt, work) = (attempt, .forms([], next: 0))
    switch attempt {
    case .wholeWords: startAll(names, index)
    case .asTyped:
      // After whole words, names that only start with the last word remain: with areas after a name, its words are
      // complete.
      if conditions.endsAfterWord { start(0, names, index) } else { startAll(names, index) }
    case .area:
      guard let area = query.wholeArea(index.areas) ?? query.areaWithinArea(index.areas) else { return }
      begin(area, isFirstOnly: false, index)
    case .startedName: startLongerNames(names)
    case .startedArea: startAreas(names, index)
    case .typingErrors: beginWalk(0, .oneError, names)
    case .firstLetter: beginWalk(0, .firstLetter, names)
    case .kindWithErrors:
      guard !withoutKind.isEmpty else { return }
      read(withoutKind, index)
      beginWalk(0, .oneError, names)
    case .postalCode, .address, .characters, .order, .unknownCode, .kind, .endOfAddress, .fewerWords, .keyboard, .latin:
      let areas = attempt.isGuess ? query.lastAreas(index) : PlaceQuery.LastAreas()
      work = .forms(QueryForms.keys(for: attempt, of: original, typed: typed, areas: areas), next: 0)
      // Without a number it may be a firm, or a person.
      let isText = attempt == .endOfAddress && original.allSatisfy { $0 < 0x80 && $0 &- 0x30 >= 10 }
      let least = attempt == .unknownCode || isText ? NameScore.ofLargeCity : .min
      if attempt.isGuess { hits.begin(limit: conditions.limit, near: conditions.near, least: least) }
      return
    }
    note()
  }

  /// Goes on with an attempt after all scans; `false` if it is finished.
  private mutating func goOn(_ left: inout Int, _ names: NameTable, _ index: CityIndex) -> Bool {
    switch work {
    case .forms(let keys, let next):
      guard next < keys.count, hits.isEmpty || !attempt.isGuess else { return false }
      read(keys[next], index)
      work = .forms(keys, next: next + 1)
      left -= 1 + query.readings.count
      if attempt.isOfAddress, isArea(names, index) { break }
      startAll(names, index)
      note()
    case .cities(let area, let cities, let next, let isFirstOnly):
      let end = min(cities.total, next + min(left, Self.page))
      let ranks = index.ranks(cities, offset: next, limit: end - next, byPopulation: true)
      let mayFollow = offer(citiesOf: area, ranks, isFirstOnly: isFirstOnly, index)
      left -= max(end - next, 1)
      guard mayFollow, end < cities.total else { return false }
      work = .cities(area, cities, next: end, isFirstOnly: isFirstOnly)
    case .typos(let reading, let pass):
      // Pending scans of name starts run before the walk counts as finished.
      guard walkOn(&left, reading, names, index), scans.isEmpty else { return true }
      if pass == .oneError {
        beginWalk(reading, .twoErrors, names)
      } else if reading + 1 < query.wholeReadings {
        beginWalk(reading + 1, pass == .firstLetter ? pass : .oneError, names)
      } else {
        guard hits.isEmpty, pass != .firstLetter, attempt != .typingErrors else { return false }
        beginWalk(0, .firstLetter, names)
      }
    }
    return true
  }

  /// Begins what follows a finished attempt; `false` if the search is finished, too.
  private mutating func beginNext(_ names: NameTable, _ index: CityIndex) -> Bool {
    if case .forms(let keys, let next) = work {
      // Names without the kind of place are weighed together with those that have errors.
      if attempt == .kind { withoutKind = (hits.isEmpty ? keys.first : keys[next - 1]) ?? [] }
      if attempt == .latin, hits.isEmpty, let key = keys.first {
        read(key, index)
        beginWalk(0, .oneError, names)
        note()
        return true
      }
    }
    guard hits.isEmpty || attempt == .kind else {
      switch attempt {
      case .wholeWords, .asTyped: return beginMeantArea(index)
      case .typingErrors, .firstLetter: if hits[0].edits == 0 { searched = withoutKind }
      default: if attempt.isGuess { searched = query.key }
      }
      return false
    }
    if attempt == .area { area = nil }
    guard let next = attempt.next, conditions.allowsTypos || !next.isCorrection else { return false }
    if query.key != original { read(original, index) }
    begin(next, names, index)
    return true
  }

  /// Whether the query names a country or region rather than a city: `2452 AU` is a postal code in Australia.
  private func isArea(_ names: NameTable, _ index: CityIndex) -> Bool {
    guard var named = query.namedArea(conditions, index) else { return false }
    query.key.withUnsafeBytes { key in
      for entry in names.entries(called: key, at: names.trie.locate(key, in: names.keys).texts) {
        let (rank, kind) = names.city(of: entry)
        guard rank < index.count, index.lies(rank, conditions) else { continue }
        if kind != .code || conditions.codes != .none { named.consider(rank, kind, index) }
      }
    }
    return !named.isCity
  }

  private mutating func read(_ key: [UInt8], _ index: CityIndex) {
    key.withUnsafeBytes { query.read($0, index.areas) }
  }

  private mutating func startAll(_ names: NameTable, _ index: CityIndex) {
    for reading in query.readings.indices { start(reading, names, index) }
  }

  /// The attempt that found a hit: names without the kind of place are weighed together with those that have errors.
  func attempt(of hit: PlaceHits.Hit) -> SearchAttempt {
    attempt == .typingErrors && hit.edits == 0 ? .kind : attempt
  }

  private mutating func note() { if conditions.isExplained { made.append((attempt, query.key)) } }

  /// Whether to prefer a short title: there is no other hint, such as a place or a completed word.
  private var prefersShort: Bool { query.isShort && !hits.isByDistance && !conditions.endsAfterWord }

  // MARK: The cities of an area

  /// Cities of a country that are read at once, by population.
  private static let page = 64

  /// Goes on with the area that is meant rather than the cities found: with all its cities, or before other hits with
  /// the largest one; `false` if the cities are meant.
  private mutating func beginMeantArea(_ index: CityIndex) -> Bool {
    guard area == nil, let meant = meantArea(index) else { return false }
    if conditions.isFinished { hits.begin(limit: conditions.limit, near: conditions.near) }
    begin(meant, isFirstOnly: !conditions.isFinished, index)
    if conditions.isFinished { attempt = .area }
    return true
  }

  /// The area that is meant rather than the cities found.
  private func meantArea(_ index: CityIndex) -> AreaChoice? {
    if let named { return named.isCity ? nil : named.choice }
    guard let names = index.names, hits.count > 0, hits[0].nameBytes < query.key.count else { return nil }
    let (rank, kind) = names.city(of: hits[0].entry)
    return query.areaWithinArea(besides: rank, kind, conditions, index).flatMap { $0.isCity ? nil : $0.choice }
  }

  private mutating func begin(_ area: AreaChoice, isFirstOnly: Bool, _ index: CityIndex) {
    self.area = area
    let countries = index.areas?.countriesAround(area).sorted() ?? []
    work = .cities(area, index.cities(ofCountries: countries), next: 0, isFirstOnly: isFirstOnly)
  }

  /// Offers those of `ranks`, largest first, that lie in the area; if `isFirstOnly`, the first, before all other hits.
  ///
  /// - Returns: Whether smaller cities may still be among the best.
  private mutating func offer(
    citiesOf area: AreaChoice, _ ranks: [Int], isFirstOnly: Bool, _ index: CityIndex
  ) -> Bool {
    let reading = PlaceQuery.Reading(nameBytes: 0, areas: [area])
    for rank in ranks {
      let score = NameScore.bias + NameScore.logarithm(index.people(rank))
      guard isFirstOnly || score >= hits.leastScore else { return false }
      guard index.lies(rank, inAllOf: reading.areas, conditions) else { continue }
      let hit = PlaceHits.Hit(areaCity: rank, score: score)
      if isFirstOnly {
        hits.insertFirst(hit)
        return false
      }
      hits.offer(hit, index)
    }
    return true
  }

  // MARK: Names as they are typed

  /// Offers the listed names of an interpretation, and plans scans for the rest.
  private mutating func start(_ reading: Int, _ names: NameTable, _ index: CityIndex) {
    let meaning = query.readings[reading]
    query.key.withUnsafeBytes { key in
      let name = UnsafeRawBufferPointer(rebasing: key[..<meaning.nameBytes])
      // The table of the country, or else of all names.
      if let country = conditions.country {
        let table = names.names(ofCountry: country)
        let found = locate(name, meaning, table.trie, table.keys)
        start(reading, found, found.node.map { $0 + table.firstNode }, names.countryBest, names, index) {
          table.keys.entry(at: $0)
        }
      } else {
        let found = locate(name, meaning, names.trie, names.keys)
        start(reading, found, found.node, names.best, names, index) { $0 }
      }
    }
  }

  /// The names that match an interpretation.
  private struct Located {
    /// The positions of the names that start with its words, whole names first.
    var all: Range<Int>
    /// The positions of those among them that may continue the query's last word or words.
    var started: Range<Int>
    /// The trie node with exactly these names, if there is one.
    var node: Int?
  }

  @inline(__always)
  private func locate(
    _ name: UnsafeRawBufferPointer, _ meaning: PlaceQuery.Reading, _ trie: RadixTrie, _ keys: some KeyTable
  ) -> Located {
    let (texts, node) = trie.locate(name, in: keys)
    guard attempt == .wholeWords, meaning.isWhole, !texts.isEmpty else {
      return Located(all: texts, started: texts, node: node)
    }
    let longer = endedKey.withUnsafeBytes { trie.locate($0, in: keys) }
    return Located(all: texts, started: longer.texts, node: longer.node)
  }

  @inline(__always)
  private mutating func start(
    _ reading: Int, _ located: Located, _ node: Int?, _ best: BestNames, _ names: NameTable, _ index: CityIndex,
    entry: (Int) -> Int
  ) {
    let found = located.all
    guard !found.isEmpty else { return }
    let meaning = query.readings[reading]
    let first = entry(found.lowerBound)
    if names.keys.key(at: first).byte(meaning.nameBytes) == 0 {
      // Equal keys are stored once. The best entries with this key come first.
      let offset = names.keys.offsets[first]
      // Codes, which have up to four letters, may not count.
      let isNarrowed = isFiltered(meaning) || hits.isByDistance || query.isShort || named != nil
      let last = isNarrowed ? found.upperBound : min(found.upperBound, found.lowerBound + conditions.limit)
      let end = partitionPoint(found.lowerBound..<last) { names.keys.offsets[entry($0)] == offset }
      plan(found.lowerBound..<max(end, found.lowerBound + 1), reading, isWhole: true)
    }
    guard meaning.isWhole, attempt.allowsStarts, !located.started.isEmpty else { return }
    if !isFiltered(meaning), let node, let list = best.list(of: node) {
      for place in list {
        let name = entry(best[place])
        let score = names.score(of: name)
        // The list descends: nothing after this can qualify.
        guard score >= hits.leastScore else { break }
        let (rank, kind) = names.city(of: name)
        if kind == .code { continue }
        offer(name, rank, kind, score: score, isWhole: false, meaning, index)
      }
      // A full list may have omitted equals at its end: the distance decides between them.
      let last = list.last.map { names.score(of: entry(best[$0])) } ?? 0
      guard hits.isByDistance, list.count == BestNames.length, last >= hits.leastScore else { return }
    }
    plan(located.started, reading, isWhole: false)
  }

  /// Plans scans for the names before incomplete areas.
  private mutating func startAreas(_ names: NameTable, _ index: CityIndex) {
    let key = query.key
    key.withUnsafeBytes { key in
      query.readStartedAreas(index.areas) { bytes in
        let found = names.trie.locate(UnsafeRawBufferPointer(rebasing: key[..<bytes]), in: names.keys).texts
        return !found.isEmpty && names.keys.key(at: found.lowerBound).byte(bytes) == 0
      }
    }
    for reading in query.wholeReadings..<query.readings.count { start(reading, names, index) }
  }

  /// Plans scans for the names that go on with another word, before areas.
  private mutating func startLongerNames(_ names: NameTable) {
    for reading in query.readings.indices.prefix(query.wholeReadings).dropFirst() {
      let start = query.key[...query.readings[reading].nameBytes]
      let found = start.withUnsafeBytes { start in
        guard let country = conditions.country else { return names.trie.locate(start, in: names.keys).texts }
        let table = names.names(ofCountry: country)
        return table.trie.locate(start, in: table.keys).texts
      }
      if !found.isEmpty { plan(found, reading, isWhole: false) }
    }
  }

  private mutating func plan(_ positions: Range<Int>, _ reading: Int, isWhole: Bool) {
    scans.append(Scan(positions: positions, country: conditions.country, reading: reading, isWhole: isWhole))
  }

  /// Whether areas or the population exclude some names of an interpretation; a country alone does not count, because
  /// it has its own table.
  private func isFiltered(_ reading: PlaceQuery.Reading) -> Bool {
    !reading.areas.isEmpty || conditions.region != nil || !conditions.countries.isEmpty || conditions.leastPeople > 0
  }

  /// Scans the next names of the last scan.
  private mutating func scan(_ left: inout Int, _ names: NameTable, _ index: CityIndex) {
    var scan = scans.removeLast()
    let end = scan.positions.lowerBound + min(left, scan.positions.count)
    let meaning = query.readings[scan.reading]
    let bonus = meaning.isWhole ? 0 : NameScore.qualified
    let isNarrowed = isFiltered(meaning) || scan.edits > 0 && conditions.country != nil
    let isShort = scan.isWhole && meaning.isWhole && prefersShort
    let penalty = attempt == .kind ? NameScore.kindOfPlace : 0
    let country = scan.country.map { names.names(ofCountry: $0).keys }
    for position in scan.positions.lowerBound..<end {
      let entry = country?.entry(at: position) ?? position
      var score = names.score(of: entry) + bonus - scan.edits * NameScore.editOfStart
      guard scan.isWhole || score >= hits.leastScore else { continue }
      let (rank, kind) = names.city(of: entry)
      if kind == .code, !scan.isWhole || conditions.codes == .none { continue }
      if scan.isWhole, meaning.isWhole, named != nil, rank < index.count, index.lies(rank, conditions) {
        named?.consider(rank, kind, index)
        if !hits.isByDistance { score += named?.bonus(rank, kind, index) ?? 0 }
      }
      if scan.isWhole { score += NameScore.bonusOfWhole(kind, isByDistance: hits.isByDistance) }
      score += NameScore.bonusOfCode(kind, conditions.codes)
      if isShort { score += NameScore.bonusOfShort(kind, index.populations[rank]) }
      guard score >= hits.leastScore else { continue }
      if isNarrowed, !index.lies(rank, inAllOf: meaning.areas, conditions) { continue }
      score -= penalty + index.penalty(of: meaning, rank)
      offer(entry, rank, kind, score: score, isWhole: scan.isWhole, edits: scan.edits, meaning, index)
    }
    left -= max(end - scan.positions.lowerBound, 1)
    scan.positions = end..<scan.positions.upperBound
    if !scan.positions.isEmpty { scans.append(scan) }
  }

  @inline(__always)
  private mutating func offer(
    _ entry: Int, _ rank: Int, _ kind: NameKind, score: Int, isWhole: Bool, edits: Int = 0,
    _ reading: PlaceQuery.Reading, _ index: CityIndex
  ) {
    hits.offer(
      PlaceHits.Hit(
        rank: rank, entry: entry, score: score, isTitle: kind == .title, isWhole: isWhole,
        isAlone: reading.isWhole, nameBytes: reading.nameBytes, edits: edits),
      index)
  }

  // MARK: Typing errors

  private mutating func beginWalk(_ reading: Int, _ pass: TypoWalk.Pass, _ names: NameTable) {
    work = .typos(reading: reading, pass)
    let meaning = query.readings[reading]
    query.key.withUnsafeBytes { key in
      let name = UnsafeRawBufferPointer(rebasing: key[..<meaning.nameBytes])
      walk.begin(name, pass, starts: meaning.isWhole, names)
    }
  }

  /// Continues the typo search for the name of an interpretation; returns whether it is finished.
  private mutating func walkOn(
    _ left: inout Int, _ reading: Int, _ names: NameTable, _ index: CityIndex
  ) -> Bool {
    let meaning = query.readings[reading]
    let bonus = NameScore.whole + (meaning.isWhole ? 0 : NameScore.qualified)
    var found: [(entries: Range<Int>, edits: Int)] = []
    var started: [Range<Int>] = []
    let least = max(hits.leastScore, .min / 2) - bonus
    let isFinished = walk.advance(
      &left, names, least: least, started: { started.append($0) }, found: { found.append(($0, $1)) })
    scans += started.map { Scan(positions: $0, country: nil, reading: reading, isWhole: false, edits: 1) }
    for (entries, edits) in found {
      for entry in entries {
        var score = names.score(of: entry) + bonus - edits * NameScore.edit
        guard score >= hits.leastScore else { continue }
        let (rank, kind) = names.city(of: entry)
        if kind == .code { continue }
        guard index.lies(rank, inAllOf: meaning.areas, conditions) else { continue }
        score -= index.penalty(of: meaning, rank)
        offer(entry, rank, kind, score: score, isWhole: true, edits: edits, meaning, index)
      }
    }
    return isFinished
  }
}
