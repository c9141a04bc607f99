import CitiesProtocol
import FeedSync
import FrameService
import Glibc
import Logging
import Resident
import Synchronization
import TestSupport
import Testing

private let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

@Suite("Sync service", .timeLimit(.minutes(5)))
struct SyncServiceTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a service on a thread of its own, asks it, and stops it.
  private func ask<Message: RequestMessage>(
    _ message: Message, source: String? = nil, configure: @escaping @Sendable () throws(FeedError) -> Void = {}
  ) throws -> Result<Message.Reply, FramedPeer.Failure> {
    let state = StateFolder(path: folder.path("state"))
    let configuration = try SyncConfiguration(environment: ["CITIES_FEED_CITIES": source ?? ""], user: 1_000)
    let feeds = FeedRegistry.feeds(of: [CityImporter()], configuration, state: state, now: { 1_700_000_000 })
    let engine = SyncEngine(
      feeds: feeds, journal: FeedJournal(state: state, log: quiet), log: quiet, now: { 1_700_000_000 })
    let path = folder.path("sync.sock")
    let socket = try ListeningSocket(binding: path, mode: 0o600)
    let running = Running()
    running.start(socket, engine, configure)
    let loop = try EventLoop()
    let peer = FramedPeer(loop, path: path)
    var answer: Result<Message.Reply, FramedPeer.Failure>?
    peer.ask(message) {
      answer = $0
      loop.stop()
    }
    try loop.run()
    running.stopAndWait()
    return try #require(answer)
  }

  @Test func `feed.refresh imports and answers when it has finished`() throws {
    let source = try folder.write("list", list(record(1, "A"), record(2, "")))
    let reply = try ask(FeedRefresh(), source: source).get()
    #expect(
      reply.feeds == [
        FeedOutcome(
          feed: .cities, outcome: .imported, records: 1, skipped: 1, asOf: Timestamp(secondsSince1970: 1_700_000_000)
        ).counted()
      ])
    #expect(try ResidentCities(path: folder.path("state/cities.index")).count == 1)
    #expect(!Repository.exists(folder.path("sync.sock")))
    let status = try ask(FeedStatus(), source: source).get()
    #expect(status.feeds.map(\.records) == [1])
    #expect(status.feeds.map(\.source) == [source])
  }

  @Test func `feed.status answers before anything is known`() throws {
    #expect(try ask(FeedStatus()).get().feeds == [FeedReport(feed: .cities)])
  }

  @Test func `an unknown feed is refused by name`() throws {
    let answer = try ask(FeedRefresh(feeds: [FeedName(rawValue: "citys")]))
    let problem = "there is no feed \"citys\"; there are cities"
    let data = ErrorData(param: "feeds", problem: problem, value: "citys", known: ["cities"], knownTotal: 1)
    #expect(
      throws: FramedPeer.Failure.refused(
        WireError(.invalidParams, "the parameter \"feeds\": \(problem)", data: data))
    ) { try answer.get() }
  }

  @Test func `the fault of the configuration is the reply, also about a feed that it may name`() throws {
    let fault = "/etc/cities/sync.json:2:4: the JSON is broken: unexpected \",\""
    for feeds in [nil, [FeedName.cities], [FeedName(rawValue: "mybank")]] {
      let answer = try ask(FeedRefresh(feeds: feeds)) { () throws(FeedError) in throw FeedError(.badData, fault) }
      #expect(throws: FramedPeer.Failure.refused(WireError(.unavailable, fault))) { try answer.get() }
    }
    #expect(try ask(FeedStatus()) { () throws(FeedError) in throw FeedError(.badData, fault) }.get().feeds.count == 1)
  }

  @Test func `hello names the service, and protocols that it does not speak are refused`() throws {
    let reply = try ask(Hello(client: "test")).get()
    #expect(reply.server == SyncService.server)
    #expect(reply.protocol == 1)
    #expect(reply.limits["connections"] == 64)
    #expect(throws: FramedPeer.Failure.self) { try ask(Hello(protocols: [99], client: "test")).get() }
  }

  @Test func `a long name is named by its beginning, measured in code points`() throws {
    // Some bytes below the limit of a request; one letter may have any number of marks.
    let long = "a" + String(repeating: "\u{301}", count: 20_000)
    func refusal<Reply>(_ answer: Result<Reply, FramedPeer.Failure>) -> String? {
      guard case .failure(.refused(let error)) = answer else { return nil }
      return error.message
    }
    let unknown = refusal(try ask(FeedRefresh(feeds: [FeedName(rawValue: long)])))
    #expect(unknown.map { $0.contains("there is no feed") && $0.utf8.count < 300 } == true)
    let foreign = refusal(try ask(Hello(protocols: [99], client: long)))
    #expect(foreign.map { $0.contains("speaks none") && $0.utf8.count < 300 } == true)
  }

  @Test func `methods of the query server are none of this service's`() throws {
    #expect(throws: FramedPeer.Failure.self) { try ask(Status()).get() }
  }
}

/// A service on a thread of its own.
private final class Running: Sendable {
  private let stop = Mutex<(@Sendable () -> Void)?>(nil)
  private let thread = Mutex<BackgroundThread?>(nil)

  func start(
    _ socket: ListeningSocket, _ engine: SyncEngine, _ configure: @escaping @Sendable () throws(FeedError) -> Void
  ) {
    let thread = BackgroundThread { [self] in
      guard let service = try? SyncService(engine: engine, log: quiet, configure: configure) else { return }
      // Only the service's own thread stops it.
      nonisolated(unsafe) let framed = service.service
      let mailbox = framed.loop.mailbox
      stop.withLock { $0 = { mailbox.post { _ in framed.stop("asked to") } } }
      try? service.run(on: socket, signals: false)
    }
    self.thread.withLock { $0 = thread }
  }

  func stopAndWait() {
    while stop.withLock({ $0 }) == nil { shortPause() }
    stop.withLock { $0?() }
    thread.withLock { $0 }?.join()
  }
}
