import CBOR
import Cities
import CitiesProtocol
import FrameService
import Resident
import Text

/// `city.search`, the hot path: parameters are read in place, rows are copied as they stand in the index, nothing is
/// allocated.
final class CitySearchHandler: RequestHandler {
  let method = CitySearch.method
  let readsAllOfItsParams = true
  private let cities: ResidentSubject<ResidentCities>
  private let folder = Folder()
  private let countryFolder = Folder()
  // Lent once a request by the one thread there is: a check at run time would find nothing.
  @exclusivity(unchecked) private var matches = CityMatches()

  init(_ cities: ResidentSubject<ResidentCities>) { self.cities = cities }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let params = try CitySearchParams(request.params, request.limits)
    let generation = try cities.generation(for: request, named: params.generation)
    let isInPlace = Self.search(
      fold(params.prefix, params.match, generation.data.index), params,
      country: params.country.map { fold($0, generation.data.index) }, generation, &matches, into: &reply)
    return isInPlace ? .written : .sliced(CityPopulationWork(matches, params, generation))
  }

  /// Matches that are put in the order of inhabitants at once, in less than 100 µs.
  static let sortedInPlace = 8_192

  /// The folded query; a text that no title begins with for one that is longer than all titles.
  private func fold(
    _ prefix: UnsafeRawBufferPointer, _ match: MatchMode, _ index: CityIndex
  ) -> UnsafeRawBufferPointer {
    let (mode, titles): (FoldMode, CityMatchMode) = match == .folded ? (.baseLetters, .folded) : (.plain, .plain)
    return folder.fold(prefix, mode, atMost: index.longestTitle(titles)) ?? Self.unmatched
  }

  private func fold(_ country: UnsafeRawBufferPointer, _ index: CityIndex) -> UnsafeRawBufferPointer {
    countryFolder.fold(country, .plain, atMost: index.longestTitle(.plain)) ?? Self.unmatched
  }

  /// A zero byte, which no title and no country has.
  private static var unmatched: UnsafeRawBufferPointer {
    let byte: StaticString = "\0"
    return UnsafeRawBufferPointer(start: byte.utf8Start, count: 1)
  }

  /// Searches and writes the reply, unless putting its rows in order takes too long; whether it did.
  ///
  /// `matches` is borrowed once for all of it: reading it from the handler each time would copy it each time.
  private static func search(
    _ query: UnsafeRawBufferPointer, _ params: CitySearchParams, country: UnsafeRawBufferPointer?,
    _ generation: ServedGeneration<ResidentCities>, _ matches: inout CityMatches, into reply: inout CBORWriter
  ) -> Bool {
    let index = generation.data.index
    index.search(query, mode: params.match == .folded ? .folded : .plain, country: country, into: &matches)
    guard params.sort == .population else {
      writeStart(matches, params.offset, params.limit, into: &reply)
      index.withRows(matches, offset: params.offset, limit: params.limit) { reply.writeEncoded($0) }
      writeEnd(matches, generation, into: &reply)
      return true
    }
    guard matches.total <= sortedInPlace || params.limit == 0 else { return false }
    writeStart(matches, params.offset, params.limit, into: &reply)
    index.withRowsByPopulation(&matches, offset: params.offset, limit: params.limit) { reply.writeEncoded($0) }
    writeEnd(matches, generation, into: &reply)
    return true
  }

  /// Writes what comes before the rows; keys in deterministic order, shorter ones first.
  @inline(__always)
  static func writeStart(_ matches: CityMatches, _ offset: Int, _ limit: Int, into reply: inout CBORWriter) {
    // A map of four pairs; keys with their heads: "d" begins a text of 4 bytes, "j" one of 10.
    reply.writeMap(count: 4)
    reply.writeEncoded("drows")
    reply.writeArray(count: matches.rows(offset: offset, limit: limit))
  }

  /// Writes what comes after the rows.
  @inline(__always)
  static func writeEnd(
    _ matches: CityMatches, _ generation: ServedGeneration<ResidentCities>, into reply: inout CBORWriter
  ) {
    reply.writeEncoded("etotal")
    reply.writeUnsigned(UInt64(matches.total))
    reply.writeEncoded("fcommon")
    matches.withCommon { reply.writeText(utf8: $0) }
    reply.writeEncoded("jgeneration")
    generation.encodedName.withUnsafeBytes { reply.writeEncoded($0) }
  }
}

/// A page of very many matches by population.
final class CityPopulationWork: SlicedWork {
  private let matches: CityMatches
  private let offset: Int
  private let limit: Int
  private let generation: ServedGeneration<ResidentCities>
  private var page: PopulationPage

  init(_ matches: CityMatches, _ params: CitySearchParams, _ generation: ServedGeneration<ResidentCities>) {
    (self.matches, self.generation, offset, limit) = (matches, generation, params.offset, params.limit)
    page = PopulationPage(matches, offset: offset, limit: limit)
  }

  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
    while page.step(generation.data.index) {
      if slice.isOver() { return false }
    }
    return true
  }

  func write(into reply: inout CBORWriter) throws(WireError) {
    CitySearchHandler.writeStart(matches, offset, limit, into: &reply)
    page.withRows(generation.data.index) { reply.writeEncoded($0) }
    CitySearchHandler.writeEnd(matches, generation, into: &reply)
  }
}
