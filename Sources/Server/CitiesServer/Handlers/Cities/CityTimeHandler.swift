import CBOR
import Cities
import CitiesProtocol
import CivilTime
import Coroutines
import FrameService
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
    return .computed(from: [answer.generation]) { [finder, zones] budget in
      let clocks = try await PlaceClocks(params.places, time, finder, zones, answer, budget)
      return { (reply: inout CBORWriter) throws(WireError) in try clocks.write(into: &reply) }
    }
  }
}

/// The local times of places: finding a city takes a few microseconds, reading the file of a zone fifty.
struct PlaceClocks {
  /// The maximum number of code points of a zone name in an error message.
  private static let shownZone = 80

  private let time: AskedMoment
  private let zones: ZoneCache
  private let answer: CityAnswer
  private var clocks: [PlaceClock] = []
  /// The moment to which all rows refer.
  private var moment: Int64

  /// Finds the cities of `places`, and their zones.
  ///
  /// - Throws: The errors of finding a place; `not-found` for an unknown zone; `invalid-params`; ``Stopped``.
  init(
    _ places: [Place], _ time: AskedMoment, _ finder: CityFinder, _ zones: ZoneCache, _ answer: CityAnswer,
    _ budget: Budget
  ) async throws {
    (self.time, self.zones, self.answer, moment) = (time, zones, answer, Timestamp.secondsNow)
    for (number, place) in places.enumerated() {
      let name = "places[\(number)]"
      if let zone = place.zone {
        guard place == Place(zone: zone) else {
          throw WireError.invalidParam(name, "a place with \"zone\" has nothing else")
        }
        clocks.append(try clock(ofZone: zone))
      } else {
        clocks.append(try clock(of: try await finder.find(place, name, for: .city, answer.index, budget)))
      }
      if number == 0 { moment = try moment(at: clocks[0]) }
      // A zone's file may have been read.
      try await budget.check(Budget.stepsPerLook)
    }
  }

  private func clock(of place: FoundPlace) throws(WireError) -> PlaceClock {
    let generation = answer.generation
    guard let rank = place.city else { throw WireError(.notFound, "the list has no city") }
    let zone = answer.index.surroundings(of: rank).zone
    guard isValidUTF8(zone) else { throw generation.damaged("the time zone of a city is not UTF-8") }
    let name = String(decoding: zone, as: UTF8.self)
    return PlaceClock(
      rank: rank, resolved: place.resolved, zone: name, rules: zones.rules(for: name, generation.serial))
  }

  /// The clock of a place given by its time zone.
  private func clock(ofZone zone: String) throws(WireError) -> PlaceClock {
    guard let rules = ZoneRules(offset: zone) ?? zones.rules(for: zone, answer.generation.serial) else {
      let name = zone.excerpt(Self.shownZone)
      throw WireError(.notFound, "no time zone is called \"\(name)\"", data: ErrorData(value: name))
    }
    return PlaceClock(rank: nil, resolved: nil, zone: zone, rules: rules)
  }

  /// The requested moment; a local time is that of the first place.
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

  /// Appends the reply.
  func write(into reply: inout CBORWriter) throws(WireError) {
    try reply.writeMap(CityTime.Reply.CodingKeys.self) { (map) throws(WireError) in
      map.write(.at, Timestamp(secondsSince1970: moment))
      try map.write(.rows, arrayOf: clocks) { (clock, reply) throws(WireError) in
        try clock.write(at: moment, answer.generation, into: &reply)
      }
      map.write(.asOf, answer.sources?.asOf)
      try map.write(.sources, encoding: answer.sources)
      map.write(.generation, answer.generation.name)
    }
  }
}

/// The local time of a place.
private struct PlaceClock {
  /// `nil` for a place given by its time zone.
  let rank: Int?
  let resolved: CityHit?
  /// The name of the zone; empty if the list names none.
  let zone: String
  /// The rules of the zone, if installed on the machine.
  let rules: ZoneRules?

  /// Writes a row.
  func write(
    at moment: Int64, _ generation: ServedGeneration<ResidentCities>, into reply: inout CBORWriter
  ) throws(WireError) {
    let offset = rules?.offset(at: moment)
    try reply.writeMap(CityTime.Row.CodingKeys.self) { (row) throws(WireError) in
      if let rank {
        try row.write(.city) { (reply) throws(WireError) in
          try generation.writeRow(rank, with: [.region, .zone], into: &reply)
        }
      }
      row.write(.zone, zone.isEmpty ? nil : zone)
      row.write(.local, rules.map { RFC3339.localText($0.localSeconds(at: moment)) })
      try row.write(.change, encoding: rules?.nextChange(after: moment).flatMap { Self.message($0) })
      row.write(.offset, offset?.text)
      row.write(.daylight, offset?.isDaylight)
      try generation.write(resolved, as: .resolved, into: &row)
      row.write(.abbreviation, offset?.abbreviation)
    }
  }

  /// The message for a change; `nil` if RFC 3339 cannot represent its time.
  private static func message(_ change: ZoneChange) -> CityTime.Change? {
    let at = Timestamp(secondsSince1970: change.moment)
    guard at.secondsSince1970 != nil else { return nil }
    return CityTime.Change(
      at: at, local: RFC3339.localText(change.moment + Int64(change.after.seconds)), offset: change.after.text)
  }
}

/// The rules of recently requested zones.
///
/// They are read from the machine's files again after a change of the data, or after eviction.
final class ZoneCache {
  /// The number of cached zones, of a few kilobytes each.
  private static let capacity = 64

  private let folder: ZoneFolder
  private var rules: [TextKey: ZoneRules] = [:]
  private var serial: UInt64 = 0

  init(_ folder: ZoneFolder) { self.folder = folder }

  /// The rules of the zone `name`, if installed; `serial` is that of the data that names it.
  ///
  /// - Complexity: O(1), or O(n) in the bytes of the zone's file.
  func rules(for name: String, _ serial: UInt64) -> ZoneRules? {
    guard ZoneRules.isName(name) else { return nil }
    if self.serial != serial || rules.count >= Self.capacity { rules.removeAll(keepingCapacity: true) }
    self.serial = serial
    if let known = rules[name] { return known }
    // A file that could not be read may be readable for the next request.
    rules[name] = try? folder.rules(for: name)
    return rules[name]
  }
}
