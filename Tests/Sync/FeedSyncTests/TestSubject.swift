import CitiesProtocol
import Folders
import Logging
import Synchronization
import System
import TestSupport

@testable import FeedSync
@testable import Resident

/// A subject of three feeds whose sources are `[1,2,3]` or anything else that begins with `[` and ends with `]`.
struct TestImporter: SubjectImporter {
  static let kind = ResidentKind(
    code: "TEST", name: "test file", fileName: "test.resident", rowVersion: 1, remedy: "citiesd-sync run")
  let feeds: [FeedName] = [.swedbankEE, .swedbankLV, .swedbankLT]
  var kind: ResidentKind { Self.kind }
  /// What else decides the file, as a time zone does.
  var setting = "a"

  func settings(of feed: FeedName) -> [String] { [setting] }

  func parse(
    _ feed: FeedName, _ bytes: [UInt8], name: String, progress: @escaping ProgressReport
  ) throws(FeedError) -> ParsedFeed<String> {
    guard bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") else {
      throw FeedError(.badData, "expected a JSON array")
    }
    let contents = FeedContents(RecordCounts(kept: UInt64(bytes.count - 2), skipped: 0))
    return ParsedFeed(feed, contents, String(decoding: bytes, as: UTF8.self))
  }

  func image(
    of parts: consuming [ParsedFeed<String>], fingerprint: UInt64, progress: @escaping ProgressReport
  ) throws(FeedError) -> ResidentImage {
    var text = setting + "\n"
    for part in parts { text += "\(part.feed.rawValue) \(part.isSample) \(part.records)\n" }
    return ResidentImage(kind: kind, fingerprint: fingerprint, sections: [("TEXT", Array(text.utf8))])
  }
}

/// A web whose answers the test writes.
final class TestWeb: SourceFetcher {
  private let script: Mutex<@Sendable (FetchRequest) throws(FeedError) -> FetchReply>
  private let log = Mutex<[FetchRequest]>([])

  init(_ script: @escaping @Sendable (FetchRequest) throws(FeedError) -> FetchReply) { self.script = Mutex(script) }

  /// What it was asked, in order.
  var asked: [FetchRequest] { log.withLock { $0 } }

  func answer(_ script: @escaping @Sendable (FetchRequest) throws(FeedError) -> FetchReply) {
    self.script.withLock { $0 = script }
  }

  func fetch(_ request: FetchRequest, _ attempt: AttemptOptions) throws(FeedError) -> FetchReply {
    log.withLock { $0.append(request) }
    return try script.withLock { $0 }(request)
  }
}

/// A clock that the test moves.
final class TestClock: Sendable {
  private let seconds = Mutex<Int64>(1_700_000_000)
  var now: Int64 { seconds.withLock { $0 } }
  func advance(_ by: Int64) { seconds.withLock { $0 += by } }
}

/// The three feeds of ``TestImporter`` in a folder, over a web and a clock of the test's.
struct TestSubject {
  let folder: TemporaryFolder
  let state: StateFolder
  let clock = TestClock()
  let web: TestWeb
  let store: SubjectStore<TestImporter>
  var configuration: SyncConfiguration
  static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  init(
    _ environment: [String: String] = [:],
    _ script: @escaping @Sendable (FetchRequest) throws(FeedError) -> FetchReply
  ) throws {
    folder = try TemporaryFolder()
    state = StateFolder(path: folder.path("state"))
    store = SubjectStore(TestImporter(), state: state)
    web = TestWeb(script)
    configuration = try SyncConfiguration(environment: environment, user: 1000)
  }

  /// An engine over the three feeds; a new one knows nothing of the one before, as a new process.
  func engine(_ importer: TestImporter = TestImporter()) -> SyncEngine {
    SyncEngine(
      feeds: FeedRegistry.feeds(
        of: [importer], configuration, state: state, fetcher: web, now: { [clock] in clock.now }),
      journal: FeedJournal(state: state, log: Self.quiet), log: Self.quiet, now: { [clock] in clock.now },
      backOff: BackOff { 0.5 })
  }

  /// What came of refreshing the Estonian feed.
  func refresh(force: Bool = false, _ engine: SyncEngine? = nil) -> FeedOutcome {
    (engine ?? self.engine()).refreshAndWait([.swedbankEE], force: force)[0]
  }

  /// The same as ``refresh(force:_:)`` of an attempt that nobody asked for.
  func refreshKnown() -> FeedOutcome? {
    let finished = Semaphore()
    let result = Mutex<FeedOutcome?>(nil)
    engine().refresh([.swedbankEE], reach: .known) { outcomes in
      result.withLock { $0 = outcomes.first }
      finished.signal()
    }
    finished.wait()
    return result.withLock { $0 }
  }

  /// The resident file's text, line by line; empty if there is none or it is damaged.
  var lines: [Substring] {
    guard let file = try? ResidentFile(path: state.path(of: TestImporter.kind), kind: TestImporter.kind, verify: .all)
    else { return [] }
    return withExtendedLifetime(file) { file["TEXT"].map { String(decoding: $0, as: UTF8.self) } ?? "" }
      .split(separator: "\n")
  }

  var report: FeedReport { FeedJournal(state: state, log: Self.quiet).report(of: .swedbankEE) }
}

/// The body `text`, without anything that identifies it unless given.
func body(_ text: String, etag: String? = nil, modified: String? = nil) -> FetchReply {
  .body(Array(text.utf8), SourceValidators(etag: etag, modified: modified))
}

extension SubjectStore {
  /// Replaces the copy of `feed`, without a resident file.
  func write(_ copy: StoredCopy, of feed: FeedName) throws { try prepare(copy, of: feed).rename() }
}
