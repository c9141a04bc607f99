import CBOR
import Cities
import CitiesProtocol
import Coroutines
import Countries
import FrameService
import Geodesy

/// `city.locate`: the city at each of many positions.
final class CityLocateHandler: RequestHandler {
  private let cities: ServedCities
  /// Belongs to the index that was queried last; used only by the loop thread.
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
    let hasRows = params.rows ?? false
    return .computed(from: [answer.generation]) { budget in
      let found = try await LocatedCities(lat: lat, lon: lon, rule, axes, hasRows: hasRows, answer, budget)
      return { (reply: inout CBORWriter) throws(WireError) in try found.write(into: &reply) }
    }
  }

  private func axes(_ index: CityIndex) -> TreeAxes {
    if let axes, axes.index === index { return axes.axes }
    let made = index.treeAxes
    axes = (index, made)
    return made
  }
}

/// The cities at positions, several of which are searched at once, and their rows.
struct LocatedCities: ~Copyable {
  /// The cost in steps of several positions searched at once, and of each leaf that they search.
  private static let (steps, leafSteps) = (32, 8)
  /// Most work, in branches and distances, for positions that are searched one by one: some ten seconds.
  static let maximumWork = 1 << 27

  /// Positions in degrees.
  private let (lat, lon): ([Double], [Double])
  private let rule: CityNear.Rule
  private let answer: CityAnswer
  private var found: LocatedColumns
  private var rows: RowBuffer?
  /// The work left for positions that are searched alone.
  private var work: Int

  /// Finds the city at each position according to `rule`, with at most about `work` for those that are searched alone.
  ///
  /// - Throws: `too-expensive`, `frame-too-large`, `unavailable`; ``Stopped``.
  init(
    lat: [Double], lon: [Double], _ rule: CityNear.Rule, _ axes: TreeAxes, hasRows: Bool, _ answer: CityAnswer,
    work: Int = LocatedCities.maximumWork, _ budget: Budget
  ) async throws {
    (self.lat, self.lon, self.rule, self.answer, self.work) = (lat, lon, rule, answer, work)
    found = LocatedColumns(capacity: lat.count, hasRows: hasRows)
    var (nearest, neighbours) = (answer.index.nearestCities(axes), Neighbours())
    while found.count < lat.count {
      let start = found.count
      let some = min(lat.count - start, NearestItems.size)
      if case .nearest = rule {
        // The result for an invalid position is ignored.
        for lane in 0..<some { nearest.set(point(start + lane) ?? GeoPoint(latitude: 0, longitude: 0), at: lane) }
        let cities = nearest.search(count: some)
        for lane in 0..<some {
          if let city = cities[lane], let point = point(start + lane) {
            found.add(city.item, city.metres, answer.index)
            found.add(CountryMap.shipped.country(at: point))
          } else {
            try await find(start + lane, &neighbours, budget)
          }
        }
      } else {
        for index in start..<(start + some) { try await find(index, &neighbours, budget) }
      }
      try await budget.check(Self.steps + nearest.visited * Self.leafSteps)
    }
    guard let dictionary = found.dictionary else { return }
    rows = try await RowBuffer(dictionary.ranks.lazy.map { Int($0) }, [], answer.generation, budget)
  }

  /// The position at an index; `nil` if it is invalid.
  @inline(__always)
  private func point(_ index: Int) -> GeoPoint? {
    let (latitude, longitude) = (lat[index], lon[index])
    // The comparisons are false for NaN, too.
    return abs(latitude) <= 90 && abs(longitude) <= 180 ? GeoPoint(latitude: latitude, longitude: longitude) : nil
  }

  /// Finds the city at the position of an index, even if many are equally far away.
  private mutating func find(
    _ index: Int, _ neighbours: inout Neighbours, _ budget: Budget
  ) async throws {
    guard let point = point(index) else {
      found.addNothing()
      return found.add(PointCountry(letters: 0, isCertain: false))
    }
    let search = answer.index.nearSearch(point, rule)
    search.begin(limit: 1, radius: .infinity, into: &neighbours)
    try await search.finish(into: &neighbours, budget)
    work -= neighbours.work
    guard work >= 0 else {
      throw WireError(
        .tooExpensive, "these positions have too many cities around them; send fewer positions",
        data: ErrorData(limit: "locate-work", maximum: UInt64(Self.maximumWork)))
    }
    if neighbours.count > 0 {
      found.add(neighbours[0].item, neighbours[0].metres, answer.index)
    } else {
      found.addNothing()
    }
    found.add(CountryMap.shipped.country(at: point))
  }

  /// Writes the reply.
  borrowing func write(into reply: inout CBORWriter) throws(WireError) {
    try reply.writeMap(CityLocate.Reply.CodingKeys.self) { (map) throws(WireError) in
      map.write(.ids, TypedArray(found.ids))
      rows?.write(.rows, into: &map)
      map.write(.asOf, answer.sources?.asOf)
      map.write(.index, (found.dictionary?.places).map { TypedArray($0) })
      map.write(.metres, TypedArray(found.metres))
      map.write(.certain, TypedArray(found.certain))
      try map.write(.sources, encoding: answer.sources)
      map.write(.countries) { reply in found.countries.withUnsafeBytes { reply.writeText(utf8: $0) } }
      map.write(.generation, answer.generation.name)
    }
  }
}
