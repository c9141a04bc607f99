import CBOR
import CitiesProtocol
import FrameService
import Logging
import Resident

/// What the sync service has written down of its feeds (`feeds.resident`).
final class FeedReports {
  /// The last reports that could be read; empty before the first.
  ///
  /// The first use reads the file, so that it is current, and requests that need no report do not wait.
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
  /// A report of every feed of this build, in their order, then of the user's own; a feed without a report has its name
  /// alone.
  var all: [FeedReport] {
    let own = reports.map(\.feed).filter { !FeedName.all.contains($0) }
    return (FeedName.all + own).map { self[$0] ?? FeedReport(feed: $0) }
  }
  /// Called when they have changed.
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
  /// It has only a few hundred bytes, so that it is read at once.
  func check() {
    hasLooked = true
    guard let found = FileIdentity(path: path), found != identity else { return }
    identity = found
    do throws(ResidentError) {
      last = try ResidentFeeds.read(path)
      onChange(last)
    } catch {
      // A call that failed says nothing about the file: the next check reads it again.
      if case .system = error.fault { identity = nil }
      log.warning(
        "the report on feeds cannot be read; the previous one stays in use: \(error)",
        metadata: .event(.dataRefused, error: error.description))
    }
  }
}

extension FeedReports {
  /// Seconds that data may be older than its interval before it is called old: an attempt takes time.
  static let grace: Int64 = 60
  /// The interval of a feed whose report names none, in seconds: an hour.
  static let usualInterval: Int64 = 3_600

  /// Where data made from `feeds` comes from, and how old each part of it is at the moment `now`, in seconds since
  /// 1970-01-01T00:00:00Z.
  ///
  /// A feed is named if the resident file holds data of it (`held`), or if a source is configured: one that nobody
  /// asked for is in no answer. `sample` comes from the resident file, whose rows it cannot get out of step with.
  func provenance(
    of feeds: [FeedName], held: Set<FeedName>, sample: Bool, now: Int64 = Timestamp.secondsNow
  ) -> Provenance {
    let sources = feeds.compactMap { feed -> Provenance.Source? in
      let report = self[feed]
      guard held.contains(feed) || report?.source != nil else { return nil }
      return Provenance.Source(
        feed: feed, asOf: report?.asOf, stale: report?.isOld(now) ?? true, lastError: report?.lastError)
    }
    return Provenance(feeds: sources, sample: sample)
  }
}

extension FeedReport {
  fileprivate func isOld(_ now: Int64) -> Bool {
    guard let taken = asOf?.secondsSince1970 else { return true }
    return now - taken - FeedReports.grace > interval.map(Int64.init(clamping:)) ?? FeedReports.usualInterval
  }
}
