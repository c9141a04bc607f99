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
    let answer = CityGetAnswer(
      generation, CityParts(params.with).union(.region),
      CityProvenance(generation, isWanted: params.provenance ?? false, feeds))
    switch (params.id, params.title) {
    case (let id?, nil):
      return try answer.write(try finder.rank(id: id, generation.data.index), into: &reply)
    case (nil, let title?):
      if let near = params.near { return .sliced(try nearest(title, near, answer)) }
      return try answer.write(try onlyCity(title, generation.data.index), into: &reply)
    default: throw .invalidParam("id", "expected exactly one of \"id\" and \"title\"")
    }
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
    _ title: String, _ near: Place, _ answer: CityGetAnswer
  ) throws(WireError) -> any SlicedWork {
    let index = answer.generation.data.index
    let search = try finder.search(near, "near", index)
    let makeWork = { [finder] (origin: GeoPoint) throws(WireError) -> any SlicedWork in
      CityGetWork(NamesakeChoice(try finder.namesakes(title, index), .nearest(to: origin)), answer)
    }
    return try search.point.map(makeWork) ?? PlacedWork(search, answer.generation, makeWork)
  }
}

/// Chooses the city of a title that is nearest to a place, and collects what is wanted of it.
final class CityGetWork: SlicedWork {
  private var choice: NamesakeChoice?
  private var chosen: Int?
  private var rows: DetailedRows?
  private let answer: CityGetAnswer

  /// The city that `choice` will choose.
  init(_ choice: NamesakeChoice, _ answer: CityGetAnswer) { (self.choice, self.answer) = (choice, answer) }

  /// The city at `rank`.
  init(_ rank: Int, _ answer: CityGetAnswer) { (chosen, self.answer) = (rank, answer) }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while choice?.step(answer.generation.data.index) == true {
      if slice.isOver() { return false }
    }
    if rows == nil { rows = DetailedRows([rank], answer.parts, answer.generation) }
    return try rows?.collect(&slice) ?? true
  }

  /// Of matches that there are, one is nearest.
  private var rank: Int { chosen ?? choice?.rank ?? answer.generation.data.index.count }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try answer.generation.requireInService()
    try answer.write(rank, rows, into: &reply)
  }
}

/// How the reply of `city.get` is written.
struct CityGetAnswer {
  /// The data that is read.
  let generation: ServedGeneration<ResidentCities>
  /// What the city says.
  let parts: CityParts
  private let sources: CityProvenance?

  init(_ generation: ServedGeneration<ResidentCities>, _ parts: CityParts, _ sources: CityProvenance?) {
    (self.generation, self.parts, self.sources) = (generation, parts, sources)
  }

  /// Answers with the city at `rank`: at once, unless its other names are wanted.
  func write(_ rank: Int, into reply: inout CBORWriter) throws(WireError) -> Answer {
    guard !parts.contains(.alternates) else { return .sliced(CityGetWork(rank, self)) }
    try write(rank, nil, into: &reply)
    return .written
  }

  /// Writes the reply; keys in deterministic order, shorter ones first.
  func write(_ rank: Int, _ rows: DetailedRows?, into reply: inout CBORWriter) throws(WireError) {
    reply.writeMap(count: 2 + (sources?.pairs ?? 0))
    reply.writeKey("city")
    try (rows ?? DetailedRows([], parts, generation)).write(rank, into: &reply)
    try sources?.writeAsOf(into: &reply)
    try sources?.writeSources(into: &reply)
    reply.writeKey("generation")
    generation.encodedName.withUnsafeBytes { reply.writeEncoded($0) }
  }
}
