import Base
import CBOR
import Cities
import CitiesProtocol
import FrameService
import Resident
import Text

/// `city.find`: the cities that people may mean.
///
/// Names as they are typed are answered in place; looking for typing errors may take
/// slices.
final class CityFindHandler: StrictRequestHandler {
  let method = CityFind.method
  private let cities: ResidentSubject<ResidentCities>
  private let feeds: FeedReports
  private let folder = CaseFolder()
  private let finder = CityFinder()
  // Only the loop's thread uses it, one request at a time.
  @exclusivity(unchecked) private var search = NameSearch()

  init(_ cities: ResidentSubject<ResidentCities>, _ feeds: FeedReports) { (self.cities, self.feeds) = (cities, feeds) }

  /// Names and nodes that are looked at at once, in about 100 µs.
  static let stepsInPlace = 2_048

  func read(_ params: inout CBORReader) throws(WireError) -> CityFindParams { try CityFindParams(&params) }

  func answer(
    _ params: CityFindParams, for caller: Caller, into reply: inout CBORWriter
  ) throws(WireError) -> Answer {
    let generation = try cities.generation(for: caller, named: nil)
    let index = generation.data.index
    var conditions = try conditions(params, index)
    // A text without a key of such a length names nothing; the empty key is refused.
    let key = folder.fold(params.query, .words, atMost: CityIndex.longestQuery)
    if let key, key.isEmpty { throw .invalidParam("query", "it has neither letters nor digits") }
    let query = key ?? UnsafeRawBufferPointer(start: nil, count: 0)
    let sources = CityProvenance(generation, isWanted: params.provenance, feeds)
    if let near = params.near {
      let place = try finder.search(near, "near", index)
      guard let origin = place.point else {
        return .sliced(Self.work(after: place, Array(query), conditions, generation, sources))
      }
      conditions.near = origin
    }
    search.begin(query, conditions, index)
    guard search.advance(steps: Self.stepsInPlace, index) else {
      return .sliced(CityFindWork(search, generation, sources))
    }
    try CityFindWork.write(search, generation, sources, into: &reply)
    return .written
  }

  /// Work on a question near a place that takes long to find.
  private static func work(
    after place: PlaceSearch, _ query: [UInt8], _ conditions: PlaceConditions,
    _ generation: ServedGeneration<ResidentCities>, _ sources: CityProvenance?
  ) -> PlacedWork {
    PlacedWork(place, generation) { origin in
      var conditions = conditions
      conditions.near = origin
      var search = NameSearch()
      query.withUnsafeBytes { search.begin($0, conditions, generation.data.index) }
      return CityFindWork(search, generation, sources)
    }
  }

  private func conditions(_ params: CityFindParams, _ index: CityIndex) throws(WireError) -> PlaceConditions {
    var conditions = PlaceConditions(limit: params.limit, allowsTypos: params.typos)
    if let country = params.country {
      try require("country", country) { (name) throws(PlaceConditions.Problem) in
        try conditions.require(country: name, index)
      }
    }
    if let region = params.region {
      try require("region", region) { (name) throws(PlaceConditions.Problem) in
        try conditions.require(region: name, index)
      }
    }
    return conditions
  }

  /// Adds a condition by name; `param` names it in errors.
  private func require(
    _ param: String, _ name: UnsafeRawBufferPointer,
    _ condition: (UnsafeRawBufferPointer) throws(PlaceConditions.Problem) -> Void
  ) throws(WireError) {
    let key = folder.fold(name, .words, atMost: CityIndex.longestQuery)
    do throws(PlaceConditions.Problem) {
      try condition(key ?? UnsafeRawBufferPointer(start: nil, count: 0))
    } catch {
      let shown = String(decoding: name.prefix(Self.shownBytes), as: UTF8.self).excerpt(Self.shownName)
      throw .invalidParam(param, "no \(param) is called \"\(shown)\"; expected a code or a name of one")
    }
  }

  /// Code points of a name in an error's message, and bytes that hold them.
  private static let shownName = 80
  private static let shownBytes = 400
}

/// A search that takes longer: for names with typing errors, or through all names of a region.
final class CityFindWork: SlicedWork {
  /// Names and nodes that are looked at in one step of a slice.
  private static let steps = 64

  private var search: NameSearch
  private let generation: ServedGeneration<ResidentCities>
  private let sources: CityProvenance?

  /// Continues `search`.
  init(_ search: NameSearch, _ generation: ServedGeneration<ResidentCities>, _ sources: CityProvenance?) {
    (self.search, self.generation, self.sources) = (search, generation, sources)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while !search.advance(steps: Self.steps, generation.data.index) {
      if slice.isOver() { return false }
    }
    return true
  }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try generation.requireInService()
    try Self.write(search, generation, sources, into: &reply)
  }

  /// Writes the reply; keys in deterministic order, shorter ones first.
  static func write(
    _ search: borrowing NameSearch, _ generation: ServedGeneration<ResidentCities>, _ sources: CityProvenance?,
    into reply: inout CBORWriter
  ) throws(WireError) {
    reply.writeMap(count: 3 + (sources?.pairs ?? 0))
    reply.writeKey("rows")
    reply.writeArray(count: search.hits.count)
    for place in 0..<search.hits.count { try write(search.hits[place], generation, into: &reply) }
    try sources?.writeAsOf(into: &reply)
    try sources?.writeSources(into: &reply)
    reply.writeKey("complete")
    reply.writeBool(search.isComplete)
    reply.writeKey("generation")
    generation.encodedName.withUnsafeBytes { reply.writeEncoded($0) }
  }

  /// Writes a row; texts that the source does not have are left out.
  private static func write(
    _ hit: PlaceHits.Hit, _ generation: ServedGeneration<ResidentCities>, into reply: inout CBORWriter
  ) throws(WireError) {
    let index = generation.data.index
    let (spelling, place) = (index.spelling(of: hit), index.surroundings(of: hit.rank))
    let count =
      (place.zone.isEmpty ? 0 : 1) + (place.region.isEmpty ? 0 : 1) + (spelling.isEmpty ? 0 : 1)
      + (place.regionCode.isEmpty ? 0 : 1)
    reply.writeMap(count: 2 + count)
    reply.writeKey("by")
    reply.writeText(index.kind(of: hit).rawValue)
    reply.writeKey("city")
    try generation.writeRow(hit.rank, into: &reply)
    try generation.writeText("zone", place.zone, into: &reply)
    try generation.writeText("region", place.region, into: &reply)
    try generation.writeText("matched", spelling, into: &reply)
    try generation.writeText("region_code", place.regionCode, into: &reply)
  }
}
