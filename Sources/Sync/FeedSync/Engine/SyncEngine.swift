package import CitiesProtocol
import Folders
import FrameService
package import Logging
import Resident
import Synchronization
import System

/// Runs feeds: different ones side by side, the same one never twice at a time.
///
/// ```swift
/// let engine = SyncEngine(feeds: feeds, journal: journal, log: log)
/// engine.refresh([.cities], force: false) { outcomes in … }
/// ```
///
/// A request for a feed that is being refreshed joins that attempt, unless the attempt is not what was asked for: none
/// joins one of a shorter reach, or one that an earlier configuration started. Such requests share their own attempt
/// right after. The outcome of every attempt is in the journal before it is reported.
package final class SyncEngine: Sendable {
  /// Takes the outcomes, in the order asked, on a thread of the engine's.
  package typealias Completion = @Sendable ([FeedOutcome]) -> Void
  /// The seconds since 1970-01-01T00:00:00Z.
  package typealias Clock = @Sendable () -> Int64

  let journal: FeedJournal
  let log: Logger
  let now: Clock
  let observer: EngineObserver
  let backOff: BackOff
  let repeatsComplaints: Bool
  private let state: Mutex<EngineState>

  /// Sets up an engine; nothing runs before the first request.
  ///
  /// A failure that is the same as the last time is logged again only if it `repeatsComplaints`: a service that tries
  /// for days says so once.
  package init(
    feeds: [any Feed], journal: FeedJournal, log: Logger, now: @escaping Clock = SystemClock.seconds,
    backOff: BackOff = BackOff(), repeatsComplaints: Bool = true, observer: EngineObserver = EngineObserver()
  ) {
    state = Mutex(EngineState(feeds: feeds))
    self.journal = journal
    self.log = log
    self.now = now
    self.backOff = backOff
    self.repeatsComplaints = repeatsComplaints
    self.observer = observer
  }

  /// Takes feeds as a changed configuration has them; attempts that are in progress end as they began.
  package func reconfigure(_ feeds: [any Feed]) {
    state.withLock { state in
      state.feeds = feeds
      state.revision += 1
    }
  }

  private var feeds: [any Feed] { state.withLock { $0.feeds } }

  /// The feeds it knows, in their order.
  package var names: [FeedName] { feeds.map(\.name) }

  /// Whether an attempt is in progress.
  package var isBusy: Bool { state.withLock { !$0.running.isEmpty } }

  /// The report on every feed of this build, in their order.
  package var reports: [FeedReport] {
    let known = journal.reports()
    return feeds.map { feed in
      var report = known.first { $0.feed == feed.name } ?? FeedReport(feed: feed.name)
      report.source = feed.source.map(SourceLocation.shown)
      return report
    }
  }

  /// Brings `names` up to date, all feeds if it is empty, and calls `completion` once when every one has finished.
  ///
  /// Names that it does not know are answered as failed, with the reason.
  package func refresh(_ names: [FeedName], force: Bool, completion: @escaping Completion) {
    refresh(names, reach: force ? .forced : .due, completion: completion)
  }

  /// The same, asking as many sources as `reach` says.
  package func refresh(_ names: [FeedName], reach: FeedReach, completion: @escaping Completion) {
    let (feeds, revision) = state.withLock { ($0.feeds, $0.revision) }
    let asked = names.isEmpty ? feeds.map(\.name) : names
    let collector = OutcomeCollector(count: asked.count, completion: completion)
    for (position, name) in asked.enumerated() {
      guard let feed = feeds.first(where: { $0.name == name }) else {
        collector.take(unknown(name), at: position)
        continue
      }
      let first = state.withLock { $0.join(feed, of: revision, reach) { collector.take($0, at: position) } }
      if let first { run(first) }
    }
  }

  /// The same, waiting for the outcomes.
  package func refreshAndWait(_ names: [FeedName], force: Bool) -> [FeedOutcome] {
    let finished = Semaphore()
    let result = Mutex<[FeedOutcome]>([])
    refresh(names, force: force) { outcomes in
      result.withLock { $0 = outcomes }
      finished.signal()
    }
    finished.wait()
    return result.withLock { $0 }
  }

  /// Gives up the downloads that are in progress, permanently; what has been downloaded is stored all the same.
  package func cancel() { state.withLock { $0.isCancelled = true } }

  /// Whether downloads are to be given up.
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Removes the data of a feed, and what is known of it.
  ///
  /// - Throws: ``FeedError``.
  package func forget(_ name: FeedName) throws(FeedError) {
    try feeds.first { $0.name == name }?.forget()
    try journal.remove(name)
  }

  /// Waits until no attempt is in progress: copies are stored whole.
  package func waitUntilIdle() {
    for name in state.withLock({ $0.running.keys }) {
      let finished = Semaphore()
      let isRunning = state.withLock { $0.running[name]?.waiters.append { _ in finished.signal() } != nil }
      if isRunning { finished.wait() }
    }
  }

  private func run(_ attempt: EngineState.Entry) {
    let feed = attempt.feed
    let isStarted = startDetachedThread { [self] in finish(feed, self.attempt(feed, attempt.reach)) }
    guard !isStarted else { return }
    finish(
      feed, notAttempted(feed.name, FeedError(.io, "no thread can be started; raise TasksMax= or try again")))
  }

  /// Reports to all waiting requests, and starts the attempts that waited for this one.
  private func finish(_ feed: any Feed, _ outcome: FeedOutcome) {
    let (waiters, next) = state.withLock { $0.finish(feed) }
    for waiter in waiters { waiter(outcome) }
    for attempt in next { run(attempt) }
  }
}

