import CitiesProtocol
import FrameService
import Logging
import Resident
import Synchronization
import System
import TestSupport
import Testing

@testable import FeedSync

/// A feed whose attempts end when the test says so.
private final class ScriptedFeed: Feed {
  let name: FeedName
  let source: String? = "/scripted"
  let interval: Int64 = 600
  let country: String?
  private let script: @Sendable (AttemptOptions) throws(FeedError) -> FeedResult
  let attempts = Mutex<[Bool]>([])

  init(
    _ name: String, country: String? = nil,
    _ script: @escaping @Sendable (AttemptOptions) throws(FeedError) -> FeedResult
  ) {
    (self.name, self.country) = (FeedName(rawValue: name), country)
    self.script = script
  }

  func update(_ attempt: AttemptOptions) throws(FeedError) -> FeedResult {
    attempts.withLock { $0.append(attempt.isForced) }
    return try script(attempt)
  }
}

/// A feed that nobody has configured.
private struct AbsentFeed: Feed {
  let name = FeedName.cities
  let source: String? = nil
  let interval: Int64 = 600
  func update(_ attempt: AttemptOptions) throws(FeedError) -> FeedResult {
    throw FeedError(.unavailable, "never asked")
  }
}

private let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
private let good = FeedResult(outcome: .imported, counts: RecordCounts(kept: 10, skipped: 2))

@Suite("Sync engine", .timeLimit(.minutes(5)))
struct SyncEngineTests {
  let folder: TemporaryFolder
  let journal: FeedJournal

  init() throws {
    folder = try TemporaryFolder()
    journal = FeedJournal(state: StateFolder(path: folder.path("state")), log: quiet)
  }

  private func engine(_ feeds: [any Feed], now: Int64 = 1_700_000_000) -> SyncEngine {
    SyncEngine(feeds: feeds, journal: journal, log: quiet, now: { now }, backOff: BackOff { 0.5 })
  }

  private func time(_ seconds: Int64) -> Timestamp { Timestamp(secondsSince1970: seconds) }

