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
  private let cities: ResidentSubject<ResidentCities>
  private let folder = Folder()
  private let countryFolder = Folder()
  private var matches = CityMatches()

  init(_ cities: ResidentSubject<ResidentCities>) { self.cities = cities }

  func answer(_ request: Request, into reply: inout CBORWriter) throws(WireError) -> Answer {
    let params = try CitySearchParams(request.params)
    let generation = try cities.generation(for: request, named: params.generation)
    let index = generation.data.index
    guard let query = folder.fold(params.prefix, params.match == .folded ? .baseLetters : .plain) else {
      throw .invalidParam("prefix", "expected UTF-8")
    }
    index.search(
      query, mode: params.match == .folded ? .folded : .plain, country: params.country.flatMap(fold), into: &matches)
    write(params, index, into: &reply)
    generation.encodedName.withUnsafeBytes { reply.writeEncoded($0) }
    return .written
  }

  private func fold(_ country: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    countryFolder.fold(country, .plain)
  }

  /// Writes the reply up to the value of `generation`; keys in deterministic order, shorter ones first.
  private func write(_ params: CitySearchParams, _ index: CityIndex, into reply: inout CBORWriter) {
    reply.writeMap(count: 4)
    reply.writeKey("rows")
    reply.writeArray(count: matches.rows(offset: params.offset, limit: params.limit))
    if params.sort == .population {
      index.withRowsByPopulation(&matches, offset: params.offset, limit: params.limit) { reply.writeEncoded($0) }
    } else {
      index.withRows(matches, offset: params.offset, limit: params.limit) { reply.writeEncoded($0) }
    }
    reply.writeKey("total")
    reply.writeUnsigned(UInt64(matches.total))
    reply.writeKey("common")
    matches.common.withUnsafeBytes { reply.writeText(utf8: $0) }
    reply.writeKey("generation")
  }
}
