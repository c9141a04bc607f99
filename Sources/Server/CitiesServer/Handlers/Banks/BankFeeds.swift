import Banks
import CitiesProtocol
import Resident
import Text

/// The feeds with locations: those with data, and those with a source whose data never arrived.
final class BankFeeds {
  private let reports: FeedReports
  /// The reason why a feed with a source never had data.
  private let explain: (FeedReport) -> MissingData

  init(_ reports: FeedReports, explain: @escaping (FeedReport) -> MissingData) {
    (self.reports, self.explain) = (reports, explain)
  }

  /// The sources of the locations in `data`, and of those that may be missing from an answer with `reach`.
  ///
  /// - Complexity: O(f) in the feeds.
  func sources(of data: ResidentBanks, _ reach: BankReach) -> Provenance {
    let held = Set(data.summary.feeds.map(\.feed))
    let others = reports.reports.map(\.feed).filter { $0.subject == nil && !held.contains($0) }
    var sources = reports.provenance(of: data.allFeeds + others, held: held, sample: data.summary.isSample)
    note(&sources, data)
    for position in sources.feeds.indices {
      let feed = sources.feeds[position].feed
      let report = reports[feed]
      if let report, !held.contains(feed) { sources.feeds[position].missing = explain(report).reason }
      guard !reach.mayInclude(bank: feed.rawValue, country: report?.country) else { continue }
      sources.feeds[position].excluded = true
    }
    return sources
  }

  /// The source of the locations of one bank.
  func sources(of data: ResidentBanks, bank: String) -> Provenance {
    let feed = FeedName(rawValue: bank)
    let isSample = data.summary.feeds.contains { $0.feed == feed && $0.sample }
    var sources = reports.provenance(of: [feed], held: [feed], sample: isSample)
    note(&sources, data)
    return sources
  }

  /// Adds to each source the number of its records that could not be read.
  private func note(_ sources: inout Provenance, _ data: ResidentBanks) {
    for position in sources.feeds.indices {
      let part = data.summary.feeds.first { $0.feed == sources.feeds[position].feed }
      sources.feeds[position].leftOut = part.flatMap { $0.skipped > 0 ? $0.skipped : nil }
    }
  }

  /// The error if locations have no data yet; `nil` if all `feeds` have some.
  func unavailable(_ feeds: [FeedName]) -> WireError? {
    let missing = feeds.compactMap { reports[$0].map(explain) }
    guard let main = missing.first(where: \.isRunning) ?? missing.first else { return nil }
    let names = feeds.map(\.rawValue).joined(separator: ", ")
    let reasons = missing.map(\.reason).joined(separator: "; ")
    return WireError(
      .unavailable, "banks: no data of \(names) yet: \(reasons)",
      data: ErrorData(subject: .banks, phase: main.phase, running: main.isRunning))
  }

  /// The same for the location with `id`, which starts with the name of its bank.
  func unavailable(ofID id: String, _ data: ResidentBanks) -> WireError? {
    unavailable(sources(of: data, BankReach(BankFilter())).missingFeeds.filter { id.hasPrefix("\($0.rawValue)-") })
  }

  /// Adds to `problem` the names of banks and countries that are known although their data never arrived; `nil` if the
  /// unknown name is one of these, so that the question is valid.
  func problem(_ problem: BankFilterProblem, among sources: Provenance, _ reach: BankReach) -> BankFilterProblem? {
    let missing = sources.feeds.filter { $0.missing != nil }.map(\.feed)
    let countries = missing.compactMap { reports[$0]?.country }
    switch problem {
    case .unknownCountry(let name, let known):
      let names = (known + countries.map(CountryName.name)).distinct
      return countries.contains(where: reach.hasCountry) ? nil : .unknownCountry(name, known: names)
    case .unknownBank(let name, let known):
      let banks = missing.map(\.rawValue)
      return banks.contains(where: reach.hasBank) ? nil : .unknownBank(name, known: (known + banks).sorted())
    case .unknownRegion: return problem
    }
  }
}
