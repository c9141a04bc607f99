import CitiesProtocol
import FrameService
import Logging

extension SyncEngine {
  /// One attempt, with its lines in the log and its entry in the journal.
  func attempt(_ feed: any Feed, _ reach: FeedReach) -> FeedOutcome {
    guard !isCancelled else { return FeedOutcome(feed: feed.name, outcome: .running) }
    let isForced = reach == .forced
    guard feed.source != nil else { return unconfigured(feed, force: isForced) }
    let before = journal.report(of: feed.name)
    do throws(FeedError) {
      let attempt = AttemptOptions(
        isForced: isForced, isSilent: reach == .known && !wasContacted(before), isRetry: isDue(before),
        knownError: isForced ? nil : knownError(of: feed, before),
        progress: { [observer] in observer.progress(feed.name, $0) },
        isCancelled: { [self] in isCancelled },
        makesWay: { [self] held, isSlow in makeWay(feed.name, holding: held, isSlow: isSlow) },
        isSlow: { [self] start in
          // Without waiting: the import that is to be ended may hold the lock.
          (try? journal.update(feed.name, patience: 0) { $0.importing = Timestamp(secondsSince1970: start) }) != nil
        })
      let result = try feed.update(attempt)
      logRemarks(result.remarks, of: feed.name)
      guard result.outcome != .idle else { return try idle(feed) }
      report(result, of: feed.name, hadFailed: before.lastError != nil)
      return try succeeded(feed, result)
    } catch {
      logRemarks(error.remarks, of: feed.name)
      guard error.reason != .cancelled else { return FeedOutcome(feed: feed.name, outcome: .running) }
      guard error.reason != .postponed else { return postponed(feed, error, before) }
      let isKnown = !repeatsFailures && before.lastError == error.description
      reportFailure(of: feed.name, error, isKnown ? .debug : .error)
      return failed(feed, error)
    }
  }

  private func logRemarks(_ remarks: [String], of feed: FeedName) {
    for remark in remarks {
      log.warning("\(onOneLine(remark))", metadata: .event(.feedRemark, feed: feed.rawValue, error: remark))
    }
  }

  /// Logs a success: at level info if it brought new data or ended a failure.
  private func report(_ result: FeedResult, of feed: FeedName, hadFailed: Bool) {
    let isRecovered = hadFailed && result.outcome != .reused
    let isNews = isRecovered || ![.reused, .unchanged].contains(result.outcome)
    log.log(
      level: isNews ? .info : .debug,
      "feed \(feed.rawValue): \(isRecovered ? "works again, " : "")\(result.outcome.rawValue), \(result.counts)",
      metadata: .event(isRecovered ? .feedRecovered : .feedUpdated, feed: feed.rawValue))
  }

  /// No attempt: the engine has no feed of that name.
  func unknown(_ name: FeedName) -> FeedOutcome {
    let isListed = FeedName.all.contains(name)
    return notAttempted(
      name, FeedError(.unavailable, isListed ? "this program has no importer for it" : "there is no such feed"))
  }

  /// Reports an impossible attempt like a failed one: in the log, to the observer and in the outcome.
  func notAttempted(_ name: FeedName, _ error: FeedError) -> FeedOutcome {
    reportFailure(of: name, error, .error)
    return FeedOutcome(feed: name, outcome: .failed, error: error.description)
  }

  /// Reports a failure to the log and to the observer.
  private func reportFailure(of feed: FeedName, _ error: FeedError, _ level: Logger.Level, _ more: String = "") {
    log.log(
      level: level, "feed \(onOneLine(feed.rawValue)): \(onOneLine("\(error)"))\(more)",
      metadata: .event(.feedFailed, feed: feed.rawValue, error: error.description))
    observer.failure(feed, error)
  }

  /// Records the feed's source and country, which the server cannot learn from data that has never arrived.
  private func describe(_ feed: any Feed, in report: inout FeedReport) {
    report.importing = nil
    (report.source, report.sourceDigest) = feed.shownSource
    report.interval = UInt64(clamping: feed.interval)
    report.country = feed.country
  }

