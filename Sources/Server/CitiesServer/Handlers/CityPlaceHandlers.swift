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
      if let near = params.near { return .sliced(try nearest(title, near, answer)) }
      return try answer.write(try onlyCity(title, answer.index), into: &reply)
    case (nil, nil, let query?): return .sliced(try resolving(query, params.near, answer))
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

  /// Work on the question for the city with `title` that is nearest to a place.
  private func nearest(
    _ title: String, _ near: Place, _ answer: CityGetAnswer
  ) throws(WireError) -> any SlicedWork {
    let index = answer.index
    let search = try finder.search(near, "near", index)
    let makeWork = { [finder] (place: FoundPlace) throws(WireError) -> any SlicedWork in
      let choice = NamesakeChoice(try finder.namesakes(title, index), .nearest(to: place.point))
      return CityGetWork(choice, near: place.resolved, answer)
    }
    return try search.place.map(makeWork) ?? PlacedWork(search, answer.generation, makeWork)
  }

  /// Work on the question for the city that people call `query`, of several the one nearest to a place if there is one.
  private func resolving(
    _ query: String, _ near: Place?, _ answer: CityGetAnswer
  ) throws(WireError) -> any SlicedWork {
    let index = answer.index
    guard let near else { return CityGetWork(finder.resolve(query, for: .city, index), near: nil, answer) }
    let search = try finder.search(near, "near", index)
    let makeWork = { [finder] (place: FoundPlace) throws(WireError) -> any SlicedWork in
      CityGetWork(finder.resolve(query, for: .nearest(place.point), index), near: place.resolved, answer)
    }
    return try search.place.map(makeWork) ?? PlacedWork(search, answer.generation, makeWork)
  }
}

/// Chooses the city of a title that is nearest to a place, or finds the one that people call so, and collects what is
/// wanted of it.
final class CityGetWork: SlicedWork {
  private var choice: NamesakeChoice?
  private var resolution: CityResolution?
  private var chosen: Int?
  private var hit: CityHit?
  private var rows: DetailedRows?
  private let near: CityHit?
  private let answer: CityGetAnswer

  /// The city that `choice` will choose; `near` is what the query of the place was taken for.
  init(_ choice: NamesakeChoice, near: CityHit? = nil, _ answer: CityGetAnswer) {
    (self.choice, self.near, self.answer) = (choice, near, answer)
  }

  /// The city that `resolution` will find; `near` is what the query of the place was taken for.
  init(_ resolution: CityResolution, near: CityHit?, _ answer: CityGetAnswer) {
    (self.resolution, self.near, self.answer) = (resolution, near, answer)
  }

  /// The city at `rank`.
  init(_ rank: Int, _ answer: CityGetAnswer) { (chosen, near, self.answer) = (rank, nil, answer) }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while choice?.step(answer.index) == true {
      if slice.isOver() { return false }
    }
    while resolution != nil, hit == nil {
      hit = try resolution?.step(answer.index)
      if hit == nil, slice.isOver() { return false }
    }
    if rows == nil { rows = DetailedRows([rank], answer.parts, answer.generation) }
    return try rows?.collect(&slice) ?? true
  }

  /// Of matches that there are, one is nearest.
  private var rank: Int { hit?.rank ?? chosen ?? choice?.rank ?? answer.index.count }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try answer.generation.requireInService()
    try answer.write(rank, rows, hit, near: near, into: &reply)
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
    guard !parts.contains(.alternates) else { return .sliced(CityGetWork(rank, self)) }
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
