import Base
package import Coroutines
import Text

/// The certainty that a name means a certain city, in ascending order.
public enum NameCertainty: UInt8, Sendable {
  /// No match.
  case none
  /// No whole name matches: the name is a prefix of one, contains a prefix of an area's name, or has typos.
  case guess
  /// Several cities have the name, and no rule decides between them; or the name consists only of decimal digits.
  case likely
  /// The title of one city, the only city with that name, or a city with ten times the population of the next.
  case sure
}

/// Finds the city meant by each name in a column, one name after the other.
///
/// ```swift
/// var matcher = NameMatcher()
/// for name in names {
///   matcher.begin(name, PlaceConditions(limit: 1), index)
///   print(try await matcher.match(index, budget))
/// }
/// ```
///
/// A name is *sure* by the rule of ``WholeNameSearch``, which resolves a single name. If that rule finds several
/// cities, the first in the order of ``NameSearch`` is *likely*; if no whole name matches, its first hit is a *guess*.
/// The names in a column are complete, unlike those being typed: whole names come before prefixes. A name of decimal
/// digits alone is at most *likely*: some cities have a number for a name, but in a column it is probably an id.
///
/// Most names need one look-up in the trie of names: names with equal keys are adjacent, and one pass over them finds
/// the two largest cities as well as the best by score. Titles are looked up only if they can change the result. Once
/// the buffers have grown, only names of several words allocate.
public struct NameMatcher {
  /// The city found for a name.
  public struct Match: Equatable, Sendable {
    /// The rank of the city; `nil` if nothing was found.
    public let rank: Int?
    /// The certainty of the match.
    public let certainty: NameCertainty

    /// No match.
    public static let nothing = Match(rank: nil, certainty: .none)
  }

  /// Whether the last search examined every name that could be better.
  public private(set) var isComplete = true

  /// Names examined between two checks of the budget.
  private static let steps = 64

  private var conditions = PlaceConditions(limit: 1)
  private var name: [UInt8] = []
  private var query = PlaceQuery()
  /// Whether the kind of a name counts more, as in a search for such a short name.
  private var prefersShort = false
  private var called = CalledCities()
  private var titled = CityMatches()
  private var search = NameSearch()
  private let folder = CaseFolder()
  private let titleFolder = CaseFolder()

  /// Creates a matcher; ``begin(_:_:_:)`` starts a match.
  public init() {}

