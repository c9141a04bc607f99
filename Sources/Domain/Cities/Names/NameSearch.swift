import Base
public import Geodesy
import Text

/// The conditions of a search for places.
public struct PlaceConditions {
  /// Hits at most, up to ``NameSearch/maximumLimit``.
  public var limit: Int
  /// Cities near this place are preferred.
  public var near: GeoPoint?
  /// Whether names with typing errors are looked for if nothing else is found.
  public var allowsTypos: Bool
  /// Whether the last word of the query is whole: names in which it ends there are looked for first, and the others
  /// only if there are none.
  public var endsAfterWord = false
  /// Whether the query may mean a city by its code.
  public var codes = CodeUse.any
  /// Only cities of this country.
  var country: Int?
  /// Only cities in one of these areas.
  var region: AreaChoice?

  /// No condition but a limit.
  public init(limit: Int, near: GeoPoint? = nil, allowsTypos: Bool = true) {
    (self.limit, self.near, self.allowsTypos) = (limit, near, allowsTypos)
  }
}

/// A search for places by name, which can stop after any number of steps and continue.
///
/// ```swift
/// search.begin(folded, conditions, index)
/// while !search.advance(steps: 1_000, index) { pause() }
/// for place in 0..<search.hits.count { show(index.row(at: search.hits[place].rank)) }
/// ```
///
/// A query is a name, or the start of one, or a name and the areas that its last words name. If a space follows it, the
/// word before the space ends there in a name, too, unless there is no such name. If that finds nothing, the whole
/// query may name an area, whose largest cities are found, or the last area may be started only; if that finds nothing,
/// there may be typing errors. Each way to read it becomes a few
/// ranges of the name table: the whole names, which are together with the best first, and the names that continue, for
/// which the trie's node has the best names listed. Only where a list does not answer the question, because a region is
/// wanted or because the distance must decide between equals at its end, are the names of a range looked at one by one.
/// For typing errors see ``TypoWalk``.
///
/// It belongs to one thread and is used again: no allocation once it has grown, but for queries of several words.
public struct NameSearch {
  /// The largest number of rows.
  public static let maximumLimit = BestNames.length
  /// Names and nodes that one search looks at before it gives what it has.
  static let maximumSteps = 2_000_000

  /// The best cities so far, best first.
  public private(set) var hits = PlaceHits()
  /// Whether everything was looked at that could be better than what is found.
  public private(set) var isComplete = true

  /// Names that are yet to be looked at one by one.
  private struct Scan {
    /// Positions: entries, or those of a country's list.
    var positions: Range<Int>
    let country: Int?
    let reading: Int
    /// Whether the names are whole, not only started, in the query.
    let isWhole: Bool
    /// Typing errors in the start of the names.
    var edits = 0
  }

  /// The steps of a search; each one only if those before it found nothing.
  private enum Stage {
    /// Names and areas as they are typed, and the last word is whole.
    case wholeWords
    /// Names and areas as they are typed.
    case names
    /// The query is an area; its cities from `next` on, by population, are yet to be looked at.
    case area(AreaChoice, CityMatches, next: Int)
    /// The query in other words; `next` is the first form that is yet to be looked for.
    case forms(QueryForms, [[UInt8]], next: Int)
    /// The last area may be started only.
    case startedAreas
    /// The name of a reading may have typing errors, in its first letter alone or in others alone.
    case typos(reading: Int, TypoWalk.Pass)
    case finished
  }

  private var query = PlaceQuery()
  /// The folded query, and its text.
  private var original: [UInt8] = []
  private var typed: [UInt8] = []
  /// The key that was looked for instead of the query, if it is a guess; else empty.
  public private(set) var searched: [UInt8] = []
  /// The query and a space, with which a name starts that has more words after it.
  private var endedKey: [UInt8] = []
  /// Whether typing errors are looked for in the query in Latin letters, after all else.
  private var isInLatinLetters = false
  private var conditions = PlaceConditions(limit: 0)
  private var scans: [Scan] = []
  private var walk = TypoWalk()
  private var stage = Stage.finished
  private var steps = 0

