import Base
package import Coroutines
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
///   print(try await matcher.match(index, budget))
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

    /// No city.
    public static let nothing = Match(rank: nil, certainty: .none)
  }

  /// Whether the search for the last name looked at everything that could be better.
  public private(set) var isComplete = true

  /// Names that other searches look at between two checks of the budget.
  private static let steps = 64

  private var conditions = PlaceConditions(limit: 1)
  private var name: [UInt8] = []
  private var query = PlaceQuery()
  private var called = CalledCities()
  private var titled = CityMatches()
  private var search = NameSearch()
  private let folder = CaseFolder()
  private let plainFolder = CaseFolder()
  private let baseFolder = CaseFolder()

  /// Makes a matcher; ``begin(_:_:_:)`` starts it.
  public init() {}

  /// Takes a name in UTF-8, to be looked for among the cities that meet `conditions`; any bytes are a name.
  ///
  /// - Complexity: O(bytes), up to a limit, and as reading a query of `city.find` for names of several words.
  public mutating func begin(_ name: UnsafeRawBufferPointer, _ conditions: PlaceConditions, _ index: CityIndex) {
    self.conditions = conditions
    self.conditions.limit = 1
    self.conditions.codes = CodeUse(name)
    isComplete = true
    self.name.removeAll(keepingCapacity: true)
    self.name.append(contentsOf: name)
    called.begin()
    let isWord = index.names != nil && !NameSearch.isSignedNumber(name)
    let key = isWord ? folder.fold(name, .words, atMost: PlaceQuery.maximumBytes) : nil
    self.conditions.endsAfterWord = folder.endsAfterWord
    query.read(key ?? UnsafeRawBufferPointer(start: nil, count: 0), index.areas)
  }

  /// Finds the city that the name means.
  ///
  /// - Throws: ``Stopped``.
  /// - Complexity: O(m) in the names that are equal to it; of a name that nothing has as `city.find`.
  package mutating func match(_ index: CityIndex, _ budget: Budget) async throws(Stopped) -> Match {
    let match = try await decide(index, budget)
    let isDoubtful = match.certainty == .sure && isNumber
    return isDoubtful ? Match(rank: match.rank, certainty: .likely) : match
  }

  /// Whether the name consists of decimal digits alone, with spaces around them allowed.
  private var isNumber: Bool {
    let space = UInt8(ascii: " ")
    guard let first = name.first(where: { $0 != space }), first &- 0x30 < 10 else { return false }
    let words = name.split(separator: space)
    return words.count == 1 && words[0].allSatisfy { $0 &- 0x30 < 10 }
  }

  // MARK: Whole names

  /// Looks at whole names, at titles and at what is only like the name, as far as what comes before does not decide.
  ///
  /// A comma-free title is also a name, so its city is already a candidate, unless its key is empty. So it can
  /// change nothing where one of these has far more inhabitants than the next: see
  /// ``WholeNameSearch/choice(title:_:)``. The title of a city without a country is more than a name, and certain.
  private mutating func decide(_ index: CityIndex, _ budget: Budget) async throws(Stopped) -> Match {
    if let names = index.names, !query.key.isEmpty {
      for reading in 0..<query.wholeReadings {
        for entry in entries(ofReading: reading, names) {
          take(entry, query.readings[reading], names, index)
          try await budget.check()
        }
      }
      if !name.contains(UInt8(ascii: ",")), !index.countries.hasNameless {
        guard let first = called.first else { return try await guess(index, budget) }
        if called.isDecided { return try await settled(Match(rank: first.rank, certainty: .sure), index, budget) }
      }
    }
    let title = try await onlyCity(titled: index, budget)
    if let title {
      guard titled.areByName else { return Match(rank: title, certainty: .sure) }
      let larger = called.inUse.flatMap { $0.population > index.populations[title] ? $0.rank : nil }
      if !called.isFirstFarLarger(than: index.populations[larger ?? title]) {
        return try await settled(Match(rank: larger ?? title, certainty: .sure), title: title, index, budget)
      }
    }
    guard let first = called.first, let best = called.best else { return try await guess(index, budget) }
    return try await settled(
      called.isDecided ? Match(rank: first.rank, certainty: .sure) : Match(rank: best.rank, certainty: .likely),
      title: title, index, budget)
  }

  private func entries(ofReading reading: Int, _ names: NameTable) -> Range<Int> {
    query.key.withUnsafeBytes { key in
      names.entries(called: UnsafeRawBufferPointer(rebasing: key[..<query.readings[reading].nameBytes]))
    }
  }

  /// Counts the city of a name in if it meets the conditions.
  private mutating func take(_ entry: Int, _ meaning: PlaceQuery.Reading, _ names: NameTable, _ index: CityIndex) {
    let (rank, kind) = names.city(of: entry)
    guard kind != .code || conditions.codes != .none, rank < index.count,
      index.lies(rank, inAllOf: meaning.areas, conditions)
    else { return }
    let code = NameScore.bonusOfCode(kind, conditions.codes)
    let bonus = NameScore.bonusOfWhole(kind) + code + (meaning.isWhole ? 0 : NameScore.qualified)
    let population = index.populations[rank]
    let isShort = meaning.isWhole && query.isShort && !conditions.endsAfterWord
    let short = isShort ? NameScore.bonusOfShort(kind, population) : 0
    let score = names.score(of: entry) + bonus + short
    called.add(rank, population: population, score: score, isInUse: kind.isInUse)
  }

  // MARK: Countries

  /// Takes `match` for the name, unless it is a country's, too: then the rule of ``WholeNameSearch`` decides.
  ///
  /// `title` is the rank of the only city with that title.
  private mutating func settled(
    _ match: Match, title: Int? = nil, _ index: CityIndex, _ budget: Budget
  ) async throws(Stopped) -> Match {
    let rule: WholeNameSearch? = query.key.withUnsafeBytes { key in
      conditions.haveAreas || index.countries(called: key).isEmpty
        ? nil : WholeNameSearch(key, codes: conditions.codes, index)
    }
    guard var search = rule else { return match }
    try await search.run(index, budget)
    switch search.choice(title: title, index) {
    case .title(let rank): return Match(rank: rank, certainty: .sure)
    case .city(let hit): return Match(rank: hit.rank, certainty: .sure)
    case .country, .several, .nothing: return called.best.map { Match(rank: $0.rank, certainty: .likely) } ?? .nothing
    }
  }

  // MARK: Titles

  /// The rank of the city with that title, if one alone meets the conditions.
  private mutating func onlyCity(titled index: CityIndex, _ budget: Budget) async throws(Stopped) -> Int? {
    name.withUnsafeBytes { name in
      let none = UnsafeRawBufferPointer(start: nil, count: 0)
      index.cities(
        titled: plainFolder.fold(name, .plain, atMost: index.longestTitle(.plain)) ?? none,
        base: baseFolder.fold(name, .baseLetters, atMost: index.longestTitle(.folded)) ?? none, into: &titled)
    }
    guard conditions.haveAreas else { return titled.total == 1 ? index.rank(of: titled, at: 0) : nil }
    var found: Int?
    for place in 0..<titled.total {
      try await budget.check()
      guard let rank = index.rank(of: titled, at: place), index.lies(rank, conditions) else { continue }
      guard found == nil else { return nil }
      found = rank
    }
    return found
  }

  // MARK: Guesses

  /// The best of the names that start like it, or that differ by typing errors.
  private mutating func guess(_ index: CityIndex, _ budget: Budget) async throws(Stopped) -> Match {
    guard !query.key.isEmpty else { return .nothing }
    query.key.withUnsafeBytes { search.begin($0, conditions, index) }
    while !search.advance(steps: Self.steps, index) { try await budget.check(Self.steps) }
    isComplete = search.isComplete
    // The name of an area is not that of its largest city.
    let isFound = search.hits.count > 0 && !search.hits[0].isByArea
    return isFound ? Match(rank: search.hits[0].rank, certainty: .guess) : .nothing
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
