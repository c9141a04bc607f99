import CitiesProtocol

extension FeedReports {
  /// Seconds that data may be older than its interval before it is called old: an attempt takes its time.
  static let grace: Int64 = 60
  /// The interval of a feed whose report tells none, in seconds: an hour.
  static let usualInterval: Int64 = 3_600

  /// Where data made from `feeds` comes from, and how old each part of it is at the moment `now`, in seconds since
  /// 1970-01-01T00:00:00Z.
  ///
  /// A feed is told if the resident file holds data of it (`held`), or if a source is configured: what nobody asked for is
  /// no part of any answer. `sample` comes from the resident file, whose rows it cannot get out of step with.
  func provenance(
    of feeds: [FeedName], held: Set<FeedName>, sample: Bool, now: Int64 = Timestamp.secondsNow
  ) -> Provenance {
    let sources = feeds.compactMap { feed -> Provenance.Source? in
      let report = reports.first { $0.feed == feed }
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
