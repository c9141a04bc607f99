import CBOR
import Cities
import CitiesProtocol
import FrameService
import Geodesy
import Resident
import Text

/// The search for the city that the `query` of a request means, a few microseconds at a time.
///
/// The title of one city is that city. Otherwise, and where a title is a name alone, all cities with that name in any
/// language are weighed, and a country with that name: see ``WholeNameSearch``.
struct CityResolution {
  /// The use of the city.
  enum Purpose {
    /// The city itself.
    case city
    /// A place: cities with one title that are near each other are one.
    case place
    /// Of several cities the one nearest to a place.
    case nearest(GeoPoint)
  }

  /// Names that are looked at in one step.
  private static let namesPerStep = 64

  /// The query.
  let query: String
  /// The cities that have it as their title.
  private let titled: CityMatches
  private let purpose: Purpose
  /// The choice among the cities of a title.
  private var choice: NamesakeChoice?
  /// The rank of the only city with that title.
  private var title: Int?
  private var names: WholeNameSearch?
  private let folder: CaseFolder

  /// Starts a search for `query`, the title of the cities `titled`.
  init(_ query: String, _ titled: CityMatches, for purpose: Purpose, _ folder: CaseFolder, _ index: CityIndex) {
    (self.query, self.titled, self.purpose, self.folder) = (query, titled, purpose, folder)
    guard titled.total > 0 else { return }
    switch purpose {
    case .city: title = titled.total == 1 ? index.rank(of: titled, at: 0) : nil
    case .place: choice = NamesakeChoice(titled, .onePlace)
    case .nearest(let origin): choice = NamesakeChoice(titled, .nearest(to: origin))
    }
  }

  /// Continues for a few microseconds.
  ///
  /// - Returns: the city, or nil if the search is not over.
  /// - Throws: `not-found`, or `ambiguous` with the candidates by population.
  mutating func step(_ index: CityIndex) throws(WireError) -> CityHit? {
    if var choice {
      let isUnderWay = choice.step(index)
      self.choice = isUnderWay ? choice : nil
      title = choice.rank
      if isUnderWay { return nil }
    }
    if names == nil {
      if let title, isCertain { return CityHit(title: title) }
      names = search(index)
    }
    guard names?.advance(steps: Self.namesPerStep, index) ?? true else { return nil }
    return try result(index)
  }

  /// Whether a title needs no comparison with other names.
  private var isCertain: Bool {
    if case .nearest = purpose { return true }
    return !titled.areByName
  }

  private func search(_ index: CityIndex) -> WholeNameSearch {
    let codes = CodeUse(query.utf8)
    let key = folder.folded(query, .words, atMost: CityIndex.longestQuery) ?? []
    return key.withUnsafeBytes { key in
      guard case .nearest(let origin) = purpose else { return WholeNameSearch(key, codes: codes, index) }
      return WholeNameSearch(key, near: origin, codes: codes, index)
    }
  }

  private func result(_ index: CityIndex) throws(WireError) -> CityHit {
    guard let names else { return CityHit(title: index.count) }
    if case .nearest = purpose, let nearest = names.nearest { return CityHit(nearest, index) }
    switch names.choice(title: title, index) {
    case .title(let rank): return CityHit(title: rank)
    case .city(let hit): return CityHit(hit, index)
    case .country(let country): throw try CityFinder.ambiguous(query, country, index)
    case .several: throw try CityFinder.ambiguous(query, names, index)
    case .nothing:
      // A name of only punctuation can only be a title.
      guard titled.total == 0 else { throw try CityFinder.ambiguous(query, titled, index) }
      throw CityFinder.notFound(query)
    }
  }
}

/// A city that was found by a query, and how.
struct CityHit {
  /// Its rank.
  let rank: Int
  /// How it was found.
  let by: CityFind.Kind
  /// The name that matched, unless it is the title's.
  let matched: [UInt8]

  /// The city whose title the query is.
  init(title rank: Int) { (self.rank, by, matched) = (rank, .title, []) }

  /// A city with the name of the query.
  init(_ hit: PlaceHits.Hit, _ index: CityIndex) {
    rank = hit.rank
    by = CityFind.Kind(rawValue: index.kind(of: hit).rawValue)
    matched = Array(index.spelling(of: hit))
  }
}

extension ServedGeneration<ResidentCities> {
  /// Writes the result of a query under `key`; nothing if there was no query.
  ///
  /// - Throws: `unavailable` if the file is damaged.
  func write(_ hit: CityHit?, as key: StaticString = "resolved", into reply: inout CBORWriter) throws(WireError) {
    guard let hit else { return }
    reply.writeKey(key)
    // A damaged file may have any bytes there.
    guard let matched = String(validating: hit.matched, as: UTF8.self) else {
      throw damaged("section NTXT: a name of the city at rank \(hit.rank) is not text")
    }
    reply.writeMap(count: matched.isEmpty ? 2 : 3)
    reply.writePair("by", hit.by.rawValue)
    reply.writeKey("city")
    try writeRow(hit.rank, with: .region, into: &reply)
    guard !matched.isEmpty else { return }
    reply.writePair("matched", matched)
  }
}