  @Test func `a success is reported and written down with its times`() {
    let engine = engine([ScriptedFeed("a") { _ in good }])
    let outcomes = engine.refreshAndWait([], force: false)
    let a = FeedName(rawValue: "a")
    #expect(
      outcomes == [
        FeedOutcome(feed: a, outcome: .imported, records: 10, skipped: 2, asOf: time(1_700_000_000)).counted()
      ])
    #expect(
      journal.reports() == [
        FeedReport(
          feed: a, records: 10, skipped: 2, asOf: time(1_700_000_000), lastAttempt: time(1_700_000_000),
          nextAttempt: time(1_700_000_600), source: "/scripted", interval: 600
        ).counted()
      ])
  }

  @Test func `a failure keeps what is known of the data and says why`() {
    let a = FeedName(rawValue: "a")
    _ = engine([ScriptedFeed("a") { _ in good }]).refreshAndWait([a], force: false)
    let failing = ScriptedFeed("a") { (_) throws(FeedError) in throw FeedError(.badData, "broken at byte 7") }
    let outcomes = engine([failing], now: 1_700_001_000).refreshAndWait([a], force: false)
    #expect(
      outcomes == [
        FeedOutcome(feed: a, outcome: .failed, records: 10, error: "broken at byte 7", asOf: time(1_700_000_000))
      ])
    let report = journal.report(of: a)
    #expect(report.records == 10 && report.asOf == time(1_700_000_000))
    #expect(report.lastError == "broken at byte 7" && report.lastAttempt == time(1_700_001_000))
    #expect(report.nextAttempt == time(1_700_001_030))
    _ = engine([ScriptedFeed("a") { _ in good }], now: 1_700_002_000).refreshAndWait([a], force: false)
    #expect(journal.report(of: a).lastError == nil)
  }

  @Test func `a report has the country of the feed's locations before there are any`() {
    let silent = ScriptedFeed("swedbank-lv", country: "LV") { _ in
      FeedResult(outcome: .idle, counts: RecordCounts(kept: 0))
    }
    let failing = ScriptedFeed("imaginary", country: "BA") { (_) throws(FeedError) in
      throw FeedError(.badData, "broken")
    }
    let engine = engine([silent, failing, ScriptedFeed("rates") { _ in good }])
    _ = engine.refreshAndWait([], force: false)
    #expect([FeedName.swedbankLV, .imaginary, .rates].map { journal.report(of: $0).country } == ["LV", "BA", nil])
  }

  @Test func `a report has the country of the configuration after a change of it`() throws {
    let (points, table) = (FeedName(rawValue: "points"), FeedName(rawValue: "table"))
    let feed = { ScriptedFeed($0, country: $1) { (_) throws(FeedError) in throw FeedError(.badData, "broken") } }
    let before = [feed("swedbank-lv", "LV"), feed("points", "FI")]
    try journal.register(before)
    _ = engine(before).refreshAndWait([], force: false)
    try journal.register([feed("swedbank-lv", "LT"), feed("table", "SE"), feed("rates", "SE")])
    #expect(Set(journal.reports().map(\.feed)) == [.swedbankLV, table])
    #expect(journal.report(of: .swedbankLV).country == "LT" && journal.report(of: .swedbankLV).lastError != nil)
    #expect(journal.report(of: table).country == "SE" && journal.report(of: points).country == nil)
    let engine = engine([feed("swedbank-lv", "EE")])
    try engine.noteSource(of: feed("swedbank-lv", "EE"))
    #expect(journal.report(of: .swedbankLV).country == "EE" && journal.report(of: .swedbankLV).lastError != nil)
  }

  @Test func `a feed without a source is unconfigured, which is not an attempt and writes nothing`() {
    let engine = engine([AbsentFeed()])
    #expect(engine.refreshAndWait([.cities], force: true) == [FeedOutcome(feed: .cities, outcome: .unconfigured)])
    #expect(engine.reports == [FeedReport(feed: .cities)])
    #expect(!Repository.exists(folder.path("state")))
  }

  @Test func `a feed that the engine does not have fails with the reason, in the log too; the others are refreshed`() {
    let lines = RecordedLines()
    let failures = FailureList()
    var observer = EngineObserver()
    observer.failure = { failures.add($1) }
    let engine = SyncEngine(
      feeds: [ScriptedFeed("a") { _ in good }], journal: journal, log: Logger(label: "test") { _ in lines },
      observer: observer)
    let outcomes = engine.refreshAndWait([FeedName(rawValue: "x"), FeedName(rawValue: "a"), .rates], force: false)
    #expect(outcomes.map(\.outcome) == [.failed, .imported, .failed])
    #expect(outcomes.map(\.error) == ["there is no such feed", nil, "this program has no importer for it"])
    #expect(lines.all == ["feed x: there is no such feed", "feed rates: this program has no importer for it"])
    #expect(ExitCode(of: outcomes, reasons: failures.all) == .partial)
    #expect(ExitCode(of: [outcomes[2]], reasons: failures.all) == .unavailable)
  }

  /// A feed whose attempts open `entered`, and end when `release` is opened for each.
  private func heldFeed() -> (ScriptedFeed, entered: Turnstile, release: Turnstile) {
    let (entered, release) = (Turnstile(), Turnstile())
    let feed = ScriptedFeed("a") { _ in
      entered.open()
      release.pass()
      return good
    }
    return (feed, entered, release)
  }

  @Test(arguments: [FeedReach.due, .forced])
  func `many who ask for the same feed share one attempt; a forced request gets one that begins later`(
    first: FeedReach
  ) {
    let (feed, entered, release) = heldFeed()
    let engine = engine([feed])
    let answers = Answers()
    engine.refresh([], reach: first, completion: answers.take)
    entered.pass()
    #expect(engine.isBusy)
    for _ in 0..<20 { engine.refresh([], reach: .due, completion: answers.take) }
    for _ in 0..<5 { engine.refresh([], reach: .forced, completion: answers.take) }
    release.open()
    release.open()
    engine.waitUntilIdle()
    #expect(!engine.isBusy)
    answers.wait(for: 26)
    #expect(feed.attempts.withLock { $0 } == [first == .forced, true])
  }

  @Test func `after a cancellation the running attempt ends, and none follows it`() {
    let (feed, entered, release) = heldFeed()
    let engine = engine([feed])
    let (first, second) = (Answers(), Answers())
    engine.refresh([], reach: .due, completion: first.take)
    entered.pass()
    engine.refresh([], reach: .forced, completion: second.take)
    engine.cancel()
    for _ in 0..<2 { release.open() }
    engine.waitUntilIdle()
    #expect(!engine.isBusy && feed.attempts.withLock { $0 } == [false])
    second.wait(for: 1)
    #expect(feed.attempts.withLock { $0 } == [false])
    #expect(first.outcomes == [.imported] && second.outcomes == [.running])
    #expect(journal.report(of: FeedName(rawValue: "a")).records == 10)
  }

  @Test func `a changed configuration is taken over between attempts`() {
    let engine = engine([AbsentFeed()])
    #expect(engine.refreshAndWait([], force: false).map(\.outcome) == [.unconfigured])
    engine.reconfigure([ScriptedFeed("cities") { _ in good }])
    #expect(engine.refreshAndWait([], force: false).map(\.outcome) == [.imported])
    #expect(engine.reports.map(\.source) == ["/scripted"])
    engine.reconfigure([AbsentFeed()])
    #expect(
      engine.refreshAndWait([], force: false) == [
        FeedOutcome(
          feed: .cities, outcome: .unconfigured, records: 10, asOf: time(1_700_000_000))
      ])
    let report = journal.report(of: .cities)
    #expect(report.nextAttempt == nil && report.source == nil && report.records == 10)
  }

  @Test(arguments: [true, false])
  func `a request under a new configuration is not content with an attempt of the old one`(force: Bool) {
    let (entered, release) = (Turnstile(), Turnstile())
    let old = ScriptedFeed("a") { _ in
      entered.open()
      release.pass()
      return good
    }
    let new = ScriptedFeed("a") { _ in FeedResult(outcome: .imported, counts: RecordCounts(kept: 77, skipped: 0)) }
    let engine = engine([old])
    let (before, after) = (Answers(), Answers())
    engine.refresh([], reach: force ? .forced : .due, completion: before.take)
    entered.pass()
    engine.reconfigure([new])
    for _ in 0..<5 { engine.refresh([], reach: force ? .forced : .due, completion: after.take) }
    release.open()
    before.wait(for: 1)
    after.wait(for: 5)
    #expect(old.attempts.withLock { $0 } == [force] && new.attempts.withLock { $0 } == [force])
    #expect(before.records == [10] && after.records == [77, 77, 77, 77, 77])
    #expect(journal.report(of: FeedName(rawValue: "a")).records == 77)
  }

  @Test func `different feeds run side by side`() {
    let (first, second) = (Turnstile(), Turnstile())
    let engine = engine([
      ScriptedFeed("a") { _ in
        first.open()
        second.pass()
        return good
      },
      ScriptedFeed("b") { _ in
        second.open()
        first.pass()
        return good
      },
    ])
    #expect(engine.refreshAndWait([], force: false).map(\.outcome) == [.imported, .imported])
  }

  @Test(arguments: [(0, 8), (0, 24), (0, 60), (9 << 20, 8), (9 << 20, 20)])
  func `slow sources keep no other feed waiting, and as few end as must`(held: Int, count: Int) {
    let (isOver, finished) = (Flag(), Semaphore())
    let slow = (0..<count).map { number in
      ScriptedFeed("slow\(number)") { (attempt) throws(FeedError) in
        while !isOver.isSet {
          guard attempt.makesWay(held, true) else { throw FeedError(.unavailable, "too slow") }
          shortPause()
        }
        return good
      }
    }
    let engine = engine(slow + [ScriptedFeed("ready") { _ in good }])
    let ended = Mutex(0)
    engine.refresh(slow.map(\.name), reach: .due) { outcomes in
      ended.withLock { $0 = outcomes.count { $0.outcome == .failed } }
      finished.signal()
    }
    #expect(engine.refreshAndWait([FeedName(rawValue: "ready")], force: false).map(\.outcome) == [.imported])
    isOver.set()
    finished.wait()
    // There are eight places; sixteen attempts more that hold little, of which four may end at once.
    let least = max(0, count + 1 - (held == 0 ? 24 : 8))
    #expect((least...(least == 0 ? 0 : least + 4)).contains(ended.withLock { $0 }))
  }

  @Test(arguments: [true, false])
  func `a slow source that has become fast gets a place again, or ends if none is free`(isFree: Bool) {
    let (hasMadeWay, isOver) = (Flag(), Flag())
    let wait = { @Sendable (flag: Flag) in while !flag.isSet { shortPause() } }
    let last = ScriptedFeed("last") { _ in
      hasMadeWay.set()
      if !isFree { wait(isOver) }
      return good
    }
    let journal = journal
    let growing = ScriptedFeed("growing") { (attempt) throws(FeedError) in
      while !hasMadeWay.isSet { _ = attempt.makesWay(0, true) }
      // A place is free soon after the report.
      while isFree, journal.report(of: last.name).asOf == nil { shortPause() }
      if isFree { MonotonicClock.pause(milliseconds: 200) }
      let goesOn = attempt.makesWay(9 << 20, false)
      isOver.set()
      guard goesOn else { throw FeedError(.unavailable, "too slow") }
      return good
    }
    let others = (0..<7).map { number in
      ScriptedFeed("other\(number)") { _ in
        wait(isOver)
        return good
      }
    }
    let outcomes = engine([growing] + others + [last]).refreshAndWait([], force: false)
    #expect(outcomes.map { $0.outcome == .failed } == [!isFree] + Array(repeating: false, count: 8))
  }

  @Test func `engines in two processes change the journal without losing each other's entries`() throws {
    let state = StateFolder(path: folder.path("state"))
    let feeds = (0..<8).map { number in ScriptedFeed("f\(number)") { _ in good } }
    let engines = feeds.map { SyncEngine(feeds: [$0], journal: FeedJournal(state: state, log: quiet), log: quiet) }
    let answers = Answers()
    for engine in engines { engine.refresh([], reach: .due, completion: answers.take) }
    answers.wait(for: 8)
    #expect(journal.reports().map(\.feed.rawValue) == (0..<8).map { "f\($0)" })
  }

  @Test func `a damaged journal is started again`() throws {
    let engine = engine([ScriptedFeed("a") { _ in good }])
    _ = engine.refreshAndWait([], force: false)
    try folder.write("state/feeds.resident", [1, 2, 3])
    #expect(journal.reports().isEmpty)
    _ = engine.refreshAndWait([], force: false)
    #expect(journal.reports().count == 1)
  }

  @Test(
    arguments: [
      ([.imported, .unchanged], [], 0), ([.unconfigured], [], 69), ([], [], 0), ([.reused, .unconfigured], [], 0),
      ([.failed, .imported], [.badData], 4),
      ([.failed, .unconfigured], [.badData], 65), ([.failed], [.io], 74), ([.failed], [.permission], 77),
      ([.failed, .failed], [.io, .badData], 69), ([.failed, .failed], [.io, .io], 74), ([.failed], [], 69),
    ] as [([FeedOutcome.Outcome], [FeedError.Reason], Int32)])
  func `the exit code says how much failed, and why if all failed for one reason`(
    outcomes: [FeedOutcome.Outcome], reasons: [FeedError.Reason], code: Int32
  ) {
    let outcomes = outcomes.map { FeedOutcome(feed: .cities, outcome: $0) }
    #expect(ExitCode(of: outcomes, reasons: reasons.map { FeedError($0, "") }).rawValue == code)
  }
}

/// Lets as many through as it was opened for.
private final class Turnstile: Sendable {
  private let opened = Mutex(0)

  func open() { opened.withLock { $0 += 1 } }

  func pass() {
    while !opened.withLock({ opened in
      guard opened > 0 else { return false }
      opened -= 1
      return true
    }) { shortPause() }
  }
}

/// Set once.
private final class Flag: Sendable {
  private let state = Mutex(false)
  var isSet: Bool { state.withLock { $0 } }
  func set() { state.withLock { $0 = true } }
}

/// Outcomes as they come.
private final class Answers: Sendable {
  private let taken = Mutex<[FeedOutcome]>([])
  var take: SyncEngine.Completion { { [self] outcomes in taken.withLock { $0 += outcomes.prefix(1) } } }
  /// What came of the first feed, by answer.
  var outcomes: [FeedOutcome.Outcome] { taken.withLock { $0.map(\.outcome) } }
  /// The records of the first feed, by answer.
  var records: [UInt64?] { taken.withLock { $0.map(\.records) } }
  func wait(for expected: Int) { while taken.withLock({ $0.count }) < expected { shortPause() } }
}
