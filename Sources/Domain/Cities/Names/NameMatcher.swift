import Base
import Text

/// How sure it is that a city is the one that a name means, from the least.
public enum NameCertainty: UInt8, Sendable {
  /// Nothing was found.
  case none
  /// No whole name matches: the name is the start of one, an area's name in it is only started, or it has typing
  /// errors.
  case guess
  /// Several cities have the name, and no rule says which is meant; or the name consists of decimal digits alone.
  case likely
  /// The title of one city, the only city with that name, or one with ten times the inhabitants of the next.
  case sure
}

/// Finds the city that each name of a column means, one name after the other.
///
/// ```swift
/// var matcher = NameMatcher()
/// for name in names {
///   matcher.begin(name, PlaceConditions(limit: 1), index)
///   while !matcher.advance(steps: 64, index) { pause() }
///   print(matcher.match)
/// }
/// ```
///
/// A name is *sure* by the rule of ``WholeNameSearch``, which resolves what somebody calls a city. Where that rule
/// finds several cities, the first of them in the order of ``NameSearch`` is *likely*; where no whole name matches, its
/// first hit is a *guess*. Unlike somebody who types, a column has finished names: a whole name comes before any start
/// of one. A name of decimal digits alone is at most *likely*: some cities are called by a number, but in a column it
/// is more likely an id.
///
/// Most names are answered by one look-up in the trie of names: the names with equal keys stand together, and one pass
/// over them finds both the two cities with most inhabitants and the best by score. Titles are looked up only where
/// they can change the result. Nothing is allocated per name once the buffers have grown, but for names of several
/// words.
public struct NameMatcher {
  /// What a name was taken for.
  public struct Match: Equatable, Sendable {
    /// The rank of the city; `nil` if there is none.
    public let rank: Int?
    /// How sure that is.
    public let certainty: NameCertainty

    static let nothing = Match(rank: nil, certainty: .none)
  }

  /// The city of the last name, once ``advance(steps:_:)`` has returned `true`.
  public private(set) var match = Match.nothing
  /// Whether the search looked at everything that could be better.
  public private(set) var isComplete = true

  /// The steps of a search; each one only if those before it do not decide.
  private enum Stage {
    /// The entries of a reading that are yet to be looked at.
    case names(reading: Int, entries: Range<Int>)
    /// The cities whose title it is.
    case titles(next: Int)
    /// The rule for a name that is a country's, too; the rank of the only city with that title.
    case country(WholeNameSearch, title: Int?)
    /// Starts of names, and names with typing errors.
    case search
    case finished
  }

  private var stage = Stage.finished
  private var conditions = PlaceConditions(limit: 1)
  private var name: [UInt8] = []
  private var query = PlaceQuery()
  private var called = CalledCities()
  private var titled = CityMatches()
  /// Cities with that title that meet the conditions, and one of them.
  private var titles = (count: 0, rank: 0)
  private var search = NameSearch()
  private let folder = CaseFolder()
  private let plainFolder = CaseFolder()
  private let baseFolder = CaseFolder()

  /// Makes a matcher; ``begin(_:_:_:)`` starts it.
  public init() {}

  /// Starts the search for a name in UTF-8, among the cities that meet `conditions`; any bytes are a name.
  ///
  /// - Complexity: O(bytes), up to a limit, and as reading a query of `city.find` for names of several words.
  public mutating func begin(_ name: UnsafeRawBufferPointer, _ conditions: PlaceConditions, _ index: CityIndex) {
    self.conditions = conditions
    self.conditions.limit = 1
    self.conditions.codes = CodeUse(name)
    (match, isComplete) = (.nothing, true)
    self.name.removeAll(keepingCapacity: true)
    self.name.append(contentsOf: name)
    called.begin()
    guard let names = index.names, !NameSearch.isSignedNumber(name),
      let key = folder.fold(name, .words, atMost: PlaceQuery.maximumBytes), !key.isEmpty
    else {
      query.read(UnsafeRawBufferPointer(start: nil, count: 0), nil)
      stage = .titles(next: 0)
      lookUpTitles(index)
      return
    }
    self.conditions.endsAfterWord = folder.endsAfterWord
    query.read(key, index.areas)
    stage = .names(reading: 0, entries: entries(ofReading: 0, names))
  }

