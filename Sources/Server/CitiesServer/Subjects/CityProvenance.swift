import CBOR
import CitiesProtocol
import FrameService
import Resident

/// Where the cities of a reply come from, for replies that say so.
///
/// Most do not: their bytes and their cost stay what they are.
struct CityProvenance {
  private let sources: Provenance

  /// The data of `generation`, if the request asked for it (`isWanted`) or ought to know that it is not the data expected.
  init?(_ generation: ServedGeneration<ResidentCities>, isWanted: Bool, _ feeds: FeedReports) {
    // The state folder's own file needs no mention.
    guard isWanted || generation.place > 0 else { return nil }
    let fallback = generation.fallback
    guard isWanted || fallback != nil else { return nil }
    if generation.place == 0 {
      sources = feeds.provenance(of: [.cities], held: [.cities], sample: false)
    } else {
      // An installed list is as old as its package, which no report of the feed tells.
      let report = feeds.reports.first { $0.feed == .cities }
      sources = Provenance(
        feeds: [Provenance.Source(feed: .cities, stale: true, lastError: report?.lastError)], fallback: fallback)
    }
  }

  /// Pairs that the reply has more: `as_of` is left out if it is not known.
  var pairs: Int { sources.asOf == nil ? 1 : 2 }

  /// Writes `as_of`, which comes before keys of more letters.
  func writeAsOf(into reply: inout CBORWriter) throws(WireError) {
    guard let asOf = sources.asOf else { return }
    reply.writeKey("as_of")
    try reply.write(asOf)
  }

  /// Writes `sources`, which comes before `generation`.
  func writeSources(into reply: inout CBORWriter) throws(WireError) {
    reply.writeKey("sources")
    try reply.write(sources)
  }
}
