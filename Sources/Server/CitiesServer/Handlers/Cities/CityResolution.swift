import CBOR
import Cities
import CitiesProtocol
import Coroutines
import FrameService
import Geodesy
import Resident
import Text

extension CityFinder {
  /// The use of the city that a query means.
  enum Purpose {
    /// The city itself.
    case city
    /// A place: cities with one title that are near each other are one.
    case place
    /// Of several cities the one nearest to a place.
    case nearest(GeoPoint)
  }

  /// Finds the city that the `query` of a request means.
  ///
  /// The title of one city is that city. Otherwise, and where a title is a name alone, all cities with that name in any
  /// language are weighed, and a country with that name: see ``WholeNameSearch``.
  ///
  /// - Throws: `not-found`, or `ambiguous` with the candidates by population; ``Stopped``.
  func resolve(
    _ query: String, for purpose: Purpose, _ index: CityIndex, _ budget: Budget
  ) async throws -> CityHit {
    let titled = titled(query, index)
    let title: Int?
    var (isCertain, origin) = (!titled.areByName, GeoPoint?.none)
    switch purpose {
    case .city: title = titled.total == 1 ? index.rank(of: titled, at: 0) : nil
    case .place: title = try await index.chosen(among: titled, .onePlace, budget)
    case .nearest(let place):
      title = try await index.chosen(among: titled, .nearest(to: place), budget)
      (isCertain, origin) = (true, place)
    }
    if let title, isCertain { return CityHit(title: title) }
    var names = wholeNames(query, near: origin, index)
    try await names.run(index, budget)
    if origin != nil, let nearest = names.nearest { return CityHit(nearest, index) }
    switch names.choice(title: title, index) {
    case .title(let rank): return CityHit(title: rank)
    case .city(let hit): return CityHit(hit, index)
    case .country(let country): throw try Self.ambiguous(query, country, index)
    case .several: throw try Self.ambiguous(query, names, index)
    case .nothing:
      // A name of only punctuation can only be a title.
      guard titled.total == 0 else { throw try Self.ambiguous(query, titled, index) }
      throw Self.notFound(query)
    }
  }

  private func wholeNames(_ query: String, near origin: GeoPoint?, _ index: CityIndex) -> WholeNameSearch {
    let key = plainFolder.folded(query, .words, atMost: CityIndex.longestQuery) ?? []
    return key.withUnsafeBytes { WholeNameSearch($0, near: origin, codes: CodeUse(query.utf8), index) }
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
