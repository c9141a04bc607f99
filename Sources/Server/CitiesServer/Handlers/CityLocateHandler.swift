import CBOR
import Cities
import CitiesProtocol
import FrameService
import Geodesy
import Resident

/// `city.locate`: the city at each of many positions.
final class CityLocateHandler: RequestHandler {
  let method = CityLocate.method
  private let cities: ServedCities

  init(_ cities: ServedCities) { self.cities = cities }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let params = try request.decode(CityLocate.self)
    let (lat, lon) = (params.lat.numbers, params.lon.numbers)
    guard lat.count <= CityLocate.maximumPoints else {
      throw .invalidParam("lat", "\(lat.count) positions are more than \(CityLocate.maximumPoints)")
    }
    guard lat.count == lon.count else {
      throw .invalidParam("lon", "\(lon.count) longitudes for \(lat.count) latitudes")
    }
    let answer = try cities.answer(for: request.caller, wantsSources: params.provenance)
    let points = CityLocateWork.Points(lat: lat, lon: lon)
    return .sliced(CityLocateWork(points, NearRule(params.rule ?? .nearest), hasRows: params.rows ?? false, answer))
  }
}

/// Finds one city after the other.
final class CityLocateWork: SlicedWork {
  /// Positions in one step of a slice, in about ten microseconds.
  private static let pointsPerStep = 16

  private static let leavesPerStep = 64

  /// Positions in degrees.
  struct Points {
    var lat: [Double]
    var lon: [Double]
  }

  private let points: Points
  private let rule: NearRule
  private let answer: CityAnswer
  // One thread works at a reply, and no access ends within another.
  @exclusivity(unchecked) private var ids: [UInt64] = []
  @exclusivity(unchecked) private var metres: [UInt32] = []
  /// The distinct cities with the places of the positions among them, if they are wanted.
  @exclusivity(unchecked) private var dictionary: RankDictionary?
  @exclusivity(unchecked) private var neighbours = Neighbours()
  /// The search of a position that has taken several steps.
  @exclusivity(unchecked) private var search: CityNearSearch?

  /// The city at each of `points`, by `rule`.
  init(_ points: Points, _ rule: NearRule, hasRows: Bool, _ answer: CityAnswer) {
    (self.points, self.rule, self.answer) = (points, rule, answer)
    dictionary = hasRows ? RankDictionary(capacity: points.lat.count) : nil
    ids.reserveCapacity(points.lat.count)
    metres.reserveCapacity(points.lat.count)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    let count = points.lat.count
    while ids.count < count {
      for index in ids.count..<min(count, ids.count + Self.pointsPerStep) {
        guard step(points.lat[index], points.lon[index]) else { break }
      }
      if slice.isOver() { return ids.count == count }
    }
    return true
  }

  /// Continues with the next position; returns whether its city is known.
  @inline(__always)
  private func step(_ latitude: Double, _ longitude: Double) -> Bool {
    // The negated comparisons refuse what is not a number, too.
    if !(abs(latitude) <= 90) || !(abs(longitude) <= 180) { return add(nil, CityLocate.nothing) }
    let search = search ?? begin(GeoPoint(latitude: latitude, longitude: longitude))
    guard search.advance(leaves: Self.leavesPerStep, into: &neighbours) else {
      self.search = search
      return false
    }
    self.search = nil
    guard neighbours.count > 0 else { return add(nil, CityLocate.nothing) }
    return add(neighbours[0].item, neighbours[0].metres)
  }

  private func begin(_ point: GeoPoint) -> CityNearSearch {
    let search = answer.index.nearSearch(point, rule)
    search.begin(limit: 1, radius: .infinity, into: &neighbours)
    return search
  }

  private func add(_ rank: Int?, _ distance: UInt32) -> Bool {
    ids.append(rank.map { answer.index.id(at: $0) } ?? 0)
    metres.append(distance)
    dictionary?.add(rank)
    return true
  }

  /// Writes the reply; keys in deterministic order, shorter ones first.
  func write(into reply: inout CBORWriter) throws(WireError) {
    try answer.generation.requireInService()
    reply.writeMap(count: answer.pairs(besides: dictionary == nil ? 2 : 4))
    reply.writeKey("ids")
    reply.writeTypedArray(ids)
    if let dictionary {
      reply.writeKey("rows")
      reply.writeArray(count: dictionary.ranks.count)
      for rank in dictionary.ranks { try answer.generation.writeRow(Int(rank), into: &reply) }
    }
    try answer.writeAsOf(into: &reply)
    if let dictionary {
      reply.writeKey("index")
      reply.writeTypedArray(dictionary.places)
    }
    reply.writeKey("metres")
    reply.writeTypedArray(metres)
    try answer.writeSources(into: &reply)
    answer.writeGeneration(into: &reply)
  }
}

/// The ranks that occur in a reply, each once and in that order, and for each position the place of its rank among them.
///
/// A hash table without removals. The set that is used elsewhere hashes with care and allocates as it grows, which took as long
/// as finding the city.
struct RankDictionary {
  /// Odd, and different in every process, so that nobody can choose positions that all have the same slot.
  private static let multiplier = UInt64.random(in: 1...UInt64.max) | 1

  /// The distinct ranks.
  private(set) var ranks: [UInt32] = []
  /// The place of each position's rank, or `CityLocate.nothing`.
  private(set) var places: [UInt32] = []
  /// A rank and 1 in the upper 32 bits, its place in the lower; 0 for a free slot.
  ///
  /// At most half of them are used.
  private var slots: [UInt64]
  private let shift: UInt64

  /// Has room for `capacity` positions.
  init(capacity: Int) {
    let bits = 1 + Int.bitWidth - max(1, capacity).leadingZeroBitCount
    slots = [UInt64](repeating: 0, count: 1 << bits)
    shift = UInt64(UInt64.bitWidth - bits)
    places.reserveCapacity(capacity)
  }

  /// Adds the rank of the next position; `nil` if it has none.
  ///
  /// - Complexity: O(1) on average.
  mutating func add(_ rank: Int?) {
    guard let rank else { return places.append(CityLocate.nothing) }
    let key = UInt64(truncatingIfNeeded: rank &+ 1)
    var slot = Int(truncatingIfNeeded: (key &* Self.multiplier) >> shift)
    while slots[slot] != 0, slots[slot] >> 32 != key { slot = (slot &+ 1) & (slots.count &- 1) }
    if slots[slot] == 0 {
      slots[slot] = key << 32 | UInt64(ranks.count)
      ranks.append(UInt32(truncatingIfNeeded: rank))
    }
    places.append(UInt32(truncatingIfNeeded: slots[slot]))
  }
}
