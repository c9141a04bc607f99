import Base
import CBOR
import Cities
import CitiesProtocol
import CivilTime
import FrameService
import Geodesy
import Resident

/// `city.time`: what the clocks of some places show.
final class CityTimeHandler: RequestHandler {
  let method = CityTime.method
  private let cities: ResidentSubject<ResidentCities>
  private let feeds: FeedReports
  private let finder = CityFinder()
  private let zones = ZoneCache(.system)

  init(_ cities: ResidentSubject<ResidentCities>, _ feeds: FeedReports) { (self.cities, self.feeds) = (cities, feeds) }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let params = try request.decode(CityTime.self)
    guard (1...CityTime.maximumPlaces).contains(params.places.count) else {
      throw .invalidParam("places", "expected 1 to \(CityTime.maximumPlaces) places, found \(params.places.count)")
    }
    let time = try QuestionTime(params.at, param: "at")
    let generation = try cities.generation(for: request, named: nil)
    let sources = CityProvenance(generation, isWanted: params.provenance ?? false, feeds)
    return .sliced(CityTimeWork(params.places, time, finder, zones, generation, sources))
  }
}

/// Finds the cities of some places, then their zones: a few microseconds for a city, fifty for a zone's file.
final class CityTimeWork: SlicedWork {
  private let places: [Place]
  private let time: QuestionTime
  private let finder: CityFinder
  private let zones: ZoneCache
  private let generation: ServedGeneration<ResidentCities>
  private let sources: CityProvenance?
  /// The search for the city of the next place, once it has begun.
  private var search: CitySearchOfPlace?
  private var clocks: [PlaceClock] = []
  /// The moment of all rows, once the first place's zone is known.
  private var moment: Int64?

  init(
    _ places: [Place], _ time: QuestionTime, _ finder: CityFinder, _ zones: ZoneCache,
    _ generation: ServedGeneration<ResidentCities>, _ sources: CityProvenance?
  ) {
    (self.places, self.time, self.finder, self.zones) = (places, time, finder, zones)
    (self.generation, self.sources) = (generation, sources)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while clocks.count < places.count {
      try step()
      if slice.isOver() { return false }
    }
    return true
  }

  private func step() throws(WireError) {
    let index = generation.data.index
    if search == nil {
      search = try CitySearchOfPlace(places[clocks.count], "places[\(clocks.count)]", finder, index)
    }
    guard let (rank, resolved) = try search?.step(index) else { return }
    search = nil
    let zone = index.surroundings(of: rank).zone
    guard isValidUTF8(zone) else { throw generation.damaged("the time zone of a city is not UTF-8") }
    let name = String(decoding: zone, as: UTF8.self)
    let rules = zones.rules(for: name, generation.serial)
    let clock = PlaceClock(rank: rank, resolved: resolved, zone: name, rules: rules)
    if moment == nil { moment = try moment(at: clock) }
    clocks.append(clock)
  }

  /// The moment that is asked for, on the clock of the first place.
  private func moment(at clock: PlaceClock) throws(WireError) -> Int64 {
    let moment: Int64
    if case .instant(let instant) = time.asked {
      moment = instant
    } else if let rules = clock.rules {
      moment = time.moment(in: rules)
    } else {
      throw .invalidParam("at", "the time zone of the first place is not known; give an offset too")
    }
    guard Timestamp(secondsSince1970: moment).secondsSince1970 == moment else {
      throw .invalidParam("at", "the year in UTC is not from 0 to 9999")
    }
    return moment
  }

  /// Appends the reply; keys in deterministic order, shorter ones first.
  func write(into reply: inout CBORWriter) throws(WireError) {
    try generation.requireInService()
    let moment = moment ?? time.now
    reply.writeMap(count: 3 + (sources?.pairs ?? 0))
    reply.writeKey("at")
    try reply.write(Timestamp(secondsSince1970: moment))
    reply.writeKey("rows")
    reply.writeArray(count: clocks.count)
    for clock in clocks { try clock.write(at: moment, generation, into: &reply) }
    try sources?.writeAsOf(into: &reply)
    try sources?.writeSources(into: &reply)
    reply.writeKey("generation")
    generation.encodedName.withUnsafeBytes { reply.writeEncoded($0) }
  }
}

/// The clock of a place.
private struct PlaceClock {
  let rank: Int
  /// What the query of the place was taken for.
  let resolved: CityHit?
  /// The name of its zone; empty if the list names none.
  let zone: String
  /// The rules of the zone, if the machine has them.
  let rules: ZoneRules?

