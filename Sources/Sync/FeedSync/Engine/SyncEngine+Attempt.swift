import CitiesProtocol
import FrameService
import Logging

extension SyncEngine {
  /// One attempt, with its lines in the log and its entry in the journal.
  func attempt(_ feed: any Feed, _ reach: FeedReach) -> FeedOutcome {
    let isForced = reach == .forced
    guard feed.source != nil else { return unconfigured(feed, force: isForced) }
    let before = journal.report(of: feed.name)
    do throws(FeedError) {
      let attempt = FeedAttempt(
        isForced: isForced, isSilent: reach == .known && !wasAsked(before), isRetry: isDue(before),
        knownError: isForced ? nil : knownError(of: feed, before),
        progress: { [observer] in observer.progress(feed.name, $0) },
        isCancelled: { [self] in isCancelled })
      let result = try feed.update(attempt)
      for remark in result.remarks {
        log.warning("\(onOneLine(remark))", metadata: .event(.feedRemark, feed: feed.name.rawValue, error: remark))
      }
      guard result.outcome != .idle else { return try idle(feed) }
      report(result, of: feed.name, hadFailed: before.lastError != nil)
      return try succeeded(feed, result)
    } catch {
      guard error.reason != .cancelled else { return FeedOutcome(feed: feed.name, outcome: .running) }
      guard error.reason != .postponed else { return postponed(feed, error, before) }
      let isKnown = !repeatsComplaints && before.lastError == error.description
      complain(of: feed.name, error, isKnown ? .debug : .error)
      return failed(feed, error)
    }
  }

  /// Logs a success: that of a feed that had failed even if it delivered nothing new, others if they did.
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

  /// No attempt is possible; reported as a failed attempt is: in the log, to the observer and in the outcome.
  func notAttempted(_ name: FeedName, _ error: FeedError) -> FeedOutcome {
    complain(of: name, error, .error)
    return FeedOutcome(feed: name, outcome: .failed, error: error.description)
  }

  /// Reports a failure to the log and to the observer.
  private func complain(of feed: FeedName, _ error: FeedError, _ level: Logger.Level, _ more: String = "") {
    log.log(
      level: level, "feed \(onOneLine(feed.rawValue)): \(onOneLine("\(error)"))\(more)",
      metadata: .event(.feedFailed, feed: feed.rawValue, error: error.description))
    observer.failure(feed, error)
  }

  /// A feed's source without secrets.
  private func shownSource(of feed: any Feed) -> String? { feed.source.map(SourceLocation.shown) }

  /// Writes down where a feed comes from, and where its locations are: the server knows that of no data that never
  /// came.
  private func describe(_ feed: any Feed, in report: inout FeedReport) {
    report.source = shownSource(of: feed)
    report.interval = UInt64(clamping: feed.interval)
    report.country = feed.country
  }

  /// Why the last attempt failed, if the time to try again has not come and the source is the same.
  private func knownError(of feed: any Feed, _ report: FeedReport) -> String? {
    guard let error = report.lastError, report.source == shownSource(of: feed),
      let next = report.nextAttempt?.secondsSince1970
    else { return nil }
    // A plan that lies further ahead was made by another clock.
    return next > now() && next - now() <= BackOff.longest ? error : nil
  }

  /// Whether the source was contacted before, as far as the report knows; a sample is none of its answers.
  private func wasAsked(_ report: FeedReport) -> Bool {
    report.lastError != nil || report.asOf != nil && report.sample != true
  }

  /// Has the report describe `feed` as it is configured now, without attempts at an earlier source.
  func noteSource(of feed: any Feed) throws(FeedError) {
    let report = journal.report(of: feed.name)
    // The report on a sample names the sample as long as its data is in use.
    guard feed.source == nil ? report.source != nil : report.sample != true else { return }
    try journal.update(feed.name) { report in
      let before = report.source
      describe(feed, in: &report)
      guard report.source != before else { return }
      (report.lastAttempt, report.lastError, report.nextAttempt) = (nil, nil, nil)
    }
  }

  /// No attempt, because no client has requested the feed yet; reports still name its source.
  private func idle(_ feed: any Feed) throws(FeedError) -> FeedOutcome {
    try journal.update(feed.name) { report in
      describe(feed, in: &report)
      report.nextAttempt = nil
    }
    let known = journal.report(of: feed.name)
    return FeedOutcome(feed: feed.name, outcome: .idle, records: known.records, asOf: known.asOf)
  }