  /// Makes a search; ``begin(_:_:_:)`` starts it.
  public init() {}

  /// Whether a text in UTF-8 is a number with a sign, such as `-5` or `+3.5`, which is the name of nothing.
  public static func isSignedNumber(_ text: UnsafeRawBufferPointer) -> Bool {
    let text = text.drop { $0 == UInt8(ascii: " ") }
    let isMinus = text.starts(with: "\u{2212}".utf8)
    guard let sign = text.first, isMinus || "+-".utf8.contains(sign) else { return false }
    let number = text.dropFirst(isMinus ? 3 : 1)
    return number.contains { $0 &- 0x30 < 10 } && number.allSatisfy { $0 &- 0x30 < 10 || " ,.".utf8.contains($0) }
  }

  /// Starts a search for a query folded by `FoldMode.words`, without any work that grows with the number of names;
  /// `typed` is its text, which may have been typed with the keyboard of another alphabet.
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
  /// - Returns: whether the search is finished.
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

  /// Takes the next step once all names that were noted are looked at; `false` if there is none.
  private mutating func goOn(_ left: inout Int, _ names: NameTable, _ index: CityIndex) -> Bool {
    switch stage {
    case .wholeWords:
      guard hits.isEmpty else { return false }
      stage = .names
      // Names that only start with the last word; with areas after a name its words were whole.
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
      // Starts of names that were just noted are looked at before the walk counts as finished.
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

  /// Looks for the next form of the query; of guesses the first that is found counts.
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

  /// Whether a short title is preferred: there is no other hint, such as a place or a word that has ended.
  private var prefersShort: Bool { query.isShort && !hits.isByDistance && !conditions.endsAfterWord }

  /// Whether the words of a reading may also be the start of a name.
  private var allowsStarts: Bool {
    if case .forms(let kind, _, _) = stage { kind.allowsStarts } else { true }
  }

  // MARK: The cities of an area

  /// Cities of a country that are read at once from the order by population.
  private static let page = 64

  /// Takes those of `ranks`, largest first, that lie in the area.
  ///
  /// - Returns: whether smaller cities may be among the best, too.
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

  /// Takes what the file has ready for a reading, and notes what must be looked at one by one.
  private mutating func start(_ reading: Int, _ names: NameTable, _ index: CityIndex) {
    let meaning = query.readings[reading]
    query.key.withUnsafeBytes { key in
      let name = UnsafeRawBufferPointer(rebasing: key[..<meaning.nameBytes])
      // A table of its own for each country, or the one of all.
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

  /// The names that a reading means.
  private struct Located {
    /// The positions of those that start with the words of the reading, the whole names first.
    var all: Range<Int>
    /// The positions of those of them that may continue the words as the query is typed.
    var started: Range<Int>
    /// The node of the trie whose names are just these, if there is one.
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
      // The same key is in the file once. The best of those who share it come first.
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
        // The list descends: nothing after this is of use.
        guard score >= hits.leastScore else { break }
        let (rank, kind) = names.city(of: name)
        if kind == .code { continue }
        offer(name, rank, kind, score: score, meaning, index)
      }
      // Equals may have been left out at the end of a full list: the distance decides between them.
      let last = list.last.map { names.score(of: entry(best[$0])) } ?? 0
      guard hits.isByDistance, list.count == BestNames.length, last >= hits.leastScore else { return }
    }
    plan(located.started, reading, isWhole: false)
  }

  /// Notes the names before areas that are only started.
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

  /// Notes a scan.
  private mutating func plan(_ positions: Range<Int>, _ reading: Int, isWhole: Bool) {
    scans.append(Scan(positions: positions, country: conditions.country, reading: reading, isWhole: isWhole))
  }

  /// Whether some of a reading's names do not count because of where their cities lie; a country has its own table.
  private func isFiltered(_ reading: PlaceQuery.Reading) -> Bool {
    !reading.areas.isEmpty || conditions.region != nil
  }

  /// Looks at the next names of the last scan.
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
      // The distance says more of the city that is meant than the languages that use its name.
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

  /// Continues to look for the name of a reading with typing errors; whether all names are looked at.
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