  /// Why the last attempt failed, if the source is the same and not yet due for a retry.
  private func knownError(of feed: any Feed, _ report: FeedReport) -> String? {
    guard let error = report.lastError, report.source == feed.shownSource.0, report.sourceDigest == feed.shownSource.1,
      let next = report.nextAttempt?.secondsSince1970
    else { return nil }
    // A time further ahead, or of an attempt in the future, was set before the clock changed.
    let last = report.lastAttempt?.secondsSince1970 ?? .max
    let longest = last <= now() ? ReceivedBody.longestWait : BackOff.longest
    return next > now() && next - now() <= longest ? error : nil
  }

  /// Whether the report shows that the source was contacted; samples do not count.
  private func wasContacted(_ report: FeedReport) -> Bool {
    report.lastError != nil || report.asOf != nil && report.sample != true
  }

  /// Updates the report to the current configuration of `feed`, dropping the attempts at a previous source.
  func noteSource(of feed: any Feed) throws(FeedError) {
    let report = journal.report(of: feed.name)
    // The report names the sample as long as its data is in use.
    guard feed.source == nil ? report.source != nil : report.sample != true else { return }
    try journal.update(feed.name) { report in
      let before = (report.source, report.sourceDigest)
      describe(feed, in: &report)
      guard report.source != before.0 || report.sourceDigest != before.1 else { return }
      (report.lastAttempt, report.lastError, report.nextAttempt) = (nil, nil, nil)
    }
  }

  /// No attempt: no client has requested the feed yet.
  ///
  /// The report still names its source.
  private func idle(_ feed: any Feed) throws(FeedError) -> FeedOutcome {
    try journal.update(feed.name) { report in
      describe(feed, in: &report)
      report.nextAttempt = nil
    }
    return outcome(.idle, of: feed)
  }

  /// The outcome of an attempt that stored nothing new, with what is known of the feed.
  private func outcome(_ outcome: FeedOutcome.Outcome, of feed: any Feed, error: String? = nil) -> FeedOutcome {
    let known = journal.report(of: feed.name)
    return FeedOutcome(feed: feed.name, outcome: outcome, records: known.records, error: error, asOf: known.asOf)
  }

  /// No attempt: a failed source is not contacted again before its retry time.
  private func postponed(_ feed: any Feed, _ error: FeedError, _ report: FeedReport) -> FeedOutcome {
    let next = report.nextAttempt.map { " before \($0.text)" } ?? ""
    reportFailure(
      of: feed.name, error, repeatsFailures ? .error : .debug, "; it is not contacted again\(next) without --force")
    return outcome(.failed, of: feed, error: error.description)
  }

  /// Whether the last attempt failed and a retry is due.
  private func isDue(_ report: FeedReport) -> Bool {
    guard report.lastError != nil, let next = report.nextAttempt?.secondsSince1970 else { return false }
    return next <= now()
  }

  private func succeeded(_ feed: any Feed, _ result: FeedResult) throws(FeedError) -> FeedOutcome {
    let moment = now()
    let taken = result.asOf ?? moment
    let asOf = Timestamp(secondsSince1970: taken)
    try journal.update(feed.name) { report in
      let before = report
      report = FeedReport(
        feed: feed.name, asOf: asOf,
        lastAttempt: Timestamp(secondsSince1970: moment),
        nextAttempt: Timestamp(secondsSince1970: taken + feed.interval), sample: result.isSample ? true : nil)
      describe(feed, in: &report)
      report.counts = result.counts
      // An attempt that did not parse the records keeps the earlier notes.
      let notes = result.notes ?? before.notes
      report.notes = notes?.isEmpty == true ? nil : notes
      // No source was contacted: the result of the last attempt and the time of the next one do not change.
      guard result.outcome == .reused else { return }
      report.lastAttempt = before.lastAttempt ?? asOf
      if let source = before.source { (report.source, report.sourceDigest) = (source, before.sourceDigest) }
      guard let error = before.lastError else { return }
      (report.lastError, report.nextAttempt) = (error, before.nextAttempt)
    }
    var outcome = FeedOutcome(
      feed: feed.name, outcome: result.outcome,
      age: result.outcome == .reused ? UInt64(clamping: moment - taken) : nil, asOf: asOf)
    outcome.counts = result.counts
    return outcome
  }