  /// Writes a row; keys in deterministic order, shorter ones first.
  func write(
    at moment: Int64, _ generation: ServedGeneration<ResidentCities>, into reply: inout CBORWriter
  ) throws(WireError) {
    let change = rules?.nextChange(after: moment).flatMap { Self.message($0) }
    let known = (change == nil ? 0 : 1) + (rules == nil ? 0 : 4)
    reply.writeMap(count: 1 + (zone.isEmpty ? 0 : 1) + known + (resolved == nil ? 0 : 1))
    reply.writeKey("city")
    try generation.writeRow(rank, with: .region, into: &reply)
    if !zone.isEmpty {
      reply.writeKey("zone")
      reply.writeText(zone)
    }
    guard let rules else { return try generation.write(resolved, into: &reply) }
    let offset = rules.offset(at: moment)
    reply.writeKey("local")
    reply.writeText(RFC3339.localText(rules.localSeconds(at: moment)))
    if let change {
      reply.writeKey("change")
      try reply.write(change)
    }
    reply.writeKey("offset")
    reply.writeText(offset.text)
    reply.writeKey("daylight")
    reply.writeBool(offset.isDaylight)
    try generation.write(resolved, into: &reply)
    reply.writeKey("abbreviation")
    reply.writeText(offset.abbreviation)
  }

  /// A change as the wire has it; `nil` for one that has no time in RFC 3339.
  private static func message(_ change: ZoneChange) -> CityTime.Change? {
    let at = Timestamp(secondsSince1970: change.moment)
    guard at.secondsSince1970 != nil else { return nil }
    return CityTime.Change(
      at: at, local: RFC3339.localText(change.moment + Int64(change.after.seconds)), offset: change.after.text)
  }
}

/// The search for the one city that a place means.
private enum CitySearchOfPlace {
  case found(Int)
  /// It is the one place of a title's cities.
  case choosing(String, NamesakeChoice)
  /// It is the city that people call so.
  case resolving(CityResolution)
  /// It is the city nearest to a position.
  case nearest(CityNearSearch, Neighbours)

  /// Leaves of the tree that are looked into in one step, in about a microsecond.
  private static let leavesPerStep = 8

  /// Starts the search for `place`, which `param` names in errors.
  ///
  /// - Throws: `invalid-params`, `not-found`, or `ambiguous`.
  init(_ place: Place, _ param: String, _ finder: CityFinder, _ index: CityIndex) throws(WireError) {
    switch (place.at, place.id, place.title, place.query) {
    case (let at?, nil, nil, nil):
      let search = index.nearSearch(try finder.point(at, param))
      var neighbours = Neighbours()
      search.begin(limit: 1, radius: .infinity, into: &neighbours)
      self = .nearest(search, neighbours)
    case (nil, let id?, nil, nil): self = .found(try finder.rank(id: id, index))
    case (nil, nil, nil, let query?): self = .resolving(finder.resolve(query, for: .place, index))
    case (nil, nil, let title?, nil):
      self = .choosing(title, NamesakeChoice(try finder.namesakes(title, index), .onePlace))
    default: throw .invalidParam(param, "expected exactly one of \"at\", \"id\", \"title\" and \"query\"")
    }
  }

  /// Continues for a few microseconds.
  ///
  /// - Returns: the rank of the city and what a query was taken for, or nil if the search is not over.
  /// - Throws: `ambiguous` if a title's cities are not one place, `not-found` if the list has no city.
  mutating func step(_ index: CityIndex) throws(WireError) -> (rank: Int, resolved: CityHit?)? {
    switch self {
    case .found(let rank): return (rank, nil)
    case .resolving(var resolution):
      let hit = try resolution.step(index)
      self = .resolving(resolution)
      return hit.map { (rank: $0.rank, resolved: $0) }
    case .choosing(let title, var choice):
      if choice.step(index) {
        self = .choosing(title, choice)
        return nil
      }
      guard let rank = choice.rank else { throw try CityFinder.ambiguous(title, choice.matches, index) }
      return (rank, nil)
    case .nearest(let search, var neighbours):
      guard search.advance(leaves: Self.leavesPerStep, into: &neighbours) else {
        self = .nearest(search, neighbours)
        return nil
      }
      guard neighbours.count > 0 else { throw WireError(.notFound, "the list has no city") }
      return (neighbours[0].0, nil)
    }
  }
}

/// The rules of the zones that were asked for last.
///
/// They are read from the machine's files again once the data has changed, or others were asked for in between.
final class ZoneCache {
  /// Zones that are kept, of a few kilobytes each.
  private static let capacity = 64

  private let folder: ZoneFolder
  private var rules: [String: ZoneRules?] = [:]
  private var serial: UInt64 = 0

  init(_ folder: ZoneFolder) { self.folder = folder }

  /// The rules of the zone called `name`, if the machine has them; `serial` is that of the data that names it.
  ///
  /// - Complexity: O(1), or O(n) in the bytes of the zone's file.
  func rules(for name: String, _ serial: UInt64) -> ZoneRules? {
    if self.serial != serial || rules.count >= Self.capacity { rules.removeAll(keepingCapacity: true) }
    self.serial = serial
    if let known = rules[name] { return known }
    let read = try? folder.rules(for: name)
    rules[name] = .some(read)
    return read
  }
}
