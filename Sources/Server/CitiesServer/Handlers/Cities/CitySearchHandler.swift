import CBOR
import Cities
import CitiesProtocol
import FrameService
import Resident
import Text

/// `city.search`, the hot path: parameters are parsed in place, rows are copied from the index unchanged, and nothing
/// is allocated.
final class CitySearchHandler: RequestHandler {
  let method = CitySearch.method
  private let cities: ResidentSubject<ResidentCities>
  private let feeds: FeedReports
  private let folder = CaseFolder()
  private let countryFolder = CaseFolder()
  // Used once per request, and only by the loop thread: a run-time check of exclusivity would be useless.
  @exclusivity(unchecked) private var matches = CityMatches()

  init(_ cities: ResidentSubject<ResidentCities>, _ feeds: FeedReports) { (self.cities, self.feeds) = (cities, feeds) }

  func read(_ request: UncheckedRequest) throws(WireError) -> CitySearchParams {
    try request.read(CitySearchParams.init)
  }

  func answer(
    _ params: CitySearchParams, for caller: Caller, into reply: inout CBORWriter
  ) throws(WireError) -> Answer {
    // Not retained: retain and release are atomic operations, each a twentieth of a search. The subject keeps the
    // generation until the request is answered.
    let generation = Unmanaged.passUnretained(try cities.generation(for: caller, named: params.generation))
    let isWritten = generation._withUnsafeGuaranteedRef { generation in
      Unmanaged.passUnretained(generation.data.index)._withUnsafeGuaranteedRef { index in
        search(params, country: params.country.map { Self.fold($0, .plain, index, countryFolder) }, index)
        if matches.total == 0, let country = params.country { search(params, countryCalled: country, index) }
        guard generation.isProved, generation.place == 0, params.isPlainPage, !matches.ranks.isEmpty else {
          return false
        }
        Self.write(params, index, &matches, generation.digits, into: &reply)
        return true
      }
    }
    return isWritten ? .written : try answerOther(params, generation.takeUnretainedValue(), into: &reply)
  }

  @inline(__always)
  private func search(_ params: CitySearchParams, country: UnsafeRawBufferPointer?, _ index: CityIndex) {
    index.search(
      Self.fold(params.prefix, params.match, index, folder), mode: params.match == .folded ? .folded : .plain,
      country: country, into: &matches)
  }

  /// Searches in a country by its name, if a name was given instead of a code.
  @inline(never)
  private func search(_ params: CitySearchParams, countryCalled name: UnsafeRawBufferPointer, _ index: CityIndex) {
    guard let key = countryFolder.fold(name, .words, atMost: CityIndex.longestQuery),
      let code = index.countryCode(called: key)
    else { return }
    search(params, country: code, index)
  }

  /// A folded text; if it is longer than any title, a text that matches none.
  private static func fold(
    _ text: UnsafeRawBufferPointer, _ match: MatchMode, _ index: CityIndex, _ folder: CaseFolder
  ) -> UnsafeRawBufferPointer {
    match == .folded
      ? folder.fold(text, .baseLetters, atMost: index.longestTitle(.folded)) ?? unmatched
      : folder.fold(text, .plain, atMost: index.longestTitle(.plain)) ?? unmatched
  }

  /// A zero byte, which no title and no country contains.
  private static var unmatched: UnsafeRawBufferPointer {
    let byte: StaticString = "\0"
    return UnsafeRawBufferPointer(start: byte.utf8Start, count: 1)
  }

  /// Writes the usual reply: checked rows in one slice of the file, without sources.
  ///
  /// It writes the same as ``answerOther(_:_:into:)``, with one check of the buffer. `matches` is `inout` only to avoid
  /// a copy.
  @inline(__always)
  private static func write(
    _ params: CitySearchParams, _ index: CityIndex, _ matches: inout CityMatches, _ generation: SIMD16<UInt8>,
    into reply: inout CBORWriter
  ) {
    let ranks = matches.ranks
    let count = matches.rows(offset: params.offset, limit: params.limit)
    // An offset past the last row has a count of 0, so its rows are empty anyway.
    let first = ranks.lowerBound &+ min(params.offset, ranks.count)
    let (total, rows) = (UInt64(bitPattern: Int64(matches.total)), index.rows(in: first..<(first &+ count)))
    matches.withCommon { common in
      reply.write(atMost: besideRows &+ rows.count &+ common.count) { cursor in
        cursor.writeHead(.map, 4)
        cursor.writeEncoded("drows")
        cursor.writeHead(.array, UInt64(bitPattern: Int64(count)))
        cursor.writeEncoded(rows)
        cursor.writeEncoded("etotal")
        cursor.writeHead(.unsigned, total)
        cursor.writeEncoded("fcommon")
        cursor.writeText(utf8: common)
        // "p" starts a text of 16 bytes.
        cursor.writeEncoded("jgenerationp")
        cursor.writeEncoded(generation)
      }
    }
  }

  /// The maximum number of bytes of a reply besides its rows and its common text: four heads, the keys, and the
  /// generation.
  private static let besideRows = 4 * CBORCursor.headBytes + 5 + 6 + 7 + 12 + 16

  /// Writes any other reply; rows in their stored form are written in as few slices as possible.
  @inline(never)
  private func answerOther(
    _ params: CitySearchParams, _ generation: ServedGeneration<ResidentCities>, into reply: inout CBORWriter
  ) throws(WireError) -> Answer {
    let answer = CityAnswer(generation, wantsSources: params.provenance, feeds)
    guard generation.isProved, params.parts.isEmpty, params.sort == .key else {
      return try CitySearchPage.answer(params, matches, answer, into: &reply)
    }
    try CitySearchPage.write(answer, matches, into: &reply) { map in
      map.write(.rows) { reply in
        reply.writeArray(count: matches.rows(offset: params.offset, limit: params.limit))
        answer.index.withRows(matches, offset: params.offset, limit: params.limit) { reply.writeEncoded($0) }
      }
    }
    return .written
  }
}
