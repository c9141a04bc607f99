import Base
import CBOR
import Cities
import CitiesProtocol
import Coroutines
import FrameService
import Resident
import Text

/// `city.find`: the cities that a name may mean.
///
/// Exact names are answered at once; a search with typos may take several slices.
final class CityFindHandler: StrictRequestHandler {
  let method = CityFind.method
  private let cities: ServedCities
  private let folder = CaseFolder()
  private let areas = AreaConditions()
  private let finder = CityFinder()
  // Used only by the loop thread, for one request at a time.
  @exclusivity(unchecked) private var search = NameSearch()

  init(_ cities: ServedCities) { self.cities = cities }

  /// The number of names and nodes to examine at once, in about 100 µs.
  static let stepsInPlace = 2_048

  func read(_ params: inout CBORReader) throws(WireError) -> CityFindParams { try CityFindParams(&params) }

  func answer(
    _ params: CityFindParams, for caller: Caller, into reply: inout CBORWriter
  ) throws(WireError) -> Answer {
    let answer = try cities.answer(for: caller, wantsSources: params.provenance)
    let index = answer.index
    var conditions = PlaceConditions(limit: params.limit, allowsTypos: params.typos)
    try areas.add(country: params.country, region: params.region, to: &conditions, index)
    // A text whose key is too long matches nothing; an empty key is an error.
    let key = folder.fold(params.query, .words, atMost: CityIndex.longestQuery)
    if let key, key.isEmpty { throw .invalidParam("query", "it has neither letters nor digits") }
    conditions.endsAfterWord = folder.endsAfterWord
    conditions.codes = CodeUse(params.query)
    let isNumber = NameSearch.isSignedNumber(params.query)
    let query = (isNumber ? nil : key) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    if let near = params.near {
      guard let position = near.at, near == Place(at: position) else {
        let (query, typed) = (Array(query), Array(params.query))
        return .computed { [finder, conditions] budget in
          let place = try await finder.find(near, "near", in: answer.generation, budget)
          var (search, conditions) = (NameSearch(), conditions)
          conditions.near = place.point
          query.withUnsafeBytes { query in
            typed.withUnsafeBytes { search.begin(query, typed: $0, conditions, index) }
          }
          return try await Self.rows(of: search, answer, place.resolved, budget)
        }
      }
      conditions.near = try finder.point(position, "near")
    }
    search.begin(query, typed: params.query, conditions, index)
    guard search.advance(steps: Self.stepsInPlace, index) else {
      return .computed { [search] budget in try await Self.rows(of: search, answer, nil, budget) }
    }
    try Self.write(&search, answer, resolved: nil, into: &reply)
    return .written
  }
}

extension CityFindHandler {
  /// The number of names and nodes to examine between two checks of the budget.
  private static let steps = 64

  /// Continues a longer search: for names with typos, or through all names of a region.
  ///
  /// `resolved` is the city found for the query in `near`.
  static func rows(
    of search: NameSearch, _ answer: CityAnswer, _ resolved: CityHit?, _ budget: Budget
  ) async throws -> ResultWriter {
    var search = search
    while !search.advance(steps: steps, answer.index) { try await budget.check(steps) }
    return { [search] (reply: inout CBORWriter) throws(WireError) in
      try answer.generation.requireInService()
      var found = search
      try write(&found, answer, resolved: resolved, into: &reply)
    }
  }

  /// Writes the reply; keys in deterministic order, shorter ones first.
  ///
  /// `search` is `inout` only to avoid a copy.
  static func write(
    _ search: inout NameSearch, _ answer: CityAnswer, resolved: CityHit?, into reply: inout CBORWriter
  ) throws(WireError) {
    let isGuess = !search.searched.isEmpty
    reply.writeMap(count: answer.pairs(besides: 2 + (resolved == nil ? 0 : 1) + (isGuess ? 1 : 0)))
    reply.writeEncoded("drows")
    reply.writeArray(count: search.hits.count)
    let (generation, index) = (answer.generation, answer.index)
    index.prefetch(search.hits)
    for place in 0..<search.hits.count { try write(search.hits[place], index, generation, into: &reply) }
    try answer.writeAsOf(into: &reply)
    try answer.writeSources(into: &reply)
    reply.writeEncoded("hcomplete")
    reply.writeBool(search.isComplete)
    try generation.write(resolved, into: &reply)
    if isGuess { reply.writePair("searched", String(decoding: search.searched, as: UTF8.self)) }
    answer.writeGeneration(into: &reply)
  }

