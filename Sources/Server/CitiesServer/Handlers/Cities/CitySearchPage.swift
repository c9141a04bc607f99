import CBOR
import Cities
import CitiesProtocol
import FrameService

/// A page of `city.search` whose rows are written one at a time: by population, with additional fields, or with checks.
enum CitySearchPage {
  /// Answers with the page of `matches` requested by `params`: at once, unless alternate names are requested.
  ///
  /// - Throws: `unavailable` if the file has fewer rows than matches, or if their common prefix is not UTF-8; the file
  ///   is then out of service.
  static func answer(
    _ params: CitySearchParams, _ matches: CityMatches, _ answer: CityAnswer, into reply: inout CBORWriter
  ) throws(WireError) -> Answer {
    let generation = answer.generation
    let parts = params.parts
    let ranks = answer.index.ranks(
      matches, offset: params.offset, limit: params.limit, byPopulation: params.sort == .population)
    let announced = matches.rows(offset: params.offset, limit: params.limit)
    guard ranks.count == announced else {
      throw generation.damaged("a page has \(ranks.count) cities for \(announced)")
    }
    guard matches.withCommon(isValidUTF8) else { throw generation.damaged("section KEYS: a key is not text") }
    guard parts.contains(.alternates) else {
      let rows = DetailedRows(parts, generation)
      try write(answer, matches, into: &reply) { (map) throws(WireError) in
        try map.write(.rows, arrayOf: ranks) { (rank, reply) throws(WireError) in try rows.write(rank, into: &reply) }
      }
      return .written
    }
    return .computed(from: [generation]) { budget in
      let rows = try await RowBuffer(ranks, parts, generation, budget)
      return { (reply: inout CBORWriter) throws(WireError) in
        try write(answer, matches, into: &reply) { rows.write(.rows, into: &$0) }
      }
    }
  }

  /// Writes the reply about `matches` with the list that `writeRows` appends.
  static func write(
    _ answer: CityAnswer, _ matches: CityMatches, into reply: inout CBORWriter,
    _ writeRows: (inout CBORMapWriter<CitySearch.Reply.CodingKeys>) throws(WireError) -> Void
  ) throws(WireError) {
    try reply.writeMap(CitySearch.Reply.CodingKeys.self) { (map) throws(WireError) in
      try writeRows(&map)
      map.write(.asOf, answer.sources?.asOf)
      map.write(.total, matches.total)
      map.write(.common) { reply in matches.withCommon { reply.writeText(utf8: $0) } }
      try map.write(.sources, encoding: answer.sources)
      map.write(.generation, answer.generation.name)
    }
  }
}
