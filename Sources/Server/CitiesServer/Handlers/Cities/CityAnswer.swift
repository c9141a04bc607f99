import CBOR
import Cities
import CitiesProtocol
import FrameService
import Resident

/// The cities from which handlers answer.
struct ServedCities {
  let subject: ResidentSubject<ResidentCities>
  /// The reports on their sources.
  let feeds: FeedReports

  /// The basis of the answer to a request; its reply names its sources if the request `wantsSources`.
  ///
  /// - Throws: `unavailable` without data.
  func answer(for caller: Caller, wantsSources: Bool?) throws(WireError) -> CityAnswer {
    CityAnswer(try subject.generation(for: caller, named: nil), wantsSources: wantsSources ?? false, feeds)
  }
}

/// The common part of replies about cities: their generation and its sources.
struct CityAnswer {
  let generation: ServedGeneration<ResidentCities>
  private let sources: CityProvenance?

  /// Answers from `generation`, without sources.
  init(_ generation: ServedGeneration<ResidentCities>) { (self.generation, sources) = (generation, nil) }

  /// Answers from `generation`; the reply names its sources if requested or necessary.
  init(_ generation: ServedGeneration<ResidentCities>, wantsSources: Bool, _ feeds: FeedReports) {
    self.generation = generation
    // Only a reply that may name them pays the cost.
    let mayName = wantsSources || generation.place > 0
    sources = mayName ? CityProvenance(generation, isWanted: wantsSources, feeds) : nil
  }

  var index: CityIndex { generation.data.index }

  /// The number of pairs in a reply with `others` and `generation`; few replies have `sources` and `as_of`.
  func pairs(besides others: Int) -> Int { others + 1 + (sources?.pairs ?? 0) }

  /// Writes `as_of`, if the reply has it; it sorts before longer keys.
  func writeAsOf(into reply: inout CBORWriter) throws(WireError) {
    if let sources { try reply.writeAsOf(of: sources.sources) }
  }

  /// Writes `sources`, if the reply has them; they sort before `generation`.
  func writeSources(into reply: inout CBORWriter) throws(WireError) {
    if let sources { try reply.writeSources(sources.sources) }
  }

  func writeGeneration(into reply: inout CBORWriter) { reply.writeGeneration(generation.digits) }
}

/// The pairs about the data in every reply; `as_of` sorts before longer keys.
extension CBORWriter {
  /// Appends `as_of`, if known.
  mutating func writeAsOf(of sources: Provenance) throws(WireError) {
    guard let asOf = sources.asOf else { return }
    writeKey("as_of")
    try write(asOf)
  }

  /// Appends `sources`.
  mutating func writeSources(_ sources: Provenance) throws(WireError) {
    writeKey("sources")
    try write(sources)
  }

  /// Appends `generation`, of 16 digits.
  mutating func writeGeneration(_ digits: SIMD16<UInt8>) {
    write(atMost: 11 + 1 + 16) { cursor in
      // "p" starts a text of 16 bytes.
      cursor.writeEncoded("jgenerationp")
      cursor.writeEncoded(digits)
    }
  }
}

/// The sources of the cities in a reply, for replies that name them.
///
/// Most do not, and pay nothing for it: as it is a class, they hold only an empty reference.
final class CityProvenance {
  let sources: Provenance

  /// The sources of `generation`, if requested (`isWanted`) or if the client should know that other data was expected.
  init?(_ generation: ServedGeneration<ResidentCities>, isWanted: Bool, _ feeds: FeedReports) {
    // The state folder's own file needs no mention, and has no fallback.
    let fallback = generation.fallback
    guard isWanted || fallback != nil else { return nil }
    if generation.place == 0 {
      sources = feeds.provenance(of: [.cities], held: [.cities], sample: false)
    } else {
      // An installed list is as old as its package, which no report covers.
      let report = feeds[.cities]
      sources = Provenance(
        feeds: [Provenance.Source(feed: .cities, stale: true, lastError: report?.lastError)], fallback: fallback)
    }
  }

  /// The number of additional pairs in the reply; `as_of` is left out if unknown.
  var pairs: Int { sources.asOf == nil ? 1 : 2 }
}