  /// Continues for about `steps` names.
  ///
  /// - Returns: whether ``match`` is known.
  /// - Complexity: O(steps).
  public mutating func advance(steps limit: Int, _ index: CityIndex) -> Bool {
    var left = limit
    while left > 0 {
      switch stage {
      case .names(let reading, let entries): lookAtNames(reading, entries, &left, index)
      case .titles(let next): lookAtTitles(next, &left, index)
      case .country(var search, let title):
        guard search.advance(steps: left, index) else {
          stage = .country(search, title: title)
          return false
        }
        finish(match(of: search, title: title, index))
      case .search:
        guard search.advance(steps: left, index) else { return false }
        isComplete = search.isComplete
        // The name of an area is not that of its largest city.
        let isFound = search.hits.count > 0 && !search.hits[0].isByArea
        finish(isFound ? Match(rank: search.hits[0].rank, certainty: .guess) : .nothing)
      case .finished: return true
      }
    }
    if case .finished = stage { return true }
    return false
  }

  private mutating func finish(_ match: Match) {
    let isDoubtful = match.certainty == .sure && isNumber
    self.match = isDoubtful ? Match(rank: match.rank, certainty: .likely) : match
    stage = .finished
  }

  /// Whether the name consists of decimal digits alone, with spaces around them allowed.
  private var isNumber: Bool {
    let space = UInt8(ascii: " ")
    guard let first = name.first(where: { $0 != space }), first &- 0x30 < 10 else { return false }
    let words = name.split(separator: space)
    return words.count == 1 && words[0].allSatisfy { $0 &- 0x30 < 10 }
  }

  // MARK: Whole names

  private func entries(ofReading reading: Int, _ names: NameTable) -> Range<Int> {
    query.key.withUnsafeBytes { key in
      names.entries(called: UnsafeRawBufferPointer(rebasing: key[..<query.readings[reading].nameBytes]))
    }
  }

  private mutating func lookAtNames(_ reading: Int, _ entries: Range<Int>, _ left: inout Int, _ index: CityIndex) {
    guard let names = index.names else { return finish(.nothing) }
    let meaning = query.readings[reading]
    let end = entries.lowerBound + min(left, entries.count)
    for entry in entries.lowerBound..<end {
      let (rank, kind) = names.city(of: entry)
      guard kind != .code || conditions.codes != .none, rank < index.count,
        index.lies(rank, inAllOf: meaning.areas, conditions)
      else { continue }
      let code = NameScore.bonusOfCode(kind, conditions.codes)
      let bonus = NameScore.bonusOfWhole(kind) + code + (meaning.isWhole ? 0 : NameScore.qualified)
      let population = index.populations[rank]
      let isShort = meaning.isWhole && query.isShort && !conditions.endsAfterWord
      let short = isShort ? NameScore.bonusOfShort(kind, population) : 0
      let score = names.score(of: entry) + bonus + short
      called.add(rank, population: population, score: score, isInUse: kind.isInUse)
    }
    left -= max(end - entries.lowerBound, 1)
    if end < entries.upperBound {
      stage = .names(reading: reading, entries: end..<entries.upperBound)
    } else if reading + 1 < query.wholeReadings {
      stage = .names(reading: reading + 1, entries: self.entries(ofReading: reading + 1, names))
    } else {
      decide(index)
    }
  }

  /// All whole names were looked at.
  ///
  /// A comma-free title is also a name, so its city is already a candidate, unless its key is empty. So it can
  /// change nothing where one of these has far more inhabitants than the next: see
  /// ``WholeNameSearch/choice(title:_:)``. The title of a city without a country is more than a name, and certain.
  private mutating func decide(_ index: CityIndex) {
    let isPlain = !name.contains(UInt8(ascii: ",")) && !index.countries.hasNameless
    if isPlain, let first = called.first {
      guard !called.isDecided else { return settle(Match(rank: first.rank, certainty: .sure), index) }
    } else if isPlain {
      return startSearch(index)
    }
    stage = .titles(next: 0)
    lookUpTitles(index)
  }

  // MARK: Countries

  /// Takes `match` for the name, unless it is a country's, too: then the rule of ``WholeNameSearch`` decides.
  private mutating func settle(_ match: Match, title: Int? = nil, _ index: CityIndex) {
    let search: WholeNameSearch? = query.key.withUnsafeBytes { key in
      conditions.haveAreas || index.countries(called: key).isEmpty
        ? nil : WholeNameSearch(key, codes: conditions.codes, index)
    }
    if let search { stage = .country(search, title: title) } else { finish(match) }
  }

  private func match(of search: WholeNameSearch, title: Int?, _ index: CityIndex) -> Match {
    switch search.choice(title: title, index) {
    case .title(let rank): Match(rank: rank, certainty: .sure)
    case .city(let hit): Match(rank: hit.rank, certainty: .sure)
    case .country, .several, .nothing: called.best.map { Match(rank: $0.rank, certainty: .likely) } ?? .nothing
    }
  }

