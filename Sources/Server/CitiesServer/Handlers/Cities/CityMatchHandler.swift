import CBOR
import Cities
import CitiesProtocol
import Coroutines
import FrameService

/// `city.match`: the city meant by each of many names.
final class CityMatchHandler: RequestHandler {
  private let cities: ServedCities
  private let areas = AreaConditions()

  init(_ cities: ServedCities) { self.cities = cities }

  func answer(_ params: CityMatch, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let count = try Self.count(of: params)
    let answer = try cities.answer(for: caller, wantsSources: params.provenance)
    try requireAreas(params, answer.index)
    let parts = params.rows ?? false ? CityParts(params.with) : nil
    let names = NarrowedNames(params, count: count)
    let isExplained = params.why ?? false
    return .computed(from: [answer.generation]) { budget in
      try await Self.match(names, rows: parts, isExplained: isExplained, answer, budget)
    }
  }

  /// Bytes of a name that may take as long as reading 64 names of the list: several words have many interpretations.
  private static let bytesPerStep = 16

  /// Finds the city of one name after the other; the reply has their rows with `parts`, unless these are `nil`, and the
  /// reasons for their classes if `isExplained`.
  static func match(
    _ names: NarrowedNames, rows parts: CityParts?, isExplained: Bool, _ answer: CityAnswer, _ budget: Budget
  ) async throws -> ResultWriter {
    let cities = answer.index
    var (names, resolver) = (names, PlaceResolver())
    var columns = MatchedColumns(capacity: names.count, hasRows: parts != nil, isExplained: isExplained)
    for _ in 0..<names.count {
      let (bytes, isKnown) = names.next(cities) { name, conditions in
        if let conditions { resolver.begin(name, conditions, cities) }
        return (name.count, conditions != nil)
      }
      try await budget.check(64 * (1 + bytes / bytesPerStep))
      let match = isKnown ? try await resolver.resolve(cities, budget) : .none(.unknownArea)
      columns.isComplete = columns.isComplete && (!isKnown || resolver.isComplete)
      columns.add(match, isNumber: resolver.isNumber, cities)
    }
    let rows: RowBuffer? =
      if let parts, let found = columns.dictionary {
        try await RowBuffer(found.ranks.lazy.map { Int($0) }, parts, answer.generation, budget)
      } else {
        nil
      }
    let (index, second, why) = (columns.index, columns.second, columns.why)
    return mapWriter(CityMatch.Reply.CodingKeys.self) { [columns] (map) throws(WireError) in
      map.write(.ids, TypedArray(columns.ids))
      map.write(.why, why)
      rows?.write(.rows, into: &map)
      map.write(.asOf, answer.sources?.asOf)
      map.write(.index, index.map { TypedArray($0) })
      map.write(.second, second.map { TypedArray($0) })
      map.write(.classes, TypedArray(columns.classes))
      try map.write(.sources, encoding: answer.sources)
      map.write(.complete, columns.isComplete)
      map.write(.generation, answer.generation.name)
    }
  }

  /// The number of names.
  ///
  /// - Throws: `invalid-params` if there are too many, or if the number of countries or regions differs.
  private static func count(of params: CityMatch) throws(WireError) -> Int {
    let count = params.names.count
    guard count <= CityMatch.maximumNames else {
      throw .invalidParam("names", "\(count) names are more than \(CityMatch.maximumNames)")
    }
    for (key, all, each) in [
      ("country", params.country, params.countries), ("region", params.region, params.regions),
    ] {
      guard let each else { continue }
      let keys = key == "country" ? "countries" : "regions"
      guard all == nil else { throw .invalidParam(key, "it is for all names, and \"\(keys)\" for each of them") }
      guard each.count == count else { throw .invalidParam(keys, "\(each.count) \(keys) for \(count) names") }
    }
    return count
  }

  /// Checks that the country and the region for all names exist.
  private func requireAreas(_ params: CityMatch, _ index: CityIndex) throws(WireError) {
    let (country, region) = (Array((params.country ?? "").utf8), Array((params.region ?? "").utf8))
    try country.span.bytes.withUnsafeBytes { (country) throws(WireError) in
      try region.span.bytes.withUnsafeBytes { (region) throws(WireError) in
        var conditions = PlaceConditions(limit: 1)
        try areas.add(
          country: params.country == nil ? nil : country, region: params.region == nil ? nil : region, to: &conditions,
          index)
      }
    }
  }
}

/// Names that remain to be matched, each with its conditions.
struct NarrowedNames {
  let count: Int
  private var names: LineCursor
  private var countries: AreaColumn
  private var regions: AreaColumn
  /// The conditions without areas.
  private let plain: PlaceConditions
  private let areas = AreaConditions()
  /// The last conditions, which neighbours often share; `nil` if an area is unknown.
  private var last: PlaceConditions?

