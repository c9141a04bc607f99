import CBOR
import Cities
import CitiesProtocol
import Coroutines
import Countries
import FrameService
import Geodesy

/// `city.near`: the cities near a place, nearest or main city first.
final class CityNearHandler: RequestHandler {
  let method = CityNear.method
  private let cities: ServedCities
  private let finder = CityFinder()
  // Used only by the loop thread, for one request at a time.
  @exclusivity(unchecked) private var neighbours = Neighbours()

  init(_ cities: ServedCities) { self.cities = cities }

  func read(_ request: UncheckedRequest) throws(WireError) -> CityNearParams { try request.read(CityNearParams.init) }

  func answer(
    _ params: CityNearParams, for caller: Caller, into reply: inout CBORWriter
  ) throws(WireError) -> Answer {
    let answer = try cities.answer(for: caller, wantsSources: params.provenance)
    switch params.origin {
    case .position(let position):
      return try self.answer(params, from: try finder.point(position, "place"), answer, into: &reply)
    case .named(let place):
      let (limit, radius, rule, parts) = (Int(params.limit), params.radius, params.rule, params.parts)
      let population = params.population
      return .computed(from: [answer.generation]) { [finder] budget in
        let found = try await finder.find(place, "place", answer.index, budget)
        let search = answer.index.nearSearch(found.point, rule, population: population)
        var neighbours = Neighbours()
        search.begin(limit: limit, radius: radius, into: &neighbours)
        return try await Self.rows(of: search, neighbours, parts, answer, found.resolved, budget)
      }
    }
  }

  /// Leaves of the tree to search at once, in about 100 µs: enough for a hundred neighbours anywhere.
  private static let leavesInPlace = 512

  /// Answers a request with a position.
  @inline(__always)
  private func answer(
    _ params: CityNearParams, from origin: GeoPoint, _ answer: CityAnswer, into reply: inout CBORWriter
  ) throws(WireError) -> Answer {
    let search = answer.index.nearSearch(origin, params.rule)
    search.begin(limit: Int(params.limit), radius: params.radius, into: &neighbours)
    guard params.parts.isEmpty, search.advance(leaves: Self.leavesInPlace, into: &neighbours) else {
      let parts = params.parts
      return .computed(from: [answer.generation]) { [neighbours] budget in
        try await Self.rows(of: search, neighbours, parts, answer, nil, budget)
      }
    }
    try Self.write(from: origin, nil, answer, into: &reply) { (map) throws(WireError) in
      try map.write(.rows) { (reply) throws(WireError) in try Self.writeStored(&neighbours, answer, into: &reply) }
    }
    return .written
  }
}

extension CityIndex {
  /// The search for the cities near a place by the rule in a request.
  @inline(__always)
  func nearSearch(_ place: GeoPoint, _ rule: CityNear.Rule, population: UInt64 = 0) -> CityNearSearch {
    switch rule {
    case .nearest: nearSearch(place, population == 0 ? NearRule.nearest : .populated(least: population))
    case .place: nearSearch(place, NearRule.place(country: CountryMap.shipped.country(at: place).letters))
    }
  }
}

extension CityNearHandler {
  /// Continues a longer search: around a city that had to be looked up, for very many neighbours, with thousands of
  /// cities equally far away, or with additional fields.
  ///
  /// `resolved` is the city found for the place's query.
  static func rows(
    of search: CityNearSearch, _ found: Neighbours, _ parts: CityParts, _ answer: CityAnswer, _ resolved: CityHit?,
    _ budget: Budget
  ) async throws -> ResultWriter {
    var found = found
    try await search.finish(into: &found, budget)
    guard !parts.isEmpty else {
      return { [found] (reply: inout CBORWriter) throws(WireError) in
        var neighbours = found
        try write(from: search.origin, resolved, answer, into: &reply) { (map) throws(WireError) in
          try map.write(.rows) { (reply) throws(WireError) in try writeStored(&neighbours, answer, into: &reply) }
        }
      }
    }
    let places = (0..<found.count).map { found[$0] }
    let details = try await DetailedRows(places.map(\.item), parts, answer.generation, budget)
    let rows = try await details.written(places, budget) { (place, row) throws(WireError) in
      try row.writeMap(CityNear.Neighbour.CodingKeys.self) { (map) throws(WireError) in
        try map.write(.city) { (row) throws(WireError) in try details.write(place.item, into: &row) }
        map.write(.distance, place.metres)
      }
    }
    return { (reply: inout CBORWriter) throws(WireError) in
      try write(from: search.origin, resolved, answer, into: &reply) { rows.write(.rows, into: &$0) }
    }
  }

  /// Writes the reply.
  @inline(__always)
  private static func write(
    from origin: GeoPoint, _ resolved: CityHit?, _ answer: CityAnswer, into reply: inout CBORWriter,
    _ writeRows: (inout CBORMapWriter<CityNear.Reply.CodingKeys>) throws(WireError) -> Void
  ) throws(WireError) {
    try reply.writeMap(CityNear.Reply.CodingKeys.self) { (map) throws(WireError) in
      try writeRows(&map)
      map.write(.asOf, answer.sources?.asOf)
      try map.write(.origin) { (reply) throws(WireError) in try reply.write(origin) }
      let country = CountryMap.shipped.country(at: origin)
      map.write(.certain, country.isCertain)
      map.write(.country, country.code)
      try map.write(.sources, encoding: answer.sources)
      try answer.generation.write(resolved, as: .resolved, into: &map)
      map.write(.generation, answer.generation.name)
    }
  }

  /// Writes the rows in their stored form, each with one check of the buffer; `neighbours` is `inout` only to avoid a
  /// copy.
  private static func writeStored(
    _ neighbours: inout Neighbours, _ answer: CityAnswer, into reply: inout CBORWriter
  ) throws(WireError) {
    reply.writeArray(count: neighbours.count)
    let index = answer.index
    index.prefetch(neighbours, count: prefetchedRows)
    for position in 0..<neighbours.count {
      let (rank, metres) = neighbours[position]
      let row = index.row(at: rank)
      try answer.generation.check(row, rank)
      reply.write(atMost: besideRow + row.count) { cursor in
        // A map of two pairs, and the key "city"; below, the key "distance".
        cursor.writeEncoded(0xA264_6369_7479_0000, count: 6)
        cursor.writeEncoded(row)
        cursor.writeEncoded(0x6864_6973_7461_6E63, count: 8)
        cursor.writeEncoded(0x6500_0000_0000_0000, count: 1)
        cursor.writeHead(.unsigned, UInt64(metres))
      }
    }
  }

  /// The number of rows to prefetch at once; more would evict each other from the processor's first-level cache.
  private static let prefetchedRows = 128

  /// The maximum number of bytes of a neighbour besides its city: two heads and two keys, and up to eight bytes stored
  /// past the end.
  private static let besideRow = 2 * CBORCursor.headBytes + 5 + 9 + 8
}

extension CBORWriter {
  /// Writes a position.
  ///
  /// - Throws: `internal` if a coordinate is NaN or infinite.
  mutating func write(_ point: GeoPoint) throws(WireError) {
    do throws(CBORError) {
      try writeMap(Position.CodingKeys.self) { (map) throws(CBORError) in
        try map.write(.lat) { (writer) throws(CBORError) in try writer.writeDouble(point.latitude) }
        try map.write(.lon) { (writer) throws(CBORError) in try writer.writeDouble(point.longitude) }
      }
    } catch {
      throw WireError(.internal, "an answer cannot be encoded: \(error)")
    }
  }
}