  // MARK: Titles

  private mutating func lookUpTitles(_ index: CityIndex) {
    titles = (0, 0)
    name.withUnsafeBytes { name in
      let none = UnsafeRawBufferPointer(start: nil, count: 0)
      index.cities(
        titled: plainFolder.fold(name, .plain, atMost: index.longestTitle(.plain)) ?? none,
        base: baseFolder.fold(name, .baseLetters, atMost: index.longestTitle(.folded)) ?? none, into: &titled)
    }
  }

  /// Counts the cities with that title that meet the conditions, as far as that matters.
  private mutating func lookAtTitles(_ next: Int, _ left: inout Int, _ index: CityIndex) {
    guard conditions.haveAreas else {
      titles = (titled.total, index.rank(of: titled, at: 0) ?? 0)
      return decideByTitles(index)
    }
    let end = next + min(left, titled.total - next)
    for place in next..<end {
      guard let rank = index.rank(of: titled, at: place), index.lies(rank, conditions) else { continue }
      titles = (titles.count + 1, rank)
    }
    left -= max(end - next, 1)
    if end == titled.total || titles.count > 1 {
      decideByTitles(index)
    } else {
      stage = .titles(next: end)
    }
  }

  private mutating func decideByTitles(_ index: CityIndex) {
    let title = titles.count == 1 ? titles.rank : nil
    if let title {
      guard titled.areByName else { return finish(Match(rank: title, certainty: .sure)) }
      let larger = called.inUse.flatMap { $0.population > index.populations[title] ? $0.rank : nil }
      let isOutweighed = called.isFirstFarLarger(than: index.populations[larger ?? title])
      if !isOutweighed { return settle(Match(rank: larger ?? title, certainty: .sure), title: title, index) }
    }
    guard let first = called.first, let best = called.best else { return startSearch(index) }
    settle(
      called.isDecided ? Match(rank: first.rank, certainty: .sure) : Match(rank: best.rank, certainty: .likely),
      title: title, index)
  }

  // MARK: Guesses

  private mutating func startSearch(_ index: CityIndex) {
    guard !query.key.isEmpty else { return finish(.nothing) }
    stage = .search
    query.key.withUnsafeBytes { search.begin($0, conditions, index) }
  }
}

/// The cities that are called like a name, as far as a choice among them needs them.
private struct CalledCities {
  /// A city, its inhabitants as they are stored, and its score.
  struct Candidate {
    let rank: Int
    let population: Int
    let score: Int

    /// Whether it has more inhabitants than `other`, or comes first of equals.
    func isLarger(than other: Candidate) -> Bool {
      population != other.population ? population > other.population : rank < other.rank
    }
  }

  /// The one with most inhabitants.
  private(set) var first: Candidate?
  /// The next one.
  private(set) var second: Candidate?
  /// The one with the best name, in the order of ``PlaceHits``.
  private(set) var best: Candidate?

  /// The one with most inhabitants of those that have it as a name in use.
  private(set) var inUse: Candidate?

  mutating func begin() { (first, second, best, inUse) = (nil, nil, nil, nil) }

  /// Takes a city, which may come more than once.
  mutating func add(_ rank: Int, population: Int, score: Int, isInUse: Bool) {
    let city = Candidate(rank: rank, population: population, score: score)
    if isInUse, inUse.map(city.isLarger) ?? true { inUse = city }
    guard let first, let best else {
      (self.first, self.best) = (city, city)
      return
    }
    if (score, population, best.rank) > (best.score, best.population, rank) { self.best = city }
    guard rank != first.rank, rank != second?.rank else { return }
    if city.isLarger(than: first) {
      (self.first, second) = (city, first)
    } else if second.map({ city.isLarger(than: $0) }) ?? true {
      second = city
    }
  }

  /// Whether the first is the only one, or has far more inhabitants than every other.
  var isDecided: Bool { first != nil && second.map { isFirstFarLarger(than: $0.population) } ?? true }

  /// Whether the first has ``WholeNameSearch/leastRatio`` times the inhabitants that are stored as `population`.
  func isFirstFarLarger(than population: Int) -> Bool {
    guard let first else { return false }
    return UInt64(max(first.population, 1) - 1) >= WholeNameSearch.leastRatio * UInt64(max(population - 1, 1))
  }
}

extension PlaceConditions {
  /// Whether some cities do not meet them because of where they lie.
  var haveAreas: Bool { country != nil || region != nil }
}
