import Base
import CBOR
import Cities
import CitiesProtocol
import FrameService
import Resident

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
    let (total, common, parts) = (matches.total, matches.common, params.parts)
    let ranks = answer.index.ranks(
      matches, offset: params.offset, limit: params.limit, byPopulation: params.sort == .population)
    let announced = matches.rows(offset: params.offset, limit: params.limit)
    guard ranks.count == announced else {
      throw generation.damaged("a page has \(ranks.count) cities for \(announced)")
    }
    guard common.withUnsafeBytes(isValidUTF8) else { throw generation.damaged("section KEYS: a key is not text") }
    let write = { (rows: DetailedRows, reply: inout CBORWriter) throws(WireError) in
      try generation.requireInService()
      writeStart(rows: ranks.count, answer, into: &reply)
      for rank in ranks { try rows.write(rank, into: &reply) }
      try writeEnd(total: total, answer, into: &reply) { reply in
        common.withUnsafeBytes { reply.writeText(utf8: $0) }
      }
    }
    guard parts.contains(.alternates) else {
      try write(DetailedRows(parts, generation), &reply)
      return .written
    }
    return .computed { budget in
      let rows = try await DetailedRows(ranks, parts, generation, budget)
      return { (reply: inout CBORWriter) throws(WireError) in try write(rows, &reply) }
    }
  }

  /// Appends the start of the reply, before the rows.
  static func writeStart(rows: Int, _ answer: CityAnswer, into reply: inout CBORWriter) {
    reply.writeMap(count: answer.pairs(besides: 3))
    reply.writeKey("rows")
    reply.writeArray(count: rows)
  }

  /// Appends the end of the reply, after the rows; `writeCommon` appends the common prefix of the titles.
  static func writeEnd(
    total: Int, _ answer: CityAnswer, into reply: inout CBORWriter, _ writeCommon: (inout CBORWriter) -> Void
  ) throws(WireError) {
    try answer.writeAsOf(into: &reply)
    reply.writePair("total", UInt64(total))
    reply.writeKey("common")
    writeCommon(&reply)
    try answer.writeSources(into: &reply)
    answer.writeGeneration(into: &reply)
  }
}
