import CBOR
import Cities
import CitiesProtocol
import FrameService
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
