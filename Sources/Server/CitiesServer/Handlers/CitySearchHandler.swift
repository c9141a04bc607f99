import CBOR
import Cities
import CitiesProtocol
import FrameService
import Resident
import Text

/// `city.search`, the hot path: parameters are read in place, rows are copied as they stand in the index, nothing is
/// allocated.
final class CitySearchHandler: StrictRequestHandler {
  let method = CitySearch.method
  private let cities: ResidentSubject<ResidentCities>
  private let feeds: FeedReports
  private let folder = Folder()
  private let countryFolder = Folder()
  // Lent once a request by the one thread there is: a check at run time would find nothing.
  @exclusivity(unchecked) private var matches = CityMatches()

  init(_ cities: ResidentSubject<ResidentCities>, _ feeds: FeedReports) { (self.cities, self.feeds) = (cities, feeds) }

  func read(_ params: inout CBORReader) throws(WireError) -> CitySearchParams { try CitySearchParams(&params) }

  func answer(
    _ params: CitySearchParams, for caller: Caller, into reply: inout CBORWriter
  ) throws(WireError) -> Answer {
    let generation = try cities.generation(for: caller, named: params.generation)
    // Most replies say nothing of their sources: only the others pay for that.
    let sources =
      params.provenance || generation.place > 0
      ? CityProvenance(generation, isWanted: params.provenance, feeds).map(CityPage.Sources.init) : nil
    let page = CityPage(params, generation, sources)
    let isInPlace = try Self.search(
      fold(params.prefix, params.match, generation), params, country: params.country.map { fold($0, generation) },
      page, &matches, into: &reply)
    return isInPlace ? .written : .sliced(CityPopulationWork(matches, page))
  }

  /// Matches that are put in the order of inhabitants at once, in less than 100 µs.
  static let sortedInPlace = 8_192

  /// The folded query; a text that no title begins with for one that is longer than all titles.
  private func fold(
    _ prefix: UnsafeRawBufferPointer, _ match: MatchMode, _ generation: ServedGeneration<ResidentCities>
  ) -> UnsafeRawBufferPointer {
    let (mode, titles): (FoldMode, CityMatchMode) = match == .folded ? (.baseLetters, .folded) : (.plain, .plain)
    return folder.fold(prefix, mode, atMost: generation.data.index.longestTitle(titles)) ?? Self.unmatched
  }

  private func fold(
    _ country: UnsafeRawBufferPointer, _ generation: ServedGeneration<ResidentCities>
  ) -> UnsafeRawBufferPointer {
    countryFolder.fold(country, .plain, atMost: generation.data.index.longestTitle(.plain)) ?? Self.unmatched
  }

  /// A zero byte, which no title and no country has.
  private static var unmatched: UnsafeRawBufferPointer {
    let byte: StaticString = "\0"
    return UnsafeRawBufferPointer(start: byte.utf8Start, count: 1)
  }

  /// Searches and writes the reply; returns false, with nothing written, if ordering the rows takes too long for that.
  ///
  /// `matches` is borrowed once for all of it: reading it from the handler each time would copy it each time.
  private static func search(
    _ query: UnsafeRawBufferPointer, _ params: CitySearchParams, country: UnsafeRawBufferPointer?, _ page: CityPage,
    _ matches: inout CityMatches, into reply: inout CBORWriter
  ) throws(WireError) -> Bool {
    let index = page.generation.data.index
    index.search(query, mode: params.match == .folded ? .folded : .plain, country: country, into: &matches)
    guard params.sort == .population else {
      try page.write(&matches, into: &reply) { index.withRows($0, offset: page.offset, limit: page.limit, $1) }
      return true
    }
    guard matches.total <= sortedInPlace || page.limit == 0 else { return false }
    try page.write(&matches, into: &reply) {
      index.withRowsByPopulation(&$0, offset: page.offset, limit: page.limit, $1)
    }
    return true
  }
}

/// The page that a `city.search` asks for, and how its reply is written.
///
/// It holds numbers and two references, so that passing it on costs next to nothing.
struct CityPage {
  /// What a reply says of its sources, allocated only for replies that do.
  final class Sources {
    fileprivate let value: CityProvenance

    init(_ value: CityProvenance) { self.value = value }
  }

  /// Matches to leave out.
  let offset: Int
  /// Rows at most.
  let limit: Int
  /// What is read.
  let generation: ServedGeneration<ResidentCities>
  /// What the reply says of its sources, if it says anything.
  private let sources: Sources?

  init(_ params: CitySearchParams, _ generation: ServedGeneration<ResidentCities>, _ sources: Sources?) {
    (offset, limit, self.generation, self.sources) = (params.offset, params.limit, generation, sources)
  }

  /// Writes the reply, keys in deterministic order, shorter ones first; `rows` hands out the rows of the page.
  ///
  /// - Throws: `unavailable` if rows that are not proved yet are not rows; the file is out of service then.
  @inline(__always)
  func write(
    _ matches: inout CityMatches, into reply: inout CBORWriter,
    _ rows: (inout CityMatches, _ append: (UnsafeRawBufferPointer) -> Void) -> Void
  ) throws(WireError) {
    let count = matches.rows(offset: offset, limit: limit)
    // Keys with their heads: "d" begins a text of 4 bytes, "j" one of 10.
    reply.writeMap(count: 4 + (sources?.value.pairs ?? 0))
    reply.writeEncoded("drows")
    reply.writeArray(count: count)
    if generation.isProved {
      rows(&matches) { reply.writeEncoded($0) }
    } else {
      try generation.writeCheckedRows(&matches, count: count, into: &reply, rows)
    }
    try sources?.value.writeAsOf(into: &reply)
    reply.writeEncoded("etotal")
    reply.writeUnsigned(UInt64(matches.total))
    reply.writeEncoded("fcommon")
    matches.withCommon { reply.writeText(utf8: $0) }
    try sources?.value.writeSources(into: &reply)
    reply.writeEncoded("jgeneration")
    generation.encodedName.withUnsafeBytes { reply.writeEncoded($0) }
  }
}

/// A page of very many matches by population.
final class CityPopulationWork: SlicedWork {
  private var matches: CityMatches
  private let request: CityPage
  private var page: PopulationPage

  init(_ matches: CityMatches, _ request: CityPage) {
    (self.matches, self.request) = (matches, request)
    page = PopulationPage(matches, offset: request.offset, limit: request.limit)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while page.step(request.generation.data.index) {
      if slice.isOver() { return false }
    }
    return true
  }

  func write(into reply: inout CBORWriter) throws(WireError) {
    try request.generation.requireInService()
    let index = request.generation.data.index
    try request.write(&matches, into: &reply) { [page] in page.withRows(index, $1) }
  }
}
