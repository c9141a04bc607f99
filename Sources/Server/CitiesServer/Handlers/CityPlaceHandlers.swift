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
  private let finder = CityFinder()

  init(_ cities: ResidentSubject<ResidentCities>, _ feeds: FeedReports) { (self.cities, self.feeds) = (cities, feeds) }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let params = try request.decode(CityGet.self)
    let generation = try cities.generation(for: request, named: nil)
    let sources = CityProvenance(generation, isWanted: params.provenance ?? false, feeds)
    switch (params.id, params.title) {
    case (let id?, nil):
      try CityGetWork.write(try finder.rank(id: id, generation.data.index), generation, sources, into: &reply)
    case (nil, let title?):
      if let near = params.near { return .sliced(try nearest(title, near, generation, sources)) }
      try CityGetWork.write(try onlyCity(title, generation.data.index), generation, sources, into: &reply)
    default: throw .invalidParam("id", "expected exactly one of \"id\" and \"title\"")
    }
    return .written
  }

  /// The one city with `title`.
  ///
  /// - Throws: `not-found`, or `ambiguous` with the candidates.
  private func onlyCity(_ title: String, _ index: CityIndex) throws(WireError) -> Int {
    let matches = try finder.namesakes(title, index)
    guard matches.total == 1, let rank = index.rank(of: matches, at: 0) else {
      throw try CityFinder.ambiguous(title, matches, index)
    }
    return rank
  }

  /// Work on the question for the city with `title` that is nearest to a place.
  private func nearest(
    _ title: String, _ near: Place, _ generation: ServedGeneration<ResidentCities>, _ sources: CityProvenance?
  ) throws(WireError) -> any SlicedWork {
    let search = try finder.search(near, "near", generation.data.index)
    let makeWork = { [finder] (origin: GeoPoint) throws(WireError) -> any SlicedWork in
      let matches = try finder.namesakes(title, generation.data.index)
      return CityGetWork(NamesakeChoice(matches, .nearest(to: origin)), generation, sources)
    }
    return try search.point.map(makeWork) ?? PlacedWork(search, generation, makeWork)
  }
}

/// Chooses the city of a title that is nearest to a place.
final class CityGetWork: SlicedWork {
  private var choice: NamesakeChoice
  private let generation: ServedGeneration<ResidentCities>
  private let sources: CityProvenance?

  init(_ choice: NamesakeChoice, _ generation: ServedGeneration<ResidentCities>, _ sources: CityProvenance?) {
    (self.choice, self.generation, self.sources) = (choice, generation, sources)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while choice.step(generation.data.index) {
      if slice.isOver() { return false }
    }
    return true
  }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try generation.requireInService()
    // Of matches that there are, one is nearest.
    try Self.write(choice.rank ?? generation.data.index.count, generation, sources, into: &reply)
  }

  /// Writes the reply; keys in deterministic order, shorter ones first.
  static func write(
    _ rank: Int, _ generation: ServedGeneration<ResidentCities>, _ sources: CityProvenance?,
    into reply: inout CBORWriter
  ) throws(WireError) {
    reply.writeMap(count: 2 + (sources?.pairs ?? 0))
    reply.writeKey("city")
    try generation.writeRow(rank, into: &reply)
    try sources?.writeAsOf(into: &reply)
    try sources?.writeSources(into: &reply)
    reply.writeKey("generation")
    generation.encodedName.withUnsafeBytes { reply.writeEncoded($0) }
  }
}
