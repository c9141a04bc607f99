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
    guard let query = folder.fold(params.prefix, params.match == .folded ? .baseLetters : .plain) else {
      throw .invalidParam("prefix", "expected UTF-8")
    }
    Self.search(query, params, country: params.country.flatMap(fold), generation, &matches, into: &reply)
    return .written
  }

  private func fold(_ country: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    countryFolder.fold(country, .plain)
  }

  /// Searches and writes the reply; keys in deterministic order, shorter ones first.
  ///
  /// `matches` is lent once for all of it: reading it from the handler each time would copy it each time.
  private static func search(
    _ query: UnsafeRawBufferPointer, _ params: CitySearchParams, country: UnsafeRawBufferPointer?,
    _ generation: ServedGeneration<ResidentCities>, _ matches: inout CityMatches, into reply: inout CBORWriter
  ) {
    let index = generation.data.index
    index.search(query, mode: params.match == .folded ? .folded : .plain, country: country, into: &matches)
    // A map of four pairs; keys with their heads: "d" begins a text of 4 bytes, "j" one of 10.
    reply.writeMap(count: 4)
    reply.writeEncoded("drows")
    reply.writeArray(count: matches.rows(offset: params.offset, limit: params.limit))
    if params.sort == .population {
      index.withRowsByPopulation(&matches, offset: params.offset, limit: params.limit) { reply.writeEncoded($0) }
    } else {
      index.withRows(matches, offset: params.offset, limit: params.limit) { reply.writeEncoded($0) }
    }
    reply.writeEncoded("etotal")
    reply.writeUnsigned(UInt64(matches.total))
    reply.writeEncoded("fcommon")
    matches.withCommon { reply.writeText(utf8: $0) }
    reply.writeEncoded("jgeneration")
    generation.encodedName.withUnsafeBytes { reply.writeEncoded($0) }
  }
}
