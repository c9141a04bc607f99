import Base
public import Geodesy
import Text

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
  /// Restricts the search to this country.
  var country: Int?
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

  /// The stages of a search; each runs only if those before found nothing.
  private enum Stage {
    /// Names and areas as typed, with a complete last word.
    case wholeWords
    /// Names and areas as typed.
    case names
    /// The query is an area; its cities from `next` on, by population, remain to be examined.
    case area(AreaChoice, CityMatches, next: Int)
    /// Other forms of the query; `next` is the first that remains to be tried.
    case forms(QueryForms, [[UInt8]], next: Int)
    /// The last area may be incomplete.
    case startedAreas
    /// The name of an interpretation may have typos, either in its first letter only or elsewhere only.
    case typos(reading: Int, TypoWalk.Pass)
    case finished
  }

  private var query = PlaceQuery()
  /// The folded query, and its original text.
  private var original: [UInt8] = []
  private var typed: [UInt8] = []
  /// The key that replaced the query, if the hits are a guess; else empty.
  public private(set) var searched: [UInt8] = []
  /// The query and a space: the start of the names that continue with another word.
  private var endedKey: [UInt8] = []
  /// Whether typos are corrected in the transliterated query, after everything else.
  private var isInLatinLetters = false
  private var conditions = PlaceConditions(limit: 0)
  private var scans: [Scan] = []
  private var walk = TypoWalk()
  private var stage = Stage.finished
  private var steps = 0

  /// Creates a search; ``begin(_:_:_:)`` starts it.
  public init() {}

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
    (isComplete, steps, stage, isInLatinLetters) = (true, 0, .finished, false)
    searched = []
    guard let names = index.names, !folded.isEmpty, folded.count <= PlaceQuery.maximumBytes, conditions.limit > 0 else {
      return
    }
    original.removeAll(keepingCapacity: true)
    original.append(contentsOf: folded)
    self.typed.removeAll(keepingCapacity: true)
    if let typed { self.typed.append(contentsOf: typed) }
    query.read(folded, index.areas)
    stage = .names
    if conditions.endsAfterWord {
      stage = .wholeWords
      endedKey.removeAll(keepingCapacity: true)
      endedKey.append(contentsOf: folded)
      endedKey.append(UInt8(ascii: " "))
    }
    for reading in query.readings.indices { start(reading, names, index) }
  }

  /// Continues for about `steps` names or nodes.
  ///
  /// - Returns: Whether the search is finished.
  /// - Complexity: O(steps).
  public mutating func advance(steps limit: Int, _ index: CityIndex) -> Bool {
    var left = limit
    guard let names = index.names else { return true }
    while left > 0 {
      guard steps < Self.maximumSteps else {
        isComplete = false
        return true
      }
      let before = left
      if !scans.isEmpty {
        scan(&left, names, index)
      } else if !goOn(&left, names, index) {
        return true
      }
      steps += before - left
    }
    return false
  }

  /// Enters the next stage after all scans; `false` if there is none.
  private mutating func goOn(_ left: inout Int, _ names: NameTable, _ index: CityIndex) -> Bool {
    switch stage {
    case .wholeWords:
      guard hits.isEmpty else { return false }
      stage = .names
      // Names that only start with the last word; with areas after a name, its words were complete.
      start(0, names, index)
      left -= 1
    case .names:
      guard hits.isEmpty else { return false }
      left -= 1
      if let areas = index.areas, let area = query.wholeArea(areas) {
        stage = .area(area, index.cities(ofCountries: areas.countriesAround(area).sorted()), next: 0)
      } else {
        begin(.address, index)
      }
    case .area(let area, let cities, let next):
      let end = min(cities.total, next + min(left, Self.page))
      let ranks = index.ranks(cities, offset: next, limit: end - next, byPopulation: true)
      let mayFollow = offer(citiesOf: area, ranks, index)
      left -= max(end - next, 1)
      guard !mayFollow || end == cities.total else {
        stage = .area(area, cities, next: end)
        return true
      }
      guard hits.isEmpty else { return false }
      begin(.address, index)
    case .forms(let kind, let keys, let next):
      return goOn(kind, keys, next, &left, names, index)
    case .startedAreas:
      guard hits.isEmpty, conditions.allowsTypos else { return false }
      begin(.code, index)
      left -= 1
    case .typos(let reading, let pass):
      // Pending scans of name starts run before the walk counts as finished.
      guard walkOn(&left, reading, names, index), scans.isEmpty else { return true }
      if pass == .oneError {
        beginWalk(reading, .twoErrors, names)
      } else if reading + 1 < query.wholeReadings {
        beginWalk(reading + 1, pass == .firstLetter ? pass : .oneError, names)
      } else {
        guard hits.isEmpty else {
          if isInLatinLetters { searched = query.key }
          return false
        }
        if pass != .firstLetter {
          beginWalk(0, .firstLetter, names)
        } else if isInLatinLetters {
          stage = .finished
        } else {
          begin(.shorter, index)
        }
      }
    case .finished: return false
    }
    return true
  }

  // MARK: Other words

  private mutating func begin(_ kind: QueryForms, _ index: CityIndex) {
    stage = .forms(kind, kind.keys(of: original, typed: typed), next: 0)
    if case .code = kind { hits.begin(limit: conditions.limit, near: conditions.near, least: NameScore.ofLargeCity) }
  }

  /// Tries the next form of the query; for guesses, the first form with hits ends the search.
  private mutating func goOn(
    _ kind: QueryForms, _ keys: [[UInt8]], _ next: Int, _ left: inout Int, _ names: NameTable, _ index: CityIndex
  ) -> Bool {
    if next < keys.count, hits.isEmpty || !kind.isGuess {
      keys[next].withUnsafeBytes { query.read($0, index.areas) }
      stage = .forms(kind, keys, next: next + 1)
      for reading in query.readings.indices { start(reading, names, index) }
      left -= query.readings.count
      return true
    }
    guard hits.isEmpty else {
      if kind.isGuess { searched = keys[next - 1] }
      return false
    }
    if !keys.isEmpty { original.withUnsafeBytes { query.read($0, index.areas) } }
    left -= 1
    switch kind {
    case .address: begin(.chinese, index)
    case .chinese: begin(.order, index)
    case .order: beginStartedAreas(names, index)
    case .code:
      hits.begin(limit: conditions.limit, near: conditions.near)
      beginWalk(0, .oneError, names)
    case .shorter: begin(.keyboard, index)
    case .keyboard: begin(.latin, index)
    case .latin:
      stage = .finished
      guard let key = keys.first else { break }
      key.withUnsafeBytes { query.read($0, index.areas) }
      isInLatinLetters = true
      beginWalk(0, .oneError, names)
    }
    return true
  }

  /// Whether to prefer a short title: there is no other hint, such as a place or a completed word.
  private var prefersShort: Bool { query.isShort && !hits.isByDistance && !conditions.endsAfterWord }

  /// Whether an interpretation may also match the start of a name.
  private var allowsStarts: Bool {
    if case .forms(let kind, _, _) = stage { kind.allowsStarts } else { true }
  }

  // MARK: The cities of an area

  /// Cities of a country that are read at once, by population.
  private static let page = 64

  /// Offers those of `ranks`, largest first, that lie in the area.
  ///
  /// - Returns: Whether smaller cities may still be among the best.
  private mutating func offer(citiesOf area: AreaChoice, _ ranks: [Int], _ index: CityIndex) -> Bool {
    let reading = PlaceQuery.Reading(nameBytes: 0, areas: [area])
    for rank in ranks {
      let score = NameScore.bias + NameScore.logarithm(UInt64(max(index.populations[rank], 1) - 1))
      guard score >= hits.leastScore else { return false }
      if index.lies(rank, inAllOf: reading.areas, conditions) { offer(0, rank, .title, score: score, reading, index) }
    }
    return true
  }

  private mutating func beginStartedAreas(_ names: NameTable, _ index: CityIndex) {
    stage = .startedAreas
    startAreas(names, index)
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
    guard case .wholeWords = stage, meaning.isWhole, !texts.isEmpty else {
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
      let isNarrowed = isFiltered(meaning) || hits.isByDistance || query.isShort
      let last = isNarrowed ? found.upperBound : min(found.upperBound, found.lowerBound + conditions.limit)
      let end = partitionPoint(found.lowerBound..<last) { names.keys.offsets[entry($0)] == offset }
      plan(found.lowerBound..<max(end, found.lowerBound + 1), reading, isWhole: true)
    }
    guard meaning.isWhole, allowsStarts, !located.started.isEmpty else { return }
    if !isFiltered(meaning), let node, let list = best.list(of: node) {
      for place in list {
        let name = entry(best[place])
        let score = names.score(of: name)
        // The list descends: nothing after this can qualify.
        guard score >= hits.leastScore else { break }
        let (rank, kind) = names.city(of: name)
        if kind == .code { continue }
        offer(name, rank, kind, score: score, meaning, index)
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

  private mutating func plan(_ positions: Range<Int>, _ reading: Int, isWhole: Bool) {
    scans.append(Scan(positions: positions, country: conditions.country, reading: reading, isWhole: isWhole))
  }

  /// Whether areas exclude some names of an interpretation; a country alone does not count, because it has its own
  /// table.
  private func isFiltered(_ reading: PlaceQuery.Reading) -> Bool {
    !reading.areas.isEmpty || conditions.region != nil
  }

  /// Scans the next names of the last scan.
  private mutating func scan(_ left: inout Int, _ names: NameTable, _ index: CityIndex) {
    var scan = scans.removeLast()
    let end = scan.positions.lowerBound + min(left, scan.positions.count)
    let meaning = query.readings[scan.reading]
    let bonus = meaning.isWhole ? 0 : NameScore.qualified
    let isNarrowed = isFiltered(meaning) || scan.edits > 0 && conditions.country != nil
    let isShort = scan.isWhole && meaning.isWhole && prefersShort
    let country = scan.country.map { names.names(ofCountry: $0).keys }
    for position in scan.positions.lowerBound..<end {
      let entry = country?.entry(at: position) ?? position
      var score = names.score(of: entry) + bonus - scan.edits * NameScore.editOfStart
      guard scan.isWhole || score >= hits.leastScore else { continue }
      let (rank, kind) = names.city(of: entry)
      if kind == .code, !scan.isWhole || conditions.codes == .none { continue }
      // The distance is better evidence for a city than the number of languages that use its name.
      if scan.isWhole { score += NameScore.bonusOfWhole(hits.isByDistance && kind.isInUse ? .alternate : kind) }
      score += NameScore.bonusOfCode(kind, conditions.codes)
      if isShort { score += NameScore.bonusOfShort(kind, index.populations[rank]) }
      guard score >= hits.leastScore else { continue }
      if isNarrowed, !index.lies(rank, inAllOf: meaning.areas, conditions) { continue }
      offer(entry, rank, kind, score: score, edits: scan.edits, meaning, index)
    }
    left -= max(end - scan.positions.lowerBound, 1)
    scan.positions = end..<scan.positions.upperBound
    if !scan.positions.isEmpty { scans.append(scan) }
  }

  @inline(__always)
  private mutating func offer(
    _ entry: Int, _ rank: Int, _ kind: NameKind, score: Int, edits: Int = 0, _ reading: PlaceQuery.Reading,
    _ index: CityIndex
  ) {
    hits.offer(
      PlaceHits.Hit(
        rank: rank, entry: entry, score: score, isTitle: kind == .title, nameBytes: reading.nameBytes, edits: edits),
      index)
  }

  // MARK: Typing errors

  private mutating func beginWalk(_ reading: Int, _ pass: TypoWalk.Pass, _ names: NameTable) {
    stage = .typos(reading: reading, pass)
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
        let score = names.score(of: entry) + bonus - edits * NameScore.edit
        guard score >= hits.leastScore else { continue }
        let (rank, kind) = names.city(of: entry)
        if kind == .code { continue }
        guard index.lies(rank, inAllOf: meaning.areas, conditions) else { continue }
        offer(entry, rank, kind, score: score, edits: edits, meaning, index)
      }
    }
    return isFinished
  }
}
