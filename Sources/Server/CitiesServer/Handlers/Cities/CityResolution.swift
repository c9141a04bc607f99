import CBOR
import Cities
import CitiesProtocol
import Coroutines
import Geodesy
import Resident

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
  /// It is the city of which ``PlaceResolver`` is sure, or, if the request accepts it, one far likelier than any
  /// other, unless the text names a country. Of several cities, the nearest to a place is taken if one is given, among
  /// those with the text as their title, or else with any such name.
  ///
  /// - Throws: `not-found`, or `ambiguous` with the candidates, best first; ``Stopped``.
  func resolve(
    _ query: String, likely: Bool? = nil, for purpose: Purpose, _ index: CityIndex, _ budget: Budget
  ) async throws -> CityHit {
    let titled = titled(query, index)
    var resolver = PlaceResolver()
    Array(query.utf8).withUnsafeBytes { resolver.begin($0, PlaceConditions(limit: 1), index) }
    try await budget.check(query.utf8.count)
    if case .nearest(let place) = purpose {
      if let rank = try await index.chosen(among: titled, .nearest(to: place), budget) { return CityHit(title: rank) }
      try await resolver.compare(near: place, index, budget)
      guard let nearest = resolver.nearest else { throw Self.notFound(query) }
      return CityHit(nearest, index)
    }
    let found = try await resolver.resolve(index, budget)
    let isTaken = found.isBest && likely == true && resolver.country(index, atMost: 1) == nil
    if found.certainty == .sure || isTaken, let hit = resolver.hit {
      let isTitle = titled.total == 1 && index.rank(of: titled, at: 0) == hit.rank
      let second = found.certainty == .sure ? nil : found.second
      return isTitle ? CityHit(title: hit.rank, second: second) : CityHit(hit, second: second, index)
    }
    // Without letters and digits, a query can only be a title.
    if titled.total == 1, resolver.hit == nil, let rank = index.rank(of: titled, at: 0), !found.isArea {
      return CityHit(title: rank)
    }
    if case .place = purpose, titled.total > 1, let rank = try await index.chosen(among: titled, .onePlace, budget) {
      return CityHit(title: rank)
    }
    if let country = resolver.country(index, atMost: Self.shownCities) {
      throw try Self.ambiguous(query, country, index)
    }
    if found.isArea { throw try await Self.ambiguous(query, regionOf: index, budget) }
    try await resolver.compare(index, budget)
    guard resolver.total == 0 else { throw try Self.ambiguous(query, resolver, index) }
    guard titled.total == 0 else { throw try Self.ambiguous(query, titled, index) }
    throw Self.notFound(query)
  }
}

/// A city found by a query, and the way in which it was found.
struct CityHit {
  let rank: Int
  let by: CityFind.Kind
  /// The rank of the next city with that name, if the city is only likely.
  let second: Int?
  /// The name that matched; empty for the title's.
  let matched: [UInt8]

  /// The city with the query as its title.
  init(title rank: Int, second: Int? = nil) { (self.rank, by, self.second, matched) = (rank, .title, second, []) }

  /// A city with the query as a name.
  init(_ hit: PlaceHits.Hit, second: Int? = nil, _ index: CityIndex) {
    (rank, self.second) = (hit.rank, second)
    by = CityFind.Kind(rawValue: index.kind(of: hit).rawValue)
    matched = Array(index.spelling(of: hit))
  }
}

extension ServedGeneration<ResidentCities> {
  /// Writes the result of a query under `key`; writes nothing without a query.
  ///
  /// - Throws: `unavailable` if the file is corrupt.
  func write<Key>(_ hit: CityHit?, as key: Key, into map: inout CBORMapWriter<Key>) throws(WireError) {
    guard let hit else { return }
    // In a corrupt file the bytes may be anything.
    guard let matched = String(validating: hit.matched, as: UTF8.self) else {
      throw damaged("section NTXT: a name of the city at rank \(hit.rank) is not text")
    }
    try map.write(key) { (reply) throws(WireError) in
      try reply.writeMap(ResolvedCity.CodingKeys.self) { (map) throws(WireError) in
        map.write(.by, hit.by.rawValue)
        try map.write(.city) { (reply) throws(WireError) in try writeRow(hit.rank, with: .region, into: &reply) }
        if let second = hit.second {
          try map.write(.second) { (reply) throws(WireError) in try writeRow(second, with: .region, into: &reply) }
        }
        map.write(.matched, matched.isEmpty ? nil : matched)
      }
    }
  }
}
