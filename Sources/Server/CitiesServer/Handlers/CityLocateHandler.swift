import CBOR
import Cities
import CitiesProtocol
import Countries
import FrameService
import Geodesy
import Resident

/// `city.locate`: the city at each of many positions.
final class CityLocateHandler: RequestHandler {
  private let cities: ServedCities
  /// Of the index that was asked last; only the loop's thread uses it.
  private var axes: (index: CityIndex, axes: TreeAxes)?

  init(_ cities: ServedCities) { self.cities = cities }

  func answer(_ params: CityLocate, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let (lat, lon) = (params.lat.numbers, params.lon.numbers)
    guard lat.count <= CityLocate.maximumPoints else {
      throw .invalidParam("lat", "\(lat.count) positions are more than \(CityLocate.maximumPoints)")
    }
    guard lat.count == lon.count else {
      throw .invalidParam("lon", "\(lon.count) longitudes for \(lat.count) latitudes")
    }
    let answer = try cities.answer(for: caller, wantsSources: params.provenance)
    let (rule, axes) = (params.rule ?? .nearest, axes(answer.index))
    return .sliced(CityLocateWork(lat: lat, lon: lon, rule, axes, hasRows: params.rows ?? false, answer))
  }

  private func axes(_ index: CityIndex) -> TreeAxes {
    if let axes, axes.index === index { return axes.axes }
    let made = index.treeAxes
    axes = (index, made)
    return made
  }
}

/// Finds the cities, some at once, then writes their rows.
final class CityLocateWork: SlicedWork {
  /// Times that some are searched at once in one step of a slice, in about ten microseconds.
  private static let searchesPerStep = 2
  private static let leavesPerStep = 64

  /// Positions in degrees.
  private let (lat, lon): ([Double], [Double])
  private let rule: CityNear.Rule
  private let answer: CityAnswer
  // One thread works at a reply, and no access ends within another.
  @exclusivity(unchecked) private var found: LocatedColumns
  /// The search for the nearest cities.
  @exclusivity(unchecked) private var nearest: NearestItems
  @exclusivity(unchecked) private var neighbours = Neighbours()
  /// The search of a position that has taken several steps.
  @exclusivity(unchecked) private var search: CityNearSearch?
  @exclusivity(unchecked) private var rows: DistinctRows?

  /// The city at each position, by `rule`.
  init(lat: [Double], lon: [Double], _ rule: CityNear.Rule, _ axes: TreeAxes, hasRows: Bool, _ answer: CityAnswer) {
    (self.lat, self.lon, self.rule, self.answer) = (lat, lon, rule, answer)
    nearest = answer.index.nearestCities(axes)
    found = LocatedColumns(capacity: lat.count, hasRows: hasRows)
    if hasRows { rows = DistinctRows([], answer.generation) }
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    let count = lat.count
    while found.count < count {
      for _ in 0..<Self.searchesPerStep { step(count) }
      if slice.isOver() { return found.count == count && found.dictionary == nil }
    }
    guard let dictionary = found.dictionary else { return true }
    return try rows?.write(dictionary.ranks, &slice) ?? true
  }

  /// Continues with the next positions.
  @inline(__always)
  private func step(_ count: Int) {
    let start = found.count
    let some = min(count - start, NearestItems.size)
    guard case .nearest = rule, search == nil else {
      for index in start..<(start + some) { guard find(index) else { return } }
      return
    }
    // The result for a position that is not valid is not used.
    for lane in 0..<some { nearest.set(point(start + lane) ?? GeoPoint(latitude: 0, longitude: 0), at: lane) }
    let cities = nearest.search(count: some)
    for lane in 0..<some {
      if let city = cities[lane], let point = point(start + lane) {
        found.add(city.item, city.metres, answer.index)
        found.add(CountryMap.shipped.country(at: point))
      } else {
        guard find(start + lane) else { return }
      }
    }
  }

  /// The position at an index; `nil` if it is not valid.
  @inline(__always)
  private func point(_ index: Int) -> GeoPoint? {
    let (latitude, longitude) = (lat[index], lon[index])
    // A coordinate that is not a number is not valid either.
    return abs(latitude) <= 90 && abs(longitude) <= 180 ? GeoPoint(latitude: latitude, longitude: longitude) : nil
  }

  /// Continues with the position at an index; returns whether its city is known.
  private func find(_ index: Int) -> Bool {
    guard let point = point(index) else {
      found.addNothing()
      found.add(PointCountry(letters: 0, isCertain: false))
      return true
    }
    let search = search ?? begin(point)
    let isOver = search.advance(leaves: Self.leavesPerStep, into: &neighbours)
    self.search = isOver ? nil : search
    guard isOver else { return false }
    if neighbours.count > 0 {
      found.add(neighbours[0].item, neighbours[0].metres, answer.index)
    } else {
      found.addNothing()
    }
    found.add(CountryMap.shipped.country(at: point))
    return true
  }

  private func begin(_ point: GeoPoint) -> CityNearSearch {
    let search = answer.index.nearSearch(point, rule)
    search.begin(limit: 1, radius: .infinity, into: &neighbours)
    return search
  }

  /// Writes the reply; keys in deterministic order, shorter ones first.
  func write(into reply: inout CBORWriter) throws(WireError) {
    try answer.generation.requireInService()
    let dictionary = found.dictionary
    reply.writeMap(count: answer.pairs(besides: dictionary == nil ? 4 : 6))
    reply.writePair("ids", found.ids)
    if dictionary != nil { rows?.append(to: &reply) }
    try answer.writeAsOf(into: &reply)
    if let dictionary { reply.writePair("index", dictionary.places) }
    reply.writePair("metres", found.metres)
    reply.writePair("certain", found.certain)
    try answer.writeSources(into: &reply)
    reply.writeKey("countries")
    found.countries.withUnsafeBytes { reply.writeText(utf8: $0) }
    answer.writeGeneration(into: &reply)
  }
}
