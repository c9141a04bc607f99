import CitiesProtocol
import Logging

extension SyncEngine {
  /// One attempt, with its lines in the log and its entry in the journal.
  func attempt(_ feed: any Feed, force: Bool) -> FeedOutcome {
    guard feed.source != nil else { return unconfigured(feed) }
    do throws(FeedError) {
      let result = try feed.update(FeedAttempt(isForced: force) { [observer] in observer.progress(feed.name, $0) })
      for remark in result.remarks { log.warning("\(remark)") }
      log.info(
        "feed \(feed.name.rawValue): \(result.outcome.rawValue), \(result.records) records, \(result.skipped) skipped")
      return try succeeded(feed, result)
    } catch {
      log.error("feed \(feed.name.rawValue): \(error)")
      observer.failure(feed.name, error)
      return failed(feed, error)
    }
  }

  private func succeeded(_ feed: any Feed, _ result: FeedResult) throws(FeedError) -> FeedOutcome {
    let moment = now()
    try journal.update(feed.name) { report in
      report = FeedReport(
        feed: feed.name, records: result.records, skipped: result.skipped,
        asOf: Timestamp(secondsSince1970: moment), lastAttempt: Timestamp(secondsSince1970: moment),
        nextAttempt: Timestamp(secondsSince1970: moment + feed.interval), source: feed.source)
    }
    return FeedOutcome(
      feed: feed.name, outcome: result.outcome, records: result.records, skipped: result.skipped,
      asOf: Timestamp(secondsSince1970: moment))
  }

  /// The last good data stays, and so does what is known of it.
  private func failed(_ feed: any Feed, _ error: FeedError) -> FeedOutcome {
    let moment = now()
    do throws(FeedError) {
      try journal.update(feed.name) { report in
        report.lastAttempt = Timestamp(secondsSince1970: moment)
        report.lastError = error.description
        report.nextAttempt = Timestamp(secondsSince1970: moment + feed.interval)
        report.source = feed.source
      }
    } catch {
      log.error("\(error)")
    }
    let known = journal.report(of: feed.name)
    return FeedOutcome(
      feed: feed.name, outcome: .failed, records: known.records, error: error.description, asOf: known.asOf)
  }

  /// No attempt: what an earlier configuration left behind is kept, without its plans and errors.
  private func unconfigured(_ feed: any Feed) -> FeedOutcome {
    let known = journal.report(of: feed.name)
    if known.lastError != nil || known.nextAttempt != nil || known.source != nil {
      do throws(FeedError) {
        try journal.update(feed.name) { report in
          report.lastError = nil
          report.nextAttempt = nil
          report.source = nil
        }
      } catch {
        log.error("\(error)")
      }
    }
    return FeedOutcome(feed: feed.name, outcome: .unconfigured, records: known.records, asOf: known.asOf)
  }
}
