import Base
package import Coroutines
public import Geodesy

/// The cities with a text as a whole name, and the choice among them.
///
/// ```swift
/// var search = WholeNameSearch(folded, index)
/// try await search.run(index, budget)
/// if case .city(let hit) = search.choice(title: nil) { show(index.row(at: hit.rank)) }
/// ```
///
/// The text is a name or, unless it has lower-case letters, a code; words that name areas may follow. Starts of names
/// and typos do not match.
public struct WholeNameSearch {
  /// The maximum number of cities to list if several are found.
  public static let maximumCandidates = 20
  /// The factor by which the population of a chosen city exceeds that of every other one.
  public static let leastRatio: UInt64 = 10

  /// The result of the choice.
  public enum Choice {
    /// The city with the text as its title, at this rank.
    case title(Int)
    /// A city with that name.
    case city(PlaceHits.Hit)
    /// No city: the text is the name of a country.
    case country(NamedCountry)
    /// Several cities qualify.
    case several
    /// No match.
    case nothing
  }

  /// The cities, largest first, equal ones in key order; at most ``maximumCandidates``.
  public private(set) var candidates: [PlaceHits.Hit] = []
  /// The number of all cities, including those beyond the candidates.
  public private(set) var total = 0
  /// The city nearest to the given place; of equally near ones, the first in key order.
  public private(set) var nearest: PlaceHits.Hit?
  /// The largest city for which the text is a name in use.
  private var inUse: PlaceHits.Hit?
  /// The country named by the whole text.
  private let country: NamedCountry?
  /// The two largest of the cities in that country.
  private var ofCountry: [PlaceHits.Hit] = []

  /// The names for one interpretation.
  private struct Part {
    let entries: Range<Int>
    let reading: Int
  }

  private var query = PlaceQuery()
  private var parts: [Part] = []
  private let origin: GeoPoint?
  private let codes: CodeUse
  private var least: UInt32 = .max
  /// A bit for each rank found; empty if no city can be found twice.
  private var seen: [UInt64] = []

  /// Starts a search for a text folded by `FoldMode.words`; ``nearest`` is measured from `origin`.
  ///
  /// - Complexity: The cost of `city.find` for a text with whole names and areas.
  public init(
    _ folded: UnsafeRawBufferPointer, near origin: GeoPoint? = nil, codes: CodeUse = .any, _ index: CityIndex
  ) {
    (self.origin, self.codes) = (origin, codes)
    guard let names = index.names, !folded.isEmpty, folded.count <= PlaceQuery.maximumBytes else {
      country = nil
      return
    }
    country = NamedCountry(called: folded, index)
    query.read(folded, index.areas)
    query.key.withUnsafeBytes { key in
      for (reading, meaning) in query.readings.enumerated() {
        let entries = names.entries(called: UnsafeRawBufferPointer(rebasing: key[..<meaning.nameBytes]))
        if !entries.isEmpty { parts.append(Part(entries: entries, reading: reading)) }
      }
    }
    if parts.count > 1 { seen = [UInt64](repeating: 0, count: index.count / UInt64.bitWidth + 1) }
  }

  /// Examines all cities with the name.
  ///
  /// - Throws: ``Stopped``.
  /// - Complexity: O(n) in the names.
  package mutating func run(_ index: CityIndex, _ budget: Budget) async throws(Stopped) {
    guard let names = index.names else { return }
    for part in parts {
      for entry in part.entries {
        take(entry, query.readings[part.reading], names, index)
        try await budget.check()
      }
    }
  }

  private mutating func take(_ entry: Int, _ reading: PlaceQuery.Reading, _ names: NameTable, _ index: CityIndex) {
    let (rank, kind) = names.city(of: entry)
    guard kind != .code || codes != .none, rank < index.count, index.lies(rank, inAllOf: reading.areas), isNew(rank)
    else { return }
    total += 1
    let hit = PlaceHits.Hit(
      rank: rank, entry: entry, score: 0, isTitle: kind == .title, nameBytes: reading.nameBytes, edits: 0)
    if let origin {
      let metres = origin.metres(to: index.point(at: rank))
      if nearest.map({ (metres, rank) < (least, $0.rank) }) ?? true { (nearest, least) = (hit, metres) }
    }
    if kind.isInUse, inUse.map({ isLarger(rank, $0.rank, index) }) ?? true { inUse = hit }
    if let country, country.contains(rank, index) { insert(hit, into: &ofCountry, atMost: 2, index) }
    insert(hit, into: &candidates, atMost: Self.maximumCandidates, index)
  }

