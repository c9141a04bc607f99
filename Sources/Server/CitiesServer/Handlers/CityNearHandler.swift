import CBOR
import Cities
import CitiesProtocol
import FrameService
import Geodesy
import Resident

/// `city.near`: the cities nearest to a place.
final class CityNearHandler: RequestHandler {
  let method = CityNear.method
  private let cities: ResidentSubject<ResidentCities>
  private var finder = CityFinder()
  private var neighbours = Neighbours()

  init(_ cities: ResidentSubject<ResidentCities>) { self.cities = cities }

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
    generation.data.index.near(origin, limit: Int(limit), radius: radius, into: &neighbours)
    try write(origin, generation, into: &reply)
    return .written
  }

  /// Writes the reply; keys in deterministic order, shorter ones first.
  private func write(
    _ origin: GeoPoint, _ generation: ServedGeneration<ResidentCities>, into reply: inout CBORWriter
  ) throws(WireError) {
    reply.writeMap(count: 3)
    reply.writeKey("rows")
    reply.writeArray(count: neighbours.count)
    for position in 0..<neighbours.count {
      let (rank, metres) = neighbours[position]
      reply.writeMap(count: 2)
      reply.writeKey("city")
      reply.writeEncoded(generation.data.index.row(at: rank))
      reply.writeKey("distance")
      reply.writeUnsigned(UInt64(metres))
    }
    reply.writeKey("origin")
    try reply.write(Position(lat: origin.latitude, lon: origin.longitude))
    reply.writeKey("generation")
    generation.encodedName.withUnsafeBytes { reply.writeEncoded($0) }
  }
}
