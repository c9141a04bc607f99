import CBOR
import Cities
import CitiesProtocol
import Coroutines
import FrameService
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
      return .computed(from: [answer.generation]) { [finder] budget in
        let origin = try await finder.find(near, "near", answer.index, budget)
        let namesakes = try finder.namesakes(title, answer.index)
        // A title that was found has a nearest city.
        let rank = try await answer.index.chosen(among: namesakes, .nearest(to: origin.point), budget)
        return try await answer.city(rank ?? answer.index.count, near: origin.resolved, budget)
      }
    case (nil, nil, let query?):
      return .computed(from: [answer.generation]) { [finder] budget in
        guard let near = params.near else {
          let hit = try await finder.resolve(query, likely: params.likely, for: .city, answer.index, budget)
          return try await answer.city(hit.rank, resolved: hit, budget)
        }
        let origin = try await finder.find(near, "near", answer.index, budget)
        let hit = try await finder.resolve(
          query, likely: params.likely, for: .nearest(origin.point), answer.index, budget)
        return try await answer.city(hit.rank, resolved: hit, near: origin.resolved, budget)
      }
    default: throw .invalidParam("id", "expected exactly one of \"id\", \"title\" and \"query\"")
    }
  }

  /// The only city with `title`.
  ///
  /// - Throws: `not-found`, or `ambiguous` with the candidates.
  private func onlyCity(_ title: String, _ index: CityIndex) throws(WireError) -> Int {
    let matches = try finder.namesakes(title, index)
    guard matches.total == 1, let rank = index.rank(of: matches, at: 0) else {
      throw try CityFinder.ambiguous(title, matches, index)
    }
    return rank
  }
}

/// Writes the reply of `city.get`.
struct CityGetAnswer {
  /// The additional fields.
  let parts: CityParts
  private let answer: CityAnswer

  init(_ answer: CityAnswer, _ parts: CityParts) { (self.answer, self.parts) = (answer, parts) }

  var generation: ServedGeneration<ResidentCities> { answer.generation }
  var index: CityIndex { answer.index }

  /// Answers with the city at `rank`: at once, unless alternate names are requested.
  func write(_ rank: Int, into reply: inout CBORWriter) throws(WireError) -> Answer {
    guard !parts.contains(.alternates) else {
      return .computed(from: [generation]) { budget in try await city(rank, budget) }
    }
    try write(rank, nil, into: &reply)
    return .written
  }

  /// Answers with the city at `rank`; `resolved` and `near` are the cities found for its query and its place's query.
  func city(
    _ rank: Int, resolved: CityHit? = nil, near: CityHit? = nil, _ budget: Budget
  ) async throws -> ResultWriter {
    let rows = try await DetailedRows([rank], parts, generation, budget)
    return { (reply: inout CBORWriter) throws(WireError) in
      try write(rank, rows, resolved, near: near, into: &reply)
    }
  }

  /// Writes the reply, with the cities found for the query and for `near`.
  func write(
    _ rank: Int, _ rows: DetailedRows?, _ resolved: CityHit? = nil, near: CityHit? = nil, into reply: inout CBORWriter
  ) throws(WireError) {
    let place = index.surroundings(of: rank)
    try reply.writeMap(CityGet.Reply.CodingKeys.self) { (map) throws(WireError) in
      try map.write(.city) { (reply) throws(WireError) in
        try (rows ?? DetailedRows(parts, generation)).write(rank, into: &reply)
      }
      try generation.write(.zone, place.zone, into: &map)
      map.write(.asOf, answer.sources?.asOf)
      try generation.write(.region, place.region, into: &map)
      try map.write(.sources, encoding: answer.sources)
      try generation.write(resolved, as: .resolved, into: &map)
      map.write(.generation, generation.name)
      try generation.write(.regionCode, place.regionCode, into: &map)
      try generation.write(near, as: .resolvedNear, into: &map)
    }
  }
}
