import CBOR
import Cities
import CitiesProtocol
import Coroutines
import FrameService
import Geodesy

/// `city.within`: the cities in a box, largest first.
final class CityWithinHandler: RequestHandler {
  private let cities: ServedCities
  // Used only by the loop thread, for one request at a time.
  @exclusivity(unchecked) private var search = CityBoxSearch()

  init(_ cities: ServedCities) { self.cities = cities }

  /// Nodes of the tree to visit at once, in about 100 µs.
  private static let stepsInPlace = 1_024

  func answer(_ params: CityWithin, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let limit = try limitInRange(params.limit, CityWithin.defaultLimit, maximum: CityWithin.maximumLimit)
    let box = try GeoBox(checked: params.box)
    let answer = try cities.answer(for: caller, wantsSources: params.provenance)
    search.begin(box, limit: Int(limit), minimum: params.population ?? 0, answer.index)
    let parts = CityParts(params.with)
    guard parts.isEmpty, search.advance(steps: Self.stepsInPlace, answer.index) else {
      return .computed(from: [answer.generation]) { [search] budget in
        try await Self.rows(of: search, parts, answer, budget)
      }
    }
    try Self.write(answer, into: &reply) { (map) throws(WireError) in
      try map.write(.rows, arrayOf: search.ranks) { (rank, reply) throws(WireError) in
        try answer.generation.writeRow(rank, into: &reply)
      }
    }
    return .written
  }

  /// Nodes of the tree to visit between two checks of the budget.
  private static let steps = 64

  /// Continues a longer search: for many rows, through an area with few matching cities, or with additional fields.
  static func rows(
    of search: CityBoxSearch, _ parts: CityParts, _ answer: CityAnswer, _ budget: Budget
  ) async throws -> ResultWriter {
    var search = search
    while !search.advance(steps: steps, answer.index) { try await budget.check(steps) }
    let rows = try await RowBuffer(search.ranks, parts, answer.generation, budget)
    return { (reply: inout CBORWriter) throws(WireError) in
      try write(answer, into: &reply) { rows.write(.rows, into: &$0) }
    }
  }

  /// Writes the reply.
  private static func write(
    _ answer: CityAnswer, into reply: inout CBORWriter,
    _ writeRows: (inout CBORMapWriter<CityWithin.Reply.CodingKeys>) throws(WireError) -> Void
  ) throws(WireError) {
    try reply.writeMap(CityWithin.Reply.CodingKeys.self) { (map) throws(WireError) in
      try writeRows(&map)
      map.write(.asOf, answer.sources?.asOf)
      try map.write(.sources, encoding: answer.sources)
      map.write(.generation, answer.generation.name)
    }
  }
}

extension GeoBox {
  /// Validates the box of a request.
  ///
  /// - Throws: `invalid-params` that names the edge.
  init(checked box: CityWithin.Box) throws(WireError) {
    for (edge, degrees, most) in [
      ("east", box.east, 180.0), ("west", box.west, 180), ("north", box.north, 90), ("south", box.south, 90),
    ] where !(abs(degrees) <= most) {
      throw .invalidParam("box.\(edge)", "\(degrees) is not from \(-Int(most)) to \(Int(most))")
    }
    guard box.south <= box.north else {
      throw .invalidParam("box.south", "\(box.south) is north of \(box.north), the northern edge")
    }
    self.init(south: box.south, west: box.west, north: box.north, east: box.east)
  }
}
