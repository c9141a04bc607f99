import CBOR
import Cities
import CitiesProtocol
import FrameService
import Geodesy
import Resident

/// `city.near`: the cities near a place, by distance or by the rule for places.
final class CityNearHandler: StrictRequestHandler {
  let method = CityNear.method
  private let cities: ServedCities
  private let finder = CityFinder()
  // Only the loop's thread uses it, one request at a time.
  @exclusivity(unchecked) private var neighbours = Neighbours()

  init(_ cities: ServedCities) { self.cities = cities }

  func read(_ params: inout CBORReader) throws(WireError) -> CityNearParams { try CityNearParams(&params) }

  func answer(
    _ params: CityNearParams, for caller: Caller, into reply: inout CBORWriter
  ) throws(WireError) -> Answer {
    let (limit, radius, rule) = (Int(params.limit), params.radius, NearRule(params.rule))
    let answer = try cities.answer(for: caller, wantsSources: params.provenance)
    let placeSearch = try finder.search(params.place, "place", answer.index)
    let parts = params.parts
    guard let place = placeSearch.place else {
      return .sliced(
        PlacedWork(placeSearch, answer.generation) { place in
          let search = answer.index.nearSearch(place.point, rule)
          var neighbours = Neighbours()
          search.begin(limit: limit, radius: radius, into: &neighbours)
          return CityNearWork(search, neighbours, parts, answer, resolved: place.resolved)
        })
    }
    let search = answer.index.nearSearch(place.point, rule)
    search.begin(limit: limit, radius: radius, into: &neighbours)
    guard parts.isEmpty, search.advance(leaves: Self.leavesInPlace, into: &neighbours) else {
      return .sliced(CityNearWork(search, neighbours, parts, answer, resolved: place.resolved))
    }
    let rows = DetailedRows([], parts, answer.generation)
    try CityNearWork.write(neighbours, rows, from: place.point, place.resolved, answer, into: &reply)
    return .written
  }

  /// Leaves of the tree that are looked into at once, in about 100 µs: enough for a hundred neighbours anywhere.
  private static let leavesInPlace = 512
}

extension NearRule {
  /// The rule that a request names.
  init(_ rule: CityNear.Rule) {
    switch rule {
    case .nearest: self = .nearest
    case .place: self = .place
    }
  }
}

/// A search that takes longer: for very many neighbours, where thousands of cities are equally far away, or with rows that
/// say more than their stored bytes.
final class CityNearWork: SlicedWork {
  /// Leaves of the tree looked into in one step of a slice, in about a microsecond.
  private static let leavesPerStep = 8

  private let search: CityNearSearch
  private var neighbours: Neighbours
  private let parts: CityParts
  private var rows: DetailedRows?
  private let answer: CityAnswer
  private let resolved: CityHit?

  /// Continues `search`, which has found `neighbours` so far; `resolved` is what the query of the place was taken for.
  init(
    _ search: CityNearSearch, _ neighbours: Neighbours, _ parts: CityParts, _ answer: CityAnswer,
    resolved: CityHit? = nil
  ) {
    (self.search, self.neighbours, self.parts) = (search, neighbours, parts)
    (self.answer, self.resolved) = (answer, resolved)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while rows == nil {
      if search.advance(leaves: Self.leavesPerStep, into: &neighbours) {
        rows = DetailedRows((0..<neighbours.count).map { neighbours[$0].0 }, parts, answer.generation)
      }
      if slice.isOver() { return false }
    }
    return try rows?.collect(&slice) ?? true
  }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try answer.generation.requireInService()
    let rows = rows ?? DetailedRows([], parts, answer.generation)
    try Self.write(neighbours, rows, from: search.origin, resolved, answer, into: &reply)
  }

  /// Writes the reply; keys in deterministic order, shorter ones first.
  static func write(
    _ neighbours: Neighbours, _ rows: DetailedRows, from origin: GeoPoint, _ resolved: CityHit?, _ answer: CityAnswer,
    into reply: inout CBORWriter
  ) throws(WireError) {
    reply.writeMap(count: answer.pairs(besides: resolved == nil ? 2 : 3))
    reply.writeKey("rows")
    reply.writeArray(count: neighbours.count)
    for position in 0..<neighbours.count {
      let (rank, metres) = neighbours[position]
      reply.writeMap(count: 2)
      reply.writeKey("city")
      try rows.write(rank, into: &reply)
      reply.writeKey("distance")
      reply.writeUnsigned(UInt64(metres))
    }
    try answer.writeAsOf(into: &reply)
    reply.writeKey("origin")
    try reply.write(Position(lat: origin.latitude, lon: origin.longitude))
    try answer.writeSources(into: &reply)
    try answer.generation.write(resolved, into: &reply)
    answer.writeGeneration(into: &reply)
  }
}
