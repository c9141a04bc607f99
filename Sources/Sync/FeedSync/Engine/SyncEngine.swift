package import CitiesProtocol
package import Logging
import Synchronization
import System

/// Runs feeds: different ones side by side, the same one never twice at a time.
///
/// ```swift
/// let engine = SyncEngine(feeds: feeds, journal: journal, log: log)
/// engine.refresh([.cities], force: false) { outcomes in … }
/// ```
///
/// Who asks for a feed that is being refreshed is joined to that attempt, except that a forced request is not content with
/// one that is not: it gets an attempt of its own right after. What came of every attempt goes into the journal before
/// anybody is told.
package final class SyncEngine: Sendable {
  /// Takes the outcomes, in the order asked, on a thread of the engine's.
  package typealias Completion = @Sendable ([FeedOutcome]) -> Void
  /// The seconds since 1970-01-01T00:00:00Z.
  package typealias Clock = @Sendable () -> Int64
  private typealias Waiter = @Sendable (FeedOutcome) -> Void

  /// A feed's attempt that is under way, and the one that follows it.
  private struct Attempt {
    var isForced: Bool
    var waiters: [Waiter]
    var followers: [Waiter] = []
  }

  private let configured: Mutex<[any Feed]>
  let journal: FeedJournal
  let log: Logger
  let now: Clock
  let observer: EngineObserver
  let backOff: BackOff
  let repeatsComplaints: Bool
  let isCancelled = Atomic(false)
  /// What its feeds were set up from; `nil` if not from a configuration.
  let configuration = Mutex<SyncConfiguration?>(nil)
  private let running = Mutex<[FeedName: Attempt]>([:])

  /// Sets up an engine; nothing runs before it is asked.
  ///
  /// A failure that is the same as the last time is logged again only if it `repeatsComplaints`: a service that tries for
  /// days says so once.
  package init(
    feeds: [any Feed], journal: FeedJournal, log: Logger, now: @escaping Clock = SystemClock.seconds,
    backOff: BackOff = BackOff(), repeatsComplaints: Bool = true, observer: EngineObserver = EngineObserver()
  ) {
    configured = Mutex(feeds)
    self.journal = journal
    self.log = log
    self.now = now
    self.backOff = backOff
    self.repeatsComplaints = repeatsComplaints
    self.observer = observer
  }

  /// Takes feeds as a changed configuration has them; attempts that are under way end as they began.
  package func reconfigure(_ feeds: [any Feed]) { configured.withLock { $0 = feeds } }

  private var feeds: [any Feed] { configured.withLock { $0 } }

  /// The feeds it knows, in their order.
  package var names: [FeedName] { feeds.map(\.name) }

  /// Whether an attempt is under way.
  package var isBusy: Bool { running.withLock { !$0.isEmpty } }

  /// What is known of every feed of this build, in their order.
  package var reports: [FeedReport] {
    let known = journal.reports()
    return feeds.map { feed in
      var report = known.first { $0.feed == feed.name } ?? FeedReport(feed: feed.name)
      report.source = feed.source.map(SourceLocation.shown)
      return report
    }
  }

  /// Brings `names` up to date, all feeds if it is empty, and tells `completion` once when every one has finished.
  ///
  /// Names that it does not know are answered as failed.
  package func refresh(_ names: [FeedName], force: Bool, completion: @escaping Completion) {
    let asked = names.isEmpty ? self.names : names
    let gathering = Gathering(count: asked.count, completion: completion)
    for (position, name) in asked.enumerated() {
      guard let feed = feeds.first(where: { $0.name == name }) else {
        gathering.take(FeedOutcome(feed: name, outcome: .failed, error: "there is no such feed"), at: position)
        continue
      }
      join(feed, force: force) { gathering.take($0, at: position) }
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

  /// Gives up the downloads that are under way, for good; what has been downloaded is stored all the same.
  package func cancel() { isCancelled.store(true, ordering: .relaxed) }

  /// Waits until no attempt is under way: what is being stored is stored whole.
  package func waitUntilIdle() {
    for name in names where running.withLock({ $0[name] != nil }) {
      let finished = Semaphore()
      let isRunning = running.withLock { running in
        running[name]?.waiters.append { _ in finished.signal() } != nil
      }
      if isRunning { finished.wait() }
    }
  }

  private func join(_ feed: any Feed, force: Bool, _ waiter: @escaping Waiter) {
    let starts = running.withLock { running in
      guard var attempt = running[feed.name] else {
        running[feed.name] = Attempt(isForced: force, waiters: [waiter])
        return true
      }
      if force && !attempt.isForced { attempt.followers.append(waiter) } else { attempt.waiters.append(waiter) }
      running[feed.name] = attempt
      return false
    }
    if starts { start(feed, force: force) }
  }

  private func start(_ feed: any Feed, force: Bool) {
    let isStarted = startDetachedThread { [self] in finish(feed, attempt(feed, force: force)) }
    guard !isStarted else { return }
    finish(
      feed,
      FeedOutcome(feed: feed.name, outcome: .failed, error: "no thread can be started; raise TasksMax= or try again"))
  }

  /// Tells everyone who waits, and starts the attempt that follows, if somebody waits for one.
  private func finish(_ feed: any Feed, _ outcome: FeedOutcome) {
    let (waiters, goesOn) = running.withLock { running in
      let ended = running.removeValue(forKey: feed.name)
      guard let followers = ended?.followers, !followers.isEmpty else { return (ended?.waiters ?? [], false) }
      running[feed.name] = Attempt(isForced: true, waiters: followers)
      return (ended?.waiters ?? [], true)
    }
    for waiter in waiters { waiter(outcome) }
    if goesOn { start(feed, force: true) }
  }
}

/// Outcomes on their way to who asked, each at its place.
private final class Gathering: Sendable {
  private struct Content {
    var outcomes: [FeedOutcome?]
    var missing: Int
  }

  private let content: Mutex<Content>
  private let completion: SyncEngine.Completion

  init(count: Int, completion: @escaping SyncEngine.Completion) {
    content = Mutex(Content(outcomes: Array(repeating: nil, count: count), missing: count))
    self.completion = completion
    if count == 0 { completion([]) }
  }

  func take(_ outcome: FeedOutcome, at position: Int) {
    let whole: [FeedOutcome]? = content.withLock { content in
      content.outcomes[position] = outcome
      content.missing -= 1
      return content.missing == 0 ? content.outcomes.compactMap { $0 } : nil
    }
    if let whole { completion(whole) }
  }
}