  /// Writes a row with one check of the buffer; texts missing from the source are left out.
  ///
  /// - Throws: `unavailable` if the file's contents are invalid; the file is then out of service.
  @inline(__always)
  private static func write(
    _ hit: PlaceHits.Hit, _ index: CityIndex, _ generation: ServedGeneration<ResidentCities>,
    into reply: inout CBORWriter
  ) throws(WireError) {
    let (row, spelling, place) = (index.row(at: hit.rank), index.spelling(of: hit), index.surroundings(of: hit.rank))
    try generation.check(row, hit.rank)
    guard let country = startOfCountry(in: row) else {
      throw generation.damaged("section ROWS, rank \(hit.rank): the country is not the fifth key")
    }
    guard isASCII(spelling) || isValidUTF8(spelling), generation.isProved || place.areText else {
      throw generation.damaged("a name, region or zone of the city at rank \(hit.rank) is not UTF-8")
    }
    let texts = spelling.count + 2 * (place.region.count + place.regionCode.count + place.zone.count)
    let fields = 2 + (spelling.isEmpty ? 0 : 1) + place.count
    let kind = index.kind(of: hit)
    reply.write(atMost: besideTexts + row.count + texts) { cursor in
      cursor.writeHead(.map, UInt64(fields))
      switch kind {
      case .name: cursor.writeEncoded("bbydnamedcity")
      case .alternate: cursor.writeEncoded("bbyialternatedcity")
      case .code: cursor.writeEncoded("bbydcodedcity")
      case .area: cursor.writeEncoded("bbydareadcity")
      case .typo: cursor.writeEncoded("bbydtypodcity")
      }
      cursor.writeHead(.map, UInt64(row[0] & 0x1F) + UInt64(place.count))
      cursor.writeEncoded(UnsafeRawBufferPointer(rebasing: row[1..<country]))
      write("dzone", place.zone, &cursor)
      write("fregion", place.region, &cursor)
      cursor.writeEncoded(UnsafeRawBufferPointer(rebasing: row[country...]))
      write("kregion_code", place.regionCode, &cursor)
      // Also outside the city, where clients of the first version expect them.
      write("dzone", place.zone, &cursor)
      write("fregion", place.region, &cursor)
      write("gmatched", spelling, &cursor)
      write("kregion_code", place.regionCode, &cursor)
    }
  }

  /// The offset of the key `country` in a checked row: it follows id, position and name.
  ///
  /// Parsing the map would cost more than the rest of the row. `nil` if the file has changed since the check.
  @inline(__always)
  private static func startOfCountry(in row: UnsafeRawBufferPointer) -> Int? {
    // The head of the map; a key of three bytes and two of four, with their numbers; one of five, with the name.
    var offset = 1
    for number in 0..<3 {
      offset += number == 0 ? 3 : 4
      guard offset < row.count else { return nil }
      let size = row[offset] & 0x1F
      offset += size < 24 ? 1 : 1 + (1 << Int(size & 3))
    }
    offset += 5
    guard offset + 2 < row.count else { return nil }
    let length = row[offset] & 0x1F
    switch length {
    case 24: offset += 2 + Int(row[offset + 1])
    case 25: offset += 3 + Int(row[offset + 1]) << 8 + Int(row[offset + 2])
    default: offset += 1 + Int(length)
    }
    guard offset + 8 < row.count else { return nil }
    let isCountry = row.loadUnaligned(fromByteOffset: offset, as: UInt64.self).bigEndian == 0x67_636F_756E_7472_79
    return isCountry ? offset : nil
  }

  /// The maximum number of bytes of a row besides the city's pairs and its texts: the keys, the kind, and nine heads.
  private static let besideTexts = 9 * CBORCursor.headBytes + 3 + 10 + 5 + 8 + 2 * (5 + 7 + 12)

  /// Writes a key and its text, unless the text is empty.
  @inline(__always)
  private static func write(_ key: StaticString, _ text: UnsafeRawBufferPointer, _ cursor: inout CBORCursor) {
    guard !text.isEmpty else { return }
    cursor.writeEncoded(key)
    cursor.writeText(utf8: text)
  }
}
