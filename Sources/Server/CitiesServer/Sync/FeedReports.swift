import CitiesProtocol
import FrameService
import Logging
import Resident

/// The sync service's reports on its feeds (`feeds.resident`).
final class FeedReports {
  /// The last readable reports; empty before the first.
  ///
  /// The file is read on first use, so it is current, and requests that need no report do not wait for it.
  var reports: [FeedReport] {
    if !hasLooked { check() }
    return last
  }
  /// The report of one feed; `nil` if there is none.
  ///
  /// - Complexity: O(1).
  subscript(feed: FeedName) -> FeedReport? {
    if !hasLooked { check() }
    return byFeed[feed]
  }
  /// A report for every feed of this build, in order, then for the user-defined ones; a feed without a report has only
  /// its name.
  var all: [FeedReport] {
    let own = reports.map(\.feed).filter { !FeedName.all.contains($0) }
    return (FeedName.all + own).map { self[$0] ?? FeedReport(feed: $0) }
  }
  /// Called after each change of the reports.
  var onChange: ([FeedReport]) -> Void = { _ in }
  private var last: [FeedReport] = [] {
    didSet { byFeed = Dictionary(last.map { ($0.feed, $0) }) { first, _ in first } }
  }
  private var byFeed: [FeedName: FeedReport] = [:]
  private var hasLooked = false
  private let path: String
  private let log: Logger
  private var identity: FileIdentity?

  init(_ configuration: ServerConfiguration, _ log: Logger) {
    path = "\(configuration.stateFolder)/\(ResidentFeeds.kind.fileName)"
    self.log = log
  }

  /// Reads the file if it has changed.
  ///
  /// It has only a few hundred bytes, so it is read synchronously.
  func check() {
    hasLooked = true
    guard let found = FileIdentity(path: path), found != identity else { return }
    identity = found
    do throws(ResidentError) {
      last = try ResidentFeeds.read(path)
      onChange(last)
    } catch {
      // A failed system call says nothing about the file: the next check reads it again.
      if case .system = error.fault { identity = nil }
      log.warning(
        "the report on feeds cannot be read; the previous one stays in use: \(error)",
        metadata: .event(.dataRefused, error: error.description))
    }
  }
}

extension FeedReports {
  /// Seconds by which data may exceed its interval before it counts as old: a refresh takes time.
  static let grace: Int64 = 60
  /// The default interval of a feed, in seconds: an hour.
  static let usualInterval: Int64 = 3_600

  /// The sources of data made from `feeds`, and the age of each at the moment `now`, in seconds since
  /// 1970-01-01T00:00:00Z.
  ///
  /// A feed is included if the resident file contains its data (`held`), or if a source is configured. `sample` comes
  /// from the resident file itself, so it always agrees with the rows. The data of a feed that is off is not old: no
  /// newer data is expected.
  func provenance(
    of feeds: [FeedName], held: Set<FeedName>, sample: Bool, now: Int64 = Timestamp.secondsNow
  ) -> Provenance {
    let sources = feeds.compactMap { feed -> Provenance.Source? in
      let report = self[feed]
      guard held.contains(feed) || report?.source != nil else { return nil }
      return Provenance.Source(
        feed: feed, asOf: report?.asOf, stale: report.map { !$0.isOff && $0.isOld(now) } ?? true,
        lastError: report?.lastError)
    }
    return Provenance(feeds: sources, sample: sample)
  }
}

extension FeedReport {
  /// Whether its source was removed.
  fileprivate var isOff: Bool { source == nil && lastError == nil }

  fileprivate func isOld(_ now: Int64) -> Bool {
    guard let taken = asOf?.secondsSince1970 else { return true }
    return now - taken - FeedReports.grace > interval.map(Int64.init(clamping:)) ?? FeedReports.usualInterval
  }
}