  /// Starts to match a name in UTF-8 among the cities that meet `conditions`; any bytes are allowed.
  ///
  /// - Complexity: O(bytes), up to a limit; for names of several words, the cost of parsing a query of `city.find`.
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
    prefersShort = query.isShort && !self.conditions.endsAfterWord
  }

  /// Finds the city that the name means.
  ///
  /// - Throws: ``Stopped``.
  /// - Complexity: O(m) for m equal names; without any, the cost of `city.find`.
  package mutating func match(_ index: CityIndex, _ budget: Budget) async throws(Stopped) -> Match {
    let match = try await decide(index, budget)
    let isDoubtful = match.certainty == .sure && isNumber
    return isDoubtful ? Match(rank: match.rank, certainty: .likely) : match
  }

  /// Whether the name is a decimal number, apart from what its key lacks.
  private var isNumber: Bool { !query.key.isEmpty && query.key.allSatisfy { $0 &- 0x30 < 10 } }

  // MARK: Whole names

  /// Tries whole names, then titles, then approximate matches, until one decides.
  ///
  /// A comma-free title is also a name, so its city is already a candidate, unless its key is empty. The title
  /// therefore changes nothing if a candidate has far more inhabitants than the next: see
  /// ``WholeNameSearch/choice(title:_:)``. The title of a city without a country is more than a name, and certain.
  private mutating func decide(_ index: CityIndex, _ budget: Budget) async throws(Stopped) -> Match {
    if let names = index.names, !query.key.isEmpty {
      for reading in 0..<query.wholeReadings {
        var rest = entries(ofReading: reading, names)
        while !rest.isEmpty {
          let part = rest.prefix(Self.steps)
          for entry in part { take(entry, query.readings[reading], names, index) }
          try await budget.check(part.count)
          rest = rest.dropFirst(part.count)
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

  /// Adds the city of an entry if it meets the conditions.
  private mutating func take(_ entry: Int, _ meaning: PlaceQuery.Reading, _ names: NameTable, _ index: CityIndex) {
    let (rank, kind) = names.city(of: entry)
    guard kind != .code || conditions.codes != .none, rank < index.count,
      index.lies(rank, inAllOf: meaning.areas, conditions)
    else { return }
    let code = NameScore.bonusOfCode(kind, conditions.codes)
    let bonus = NameScore.bonusOfWhole(kind) + code + (meaning.isWhole ? 0 : NameScore.qualified)
    let population = index.populations[rank]
    let short = meaning.isWhole && prefersShort ? NameScore.bonusOfShort(kind, population) : 0
    let score = names.score(of: entry) + bonus + short
    called.add(rank, population: population, score: score, isInUse: kind.isInUse)
  }

  // MARK: Countries

  /// Returns `match`, unless the name is also a country's: then the rule of ``WholeNameSearch`` decides.
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

  /// The rank of the only city with that title that meets the conditions; `nil` if there are several or none.
  ///
  /// As if there were no other cities, the first tier with a match among those that meet them decides.
  private mutating func onlyCity(titled index: CityIndex, _ budget: Budget) async throws(Stopped) -> Int? {
    for tier in CityIndex.titleTiers {
      name.withUnsafeBytes { name in
        let folding: FoldMode = tier.mode == .plain ? .plain : .baseLetters
        let title = titleFolder.fold(name, folding, atMost: index.longestTitle(tier.mode))
        index.findCities(titled: title ?? UnsafeRawBufferPointer(start: nil, count: 0), tier, into: &titled)
      }
      var found: Int?
      for place in 0..<titled.total {
        try await budget.check()
        guard let rank = index.rank(of: titled, at: place), index.lies(rank, conditions) else { continue }
        guard found == nil else { return nil }
        found = rank
      }
      if let found { return found }
    }
    return nil
  }

  // MARK: Guesses

  /// The best name that starts with the key, or differs from it by typos.
  private mutating func guess(_ index: CityIndex, _ budget: Budget) async throws(Stopped) -> Match {
    guard !query.key.isEmpty else { return .nothing }
    query.key.withUnsafeBytes { search.begin($0, conditions, index) }
    while !search.advance(steps: Self.steps, index) { try await budget.check(Self.steps) }
    isComplete = search.isComplete
    // An area's name does not mean its largest city.
    let isFound = search.hits.count > 0 && !search.hits[0].isByArea
    return isFound ? Match(rank: search.hits[0].rank, certainty: .guess) : .nothing
  }
}

/// The cities with a name, as far as the choice among them needs them.
private struct CalledCities {
  /// A city, its population in its stored form, and its score.
  struct Candidate {
    let rank: Int
    let population: Int
    let score: Int

    /// Whether its population is larger than that of `other`, or equal and its rank is lower.
    func isLarger(than other: Candidate) -> Bool {
      population != other.population ? population > other.population : rank < other.rank
    }
  }

  /// The largest city.
  private(set) var first: Candidate?
  /// The second largest.
  private(set) var second: Candidate?
  /// The city with the best name, in the order of ``PlaceHits``.
  private(set) var best: Candidate?

  /// The largest city for which this is a name in use.
  private(set) var inUse: Candidate?

  mutating func begin() { (first, second, best, inUse) = (nil, nil, nil, nil) }

  /// Adds a city, possibly for the second time.
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

  /// Whether the first city is the only one, or far larger than every other.
  var isDecided: Bool { first != nil && second.map { isFirstFarLarger(than: $0.population) } ?? true }

  /// Whether the first has ``WholeNameSearch/leastRatio`` times the population that is stored as `population`.
  func isFirstFarLarger(than population: Int) -> Bool {
    guard let first else { return false }
    return UInt64(max(first.population, 1) - 1) >= WholeNameSearch.leastRatio * UInt64(max(population - 1, 1))
  }
}

extension PlaceConditions {
  /// Whether they restrict the country or region.
  var haveAreas: Bool { country != nil || region != nil }
}
