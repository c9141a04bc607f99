import CBOR
import Cities
import CitiesProtocol
import Coroutines
import FrameService
import Geodesy
import Resident
import Text

extension CityFinder {
  /// The purpose for which a query is resolved.
  enum Purpose {
    /// The city itself.
    case city
    /// A place: cities that share a title and are close to each other count as one.
    case place
    /// The nearest to a place, of several cities.
    case nearest(GeoPoint)
  }

  /// Finds the city that the `query` of a request means.
  ///
  /// A title that only one city has means that city. Otherwise, or if the title is a name alone, all cities with that
  /// name in any language are compared, as well as a country with that name: see ``WholeNameSearch``.
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
      // Without letters and digits, a query can only be a title.
      guard titled.total == 0 else { throw try Self.ambiguous(query, titled, index) }
      throw Self.notFound(query)
    }
  }

  private func wholeNames(_ query: String, near origin: GeoPoint?, _ index: CityIndex) -> WholeNameSearch {
    let isNumber = Array(query.utf8).withUnsafeBytes(NameSearch.isSignedNumber)
    let key = isNumber ? [] : plainFolder.folded(query, .words, atMost: CityIndex.longestQuery) ?? []
    return key.withUnsafeBytes { WholeNameSearch($0, near: origin, codes: CodeUse(query.utf8), index) }
  }
}

/// A city found by a query, and the way in which it was found.
struct CityHit {
  let rank: Int
  let by: CityFind.Kind
  /// The name that matched; empty for the title's.
  let matched: [UInt8]

  /// The city with the query as its title.
  init(title rank: Int) { (self.rank, by, matched) = (rank, .title, []) }

  /// A city with the query as a name.
  init(_ hit: PlaceHits.Hit, _ index: CityIndex) {
    rank = hit.rank
    by = CityFind.Kind(rawValue: index.kind(of: hit).rawValue)
    matched = Array(index.spelling(of: hit))
  }
}

extension ServedGeneration<ResidentCities> {
  /// Writes the result of a query under `key`; writes nothing without a query.
  ///
  /// - Throws: `unavailable` if the file is corrupt.
  func write(_ hit: CityHit?, as key: StaticString = "resolved", into reply: inout CBORWriter) throws(WireError) {
    guard let hit else { return }
    reply.writeKey(key)
    // In a corrupt file the bytes may be anything.
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
