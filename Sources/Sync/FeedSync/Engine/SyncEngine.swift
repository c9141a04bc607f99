package import CitiesProtocol
import Folders
import FrameService
package import Logging
import Resident
import Synchronization
import System

/// Runs feeds: different ones concurrently, each at most once at a time.
///
/// ```swift
/// let engine = SyncEngine(feeds: feeds, journal: journal, log: log)
/// engine.refresh([.cities], reach: .due) { outcomes in … }
/// ```
///
/// A request for a feed that is being refreshed joins that attempt, unless the request is forced, or the attempt has a
/// shorter reach or an outdated configuration. Such requests share one attempt right after it. Every outcome is in the
/// journal before it is reported.
package final class SyncEngine: Sendable {
  /// Receives the outcomes in the order of the request, on one of the engine's threads.
  package typealias Completion = @Sendable ([FeedOutcome]) -> Void
  /// Returns the seconds since 1970-01-01T00:00:00Z.
  package typealias Clock = @Sendable () -> Int64

  let journal: FeedJournal
  let log: Logger
  let now: Clock
  let observer: EngineObserver
  let backOff: BackOff
  let repeatsFailures: Bool
  private let state: Mutex<EngineState>

  /// Sets up an engine; nothing runs before the first request.
  ///
  /// An unchanged failure is logged again only with `repeatsFailures`: a service that retries for days logs it once.
  package init(
    feeds: [any Feed], journal: FeedJournal, log: Logger, now: @escaping Clock = SystemClock.seconds,
    backOff: BackOff = BackOff(), repeatsFailures: Bool = true, observer: EngineObserver = EngineObserver()
  ) {
    state = Mutex(EngineState(feeds: feeds))
    self.journal = journal
    self.log = log
    self.now = now
    self.backOff = backOff
    self.repeatsFailures = repeatsFailures
    self.observer = observer
  }

  /// Replaces the feeds after a change of the configuration; running attempts keep the old ones.
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
  /// It contacts the sources that `reach` allows. Unknown names are reported as failed, with the reason.
  package func refresh(_ names: [FeedName], reach: FeedReach, completion: @escaping Completion) {
    let (feeds, revision) = state.withLock { ($0.feeds, $0.revision) }
    let asked = names.isEmpty ? feeds.map(\.name) : names
    if asked.isEmpty { completion([]) }
    let outcomes = Mutex<[FeedOutcome?]>(Array(repeating: nil, count: asked.count))
    for (position, name) in asked.enumerated() {
      let take: EngineState.Waiter = { outcome in
        let whole: [FeedOutcome]? = outcomes.withLock { outcomes in
          outcomes[position] = outcome
          return outcomes.contains(nil) ? nil : outcomes.compactMap(\.self)
        }
        if let whole { completion(whole) }
      }
      if let feed = feeds.first(where: { $0.name == name }) {
        if let first = state.withLock({ $0.join(feed, of: revision, reach, take) }) { run(first) }
      } else {
        take(unknown(name))
      }
    }
  }

  /// Likewise, waiting for the outcomes.
  package func refreshAndWait(_ names: [FeedName], force: Bool) -> [FeedOutcome] {
    let finished = Semaphore()
    let result = Mutex<[FeedOutcome]>([])
    refresh(names, reach: force ? .forced : .due) { outcomes in
      result.withLock { $0 = outcomes }
      finished.signal()
    }
    finished.wait()
    return result.withLock { $0 }
  }

  /// Cancels running downloads and future attempts; completed downloads are still stored.
  package func cancel() { state.withLock { $0.isCancelled = true } }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Removes the data of a feed and its report.
  ///
  /// - Throws: ``FeedError``.
  package func forget(_ name: FeedName) throws(FeedError) {
    try feeds.first { $0.name == name }?.forget()
    try journal.remove(name)
  }

  /// Waits until no attempt is in progress, for at most `milliseconds`.
  package func waitUntilIdle(milliseconds: Int64 = 3_600_000) {
    let end = MonotonicClock.milliseconds() + milliseconds
    while isBusy, MonotonicClock.milliseconds() < end { MonotonicClock.pause(milliseconds: 2) }
  }

  /// Lets an attempt that waits start if the source of `feed`, of which `held` bytes are in memory, is slow.
  ///
  /// - Returns: whether the download goes on; `false` if it must end for another one.
  func makeWay(_ feed: FeedName, holding held: Int, isSlow: Bool) -> Bool {
    let (goesOn, next) = state.withLock { $0.makeWay(feed, holding: held, isSlow: isSlow) }
    if let next { run(next) }
    return goesOn
  }

  private func run(_ entry: EngineState.Entry) {
    let feed = entry.feed
    let isStarted = startDetachedThread { [self] in finish(feed, attempt(feed, entry.reach)) }
    guard !isStarted else { return }
    finish(
      feed, notAttempted(feed.name, FeedError(.io, "no thread can be started; raise TasksMax= or try again")))
  }

  /// Reports to all waiting requests, and starts the attempts that waited for this one.
  private func finish(_ feed: any Feed, _ outcome: FeedOutcome) {
    let (waiters, next) = state.withLock { $0.finish(feed) }
    for waiter in waiters { waiter(outcome) }
    for entry in next { run(entry) }
  }
}

