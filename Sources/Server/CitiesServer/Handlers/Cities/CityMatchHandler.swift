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
    return .computed { budget in try await Self.match(names, rows: parts, answer, budget) }
  }

  /// Bytes of a name that may take as long as reading 64 names of the list: several words have many interpretations.
  private static let bytesPerStep = 16

  /// Finds the city of one name after the other; the reply has their rows with `parts`, unless these are `nil`.
  static func match(
    _ names: NarrowedNames, rows parts: CityParts?, _ answer: CityAnswer, _ budget: Budget
  ) async throws -> ResultWriter {
    let index = answer.index
    var (names, matcher) = (names, NameMatcher())
    var (ids, classes, isComplete) = ([UInt64](), [UInt8](), true)
    ids.reserveCapacity(names.count)
    classes.reserveCapacity(names.count)
    var dictionary = parts.map { _ in RankDictionary(capacity: names.count) }
    for _ in 0..<names.count {
      let (bytes, isKnown) = names.next(index) { name, conditions in
        if let conditions { matcher.begin(name, conditions, index) }
        return (name.count, conditions != nil)
      }
      try await budget.check(64 * (1 + bytes / bytesPerStep))
      let match = isKnown ? try await matcher.match(index, budget) : NameMatcher.Match.nothing
      isComplete = isComplete && (!isKnown || matcher.isComplete)
      ids.append(match.rank.map(index.id(at:)) ?? 0)
      classes.append(match.certainty.rawValue)
      dictionary?.add(match.rank)
    }
    let rows: DistinctRows? =
      if let parts, let dictionary {
        try await DistinctRows(dictionary.ranks, parts, answer.generation, budget)
      } else {
        nil
      }
    return { [ids, classes, isComplete, dictionary] (reply: inout CBORWriter) throws(WireError) in
      try answer.generation.requireInService()
      // Keys in deterministic order, shorter ones first.
      reply.writeMap(count: answer.pairs(besides: dictionary == nil ? 3 : 5))
      reply.writePair("ids", ids)
      rows?.append(to: &reply)
      try answer.writeAsOf(into: &reply)
      if let dictionary { reply.writePair("index", dictionary.places) }
      reply.writePair("classes", classes)
      try answer.writeSources(into: &reply)
      reply.writePair("complete", isComplete)
      answer.writeGeneration(into: &reply)
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
    var (country, region) = (params.country ?? "", params.region ?? "")
    let error: WireError? = country.withUTF8 { country in
      region.withUTF8 { region in
        var conditions = PlaceConditions(limit: 1)
        do throws(WireError) {
          try areas.add(
            country: params.country.map { _ in UnsafeRawBufferPointer(country) },
            region: params.region.map { _ in UnsafeRawBufferPointer(region) }, to: &conditions, index)
          return nil
        } catch {
          return error
        }
      }
    }
    if let error { throw error }
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

  /// Calls `body` with the name of the area, or `nil` without one.
  func withName<Result>(_ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
    name.withUnsafeBytes { body($0.isEmpty ? nil : $0) }
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
    let first = start
    var end = first
    defer { start = min(end + 1, bytes.count) }
    return bytes.withUnsafeBytes { bytes in
      while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
      return body(UnsafeRawBufferPointer(rebasing: bytes[first..<end]))
    }
  }
}
