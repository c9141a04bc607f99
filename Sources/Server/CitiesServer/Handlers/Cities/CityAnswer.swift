import CBOR
import Cities
import CitiesProtocol
import FrameService
import Resident

/// The cities that handlers answer from.
struct ServedCities {
  private let subject: ResidentSubject<ResidentCities>
  private let feeds: FeedReports

  /// The files of `subject`, of whose sources `feeds` has reports.
  init(_ subject: ResidentSubject<ResidentCities>, _ feeds: FeedReports) {
    (self.subject, self.feeds) = (subject, feeds)
  }

  /// What the answer to a request starts from; its reply names its sources if the request `wantsSources`.
  ///
  /// - Throws: `unavailable` without data.
  func answer(for caller: Caller, wantsSources: Bool?) throws(WireError) -> CityAnswer {
    CityAnswer(try subject.generation(for: caller, named: nil), wantsSources: wantsSources ?? false, feeds)
  }
}

/// What the replies about cities have in common: the generation that they are read from, and what they say of its
/// sources.
struct CityAnswer {
  /// The generation that is read.
  let generation: ServedGeneration<ResidentCities>
  private let sources: CityProvenance?

  /// Answers from `generation`, and says nothing of its sources.
  init(_ generation: ServedGeneration<ResidentCities>) { (self.generation, sources) = (generation, nil) }

  /// Answers from `generation`; the reply names its sources if it ought to.
  init(_ generation: ServedGeneration<ResidentCities>, wantsSources: Bool, _ feeds: FeedReports) {
    self.generation = generation
    // Only a reply that may name them pays for that.
    let mayName = wantsSources || generation.place > 0
    sources = mayName ? CityProvenance(generation, isWanted: wantsSources, feeds) : nil
  }

  /// The index that is read.
  var index: CityIndex { generation.data.index }

  /// Pairs of a reply that has `others` and `generation`; few have `sources` and `as_of`.
  func pairs(besides others: Int) -> Int { others + 1 + (sources?.pairs ?? 0) }

  /// Writes `as_of`, if the reply has it, which comes before keys of more letters.
  func writeAsOf(into reply: inout CBORWriter) throws(WireError) {
    if let sources { try reply.writeAsOf(of: sources.sources) }
  }

  /// Writes `sources`, if the reply has them, which come before `generation`.
  func writeSources(into reply: inout CBORWriter) throws(WireError) {
    if let sources { try reply.writeSources(sources.sources) }
  }

  /// Writes `generation`.
  func writeGeneration(into reply: inout CBORWriter) { reply.writeGeneration(generation.digits) }
}

/// What every reply says of its data; `as_of` comes before keys of more letters.
extension CBORWriter {
  /// Appends `as_of`, if it is known.
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
      // "p" begins a text of 16 bytes.
      cursor.writeEncoded("jgenerationp")
      cursor.writeEncoded(digits)
    }
  }
}

/// Where the cities of a reply come from, for replies that say so.
///
/// Most do not: their bytes and their cost stay what they are. It is a class because a reply without it then carries
/// one empty reference.
final class CityProvenance {
  /// What the reply says.
  let sources: Provenance

  /// The data of `generation`, if the request asked for it (`isWanted`) or ought to know that it is not the data
  /// expected.
  init?(_ generation: ServedGeneration<ResidentCities>, isWanted: Bool, _ feeds: FeedReports) {
    // The state folder's own file needs no mention.
    guard isWanted || generation.place > 0 else { return nil }
    let fallback = generation.fallback
    guard isWanted || fallback != nil else { return nil }
    if generation.place == 0 {
      sources = feeds.provenance(of: [.cities], held: [.cities], sample: false)
    } else {
      // An installed list is as old as its package, which is in no report of the feed.
      let report = feeds.reports.first { $0.feed == .cities }
      sources = Provenance(
        feeds: [Provenance.Source(feed: .cities, stale: true, lastError: report?.lastError)], fallback: fallback)
    }
  }

  /// Pairs that the reply has more: `as_of` is left out if it is not known.
  var pairs: Int { sources.asOf == nil ? 1 : 2 }
}
