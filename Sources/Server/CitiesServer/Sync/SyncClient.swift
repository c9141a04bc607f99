import CitiesProtocol
import FrameService
import Logging

/// The client of the sync service: requests a refresh of all feeds at the start and every hour, of a feed at the time
/// in its report, and on `refresh`; requests for the same feed that wait to be sent are joined.
///
/// Whether a refresh in progress answers a later request, too, is for the sync service to decide: its configuration may
/// have changed in between.
///
/// A source on the web without stored data is not contacted before the first request about its subject (``want(_:)``):
/// until then the server itself only refreshes known sources. Sample data of a feed stays until a client requests a
/// refresh.
///
/// Without a sync service everything else continues. A failure is logged when it starts and when it ends, not each
/// time: `status` shows it while it lasts. During a refresh, a ``SyncProbe`` detects a sync service that hangs.
final class SyncClient {
  /// Whether the service could be reached: `ok`, or the reason why not.
  private(set) var state = SyncClient.notAsked
  private static let notAsked = "not asked yet"
  private let loop: EventLoop
  private let log: Logger
  private let socket: String?
  private let makePeer: () -> FramedPeer
  private let wait: Int64
  private let interval: Int64
  private var jobs: [FeedJob] = []
  /// The requests that wait for feeds.
  private(set) var callers: [ObjectIdentifier: RefreshCaller] = [:]
  private var timer: TimerID?
  private var failures: Int64 = 0
  private var invalidConfiguration: String?
  private let reports: FeedReports
  private var plans: [FeedName: Int64] = [:]
  private var planTimer: TimerID?
  /// The requested subjects, and those being filled.
  ///
  /// They are looked up once per request, and comparing two addresses is faster than hashing a name.
  private var wanted: [any SubjectState] = []
  private var filling: [any SubjectState] = []
  private var hasStarted = false
  private(set) var isStopping = false
  /// This build's feeds, then the user-defined ones in the reports, which the sync service writes when it starts.
  private(set) var feeds = FeedName.all
  private let probe: SyncProbe

  /// The delay after the first failure; each later one doubles it, up to the interval.
  private static let firstRetry: Int64 = 30_000_000_000
  /// The shortest wait before a feed's next attempt, so that a time in the past cannot cause a loop.
  private static let shortestWait: Int64 = 5_000_000_000
  /// The maximum number of feeds to request at once; each has a connection, and the sync service accepts twice as many.
  private static let maximumJobs = 32
  /// The maximum number of requests at once for the same sources of one feed.
  private static let maximumAlike = 2
  /// Seconds of silence after which jobs fail; the service manager's watchdog acts earlier.
  private static let longestSilence: Int64 = 60

  init(_ configuration: ServerConfiguration, _ reports: FeedReports, _ loop: EventLoop, _ log: Logger) {
    self.reports = reports
    socket = configuration.syncSocket
    wait = configuration.refreshWait
    interval = configuration.refreshInterval
    self.loop = loop
    self.log = log
    let (path, isNamed) = (configuration.syncSocket ?? "", configuration.isSyncSocketNamed)
    makePeer = { FramedPeer(loop, path: path, isNamed: isNamed) }
    probe = SyncProbe(loop, makePeer, patience: configuration.syncPatience)
    if socket == nil, !configuration.isPrivate { state = "no sync service is configured" }
    probe.onResult = { [unowned self] in probed() }
  }

  /// The state for the reason of missing data; a sync service that hangs has nothing in progress.
  var known: MissingData.SyncState {
    MissingData.SyncState(
      state: state, invalidConfiguration: invalidConfiguration,
      isStarting: socket != nil && state == Self.notAsked,
      running: probe.silentSince == nil ? Set(jobs.map(\.feed)) : [])
  }

  // MARK: Refreshing

  /// Refreshes feeds that are due, now and later.
  func start() {
    guard socket != nil else { return }
    hasStarted = true
    refreshDue(feeds)
    askAgain(after: interval)
  }

