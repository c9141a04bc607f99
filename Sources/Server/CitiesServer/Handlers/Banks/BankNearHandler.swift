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
      let search = try answer.index.nearSearch(origin, question.filter)
      return .sliced(BankNearWork(search, limit: Int(limit), radius: radius, answer))
    } catch {
      throw WireError(error)
    }
  }

  /// Only a place that is called like a city needs cities.
  private func point(of place: Place, _ request: Request) throws(WireError) -> GeoPoint {
    if let position = place.at, place.id == nil, place.title == nil { return try finder.point(position, "place") }
    return try finder.point(of: place, "place", try cities.generation(for: request, named: nil).data.index)
  }
}

/// Finds the nearest locations of a filter: where few are selected, all have to be looked at.
final class BankNearWork: SlicedWork {
  /// Locations looked at in one step of a slice.
  private static let nodesPerStep = 32

  private let answer: BankAnswer
  private var search: BankNearSearch
  private var neighbours = Neighbours()

  init(_ search: BankNearSearch, limit: Int, radius: Double, _ answer: BankAnswer) {
    (self.search, self.answer) = (search, answer)
    self.search.begin(limit: limit, radius: radius, into: &neighbours)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while !search.advance(nodes: Self.nodesPerStep, into: &neighbours) {
      if slice.isOver() { return false }
    }
    return true
  }

  /// Writes the reply; keys in deterministic order, shorter ones first.
  func write(into reply: inout CBORWriter) throws(WireError) {
    try answer.generation.requireInService()
    reply.writeMap(count: answer.pairs(besides: 2, unknownHours: search.unknownHours))
    reply.writeKey("rows")
    reply.writeArray(count: neighbours.count)
    let start = reply.count
    for position in 0..<neighbours.count {
      let (rank, metres) = neighbours[position]
      try answer.writeEntry(rank, metres: metres, into: &reply)
      try answer.checkSize(reply.count - start)
    }
    try answer.writeAsOf(into: &reply)
    reply.writeKey("origin")
    try reply.write(Position(lat: search.origin.latitude, lon: search.origin.longitude))
    try answer.writeEnd(into: &reply, unknownHours: search.unknownHours)
  }
}