  /// No attempt: the source that failed is left alone until the time to try again.
  private func postponed(_ feed: any Feed, _ error: FeedError, _ report: FeedReport) -> FeedOutcome {
    let next = report.nextAttempt.map { " before \($0.text)" } ?? ""
    complain(
      of: feed.name, error, repeatsComplaints ? .error : .debug, "; it is not contacted again\(next) without --force")
    return FeedOutcome(
      feed: feed.name, outcome: .failed, records: report.records, error: error.description, asOf: report.asOf)
  }

  /// Whether the last attempt failed and the time to try again has come.
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
      // An attempt that did not look at the records again leaves what is known of them.
      let notes = result.notes ?? before.notes
      report.notes = notes?.isEmpty == true ? nil : notes
      // No source was contacted: the result of the last attempt and the time of the next one do not change.
      guard result.outcome == .reused else { return }
      report.lastAttempt = before.lastAttempt ?? asOf
      report.source = before.source ?? report.source
      guard let error = before.lastError else { return }
      (report.lastError, report.nextAttempt) = (error, before.nextAttempt)
    }
    var outcome = FeedOutcome(
      feed: feed.name, outcome: result.outcome,
      age: result.outcome == .reused ? UInt64(clamping: moment - taken) : nil, asOf: asOf)
    outcome.counts = result.counts
    return outcome
  }

  /// The last good data stays, and so does what is known of it.
  private func failed(_ feed: any Feed, _ error: FeedError) -> FeedOutcome {
    let moment = now()
    note(feed.name) { report in
      let delay = backOff.delay(after: Self.delay(in: report), interval: feed.interval)
      report.lastAttempt = Timestamp(secondsSince1970: moment)
      report.lastError = error.description
      report.nextAttempt = Timestamp(secondsSince1970: moment + delay)
      describe(feed, in: &report)
    }
    let known = journal.report(of: feed.name)
    return FeedOutcome(
      feed: feed.name, outcome: .failed, records: known.records, error: error.description, asOf: known.asOf)
  }

  /// Changes the report on a feed; that it could not be stored is logged.
  private func note(_ feed: FeedName, _ change: (inout FeedReport) -> Void) {
    do throws(FeedError) { try journal.update(feed, change) } catch {
      log.error("\(error)", metadata: .event(.degraded, feed: feed.rawValue, error: error.description))
    }
  }

  /// Seconds to wait after the failure in a report; `nil` if there is none in it.
  private static func delay(in report: FeedReport) -> Int64? {
    guard report.lastError != nil, let next = report.nextAttempt?.secondsSince1970,
      let last = report.lastAttempt?.secondsSince1970
    else { return nil }
    return max(0, next - last)
  }

  /// No attempt: data of an earlier configuration is kept and repaired, without its plans and errors.
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
        report.source = nil
      }
    }
    return FeedOutcome(feed: feed.name, outcome: .unconfigured, records: known.records, asOf: known.asOf)
  }
}

/// A message that may quote what a source or a configuration says, without the means to look like two.
func onOneLine(_ message: String) -> String {
  message.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
}

/// When a feed that failed is tried again: soon at first, then later and later, never at the same time as all others.
package struct BackOff: Sendable {
  /// Seconds after the first failure.
  package static let first: Int64 = 30
  /// Seconds at most; a feed's own interval, if that is shorter.
  package static let longest: Int64 = 3_600
  /// A delay is up to this part shorter or longer than its plain value.
  package static let jitter = 0.25

  /// A number from 0 up to, but not including, 1.
  package typealias Dice = @Sendable () -> Double

  private let dice: Dice

  /// Throws the system's dice unless given others.
  package init(dice: @escaping Dice = { Double.random(in: 0..<1) }) { self.dice = dice }

  /// Seconds to wait after a failure; `previous` is what was waited before it, `nil` after a success.
  ///
  /// Twice the delay before, jittered; so the count of failures needs no memory of its own.
  package func delay(after previous: Int64?, interval: Int64) -> Int64 {
    let plain = previous.map { max(Self.first, $0 < Self.longest ? $0 * 2 : Self.longest) } ?? Self.first
    let jittered = Double(plain) * (1 + Self.jitter * (2 * dice() - 1))
    return min(Int64(jittered), Self.longest, max(interval, Self.first))
  }
}