  /// Records a request about a subject: the first one refreshes its feeds, including those never contacted before.
  ///
  /// A request about cities contacts no source. If there is no data at all, the subject is being filled until all of
  /// its feeds have an outcome: with only some, totals would lack rates, and lists whole banks.
  ///
  /// - Complexity: O(1) after the first request.
  func want(_ state: any SubjectState) {
    guard !wanted.contains(where: { $0 === state }), state.subject != .cities else { return }
    wanted.append(state)
    guard socket != nil else { return }
    let asked = feeds.filter { $0.servedSubject == state.subject }
    let due = asked.filter(isWanted)
    guard !state.isReady, !due.isEmpty else { return refreshDue(asked) }
    filling.append(state)
    refresh(due, .due) { [unowned self] _ in
      // The last file may not have been opened yet, nor the reports read.
      state.check { self.filling.removeAll { $0 === state } }
      reports.check()
    }
  }

  /// The generation of `subject` for a request, which it records: see ``want(_:)``.
  ///
  /// The refresh starts first, so that the reply to a request without data says that it is in progress. So do all
  /// replies until the first data is complete.
  ///
  /// - Throws: The errors of ``ResidentSubject/generation(for:called:)``.
  func generation<Data>(
    of subject: ResidentSubject<Data>, for caller: Caller, called name: String? = nil
  ) throws(WireError) -> ServedGeneration<Data> {
    want(subject)
    guard !filling.contains(where: { $0 === subject }) else {
      throw WireError(
        .unavailable, "\(Data.subject.rawValue): no data yet: its sources are being contacted for the first time",
        data: ErrorData(subject: Data.subject, phase: "downloading", running: true))
    }
    return try subject.generation(for: caller, called: name)
  }

  /// Whether the subject of `feed` was requested and the feed's data is not a sample.
  private func isWanted(_ feed: FeedName) -> Bool {
    wanted.contains { $0.subject == feed.servedSubject } && reports[feed]?.sample != true
  }

  /// Refreshes `feeds` without a caller: for subjects never requested, only known sources are contacted.
  private func refreshDue(_ feeds: [FeedName]) {
    refresh(feeds.filter(isWanted), .due) { _ in }
    refresh(feeds.filter { !isWanted($0) }, .known) { _ in }
  }

  /// Refreshes `feeds` and calls `done` with an outcome for each, in the given order.
  ///
  /// A feed that takes too long is `running`, and so is each while the server is stopping. ``forget(_:)`` cancels the
  /// request.
  @discardableResult
  func refresh(
    _ feeds: [FeedName], _ reach: FeedReach, _ done: @escaping ([FeedOutcome]) -> Void
  ) -> RefreshCaller {
    let caller = RefreshCaller(feeds, isStopping ? [] : Set(feeds).map { job($0, reach) }, done)
    guard !feeds.isEmpty else { return caller }
    callers[ObjectIdentifier(caller)] = caller
    caller.timer = loop.schedule(after: isStopping ? 0 : wait) { [unowned self, unowned caller] in finish(caller) }
    return caller
  }

  /// Drops a request whose client no longer waits; its feeds are still refreshed.
  func forget(_ caller: RefreshCaller) { _ = take(caller) }

  /// Answers all waiting requests, and later ones, with `running` for unfinished feeds, because the server is stopping.
  func answerAll() {
    isStopping = true
    for caller in callers.values { finish(caller) }
  }

  /// Updates the user-defined feeds and the time of each feed's next attempt from the reports.
  func feedsChanged(_ reports: [FeedReport]) {
    let own = reports.filter { !FeedName.all.contains($0.feed) && $0.source != nil }.map(\.feed)
    let new = own.filter { !feeds.contains($0) }
    feeds = FeedName.all + own
    let times = reports.compactMap { report in report.nextAttempt.map { (report.feed, $0.secondsSince1970) } }
    plans = Dictionary(times) { $1 }.compactMapValues { $0 }.filter { feeds.contains($0.key) }
    if hasStarted { refreshDue(new) }
    plan()
  }

