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
    reply.writeTogether(atMost: 16) { items in
      items.append(0xA4)
      items.writeEncoded("drows")
      items.writeArray(count: matches.rows(offset: params.offset, limit: params.limit))
    }
    if params.sort == .population {
      index.withRowsByPopulation(&matches, offset: params.offset, limit: params.limit) { reply.writeEncoded($0) }
    } else {
      index.withRows(matches, offset: params.offset, limit: params.limit) { reply.writeEncoded($0) }
    }
    reply.writeTogether(atMost: 64 + matches.common.count + generation.encodedName.count) { items in
      items.writeEncoded("etotal")
      items.writeUnsigned(UInt64(matches.total))
      items.writeEncoded("fcommon")
      matches.common.withUnsafeBytes { items.writeText(utf8: $0) }
      items.writeEncoded("jgeneration")
      generation.encodedName.withUnsafeBytes { items.writeEncoded($0) }
    }
  }
}
