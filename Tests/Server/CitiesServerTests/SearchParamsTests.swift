import CBOR
import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesServer

@Suite struct SearchParamsTests {
  /// The request, whichever reader it came from.
  struct Asked: Equatable {
    var prefix: [UInt8], country: [UInt8]?, generation: [UInt8]?
    var match: MatchMode, sort: CitySearch.Sort
    var offset: Int, limit: Int
    var provenance: Bool, parts: CityParts
  }

  /// Reads parameters in place, as the hot path does.
  static func inPlace(_ bytes: [UInt8]) -> Asked? {
    bytes.withUnsafeBytes { bytes in
      var reader = CBORReader(bytes)
      // The service demands the end.
      guard let params = try? CitySearchParams(&reader), reader.isAtEnd else { return nil }
      return Asked(
        prefix: Array(params.prefix), country: params.country.map(Array.init),
        generation: params.generation.map(Array.init), match: params.match, sort: params.sort, offset: params.offset,
        limit: params.limit, provenance: params.provenance, parts: params.parts)
    }
  }

  /// Reads parameters as a message.
  static func asMessage(_ bytes: [UInt8]) -> Asked? {
    guard let search = try? CBORDecoder().decode(CitySearch.self, from: bytes) else { return nil }
    let limit = search.limit ?? CitySearch.defaultLimit
    guard limit <= CitySearch.maximumLimit else { return nil }
    return Asked(
      prefix: Array(search.prefix.utf8), country: search.country.map { Array($0.utf8) },
      generation: search.generation.map { Array($0.utf8) }, match: search.match ?? .plain, sort: search.sort ?? .key,
      offset: Int(clamping: search.offset ?? 0), limit: Int(limit), provenance: search.provenance ?? false,
      parts: CityParts(search.with))
  }

  static let corpus: [[UInt8]] = {
    var searches = [
      CitySearch(prefix: ""), CitySearch(prefix: "al", offset: 1 << 40, limit: 1_000),
      CitySearch(prefix: "al", provenance: true, with: [.region]),
      CitySearch(prefix: "al", sort: .population, with: [.alternates, .zone, .alternates]),
      CitySearch(prefix: "al", sort: .population, provenance: true, with: []),
    ]
    for match in [nil, MatchMode.plain, .folded] {
      for sort in [nil, CitySearch.Sort.key, .population] {
        searches.append(
          CitySearch(
            prefix: "são p", match: match, country: "BR", sort: sort, offset: 3, limit: 50,
            generation: "00ff00ff00ff00ff"))
      }
    }
    return searches.compactMap { try? CBOREncoder().encode($0) }
  }()

  @Test func `parameters read in place are those of the message`() {
    for bytes in Self.corpus { #expect(Self.inPlace(bytes) != nil && Self.inPlace(bytes) == Self.asMessage(bytes)) }
  }

  @Test(arguments: Mutations.parts(of: .params))
  func `mutated parameters read in place are those of the message, or both are refused`(part: Mutations) throws {
    try expectSame(part, Self.corpus, Self.inPlace, Self.asMessage)
  }
}