  /// Records a failure; the last good data and its report stay.
  private func failed(_ feed: any Feed, _ error: FeedError) -> FeedOutcome {
    let moment = now()
    note(feed.name) { report in
      let usual = backOff.delay(after: Self.delay(in: report), interval: feed.interval)
      let delay = max(usual, error.retryAfter ?? 0)
      report.lastAttempt = Timestamp(secondsSince1970: moment)
      report.lastError = error.description
      report.nextAttempt = Timestamp(secondsSince1970: moment + delay)
      describe(feed, in: &report)
    }
    return outcome(.failed, of: feed, error: error.description)
  }

  /// Changes the report on a feed; logs if that fails.
  private func note(_ feed: FeedName, _ change: (inout FeedReport) -> Void) {
    do throws(FeedError) { try journal.update(feed, change) } catch {
      log.error("\(error)", metadata: .event(.degraded, feed: feed.rawValue, error: error.description))
    }
  }

  /// The delay after the failure in `report`, in seconds; `nil` without a failure.
  private static func delay(in report: FeedReport) -> Int64? {
    guard report.lastError != nil, let next = report.nextAttempt?.secondsSince1970,
      let last = report.lastAttempt?.secondsSince1970
    else { return nil }
    return max(0, next - last)
  }

  /// No attempt: existing data is kept and repaired; its error and its retry time are cleared.
  private func unconfigured(_ feed: any Feed, force: Bool) -> FeedOutcome {
    do throws(FeedError) { try feed.restore(force: force) } catch {
      log.error(
        "feed \(feed.name.rawValue): \(error)",
        metadata: .event(.feedFailed, feed: feed.name.rawValue, error: error.description))
    }
    let known = journal.report(of: feed.name)
    if known.lastError != nil || known.nextAttempt != nil || known.source != nil {
      note(feed.name) { report in
        report.lastError = nil
        report.nextAttempt = nil
        (report.source, report.sourceDigest) = (nil, nil)
      }
    }
    return outcome(.unconfigured, of: feed)
  }
}

/// Joins lines, so that text quoted from a source or a configuration cannot forge a second log line.
func onOneLine(_ message: String) -> String {
  message.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "; ")
}

/// When to retry a failed feed: exponential back-off with jitter.
package struct BackOff: Sendable {
  /// The delay after the first failure, in seconds.
  package static let first: Int64 = 30
  /// The longest delay, in seconds, unless the feed's interval is shorter.
  package static let longest: Int64 = 3_600
  /// The largest deviation from the plain delay, as a fraction of it.
  package static let jitter = 0.25

  /// Returns a random number in 0..<1.
  package typealias RandomNumber = @Sendable () -> Double

  private let random: RandomNumber

  /// Uses the system's generator by default.
  package init(random: @escaping RandomNumber = { Double.random(in: 0..<1) }) { self.random = random }

  /// The delay after a failure, in seconds; `previous` is the delay before it, `nil` after a success.
  ///
  /// Doubles the previous delay, with jitter, so no count of failures needs to be stored.
  package func delay(after previous: Int64?, interval: Int64) -> Int64 {
    let plain = previous.map { max(Self.first, $0 < Self.longest ? $0 * 2 : Self.longest) } ?? Self.first
    let jittered = Double(plain) * (1 + Self.jitter * (2 * random() - 1))
    return min(Int64(jittered), Self.longest, max(interval, Self.first))
  }
}