  private func insert(_ hit: PlaceHits.Hit, into hits: inout [PlaceHits.Hit], atMost limit: Int, _ index: CityIndex) {
    var place = hits.count
    while place > 0, isLarger(hit.rank, hits[place - 1].rank, index) { place -= 1 }
    guard place < limit else { return }
    if hits.count == limit { hits.removeLast() }
    hits.insert(hit, at: place)
  }

  private mutating func isNew(_ rank: Int) -> Bool {
    guard !seen.isEmpty else { return true }
    let (word, bit) = (rank / UInt64.bitWidth, UInt64(1) << UInt64(rank % UInt64.bitWidth))
    defer { seen[word] |= bit }
    return seen[word] & bit == 0
  }

  private func isLarger(_ one: Int, _ other: Int, _ index: CityIndex) -> Bool {
    let (population, others) = (index.populations[one], index.populations[other])
    return population != others ? population > others : one < other
  }

  /// The chosen city, once the search is finished; `title` is the rank of the only city with the text as its title, by
  /// name alone, or `nil`.
  ///
  /// The title's city is chosen, or a larger city for which the text is a name in use, unless another city with that
  /// name has ``leastRatio`` times its population: Bombay does not mean a village in New Zealand. Otherwise the only
  /// city is chosen, or one with that many times the population of the next. An unknown population counts as 0, and
  /// decides nothing.
  ///
  /// The name of a country means the country, not a village of that name elsewhere. A city is chosen only if it lies in
  /// the country and is one of its large ones, like Singapore and Luxembourg, or is larger than all of them and has
  /// that name as its title: Benin City is not Benin, and HU, a code of Shanghai, is Hungary.
  ///
  /// - Complexity: O(1).
  public func choice(title: Int?, _ index: CityIndex) -> Choice {
    let usual = choiceOfCity(title: title, index)
    guard let country, let largest = country.largest.first else { return usual }
    let least = max(inhabitants(largest, index), NamedCountry.leastInhabitants)
    if let first = candidates.first, first.isTitle, inhabitants(first.rank, index) >= least { return usual }
    guard let first = ofCountry.first,
      inhabitants(first.rank, index) >= inhabitants(largest, index) / NamedCountry.leastShare,
      ofCountry.count == 1 || isFarLarger(first.rank, than: ofCountry[1].rank, index)
    else { return .country(country) }
    return first.rank == title ? .title(first.rank) : .city(first)
  }

  /// The choice by city names alone.
  private func choiceOfCity(title: Int?, _ index: CityIndex) -> Choice {
    guard let first = candidates.first else { return title.map(Choice.title) ?? .nothing }
    if let title {
      let larger = inUse.flatMap { index.populations[$0.rank] > index.populations[title] ? $0 : nil }
      let owner = larger?.rank ?? title
      if !isFarLarger(first.rank, than: owner, index) { return larger.map(Choice.city) ?? .title(title) }
    }
    let isMeant = total == 1 || candidates.count > 1 && isFarLarger(first.rank, than: candidates[1].rank, index)
    return isMeant ? .city(first) : .several
  }

  private func isFarLarger(_ one: Int, than other: Int, _ index: CityIndex) -> Bool {
    inhabitants(one, index) >= Self.leastRatio * max(inhabitants(other, index), 1)
  }

  private func inhabitants(_ rank: Int, _ index: CityIndex) -> UInt64 {
    UInt64(max(index.populations[rank], 1) - 1)
  }
}

extension NameTable {
  /// The entries with the whole key `name`.
  func entries(called name: UnsafeRawBufferPointer) -> Range<Int> {
    let found = trie.locate(name, in: keys).texts
    guard !found.isEmpty, keys.key(at: found.lowerBound).byte(name.count) == 0 else { return 0..<0 }
    return entriesOfKey(at: found)
  }
}

extension CityIndex {
  /// Whether the city at `rank` lies in one area of each choice, and meets `conditions`.
  @inline(__always)
  func lies(
    _ rank: Int, inAllOf choices: [AreaChoice] = [], _ conditions: PlaceConditions = PlaceConditions(limit: 0)
  ) -> Bool {
    guard conditions.haveAreas || !choices.isEmpty else { return true }
    guard let areas else { return false }
    let locality = localities.locality(ofRank: rank)
    if let country = conditions.country, locality.country != country { return false }
    if let region = conditions.region, !areas.contains(locality, region) { return false }
    return choices.allSatisfy { areas.contains(locality, $0) }
  }
}
