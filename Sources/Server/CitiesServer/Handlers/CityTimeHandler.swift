import Base
import CBOR
import Cities
import CitiesProtocol
import CivilTime
import FrameService
import Geodesy
import Resident

/// `city.time`: the local time of places.
final class CityTimeHandler: RequestHandler {
  private let cities: ServedCities
  private let finder = CityFinder()
  private let zones = ZoneCache(.system)

  init(_ cities: ServedCities) { self.cities = cities }

  func answer(_ params: CityTime, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    guard (1...CityTime.maximumPlaces).contains(params.places.count) else {
      throw .invalidParam("places", "expected 1 to \(CityTime.maximumPlaces) places, found \(params.places.count)")
    }
    let time = try AskedMoment(params.at, param: "at")
    let answer = try cities.answer(for: caller, wantsSources: params.provenance)
    return .sliced(CityTimeWork(params.places, time, finder, zones, answer))
  }
}

/// Finds the cities of places, then their zones: a few microseconds per city, fifty per zone file.
final class CityTimeWork: SlicedWork {
  /// Code points of a zone in an error's message.
  private static let shownZone = 80

  private let places: [Place]
  private let time: AskedMoment
  private let finder: CityFinder
  private let zones: ZoneCache
  private let answer: CityAnswer
  /// The search for the city of the next place, once it has begun.
  private var search: PlaceSearch?
  private var clocks: [PlaceClock] = []
  /// The moment of all rows, once the first place's zone is known.
  private var moment: Int64?

  init(_ places: [Place], _ time: AskedMoment, _ finder: CityFinder, _ zones: ZoneCache, _ answer: CityAnswer) {
    (self.places, self.time, self.finder, self.zones, self.answer) = (places, time, finder, zones, answer)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while clocks.count < places.count {
      try step()
      if slice.isOver() { return false }
    }
    return true
  }

  private func step() throws(WireError) {
    let (generation, index) = (answer.generation, answer.index)
    if search == nil, let zone = places[clocks.count].zone { return try add(zone) }
    if search == nil {
      search = try finder.search(places[clocks.count], "places[\(clocks.count)]", for: .city, index)
    }
    guard let place = try search?.step(index) else { return }
    search = nil
    guard let rank = place.city else { throw WireError(.notFound, "the list has no city") }
    let zone = index.surroundings(of: rank).zone
    guard isValidUTF8(zone) else { throw generation.damaged("the time zone of a city is not UTF-8") }
    let name = String(decoding: zone, as: UTF8.self)
    let rules = zones.rules(for: name, generation.serial)
    let clock = PlaceClock(rank: rank, resolved: place.resolved, zone: name, rules: rules)
    try add(clock)
  }

  private func add(_ clock: PlaceClock) throws(WireError) {
    if moment == nil { moment = try moment(at: clock) }
    clocks.append(clock)
  }

  /// Takes a place that is a time zone alone.
  private func add(_ zone: String) throws(WireError) {
    guard places[clocks.count] == Place(zone: zone) else {
      throw .invalidParam("places[\(clocks.count)]", "a place with \"zone\" has nothing else")
    }
    guard let rules = ZoneRules(offset: zone) ?? zones.rules(for: zone, answer.generation.serial) else {
      let name = zone.excerpt(Self.shownZone)
      throw WireError(.notFound, "no time zone is called \"\(name)\"", data: ErrorData(value: name))
    }
    try add(PlaceClock(rank: nil, resolved: nil, zone: zone, rules: rules))
  }

  /// The requested moment, in the local time of the first place.
  private func moment(at clock: PlaceClock) throws(WireError) -> Int64 {
    let moment: Int64
    if case .instant(let instant) = time {
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
    try answer.generation.requireInService()
    let moment = moment ?? Timestamp.secondsNow
    reply.writeMap(count: answer.pairs(besides: 2))
    reply.writeKey("at")
    try reply.write(Timestamp(secondsSince1970: moment))
    reply.writeKey("rows")
    reply.writeArray(count: clocks.count)
    for clock in clocks { try clock.write(at: moment, answer.generation, into: &reply) }
    try answer.writeAsOf(into: &reply)
    try answer.writeSources(into: &reply)
    answer.writeGeneration(into: &reply)
  }
}

/// The local time of a place.
private struct PlaceClock {
  /// `nil` for a time zone.
  let rank: Int?
  /// The result of the place's query.
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
    reply.writeMap(count: (rank == nil ? 0 : 1) + (zone.isEmpty ? 0 : 1) + known + (resolved == nil ? 0 : 1))
    if let rank {
      reply.writeKey("city")
      try generation.writeRow(rank, with: [.region, .zone], into: &reply)
    }
    if !zone.isEmpty {
      reply.writePair("zone", zone)
    }
    guard let rules else { return try generation.write(resolved, into: &reply) }
    let offset = rules.offset(at: moment)
    reply.writePair("local", RFC3339.localText(rules.localSeconds(at: moment)))
    if let change {
      reply.writeKey("change")
      try reply.write(change)
    }
    reply.writePair("offset", offset.text)
    reply.writePair("daylight", offset.isDaylight)
    try generation.write(resolved, into: &reply)
    reply.writePair("abbreviation", offset.abbreviation)
  }

  /// A change for the wire; `nil` if its time does not exist in RFC 3339.
  private static func message(_ change: ZoneChange) -> CityTime.Change? {
    let at = Timestamp(secondsSince1970: change.moment)
    guard at.secondsSince1970 != nil else { return nil }
    return CityTime.Change(
      at: at, local: RFC3339.localText(change.moment + Int64(change.after.seconds)), offset: change.after.text)
  }
}

/// The rules of recently requested zones.
///
/// They are read from the machine's files again after a change of the data, or when other zones have replaced them.
final class ZoneCache {
  /// The number of cached zones, of a few kilobytes each.
  private static let capacity = 64

  private let folder: ZoneFolder
  private var rules: [String: ZoneRules] = [:]
  private var serial: UInt64 = 0

  init(_ folder: ZoneFolder) { self.folder = folder }

  /// The rules of the zone called `name`, if the machine has them; `serial` is that of the data that names it.
  ///
  /// - Complexity: O(1), or O(n) in the bytes of the zone's file.
  func rules(for name: String, _ serial: UInt64) -> ZoneRules? {
    if self.serial != serial || rules.count >= Self.capacity { rules.removeAll(keepingCapacity: true) }
    self.serial = serial
    if let known = rules[name] { return known }
    // One that could not be read may be readable for the next request.
    rules[name] = try? folder.rules(for: name)
    return rules[name]
  }
}