  /// Sets a timer for the earliest planned refresh.
  private func plan() {
    if let planTimer { loop.cancel(planTimer) }
    planTimer = nil
    guard socket != nil, let next = plans.values.min() else { return }
    let wait = max(0, next.subtractingReportingOverflow(Timestamp.secondsNow).partialValue)
    let nanoseconds = wait > interval / 1_000_000_000 ? interval : wait * 1_000_000_000
    planTimer = loop.schedule(after: max(Self.shortestWait, nanoseconds)) { [unowned self] in askDue() }
  }

  /// Refreshes the feeds that are due; the next report of each sets its next time.
  private func askDue() {
    let due = feeds.filter { plans[$0].map { $0 <= Timestamp.secondsNow } ?? false }
    for feed in due { plans[feed] = nil }
    refreshDue(due)
    plan()
  }

  private func finish(_ caller: RefreshCaller) {
    guard take(caller) else { return }
    let reason = probe.silentSince.map { "the sync service has given \(SyncProbe.text(since: $0))" }
    caller.finish(stillRunning: reason)
  }

  /// Removes a caller from the list; `false` if it is not in it.
  private func take(_ caller: RefreshCaller) -> Bool {
    guard callers.removeValue(forKey: ObjectIdentifier(caller)) != nil else { return false }
    if let timer = caller.timer { loop.cancel(timer) }
    return true
  }

  private func askAgain(after delay: Int64) {
    if let timer { loop.cancel(timer) }
    timer = loop.schedule(after: delay) { [unowned self] in start() }
  }

  // MARK: Jobs

  /// A refresh of one feed that starts now or later.
  private func job(_ feed: FeedName, _ reach: FeedReach) -> FeedJob {
    if let waiting = jobs.first(where: { !$0.isStarted && $0.feed == feed && $0.reach == reach }) { return waiting }
    let job = FeedJob(feed, reach, makePeer())
    jobs.append(job)
    if socket != nil { probe.start() }
    startJobs()
    return job
  }

  /// Starts the waiting jobs for which there are free connections.
  private func startJobs() {
    for job in jobs where !job.isStarted {
      let started = jobs.filter(\.isStarted)
      let alike = started.count { $0.feed == job.feed && $0.reach == job.reach }
      if started.count < Self.maximumJobs, alike < Self.maximumAlike { run(job) }
    }
  }

  private func run(_ job: FeedJob) {
    job.start { [unowned self] outcome, problem in
      jobs.removeAll { $0 === job }
      startJobs()
      if jobs.isEmpty { probe.stop() }
      note(problem)
      var outcome = outcome
      if problem != nil {
        (outcome.records, outcome.asOf) = (reports[job.feed]?.records, reports[job.feed]?.asOf)
      }
      let finished = callers.values.filter { $0.take(outcome, of: job) }
      for caller in finished { finish(caller) }
    }
  }

  /// Handles the reply to the probe, or its timeout.
  private func probed() {
    guard let since = probe.silentSince else {
      // An answer ends earlier failures.
      if state.hasPrefix(SyncProbe.silence) { note(nil) }
      return
    }
    let text = SyncProbe.text(since: since)
    note(.unreachable(text))
    guard Timestamp.secondsNow - since >= Self.longestSilence else { return }
    for job in jobs where job.isStarted { job.giveUp(text) }
  }

  /// Records whether the sync service refreshes feeds, and logs changes.
  private func note(_ problem: SyncProblem?) {
    let new = problem?.text ?? "ok"
    invalidConfiguration = nil
    if case .unreachable? = problem {} else { probe.silentSince = nil }
    switch problem {
    case nil where new != state && socket != nil:
      log.info("the sync service answers", metadata: .event(.syncFound))
    case .unreachable where new != state && socket != nil:
      log.notice("no sync service: \(new)", metadata: .event(.syncLost, error: new))
    case .invalidConfiguration(let fault): invalidConfiguration = fault
    default: break
    }
    if socket != nil { state = new }
    guard problem != nil, jobs.isEmpty, socket != nil else {
      if problem == nil { failures = 0 }
      return
    }
    askAgain(after: min(interval, Self.firstRetry << min(failures, 10)))
    failures += 1
  }
}

