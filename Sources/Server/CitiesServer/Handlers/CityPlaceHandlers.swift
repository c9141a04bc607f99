import CBOR
import Cities
import CitiesProtocol
import FrameService
import Geodesy
import Resident

/// `city.get`: one city, by id or by title.
final class CityGetHandler: RequestHandler {
  let method = CityGet.method
  private let cities: ResidentSubject<ResidentCities>
  private let feeds: FeedReports
  private var finder = CityFinder()

  init(_ cities: ResidentSubject<ResidentCities>, _ feeds: FeedReports) { (self.cities, self.feeds) = (cities, feeds) }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let params = try request.decode(CityGet.self)
    let generation = try cities.generation(for: request, named: nil)
    let index = generation.data.index
    let rank = try find(params, index)
    let sources = CityProvenance(generation, isWanted: params.provenance ?? false, feeds)
    reply.writeMap(count: 2 + (sources?.pairs ?? 0))
    reply.writeKey("city")
    try generation.writeRow(rank, into: &reply)
    try sources?.writeAsOf(into: &reply)
    try sources?.writeSources(into: &reply)
    reply.writeKey("generation")
    generation.encodedName.withUnsafeBytes { reply.writeEncoded($0) }
    return .written
  }

  private func find(_ params: CityGet, _ index: CityIndex) throws(WireError) -> Int {
    switch (params.id, params.title) {
    case (let id?, nil): return try finder.rank(id: id, index)
    case (nil, let title?): return try finder.rank(title: title, near: params.near, index)
    default: throw .invalidParam("id", "expected exactly one of \"id\" and \"title\"")
    }
  }
}

/// `city.near`: the cities nearest to a place.
final class CityNearHandler: RequestHandler {
  let method = CityNear.method
  private let cities: ResidentSubject<ResidentCities>
  private let feeds: FeedReports
  private var finder = CityFinder()
  private var neighbours = Neighbours()

  init(_ cities: ResidentSubject<ResidentCities>, _ feeds: FeedReports) { (self.cities, self.feeds) = (cities, feeds) }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let params = try request.decode(CityNear.self)
    let limit = params.limit ?? CityNear.defaultLimit
    guard limit <= CityNear.maximumLimit else {
      throw .invalidParam("limit", "\(limit) is more than \(CityNear.maximumLimit)")
    }
    let radius = params.radius ?? .infinity
    guard radius >= 0 else { throw .invalidParam("radius", "\(radius) is less than 0") }
    let generation = try cities.generation(for: request, named: nil)
    let origin = try finder.point(of: params.place, "place", generation.data.index)
    let sources = CityProvenance(generation, isWanted: params.provenance ?? false, feeds)
    let search = generation.data.index.nearSearch(origin)
    search.begin(limit: Int(limit), radius: radius, into: &neighbours)
    guard search.advance(nodes: Self.nodesInPlace, into: &neighbours, where: { _ in true }) else {
      return .sliced(CityNearWork(search, neighbours, generation, sources))
    }
    try CityNearWork.write(neighbours, from: origin, generation, sources, into: &reply)
    return .written
  }

  /// Nodes of the tree that are looked at at once, in about 100 µs: enough for a hundred neighbours anywhere.
  private static let nodesInPlace = 2_048
}

/// A search that takes longer: for very many neighbours, or where thousands of cities are equally far away.
final class CityNearWork: SlicedWork {
  /// Nodes looked at in one step of a slice.
  private static let nodesPerStep = 64

  private let search: PointSearch
  private var neighbours: Neighbours
  private let generation: ServedGeneration<ResidentCities>
  private let sources: CityProvenance?

  /// Continues `search`, which has found `neighbours` so far.
  init(
    _ search: PointSearch, _ neighbours: Neighbours, _ generation: ServedGeneration<ResidentCities>,
    _ sources: CityProvenance?
  ) {
    (self.search, self.neighbours, self.generation, self.sources) = (search, neighbours, generation, sources)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while !search.advance(nodes: Self.nodesPerStep, into: &neighbours, where: { _ in true }) {
      if slice.isOver() { return false }
    }
    return true
  }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try generation.requireInService()
    try Self.write(neighbours, from: search.origin, generation, sources, into: &reply)
  }

  /// Writes the reply; keys in deterministic order, shorter ones first.
  static func write(
    _ neighbours: Neighbours, from origin: GeoPoint, _ generation: ServedGeneration<ResidentCities>,
    _ sources: CityProvenance?, into reply: inout CBORWriter
  ) throws(WireError) {
    reply.writeMap(count: 3 + (sources?.pairs ?? 0))
    reply.writeKey("rows")
    reply.writeArray(count: neighbours.count)
    for position in 0..<neighbours.count {
      let (rank, metres) = neighbours[position]
      reply.writeMap(count: 2)
      reply.writeKey("city")
      try generation.writeRow(rank, into: &reply)
      reply.writeKey("distance")
      reply.writeUnsigned(UInt64(metres))
    }
    try sources?.writeAsOf(into: &reply)
    reply.writeKey("origin")
    try reply.write(Position(lat: origin.latitude, lon: origin.longitude))
    try sources?.writeSources(into: &reply)
    reply.writeKey("generation")
    generation.encodedName.withUnsafeBytes { reply.writeEncoded($0) }
  }
}
