import CBOR
import Cities
import CitiesProtocol
import FrameService
import Geodesy
import Resident

/// `city.get`: one city, by id, by title, or by any of its names.
final class CityGetHandler: RequestHandler {
  private let cities: ServedCities
  private let finder = CityFinder()

  init(_ cities: ServedCities) { self.cities = cities }

  func answer(_ params: CityGet, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let parts = CityParts(params.with).union([.region, .zone])
    let answer = CityGetAnswer(try cities.answer(for: caller, wantsSources: params.provenance), parts)
    switch (params.id, params.title, params.query) {
    case (let id?, nil, nil):
      return try answer.write(try finder.rank(id: id, answer.index), into: &reply)
    case (nil, let title?, nil):
      guard let near = params.near else {
        return try answer.write(try onlyCity(title, answer.index), into: &reply)
      }
      return .sliced(
        try nearest(to: near, answer) { [finder] (point) throws(WireError) in
          .choosing(title, NamesakeChoice(try finder.namesakes(title, answer.index), .nearest(to: point)))
        })
    case (nil, nil, let query?):
      guard let near = params.near else {
        return .sliced(CityGetWork(.resolving(finder.resolve(query, for: .city, answer.index)), answer))
      }
      return .sliced(
        try nearest(to: near, answer) { [finder] in .resolving(finder.resolve(query, for: .nearest($0), answer.index)) }
      )
    default: throw .invalidParam("id", "expected exactly one of \"id\", \"title\" and \"query\"")
    }
  }

  /// The one city with `title`.
  ///
  /// - Throws: `not-found`, or `ambiguous` with the candidates.
  private func onlyCity(_ title: String, _ index: CityIndex) throws(WireError) -> Int {
    let matches = try finder.namesakes(title, index)
    guard matches.total == 1, let rank = index.rank(of: matches, at: 0) else {
      throw try CityFinder.ambiguous(title, matches, index)
    }
    return rank
  }

  /// Work on the question for the city that `search` finds nearest to a place, which is found first.
  private func nearest(
    to place: Place, _ answer: CityGetAnswer, _ search: @escaping (GeoPoint) throws(WireError) -> PlaceSearch
  ) throws(WireError) -> any SlicedWork {
    let origin = try finder.search(place, "near", answer.index)
    let makeWork = { (found: FoundPlace) throws(WireError) -> any SlicedWork in
      CityGetWork(try search(found.point), near: found.resolved, answer)
    }
    return try origin.place.map(makeWork) ?? PlacedWork(origin, answer.generation, makeWork)
  }
}

/// Finds the city, and collects what is wanted of it.
final class CityGetWork: SlicedWork {
  private var search: PlaceSearch
  private var rows: DetailedRows?
  private let near: CityHit?
  private let answer: CityGetAnswer

  /// The city that `search` will find; `near` is what the query of the place was taken for.
  init(_ search: PlaceSearch, near: CityHit? = nil, _ answer: CityGetAnswer) {
    (self.search, self.near, self.answer) = (search, near, answer)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while try search.step(answer.index) == nil {
      if slice.isOver() { return false }
    }
    if rows == nil { rows = DetailedRows([rank], answer.parts, answer.generation) }
    return try rows?.collect(&slice) ?? true
  }

  /// A search that is over has a city.
  private var rank: Int { search.place?.city ?? answer.index.count }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try answer.generation.requireInService()
    try answer.write(rank, rows, search.place?.resolved, near: near, into: &reply)
  }
}

/// How the reply of `city.get` is written.
struct CityGetAnswer {
  /// What the city says.
  let parts: CityParts
  private let answer: CityAnswer

  init(_ answer: CityAnswer, _ parts: CityParts) { (self.answer, self.parts) = (answer, parts) }

  /// The generation that is read.
  var generation: ServedGeneration<ResidentCities> { answer.generation }
  /// The index that is read.
  var index: CityIndex { answer.index }

  /// Answers with the city at `rank`: at once, unless its other names are wanted.
  func write(_ rank: Int, into reply: inout CBORWriter) throws(WireError) -> Answer {
    guard !parts.contains(.alternates) else { return .sliced(CityGetWork(.found(FoundPlace(rank, index)), self)) }
    try write(rank, nil, into: &reply)
    return .written
  }

  /// Writes the reply, with what the query and that of `near` were taken for; keys in deterministic order, shorter ones
  /// first.
  func write(
    _ rank: Int, _ rows: DetailedRows?, _ resolved: CityHit? = nil, near: CityHit? = nil, into reply: inout CBORWriter
  ) throws(WireError) {
    let place = index.surroundings(of: rank)
    let hits = (resolved == nil ? 0 : 1) + (near == nil ? 0 : 1)
    reply.writeMap(count: answer.pairs(besides: 1 + hits + place.count))
    reply.writeKey("city")
    try (rows ?? DetailedRows([], parts, generation)).write(rank, into: &reply)
    try generation.writeText("zone", place.zone, into: &reply)
    try answer.writeAsOf(into: &reply)
    try generation.writeText("region", place.region, into: &reply)
    try answer.writeSources(into: &reply)
    try generation.write(resolved, into: &reply)
    answer.writeGeneration(into: &reply)
    try generation.writeText("region_code", place.regionCode, into: &reply)
    try generation.write(near, as: "resolved_near", into: &reply)
  }
}