/// The feeds of an engine, and their attempts: all that its threads share.
private struct EngineState {
  typealias Waiter = @Sendable (FeedOutcome) -> Void

  /// A feed's attempt that is in progress, and the one that follows it.
  struct Attempt {
    var reach: FeedReach
    /// Which of the engine's configurations it was started with.
    var revision: Int
    var waiters: [Waiter]
    var followers: [Waiter] = []
    var followersReach = FeedReach.known
  }

  /// An attempt that needs a thread, and its own download in memory.
  struct Entry {
    let feed: any Feed
    let reach: FeedReach
  }

  /// Attempts with a thread at once.
  private static let maximum = 8

  var feeds: [any Feed]
  /// How many configurations there were before.
  var revision = 0
  /// What the feeds were set up from, or why not; `nil` if not from a configuration.
  var configuration: Result<SyncConfiguration, FeedError>?
  var running: [FeedName: Attempt] = [:]
  var isCancelled = false
  private var threads = 0
  private var waiting: [Entry] = []

  init(feeds: [any Feed]) { self.feeds = feeds }

  /// Adds a request for `feed` as it was configured by `revision`.
  ///
  /// - Returns: the attempt, if one can start for it at once.
  mutating func join(
    _ feed: any Feed, of revision: Int, _ reach: FeedReach, _ waiter: @escaping Waiter
  ) -> Entry? {
    guard var attempt = running[feed.name] else {
      running[feed.name] = Attempt(reach: reach, revision: revision, waiters: [waiter])
      return start(Entry(feed: feed, reach: reach))
    }
    if reach > attempt.reach || attempt.revision != revision {
      attempt.followers.append(waiter)
      attempt.followersReach = max(attempt.followersReach, reach)
    } else {
      attempt.waiters.append(waiter)
    }
    running[feed.name] = attempt
    return nil
  }

  /// Ends the attempt of `feed`.
  ///
  /// - Returns: who waited for it, and the attempts that can start now: one may have waited for a thread, and requests
  ///   may have asked for more than this attempt.
  mutating func finish(_ feed: any Feed) -> (waiters: [Waiter], next: [Entry]) {
    threads -= 1
    var next: [Entry?] = []
    if let first = waiting.first {
      waiting.removeFirst()
      next = [start(first)]
    }
    guard let ended = running.removeValue(forKey: feed.name) else { return ([], next.compactMap(\.self)) }
    if !ended.followers.isEmpty {
      running[feed.name] = Attempt(reach: ended.followersReach, revision: revision, waiters: ended.followers)
      // As it is configured by now: a request may follow because of a new configuration.
      let current = feeds.first { $0.name == feed.name } ?? feed
      next.append(start(Entry(feed: current, reach: ended.followersReach)))
    }
    return (ended.waiters, next.compactMap(\.self))
  }

  private mutating func start(_ entry: Entry) -> Entry? {
    guard threads < Self.maximum else {
      waiting.append(entry)
      return nil
    }
    threads += 1
    return entry
  }
}

/// Outcomes on their way to who asked, each at its place.
private final class OutcomeCollector: Sendable {
  private let outcomes: Mutex<[FeedOutcome?]>
  private let completion: SyncEngine.Completion

  init(count: Int, completion: @escaping SyncEngine.Completion) {
    outcomes = Mutex(Array(repeating: nil, count: count))
    self.completion = completion
    if count == 0 { completion([]) }
  }

  func take(_ outcome: FeedOutcome, at position: Int) {
    let whole: [FeedOutcome]? = outcomes.withLock { outcomes in
      outcomes[position] = outcome
      return outcomes.contains(nil) ? nil : outcomes.compactMap(\.self)
    }
    if let whole { completion(whole) }
  }
}

extension SyncEngine {
  /// An engine over the configured feeds and this user's state folder; warnings about the configuration are logged.
  ///
  /// The configuration is read with the rights that the process started with; then root becomes the folder's owner.
  ///
  /// - Throws: ``FeedError`` if the configuration cannot be read or the folder's owner cannot be taken on,
  ///   `StateFolderError` if there is no state folder.
  package static func configured(
    log: Logger, observer: EngineObserver = EngineObserver()
  ) throws -> SyncEngine {
    let reading = configurationNow()
    let engine = try make(log, observer)
    engine.setUp(from: try reading.get())
    return engine
  }

