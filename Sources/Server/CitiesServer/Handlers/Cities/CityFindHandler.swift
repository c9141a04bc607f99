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
final class CityFindHandler: RequestHandler {
  let method = CityFind.method
  private let cities: ServedCities
  private let folder = CaseFolder()
  private let areas = AreaConditions()
  private let finder = CityFinder()
  // Used only by the loop thread, for one request at a time.
  @exclusivity(unchecked) private var search = NameSearch()

  init(_ cities: ServedCities) { self.cities = cities }

  /// The number of names and nodes to examine at once, in about 100 µs: distances take most of it.
  private static func stepsInPlace(_ conditions: PlaceConditions) -> Int { conditions.near == nil ? 2_048 : 512 }
  /// Bytes of a text after whose reading others have their turn; names have at most some 400.
  private static let bytesInPlace = 512

  func read(_ request: UncheckedRequest) throws(WireError) -> CityFindParams { try request.read(CityFindParams.init) }

  func answer(
    _ params: CityFindParams, for caller: Caller, into reply: inout CBORWriter
  ) throws(WireError) -> Answer {
    let answer = try cities.answer(for: caller, wantsSources: params.provenance)
    let index = answer.index
    var conditions = PlaceConditions(limit: params.limit, allowsTypos: params.typos)
    try areas.add(country: params.country, region: params.region, to: &conditions, index)
    let query = try key(of: params.query)
    conditions.endsAfterWord = folder.endsAfterWord
    conditions.codes = CodeUse(params.query)
    (conditions.isFinished, conditions.isExplained) = (params.finished, params.explain)
    conditions.leastPeople = params.population
    if let near = params.near {
      guard let position = near.at, near == Place(at: position) else {
        let (query, typed) = (Array(query), Array(params.query))
        return .computed(from: [answer.generation]) { [finder, conditions] budget in
          let place = try await finder.find(near, "near", answer.index, budget)
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
    let isLong = params.query.count > Self.bytesInPlace
    let isFinished = !isLong && search.advance(steps: Self.stepsInPlace(conditions), index)
    guard isFinished, search.hits.count > 0 || !params.finished else {
      return .computed(from: [answer.generation]) { [search] budget in
        if isLong { try await budget.pause() }
        return try await Self.rows(of: search, answer, nil, budget)
      }
    }
    try Self.write(&search, answer, resolved: nil, into: &reply)
    return .written
  }

  /// The key to search for; empty for a number, and for a text whose key is longer than any name.
  ///
  /// - Throws: `invalid-params` for a text without letters and digits.
  private func key(of text: UnsafeRawBufferPointer) throws(WireError) -> UnsafeRawBufferPointer {
    let key = folder.fold(text, .words, atMost: CityIndex.longestQuery)
    if let key, key.isEmpty { throw .invalidParam("query", "it has neither letters nor digits") }
    return (NameSearch.isSignedNumber(text) ? nil : key) ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }
}

extension CityFindHandler {
  /// The number of names and nodes to examine between two checks of the budget.
  private static let steps = 64

  /// The start of the names of cities to suggest, which is `nil` for cities elsewhere, and these cities.
  private typealias Suggestion = (start: [UInt8]?, hits: PlaceHits)

  /// Continues a longer search: for names with typos, or through all names of a region.
  ///
  /// `resolved` is the city found for the query in `near`.
  static func rows(
    of search: NameSearch, _ answer: CityAnswer, _ resolved: CityHit?, _ budget: Budget
  ) async throws -> ResultWriter {
    var search = search
    while !search.advance(steps: steps, answer.index) { try await budget.check(steps) }
    var similar: Suggestion?
    if var names = SimilarNames(after: search, answer.index) {
      while !names.search.advance(steps: steps, answer.index) { try await budget.check(steps) }
      if names.search.hits.count > 0 { similar = (names.start, names.search.hits) }
    }
    return { [search, similar] (reply: inout CBORWriter) throws(WireError) in
      var found = search
      try write(&found, answer, similar, resolved: resolved, into: &reply)
    }
  }

  /// Writes the reply.
  ///
  /// `search` is `inout` only to avoid a copy.
  private static func write(
    _ search: inout NameSearch, _ answer: CityAnswer, _ similar: Suggestion? = nil, resolved: CityHit?,
    into reply: inout CBORWriter
  ) throws(WireError) {
    let isGuess = !search.searched.isEmpty
    let areas = search.areas(answer.index, atMost: CityFind.maximumAreas)
    let isExplained = search.isExplained
    let generation = answer.generation
    try reply.writeMap(CityFind.Reply.CodingKeys.self) { (map) throws(WireError) in
      try map.write(.rows) { (reply) throws(WireError) in try writeRows(&search, answer, into: &reply) }
      if !areas.isEmpty {
        try map.write(.areas, arrayOf: areas) { (area, reply) throws(WireError) in
          try write(area, generation, into: &reply)
        }
      }
      map.write(.asOf, answer.sources?.asOf)
      map.write(.start, (similar?.start).map { String(decoding: $0, as: UTF8.self) })
      if let hits = similar?.hits {
        try map.write(.similar, arrayOf: 0..<hits.count) { (place, reply) throws(WireError) in
          try generation.writeRow(hits[place].rank, with: .region, into: &reply)
        }
      }
      try map.write(.sources, encoding: answer.sources)
      if isExplained {
        let attempts = search.made.map { attempt, key in
          CityFind.Attempt(attempt: attempt.rawValue, key: String(decoding: key, as: UTF8.self))
        }
        try map.write(.attempts, encoding: attempts)
      }
      map.write(.complete, search.isComplete)
      try generation.write(resolved, as: .resolved, into: &map)
      map.write(.searched, isGuess ? String(decoding: search.searched, as: UTF8.self) : nil)
      map.write(.generation, generation.name)
    }
  }

  /// Writes the rows: inside of the closure that writes the map, the same loop took 4 % more instructions per request.
  private static func writeRows(
    _ search: inout NameSearch, _ answer: CityAnswer, into reply: inout CBORWriter
  ) throws(WireError) {
    let (generation, index) = (answer.generation, answer.index)
    reply.writeArray(count: search.hits.count)
    index.prefetch(search.hits)
    if search.isExplained {
      for place in 0..<search.hits.count { try reply.write(explained(search.hits[place], search, index)) }
    } else {
      for place in 0..<search.hits.count { try write(search.hits[place], index, generation, into: &reply) }
    }
  }

  /// - Throws: `unavailable` if the file's contents are invalid; the file is then out of service.
  private static func write(
    _ area: CityIndex.FoundArea, _ generation: ServedGeneration<ResidentCities>, into reply: inout CBORWriter
  ) throws(WireError) {
    try reply.writeMap(CityFind.Area.CodingKeys.self) { (map) throws(WireError) in
      try generation.write(.region, area.region, into: &map)
      map.write(.country, String(decoding: area.country, as: UTF8.self))
      try generation.write(.regionCode, area.regionCode, into: &map)
    }
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
    guard let country = StoredRow.startOfCountry(in: row) else {
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

  /// A row with the parts of its score.
  ///
  /// - Throws: `internal` if the file is corrupt.
  private static func explained(
    _ hit: PlaceHits.Hit, _ search: NameSearch, _ index: CityIndex
  ) throws(WireError) -> CityFind.Row {
    let parts = search.parts(of: hit, index)
    let (city, spelling) = (try CityFinder.row(hit.rank, index), index.spelling(of: hit))
    var row = CityFind.Row(
      by: CityFind.Kind(rawValue: index.kind(of: hit).rawValue), city: city,
      matched: spelling.isEmpty ? nil : String(decoding: spelling, as: UTF8.self), region: city.region,
      regionCode: city.regionCode, zone: city.zone)
    row.parts = parts.map { CityFind.Part(part: $0.part.rawValue, points: Int64($0.points)) }
    row.score = parts.reduce(0) { $0 + Int64($1.points) }
    return row
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
