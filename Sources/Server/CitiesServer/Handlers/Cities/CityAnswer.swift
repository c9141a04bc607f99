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
  private let provenance: CityProvenance?

  /// Answers from `generation`, without sources.
  init(_ generation: ServedGeneration<ResidentCities>) { (self.generation, provenance) = (generation, nil) }

  /// Answers from `generation`; the reply names its sources if requested or necessary.
  init(_ generation: ServedGeneration<ResidentCities>, wantsSources: Bool, _ feeds: FeedReports) {
    self.generation = generation
    // Only a reply that may name them pays the cost.
    let mayName = wantsSources || generation.place > 0
    provenance = mayName ? CityProvenance(generation, isWanted: wantsSources, feeds) : nil
  }

  var index: CityIndex { generation.data.index }

  /// The sources, if the reply names them.
  var sources: Provenance? { provenance?.sources }
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
    var sources: Provenance
    if generation.place == 0 {
      sources = feeds.provenance(of: [.cities], held: [.cities], sample: false)
    } else {
      // An installed list is as old as its package, which no report covers.
      let report = feeds[.cities]
      sources = Provenance(
        feeds: [Provenance.Source(feed: .cities, stale: true, lastError: report?.lastError)], fallback: fallback)
    }
    sources.rules = PlaceRules.version
    self.sources = sources
  }
}
