import CBOR
import Cities
import CitiesProtocol
import Coroutines
import Countries
import FrameService
import Geodesy
import Resident

/// `city.near`: the cities near a place, nearest or main city first.
final class CityNearHandler: StrictRequestHandler {
  let method = CityNear.method
  private let cities: ServedCities
  private let finder = CityFinder()
  // Used only by the loop thread, for one request at a time.
  @exclusivity(unchecked) private var neighbours = Neighbours()

  init(_ cities: ServedCities) { self.cities = cities }

  func read(_ params: inout CBORReader) throws(WireError) -> CityNearParams { try CityNearParams(&params) }

  func answer(
    _ params: CityNearParams, for caller: Caller, into reply: inout CBORWriter
  ) throws(WireError) -> Answer {
    let answer = try cities.answer(for: caller, wantsSources: params.provenance)
    switch params.origin {
    case .position(let position):
      return try self.answer(params, from: try finder.point(position, "place"), answer, into: &reply)
    case .named(let place):
      let (limit, radius, rule, parts) = (Int(params.limit), params.radius, params.rule, params.parts)
      return .computed { [finder] budget in
        let found = try await finder.find(place, "place", in: answer.generation, budget)
        let search = answer.index.nearSearch(found.point, rule)
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
      return .computed { [neighbours] budget in
        try await Self.rows(of: search, neighbours, parts, answer, nil, budget)
      }
    }
    try Self.write(&neighbours, nil, from: origin, nil, answer, into: &reply)
    return .written
  }
}

extension CityIndex {
  /// The search for the cities near a place by the rule in a request.
  @inline(__always)
  func nearSearch(_ place: GeoPoint, _ rule: CityNear.Rule) -> CityNearSearch {
    switch rule {
    case .nearest: nearSearch(place, NearRule.nearest)
    case .place: nearSearch(place, NearRule.place(country: CountryMap.shipped.country(at: place).letters))
    }
  }
}

extension CityNearHandler {
  /// Leaves of the tree to search between two checks of the budget, in about a microsecond.
  private static let leaves = 8

  /// Continues a longer search: around a city that had to be looked up, for very many neighbours, with thousands of
  /// cities equally far away, or with additional fields.
  ///
  /// `resolved` is the city found for the place's query.
  static func rows(
    of search: CityNearSearch, _ found: Neighbours, _ parts: CityParts, _ answer: CityAnswer, _ resolved: CityHit?,
    _ budget: Budget
  ) async throws -> ResultWriter {
    var found = found
    while !search.advance(leaves: leaves, into: &found) { try await budget.check(64) }
    let items = (0..<found.count).map { found[$0].item }
    let rows = parts.isEmpty ? nil : try await DetailedRows(items, parts, answer.generation, budget)
    return { [found] (reply: inout CBORWriter) throws(WireError) in
      try answer.generation.requireInService()
      var neighbours = found
      try write(&neighbours, rows, from: search.origin, resolved, answer, into: &reply)
    }
  }

  /// Writes the reply; keys in deterministic order, shorter ones first.
  ///
  /// `rows` have additional fields, if given. `neighbours` is `inout` only to avoid a copy.
  static func write(
    _ neighbours: inout Neighbours, _ rows: DetailedRows?, from origin: GeoPoint, _ resolved: CityHit?,
    _ answer: CityAnswer, into reply: inout CBORWriter
  ) throws(WireError) {
    reply.writeMap(count: answer.pairs(besides: resolved == nil ? 4 : 5))
    reply.writeEncoded("drows")
    reply.writeArray(count: neighbours.count)
    if let rows {
      for position in 0..<neighbours.count {
        reply.writeMap(count: 2)
        reply.writeKey("city")
        try rows.write(neighbours[position].item, into: &reply)
        reply.writePair("distance", UInt64(neighbours[position].metres))
      }
    } else {
      try writeStored(&neighbours, answer, into: &reply)
    }
    try answer.writeAsOf(into: &reply)
    reply.writeEncoded("forigin")
    try reply.write(origin)
    let country = CountryMap.shipped.country(at: origin)
    reply.writePair("certain", country.isCertain)
    reply.writePair("country", country.code)
    try answer.writeSources(into: &reply)
    try answer.generation.write(resolved, into: &reply)
    answer.writeGeneration(into: &reply)
  }

  /// Writes the rows in their stored form, each with one check of the buffer.
  private static func writeStored(
    _ neighbours: inout Neighbours, _ answer: CityAnswer, into reply: inout CBORWriter
  ) throws(WireError) {
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
  /// Writes a position; keys in deterministic order.
  ///
  /// - Throws: `internal` if a coordinate is NaN or infinite.
  mutating func write(_ point: GeoPoint) throws(WireError) {
    do throws(CBORError) {
      writeMap(count: 2)
      writeEncoded("clat")
      try writeDouble(point.latitude)
      writeEncoded("clon")
      try writeDouble(point.longitude)
    } catch {
      throw WireError(.internal, "an answer cannot be encoded: \(error)")
    }
  }
}
