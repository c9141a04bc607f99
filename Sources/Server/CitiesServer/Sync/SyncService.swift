import CLinux
import CitiesProtocol
import FrameService
import Logging

/// The sync service, as this server sees it: asked for all feeds at the start and every hour, for a feed at the time that
/// its report names, and on `refresh`; requests for the same feed are joined.
///
/// Without it everything else goes on. What goes wrong is logged when it begins and when it ends, not each time: `status`
/// tells it as long as it lasts.
final class SyncService {
  /// Whether it could be reached: `ok`, or the reason why not.
  private(set) var state = "not asked yet"
  private let loop: EventLoop
  private let log: Logger
  private let socket: String?
  private let wait: Int64
  private let interval: Int64
  private var jobs: [FeedJob] = []
  private var callers: [ObjectIdentifier: RefreshCaller] = [:]
  private var timer: TimerID?
  private var failures: Int64 = 0
  private var plans: [FeedName: Int64] = [:]
  private var planTimer: TimerID?
  private var complaints: [FeedName: String] = [:]

  /// After a failure it is asked again this soon, then after twice the time, and so on up to the interval.
  private static let firstRetry: Int64 = 30_000_000_000
  /// A feed's next attempt is never waited for less than this, so that a time gone by cannot make a loop.
  private static let shortestWait: Int64 = 5_000_000_000

  init(_ configuration: ServerConfiguration, _ loop: EventLoop, _ log: Logger) {
    socket = configuration.syncSocket
    wait = configuration.refreshWait
    interval = configuration.refreshInterval
    self.loop = loop
    self.log = log
    if socket == nil { state = "no sync service is configured" }
  }

  // MARK: Asking

  /// Refreshes what is due, now and from now on.
  func start() {
    guard socket != nil else { return }
    refresh(FeedName.all, force: false) { _ in }
    askAgain(after: interval)
  }

  /// Refreshes `feeds` and calls `done` with an outcome for each, in the order given; those that take too long are
  /// `running`.
  func refresh(_ feeds: [FeedName], force: Bool, _ done: @escaping ([FeedOutcome]) -> Void) {
    let caller = RefreshCaller(feeds, done)
    callers[ObjectIdentifier(caller)] = caller
    caller.timer = loop.schedule(after: wait) { [unowned self] in finish(caller) }
    for feed in Set(feeds) {
      job(feed, force: force).join { [weak self] outcome in
        if caller.take(outcome) { self?.finish(caller) }
      }
    }
  }

  /// Answers everyone who waits, with `running` for what is not finished: the server is leaving.
  func answerAll() {
    for caller in callers.values { finish(caller) }
  }

  /// Takes from the reports when each feed wants to be asked again.
  func feedsChanged(_ reports: [FeedReport]) {
    let times = reports.compactMap { report in report.nextAttempt.map { (report.feed, $0.secondsSince1970) } }
    plans = Dictionary(times) { $1 }.compactMapValues { $0 }.filter { FeedName.all.contains($0.key) }
    plan()
  }

  /// Waits for the first of the plans.
  private func plan() {
    if let planTimer { loop.cancel(planTimer) }
    planTimer = nil
    guard socket != nil, let next = plans.values.min() else { return }
    let wait = max(0, next.subtractingReportingOverflow(Self.now).partialValue)
    let nanoseconds = wait > interval / 1_000_000_000 ? interval : wait * 1_000_000_000
    planTimer = loop.schedule(after: max(Self.shortestWait, nanoseconds)) { [unowned self] in askDue() }
  }

  /// Refreshes the feeds whose time has come; each is planned anew with its next report.
  private func askDue() {
    let due = FeedName.all.filter { plans[$0].map { $0 <= Self.now } ?? false }
    for feed in due { plans[feed] = nil }
    if !due.isEmpty { refresh(due, force: false) { _ in } }
    plan()
  }

  private static var now: Int64 { linux_realtime() / 1_000_000_000 }

  private func finish(_ caller: RefreshCaller) {
    guard callers.removeValue(forKey: ObjectIdentifier(caller)) != nil else { return }
    if let timer = caller.timer { loop.cancel(timer) }
    caller.finish()
  }

  private func askAgain(after delay: Int64) {
    if let timer { loop.cancel(timer) }
    timer = loop.schedule(after: delay) { [unowned self] in start() }
  }

  // MARK: Jobs

  private func job(_ feed: FeedName, force: Bool) -> FeedJob {
    if let job = jobs.first(where: { $0.feed == feed && $0.isForced == force }) { return job }
    let job = FeedJob(feed, force: force, FramedPeer(loop, path: socket ?? ""))
    jobs.append(job)
    job.start { [unowned self] outcome, unreachable in
      jobs.removeAll { $0 === job }
      note(unreachable)
      if unreachable == nil { complain(outcome) }
    }
    return job
  }

  /// Says in the log what has changed about a feed's failures.
  private func complain(_ outcome: FeedOutcome) {
    guard outcome.outcome == .failed else {
      if complaints.removeValue(forKey: outcome.feed) != nil { log.info("feed \(outcome.feed.rawValue): works again") }
      return
    }
    let error = outcome.error ?? "failed"
    guard complaints.updateValue(error, forKey: outcome.feed) != error else { return }
    log.warning("feed \(outcome.feed.rawValue): \(error)")
  }

  /// Notes whether the sync service answers, and says so in the log when that changes.
  private func note(_ unreachable: String?) {
    let new = unreachable ?? "ok"
    if socket != nil, new != state {
      unreachable == nil ? log.info("the sync service answers") : log.notice("no sync service: \(new)")
    }
    if socket != nil { state = new }
    guard unreachable != nil, jobs.isEmpty, socket != nil else {
      if unreachable == nil { failures = 0 }
      return
    }
    askAgain(after: min(interval, Self.firstRetry << min(failures, 10)))
    failures += 1
  }
}

/// One who asked for feeds and gets their outcomes together.
final class RefreshCaller {
  var timer: TimerID?
  private let feeds: [FeedName]
  private let done: ([FeedOutcome]) -> Void
  private var outcomes: [FeedName: FeedOutcome] = [:]

  init(_ feeds: [FeedName], _ done: @escaping ([FeedOutcome]) -> Void) {
    self.feeds = feeds
    self.done = done
  }

  /// Notes an outcome; `true` if it was the last that was missing.
  func take(_ outcome: FeedOutcome) -> Bool {
    outcomes[outcome.feed] = outcome
    return feeds.allSatisfy { outcomes[$0] != nil }
  }

  /// Tells what is known; the rest is still running.
  func finish() { done(feeds.map { outcomes[$0] ?? FeedOutcome(feed: $0, outcome: .running) }) }
}