/// The reason why the sync service refreshes nothing.
enum SyncProblem {
  /// It does not answer.
  case unreachable(String)
  /// It replies with the first error in its configuration.
  case invalidConfiguration(String)

  /// The reason, as displayed in `status`.
  var text: String {
    switch self {
    case .unreachable(let reason): reason
    case .invalidConfiguration(let fault): "invalid configuration: \(fault)"
    }
  }
}

/// A request for several feeds, which is answered once with all outcomes.
final class RefreshCaller {
  var timer: TimerID?
  private let feeds: [FeedName]
  /// The unfinished jobs that it waits for.
  private var jobs: [FeedJob]
  private let done: ([FeedOutcome]) -> Void
  private var outcomes: [FeedName: FeedOutcome] = [:]

  init(_ feeds: [FeedName], _ jobs: [FeedJob], _ done: @escaping ([FeedOutcome]) -> Void) {
    self.feeds = feeds
    self.jobs = jobs
    self.done = done
  }

  /// Records the outcome of a job if the request waits for it; `true` if it was the last one missing.
  func take(_ outcome: FeedOutcome, of job: FeedJob) -> Bool {
    guard let index = jobs.firstIndex(where: { $0 === job }) else { return false }
    jobs.remove(at: index)
    outcomes[job.feed] = outcome
    return jobs.isEmpty
  }

  /// Answers with the known outcomes; the others are still running, possibly because of `reason`.
  func finish(stillRunning reason: String?) {
    done(feeds.map { outcomes[$0] ?? FeedOutcome(feed: $0, outcome: .running, error: reason) })
  }
}

/// The refresh of one feed by the sync service.
final class FeedJob {
  /// The longest refresh of one feed, in nanoseconds: the sync service limits downloads to far less.
  private static let longest: Int64 = 3_600_000_000_000

  let feed: FeedName
  /// The sources to contact.
  let reach: FeedReach
  private(set) var isStarted = false
  /// Its own connection, because replies on one connection arrive in order.
  private let peer: FramedPeer

  init(_ feed: FeedName, _ reach: FeedReach, _ peer: FramedPeer) {
    self.feed = feed
    self.reach = reach
    self.peer = peer
  }

  /// Sends the request; `done` receives the outcome, and the reason if the sync service refreshes nothing.
  func start(_ done: @escaping (FeedOutcome, SyncProblem?) -> Void) {
    isStarted = true
    let request = FeedRefresh(
      feeds: [feed], force: reach == .forced ? true : nil, known: reach == .known ? true : nil)
    peer.ask(request, within: Self.longest) { [self] answer in
      let (outcome, problem) = outcome(answer)
      // The sync service exits when no client is connected.
      peer.hangUp()
      done(outcome, problem)
    }
  }

  /// Ends the wait: the job fails with `reason`.
  func giveUp(_ reason: String) { peer.hangUp(because: reason) }

  private func outcome(
    _ answer: Result<Refresh.Reply, FramedPeer.Failure>
  ) -> (FeedOutcome, SyncProblem?) {
    switch answer {
    case .success(let reply):
      let outcome = reply.feeds.first { $0.feed == feed }
      return (outcome ?? failed("the sync service did not answer for it"), nil)
    case .failure(.refused(let error)):
      // A service that answers fails for all feeds only because of its configuration.
      return (failed(error.message), error.code == .unavailable ? .invalidConfiguration(error.message) : nil)
    case .failure(.unreachable(let reason)):
      return (failed("the sync service cannot be reached: \(reason)"), .unreachable(reason))
    case .failure(.silent(let since)):
      let reason = SyncProbe.text(since: since)
      return (failed("the sync service cannot be reached: \(reason)"), .unreachable(reason))
    }
  }

  private func failed(_ reason: String) -> FeedOutcome { FeedOutcome(feed: feed, outcome: .failed, error: reason) }
}
