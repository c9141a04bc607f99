import Banks
import CBOR
import CitiesProtocol
import FrameService
import Geodesy
import Resident

/// `bank.near`: the locations nearest to a place, which may be a city.
final class BankNearHandler: RequestHandler {
  let method = BankNear.method
  private let banks: ResidentSubject<ResidentBanks>
  private let feeds: FeedReports
  private let cities: ResidentSubject<ResidentCities>
  private var finder = CityFinder()
  private var neighbours = Neighbours()

  init(
    _ banks: ResidentSubject<ResidentBanks>, _ feeds: FeedReports, _ cities: ResidentSubject<ResidentCities>
  ) {
    (self.banks, self.feeds, self.cities) = (banks, feeds, cities)
  }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let params = try request.decode(BankNear.self)
    let limit = try limitInRange(params.limit, BankNear.defaultLimit, maximum: BankNear.maximumLimit)
    let radius = params.radius ?? .infinity
    guard radius >= 0 else { throw .invalidParam("radius", "\(radius) is less than 0") }
    let generation = try banks.generation(for: request, named: nil)
    let question = try BankQuestion(params.filter, generation.data.zones)
    let origin = try point(of: params.place, request)
    let answer = BankAnswer(generation, at: question.moment, feeds)
    do throws(BankFilterProblem) {
      try answer.index.near(origin, limit: Int(limit), radius: radius, question.filter, into: &neighbours)
    } catch {
      throw WireError(error)
    }
    try write(origin, answer, into: &reply)
    return .written
  }

  /// Only a place that is called like a city needs cities.
  private func point(of place: Place, _ request: Request) throws(WireError) -> GeoPoint {
    if let position = place.at, place.id == nil, place.title == nil { return try finder.point(position, "place") }
    return try finder.point(of: place, "place", try cities.generation(for: request, named: nil).data.index)
  }

  /// Writes the reply; keys in deterministic order, shorter ones first.
  private func write(_ origin: GeoPoint, _ answer: BankAnswer, into reply: inout CBORWriter) throws(WireError) {
    reply.writeMap(count: answer.pairs(besides: 2))
    reply.writeKey("rows")
    reply.writeArray(count: neighbours.count)
    for position in 0..<neighbours.count {
      let (rank, metres) = neighbours[position]
      answer.writeEntry(rank, metres: metres, into: &reply)
    }
    try answer.writeAsOf(into: &reply)
    reply.writeKey("origin")
    try reply.write(Position(lat: origin.latitude, lon: origin.longitude))
    try answer.writeEnd(into: &reply)
  }
}