/// The state shared by an engine's threads: the feeds and their attempts.
private struct EngineState {
  typealias Waiter = @Sendable (FeedOutcome) -> Void

  /// A feed's running attempt, and the requests for the one after it.
  struct Attempt {
    var reach: FeedReach
    /// The engine's ``EngineState/revision`` at its start.
    var revision: Int
    var waiters: [Waiter]
    var followers: [Waiter] = []
    var followersReach = FeedReach.known
  }

  /// An attempt that needs a thread.
  struct Entry {
    let feed: any Feed
    let reach: FeedReach
  }

  /// Most attempts with a place; each may hold a whole download in memory.
  private static let maximum = 8
  /// Most slow attempts besides, and the bytes of a download that each may hold: about 128 MiB in all.
  private static let (maximumSlow, slowBytes) = (16, 8 << 20)
  /// The first of these, which end if there are too many.
  private static let oldest = 4

  var feeds: [any Feed]
  /// The number of changes of the configuration.
  var revision = 0
  /// The configuration of the feeds, or why it is invalid; `nil` if the feeds were passed in.
  var configuration: Result<SyncConfiguration, FeedError>?
  var running: [FeedName: Attempt] = [:]
  var isCancelled = false
  private var threads = 0
  private var waiting: [Entry] = []
  /// The feeds whose attempts have given their places up, the first to do so first.
  private var slow: [FeedName] = []

  init(feeds: [any Feed]) { self.feeds = feeds }

