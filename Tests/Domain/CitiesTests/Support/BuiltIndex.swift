import Cities
import Coroutines
import Geodesy
import TestSupport

/// An index of made-up sections; the row of a city is its id as text and a blank.
///
/// The memory that it borrows is never given back: a test may let go of this and still ask the index.
struct BuiltIndex: Sendable {
  let index: CityIndex

  init(_ cities: [City]) throws { try self.init(sections: Self.sections(cities)) }

  init(sections: [CitySection: [UInt8]]) throws {
    index = try CityIndex { section in
      sections[section].map { bytes in
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        copy.copyBytes(from: bytes)
        return UnsafeRawBufferPointer(copy)
      }
    }
  }

  /// Calls `body` with the index of `sections`, if they are one, each in memory of just its size that is given back.
  static func lend(_ sections: [CitySection: [UInt8]], _ body: (CityIndex) -> Void) {
    let memory = sections.mapValues { bytes in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
      copy.copyBytes(from: bytes)
      return copy
    }
    defer { for copy in memory.values { copy.deallocate() } }
    if let index = try? CityIndex(sections: { memory[$0].map { UnsafeRawBufferPointer($0) } }) { body(index) }
  }

  static func sections(_ cities: [City], _ areas: AreaNames = AreaNames()) throws -> [CitySection: [UInt8]] {
    var builder = CityIndexBuilder()
    builder.areaNames = areas
    for city in cities { _ = try builder.add(city) }
    return try builder.build { Array("\($0.id) ".utf8) }
  }
}

extension CityIndexBuilder {
  /// Orders everything and returns the sections; `row` gives the opaque bytes of one city.
  consuming func build(row: (City) throws -> [UInt8]) throws -> [CitySection: [UInt8]] {
    var sections: [CitySection: [UInt8]] = [:]
    try build(row: row) { sections[$0, default: []] += $1 }
    return sections
  }
}

extension CityIndex {
  /// The rank of the city with `id`, of several the first.
  func rank(id: UInt64) -> Int? {
    let positions = positions(id: id)
    return positions.isEmpty ? nil : rank(inOrderOfIDs: positions.lowerBound)
  }

  /// The ranks of the cities in `box` with at least `minimum` inhabitants, largest first.
  func ranks(in box: GeoBox, limit: Int, minimum: UInt64 = 0) -> [Int] {
    var search = CityBoxSearch()
    search.begin(box, limit: limit, minimum: minimum, self)
    while !search.advance(steps: .max, self) {}
    return search.ranks
  }

  /// Finds the first `limit` cities by `rule` around `place`; items of `neighbours` are ranks.
  func near(
    _ place: GeoPoint, rule: NearRule = .nearest, limit: Int, radius: Double = .infinity,
    into neighbours: inout Neighbours
  ) {
    let search = nearSearch(place, rule)
    search.begin(limit: limit, radius: radius, into: &neighbours)
    while !search.advance(leaves: .max, into: &neighbours) {}
  }

  /// The ids of the rows of a page, read from the rows' bytes.
  func ids(_ matches: CityMatches, offset: Int = 0, limit: Int = .max) -> [UInt64] {
    var bytes: [UInt8] = []
    withRows(matches, offset: offset, limit: limit) { bytes += $0 }
    return ids(in: bytes)
  }

  func idsByPopulation(_ matches: CityMatches, offset: Int = 0, limit: Int = .max) -> [UInt64] {
    ranks(matches, offset: offset, limit: limit, byPopulation: true).map { id(at: $0) }
  }

  func slices(_ matches: CityMatches, offset: Int = 0, limit: Int = .max) -> Int {
    var slices = 0
    withRows(matches, offset: offset, limit: limit) { _ in slices += 1 }
    return slices
  }

  func search(_ query: [UInt8], _ mode: CityMatchMode = .plain, country: String? = nil, into matches: inout CityMatches)
  {
    query.withUnsafeBytes { query in
      guard let country else { return search(query, mode: mode, into: &matches) }
      Array(country.utf8).withUnsafeBytes { search(query, mode: mode, country: $0, into: &matches) }
    }
  }

  func search(_ query: [UInt8], _ mode: CityMatchMode = .plain, country: String? = nil) -> CityMatches {
    var matches = CityMatches()
    search(query, mode, country: country, into: &matches)
    return matches
  }

  /// The city that is chosen among `matches`.
  func chosen(_ matches: CityMatches, _ goal: NamesakeGoal) throws -> Int? {
    try Coroutine.complete { budget in try await self.chosen(among: matches, goal, budget) }
  }

  private func ids(in bytes: [UInt8]) -> [UInt64] {
    bytes.split(separator: UInt8(ascii: " ")).map { UInt64(String(decoding: $0, as: UTF8.self)) ?? 0 }
  }
}
