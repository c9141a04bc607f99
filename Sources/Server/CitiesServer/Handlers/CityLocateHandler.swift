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
    let points = zip(lat, lon).map { GeoPoint(latitude: $0, longitude: $1) }
    return .sliced(CityLocateWork(points, NearRule(params.rule ?? .nearest), hasRows: params.rows ?? false, answer))
  }
}

/// Finds one city after the other.
final class CityLocateWork: SlicedWork {
  /// Positions in one step of a slice, in about ten microseconds.
  private static let pointsPerStep = 16

  private let points: [GeoPoint]
  private let rule: NearRule
  private let answer: CityAnswer
  private var ids: [UInt64] = []
  private var metres: [UInt32] = []
  /// The distinct cities with the places of the positions among them, if they are wanted.
  private var dictionary: Dictionary?
  private var neighbours = Neighbours()
  /// The search of a position that has taken several steps.
  private var search: CityNearSearch?
  private static let leavesPerStep = 64

  /// Ranks in the order in which they occur.
  private struct Dictionary {
    var ranks: [Int] = []
    var index: [UInt32] = []
    private var places: [Int: UInt32] = [:]

    mutating func add(_ rank: Int?) {
      guard let rank else { return index.append(CityLocate.nothing) }
      let place = places[rank] ?? UInt32(truncatingIfNeeded: ranks.count)
      if place == ranks.count {
        ranks.append(rank)
        places[rank] = place
      }
      index.append(place)
    }
  }

  /// The city at each of `points`, by `rule`.
  init(_ points: [GeoPoint], _ rule: NearRule, hasRows: Bool, _ answer: CityAnswer) {
    (self.points, self.rule, self.answer) = (points, rule, answer)
    dictionary = hasRows ? Dictionary() : nil
    ids.reserveCapacity(points.count)
    metres.reserveCapacity(points.count)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while ids.count < points.count {
      for _ in 0..<Self.pointsPerStep where ids.count < points.count {
        guard step(points[ids.count]) else { break }
      }
      if slice.isOver() { return ids.count == points.count }
    }
    return true
  }

  /// Continues with the next position; returns whether its city is known.
  @inline(__always)
  private func step(_ point: GeoPoint) -> Bool {
    // The negated comparisons refuse what is not a number, too.
    if !(abs(point.latitude) <= 90) || !(abs(point.longitude) <= 180) { return add(nil, CityLocate.nothing) }
    let search = search ?? begin(point)
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
      for rank in dictionary.ranks { try answer.generation.writeRow(rank, into: &reply) }
    }
    try answer.writeAsOf(into: &reply)
    if let dictionary {
      reply.writeKey("index")
      reply.writeTypedArray(dictionary.index)
    }
    reply.writeKey("metres")
    reply.writeTypedArray(metres)
    try answer.writeSources(into: &reply)
    answer.writeGeneration(into: &reply)
  }
}