  /// Adds a request for `feed` as it was configured by `revision`.
  ///
  /// - Returns: the attempt to start at once, if any.
  mutating func join(
    _ feed: any Feed, of revision: Int, _ reach: FeedReach, _ waiter: @escaping Waiter
  ) -> Entry? {
    guard var attempt = running[feed.name] else {
      running[feed.name] = Attempt(reach: reach, revision: revision, waiters: [waiter])
      return start(Entry(feed: feed, reach: reach))
    }
    // The attempt may have read a source that was replaced before a forced request.
    if reach > attempt.reach || reach == .forced || attempt.revision != revision {
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
  /// - Returns: its waiters, and the attempts that can start now: one that waited for a thread, and one for the
  ///   requests that this attempt did not satisfy.
  mutating func finish(_ feed: any Feed) -> (waiters: [Waiter], next: [Entry]) {
    if let index = slow.firstIndex(of: feed.name) { slow.remove(at: index) } else { threads -= 1 }
    var next = [startWaiting()]
    guard let ended = running.removeValue(forKey: feed.name) else { return ([], next.compactMap(\.self)) }
    if !ended.followers.isEmpty {
      running[feed.name] = Attempt(reach: ended.followersReach, revision: revision, waiters: ended.followers)
      // With the current configuration, whose change may be the reason for the second attempt.
      let current = feeds.first { $0.name == feed.name } ?? feed
      next.append(start(Entry(feed: current, reach: ended.followersReach)))
    }
    return (ended.waiters, next.compactMap(\.self))
  }

  /// Gives the place of an attempt whose source is slow to one that waits.
  ///
  /// - Returns: whether it goes on, and the one to start. Without a place it ends if it holds too much and there is no
  ///   place again, or if it is one of the first of too many.
  mutating func makeWay(_ feed: FeedName, holding held: Int, isSlow: Bool) -> (goesOn: Bool, next: Entry?) {
    let isSmall = held <= Self.slowBytes
    if let index = slow.firstIndex(of: feed) {
      let mustEnd = slow.count == Self.maximumSlow && index < min(Self.oldest, waiting.count)
      guard !isSmall, threads < Self.maximum else { return (isSmall && !mustEnd, nil) }
      slow.remove(at: index)
      threads += 1
    } else if isSlow, !waiting.isEmpty, slow.count < Self.maximumSlow {
      slow.append(feed)
      threads -= 1
      return (isSmall, startWaiting())
    }
    return (true, nil)
  }

  /// Starts the attempt that has waited longest, if there is a place for it.
  private mutating func startWaiting() -> Entry? {
    guard threads < Self.maximum, !waiting.isEmpty else { return nil }
    return start(waiting.removeFirst())
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

extension SyncEngine {
  /// An engine for the configured feeds and this user's state folder; warnings about the configuration are logged.
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

  /// Likewise for a service, which also starts with an invalid configuration.
  ///
  /// It has no feeds then, and ``readConfiguration()`` says why.
  ///
  /// - Throws: as ``configured(log:observer:)``, except for the configuration.
  package static func serving(log: Logger) throws -> SyncEngine {
    let reading = configurationNow()
    let engine = try make(log, EngineObserver(), repeatsFailures: false)
    engine.take(reading)
    return engine
  }

  private static func configurationNow() -> Result<SyncConfiguration, FeedError> {
    Result { () throws(FeedError) in try SyncConfiguration(user: FolderOwner.startingUser) }
  }

  /// An engine without feeds for this user's state folder; the process assumes the rights of the folder's owner.
  private static func make(
    _ log: Logger, _ observer: EngineObserver, repeatsFailures: Bool = true
  ) throws -> SyncEngine {
    let state = try StateFolder(user: FolderOwner.startingUser)
    try FeedError.converting { () throws(SystemError) in try FolderOwner.become(ofFolderAt: state.path) }
    ImportProcess.sweep(state)
    return SyncEngine(
      feeds: [], journal: FeedJournal(state: state, log: log), log: log, repeatsFailures: repeatsFailures,
      observer: observer)
  }

  /// An engine that imports the samples into this user's state folder.
  ///
  /// - Throws: as ``configured(log:observer:)``, and ``FeedError`` if there are no samples.
  package static func withSamples(log: Logger, observer: EngineObserver = EngineObserver()) throws -> SyncEngine {
    let configuration = try SyncConfiguration(user: FolderOwner.startingUser)
    let folder = try SampleFolder.find()
    let engine = try make(log, observer)
    engine.reconfigure(FeedRegistry.feeds(configuration, state: engine.journal.state, samples: folder))
    return engine
  }

  /// Updates the sources in the reports, which the server reads; no source is contacted.
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

  /// Reads the configuration again and applies a change; an invalid one is logged once.
  ///
  /// - Throws: ``FeedError`` with the place of the fault, even if it was logged before: no feed may be refreshed while
  ///   the configuration is invalid.
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
    // The server finds the names of user-defined feeds in the reports.
    do throws(FeedError) { try journal.register(feeds) } catch {
      log.error("\(error)", metadata: .event(.degraded, error: "\(error)"))
    }
  }
}

/// Receives an engine's reports, on the engine's threads.
package struct EngineObserver: Sendable {
  /// The progress of a feed.
  package var progress: @Sendable (FeedName, Progress) -> Void = { _, _ in }
  /// Why an attempt failed.
  package var failure: @Sendable (FeedName, FeedError) -> Void = { _, _ in }

  /// Ignores all reports.
  package init() {}
}

/// The errors of failed attempts, collected from an engine's threads.
package final class FailureList: Sendable {
  private let errors = Mutex<[FeedError]>([])

  /// An empty list.
  package init() {}

  /// All errors so far, oldest first.
  package var all: [FeedError] { errors.withLock { $0 } }

  /// Adds one.
  package func add(_ error: FeedError) { errors.withLock { $0.append(error) } }
}