  init(_ params: CityMatch, count: Int) {
    self.count = count
    names = LineCursor(params.names)
    countries = AreaColumn(all: params.country, each: params.countries)
    regions = AreaColumn(all: params.region, each: params.regions)
    plain = PlaceConditions(limit: 1, allowsTypos: params.typos ?? true)
    last = plain
  }

  /// Calls `body` with the next name and its conditions, or `nil` if its country or region is unknown.
  mutating func next<Result>(
    _ index: CityIndex, _ body: (UnsafeRawBufferPointer, PlaceConditions?) -> Result
  ) -> Result {
    let (isOtherCountry, isOtherRegion) = (countries.advance(), regions.advance())
    if isOtherCountry || isOtherRegion { lookUpAreas(index) }
    return names.next { body($0, last) }
  }

  private mutating func lookUpAreas(_ index: CityIndex) {
    var conditions = plain
    let problem = countries.withName { country in
      regions.withName { areas.narrow(&conditions, country: country, region: $0, index) }
    }
    last = problem == nil ? conditions : nil
  }
}

/// The country or region of each name, or of all names.
private struct AreaColumn {
  private var each: LineCursor?
  private var name: [UInt8]
  private var isFirst = true

  init(all: String?, each: TextLines?) {
    self.each = each.map(LineCursor.init)
    name = all.map { Array($0.utf8) } ?? []
  }

  /// Moves to the next name.
  ///
  /// - Returns: Whether its area differs from the one before.
  mutating func advance() -> Bool {
    defer { isFirst = false }
    guard each != nil else { return isFirst && !name.isEmpty }
    var isOther = false
    each?.next { line in
      isOther = !line.elementsEqual(name)
      if isOther { name = Array(line) }
    }
    return isOther
  }

  /// Calls `body` with the name of the area, or `nil` without one, as in an empty cell.
  func withName<Result>(_ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
    name.withUnsafeBytes { body($0.isEmpty || each != nil && PlaceResolver.isMissing($0) ? nil : $0) }
  }
}

/// Iterates over the lines of a text.
struct LineCursor {
  private let bytes: [UInt8]
  private var start = 0

  init(_ lines: TextLines) { bytes = Array(lines.text.utf8) }

  /// Calls `body` with the next line; after the last, with an empty line.
  ///
  /// - Complexity: O(bytes of the line).
  mutating func next<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { bytes in
      let end = bytes.firstOffset(of: UInt8(ascii: "\n"), from: start) ?? bytes.count
      defer { start = min(end + 1, bytes.count) }
      return body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    }
  }
}

/// The columns of a reply of `city.match`, filled in order.
private struct MatchedColumns {
  /// The ids of the cities; 0 for none.
  private(set) var ids: [UInt64] = []
  /// The class of each name.
  private(set) var classes: [UInt8] = []
  /// The distinct cities, if requested; explained, each name has a second place, that of the next city.
  private(set) var dictionary: RankDictionary?
  /// Whether every search came to its end.
  var isComplete = true
  private var reasons: [String] = []
  private let isExplained: Bool
  private var places: Int { isExplained ? 2 : 1 }

  init(capacity: Int, hasRows: Bool, isExplained: Bool) {
    self.isExplained = isExplained
    dictionary = hasRows ? RankDictionary(capacity: places * capacity) : nil
    ids.reserveCapacity(capacity)
    classes.reserveCapacity(capacity)
  }

  /// Adds the city of the next name; one that is a number is never sure.
  mutating func add(_ match: PlaceResolver.Resolution, isNumber: Bool, _ index: CityIndex) {
    let isDoubtful = match.certainty == .sure && isNumber
    ids.append(match.rank.map(index.id(at:)) ?? 0)
    classes.append((isDoubtful ? .likely : match.certainty).rawValue)
    dictionary?.add(match.rank)
    guard isExplained else { return }
    reasons.append(isDoubtful ? MatchReason.number.code : match.reason.code)
    dictionary?.add(match.certainty == .sure ? nil : match.second)
  }

  /// The places of the cities in the rows, and those of the next ones.
  var index: [UInt32]? { column(0) }
  var second: [UInt32]? { isExplained ? column(1) : nil }
  /// The reasons for the classes.
  var why: String? { isExplained ? TextLines(reasons).text : nil }

  private func column(_ first: Int) -> [UInt32]? {
    dictionary.map { found in stride(from: first, to: found.places.count, by: places).map { found.places[$0] } }
  }
}