  /// The same for a service, which starts with an invalid configuration too and has no feeds as long as it is invalid:
  /// ``readConfiguration()`` says why.
  ///
  /// - Throws: as ``configured(log:observer:)``, except for the configuration.
  package static func serving(log: Logger) throws -> SyncEngine {
    let reading = configurationNow()
    let engine = try make(log, EngineObserver(), repeatsComplaints: false)
    engine.take(reading)
    return engine
  }

  private static func configurationNow() -> Result<SyncConfiguration, FeedError> {
    Result { () throws(FeedError) in try SyncConfiguration(user: FolderOwner.startingUser) }
  }

  /// An engine without feeds over this user's state folder, of whose owner this process has the rights then.
  private static func make(
    _ log: Logger, _ observer: EngineObserver, repeatsComplaints: Bool = true
  ) throws -> SyncEngine {
    let state = try StateFolder(user: FolderOwner.startingUser)
    try FeedError.converting { () throws(SystemError) in try FolderOwner.become(ofFolderAt: state.path) }
    return SyncEngine(
      feeds: [], journal: FeedJournal(state: state, log: log), log: log, repeatsComplaints: repeatsComplaints,
      observer: observer)
  }

  /// An engine that takes the samples into this user's state folder.
  ///
  /// - Throws: as ``configured(log:observer:)``, and ``FeedError`` if there are no samples.
  package static func withSamples(log: Logger, observer: EngineObserver = EngineObserver()) throws -> SyncEngine {
    let configuration = try SyncConfiguration(user: FolderOwner.startingUser)
    let folder = try SampleFolder.find()
    let engine = try make(log, observer)
    engine.reconfigure(
      FeedRegistry.feeds(
        of: FeedRegistry.importers(configuration), configuration, state: engine.journal.state, samples: folder))
    return engine
  }

  /// Writes the sources that feeds have by now into their reports, which the server reads; no source is contacted.
  ///
  /// Without a state folder there are no reports. If they cannot be written, the next refresh corrects them.
  package static func updateReports(log: Logger) {
    guard let state = try? StateFolder(user: FolderOwner.startingUser), isFolder(state.path) else { return }
    do {
      let engine = try configured(log: log)
      for feed in engine.feeds { try engine.noteSource(of: feed) }
    } catch {
      log.warning(
        "the server learns of it at its next refresh: \(error)", metadata: .event(.degraded, error: "\(error)"))
    }
  }

  /// Puts the user's own feeds into the reports, from which the server reads their names, and removes those that are
  /// gone.
  private func registerFeeds() {
    do throws(FeedError) {
      try journal.register(feeds)
    } catch {
      log.error("\(error)", metadata: .event(.degraded, error: "\(error)"))
    }
  }

  /// Reads the configuration again; a change of it is taken, or logged if it is invalid.
  ///
  /// - Throws: ``FeedError`` with the place of the fault, also if it is known: no feed may be refreshed then, as only
  ///   those of an earlier configuration are known, if any.
  package func readConfiguration() throws(FeedError) {
    let reading = Self.configurationNow()
    take(reading)
    _ = try reading.get()
  }

  private func take(_ reading: Result<SyncConfiguration, FeedError>) {
    let isNew = state.withLock { state in
      defer { state.configuration = reading }
      return state.configuration != reading
    }
    guard isNew else { return }
    switch reading {
    case .success(let configuration): setUp(from: configuration)
    case .failure(let fault):
      log.error("\(fault)", metadata: .event(.configurationInvalid, error: fault.description))
    }
  }

  private func setUp(from configuration: SyncConfiguration) {
    for warning in configuration.warnings {
      log.warning("\(warning)", metadata: .event(.configurationInvalid, error: warning))
    }
    reconfigure(FeedRegistry.feeds(configuration, state: journal.state))
    registerFeeds()
  }
}

/// The reports of an engine while it works, on its own threads.
package struct EngineObserver: Sendable {
  /// How far a feed is.
  package var progress: @Sendable (FeedName, Progress) -> Void = { _, _ in }
  /// Why an attempt failed.
  package var failure: @Sendable (FeedName, FeedError) -> Void = { _, _ in }

  /// Ignores all reports.
  package init() {}
}

/// Why attempts failed, gathered from an engine's threads.
package final class FailureList: Sendable {
  private let errors = Mutex<[FeedError]>([])

  /// Starts without any.
  package init() {}

  /// All so far, in the order in which they came.
  package var all: [FeedError] { errors.withLock { $0 } }

  /// Adds one.
  package func add(_ error: FeedError) { errors.withLock { $0.append(error) } }
}
