import CBOR
import CitiesProtocol
import FrameService
import Glibc
import Resident
import Synchronization
import TestSupport
import Testing

@testable import CitiesServer

/// A sync service that answers as a test says.
private final class FakeSync: Sendable {
  let path: String
  private let listener: Int32
  private let requests = Requests()

  /// Answers every `feed.refresh` with `outcome` after `delay` microseconds and once it `mayAnswer`; nil breaks the
  /// connection, if there is no `refusal`.
  init(
    _ folder: TemporaryFolder, delay: UInt32 = 0, mayAnswer: Box<Bool> = Box(true), refusal: WireError? = nil,
    _ outcome: @escaping @Sendable (FeedName) -> FeedOutcome?
  ) throws {
    path = folder.path("sync.sock")
    let socket = try ListeningSocket(binding: path, mode: 0o600)
    listener = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0)
    let flags = fcntl(listener, F_GETFL)
    _ = fcntl(listener, F_SETFL, flags & ~O_NONBLOCK)
    close(socket.descriptor)
    let (listener, requests) = (listener, requests)
    spawn {
      while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
        spawn {
          requests.serve(descriptor, refusal) { feed in
            usleep(delay)
            _ = eventually { mayAnswer.value }
            return outcome(feed)
          }
        }
      }
      // Closed here and not in `deinit`: a number that is free while accept(2) still uses it may be another server's.
      close(listener)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  var asked: [FeedRefresh] { requests.all }
}

/// What a fake sync service was asked.
private final class Requests: Sendable {
  private let list = Mutex<[FeedRefresh]>([])
  var all: [FeedRefresh] { list.withLock { $0 } }

  func serve(_ descriptor: Int32, _ refusal: WireError?, _ outcome: (FeedName) -> FeedOutcome?) {
    let client = RawClient(taking: descriptor)
    while let bytes = try? client.receiveFrame() {
      struct Asked: Decodable {
        var id: UInt64
        var method: String
        var params: FeedRefresh
      }
      // The server says hello to a service that is slow.
      guard let asked = try? CBORDecoder().decode(Asked.self, from: bytes), asked.method == FeedRefresh.method else {
        return
      }
      list.withLock { $0.append(asked.params) }
      let outcomes = (asked.params.feeds ?? []).compactMap(outcome)
      var envelope = ServerEnvelope<FeedRefresh>(id: asked.id, result: Refresh.Reply(feeds: outcomes))
      if outcomes.isEmpty {
        guard let refusal else { return }
        envelope = ServerEnvelope<FeedRefresh>(id: asked.id, error: refusal)
      }
      guard let payload = try? CBOREncoder().encode(envelope) else { return }
      try? client.sendFrame(payload)
    }
  }
}

@Suite struct RefreshTests {
  @Test func `without a sync service every feed has failed, with the reason`() throws {
    let folder = try TemporaryFolder()
    let server = try RunningServer { $0.syncSocket = folder.path("none.sock") }
    let client = try server.client()
    let outcomes = try client.ask(Refresh()).feeds
    #expect(outcomes.map(\.feed) == FeedName.all)
    let outcome = outcomes.first
    #expect(outcome?.outcome == .failed && outcome?.error?.contains("none.sock") == true)
    #expect(try client.ask(Status()).sync.contains("none.sock"))
    #expect(try client.ask(CitySearch(prefix: "")).total == 9)
  }

  @Test func `what the sync service answers is passed on`() throws {
    let folder = try TemporaryFolder()
    let sync = try FakeSync(folder) { FeedOutcome(feed: $0, outcome: .imported, records: 5) }
    let client = try RunningServer { $0.syncSocket = folder.path("sync.sock") }.client()
    let asked = FeedName.all.map { FeedOutcome(feed: $0, outcome: .imported, records: 5) }
    #expect(try client.ask(Refresh()).feeds == asked)
    #expect(try client.ask(Status()).sync == "ok")
    #expect(sync.asked.allSatisfy { $0.force == nil && $0.feeds?.count == 1 })
  }

  @Test func `what was refreshed is in the answer to the next request, even if its writer closes it later`() throws {
    let folder = try TemporaryFolder()
    let (state, written) = (Box(""), Box(0))
    let sync = try FakeSync(folder) { feed in
      let path = state.value
      guard feed == .swedbankEE, !path.isEmpty else { return FeedOutcome(feed: feed, outcome: .idle) }
      let count = written.value % SmallBanks.locations.count + 1
      try? SmallBanks.write(Array(SmallBanks.locations.prefix(count)), to: "\(path)/new")
      let writer = open("\(path)/new", O_WRONLY | O_CLOEXEC)
      rename("\(path)/new", "\(path)/banks.resident")
      written.change { $0 += 1 }
      spawn {
        usleep(20_000)
        close(writer)
      }
      return FeedOutcome(feed: feed, outcome: .downloaded)
    }
    let server = try RunningServer { $0.syncSocket = folder.path("sync.sock") }
    let client = try server.client()
    // The first question about banks refreshes, too.
    _ = try client.error(BankList())
    #expect(eventually { sync.asked.count { $0.feeds == [.swedbankEE] } == 2 })
    _ = try client.ask(Refresh())
    state.value = server.folder.path("state")
    for number in 1...12 {
      _ = try client.ask(Refresh(feeds: [.swedbankEE]))
      let total = UInt64((number - 1) % SmallBanks.locations.count + 1)
      #expect(try client.ask(BankList()).total == total && written.value == number)
    }
    withExtendedLifetime(sync) {}
  }

  @Test func `the fault of the configuration is the reason of every feed at once, and the state of the service`() throws
  {
    let folder = try TemporaryFolder()
    let fault = "/etc/cities/sync.json:2:4: the JSON is broken"
    let sync = try FakeSync(folder, refusal: WireError(.unavailable, fault)) { _ in nil }
    let server = try RunningServer { $0.syncSocket = folder.path("sync.sock") }
    let rates = FeedReport(feed: .rates, records: 5, asOf: Timestamp(secondsSince1970: 1_700_000_000))
    try ResidentFeeds.image([rates]).write(to: server.folder.path("state/feeds.resident"))
    let client = try server.client()
    let outcomes = try client.ask(Refresh()).feeds
    #expect(outcomes.map(\.feed) == FeedName.all)
    #expect(outcomes.allSatisfy { $0.outcome == .failed && $0.error == fault })
    #expect(outcomes.first { $0.feed == .rates }?.asOf == rates.asOf, "the last good data")
    #expect(try client.ask(Status()).sync == "invalid configuration: \(fault)")
    // The first question starts a refresh of its own.
    let message = "banks: no data yet: the configuration is invalid: \(fault)"
    #expect(eventually { (try? client.error(BankRegions()))?.message == message })
    withExtendedLifetime(sync) {}
  }

  @Test func `samples stay until a client asks for a refresh`() throws {
    let folder = try TemporaryFolder()
    let sync = try FakeSync(folder) { FeedOutcome(feed: $0, outcome: .idle) }
    let server = try RunningServer {
      $0.syncSocket = folder.path("sync.sock")
      $0.refreshInterval = 50_000_000
    }
    let samples = Subject.trade.feeds.map {
      FeedReport(feed: $0, records: 5, nextAttempt: Timestamp.now, source: "/samples", sample: true)
    }
    try ResidentFeeds.image(samples).write(to: server.folder.path("state/feeds.resident"))
    let client = try server.client()
    _ = try client.error(RateList())
    _ = try client.error(BankRegions())
    #expect(eventually { sync.asked.count { $0.known == nil } >= 4 }, "feeds of banks, which have no samples")
    #expect(eventually { sync.asked.count { $0.feeds == [.rates] } >= 3 })
    #expect(sync.asked.filter { $0.known == nil }.allSatisfy { $0.feeds?.first?.subject == .banks })
    _ = try client.ask(Refresh(feeds: [.rates]))
    #expect(sync.asked.contains { $0.feeds == [.rates] && $0.known == nil })
  }

  @Test func `by itself, and for cities, the server asks for known sources alone`() throws {
    let folder = try TemporaryFolder()
    let sync = try FakeSync(folder) { FeedOutcome(feed: $0, outcome: .idle) }
    let server = try RunningServer {
      $0.syncSocket = folder.path("sync.sock")
      $0.refreshInterval = 50_000_000
    }
    let client = try server.client()
    #expect(try client.ask(CitySearch(prefix: "")).total == 9)
    _ = try client.ask(Status())
    let watching = try server.client()
    _ = try watching.ask(Watch(subjects: [.cities]))
    #expect(eventually { sync.asked.count >= 3 * FeedName.all.count })
    #expect(sync.asked.allSatisfy { $0.known == true && $0.force == nil })
  }

  @Test(arguments: [Subject.banks, .trade])
  func `the first question about a subject has its feeds refreshed, once and from then on`(subject: Subject) throws {
    let folder = try TemporaryFolder()
    let sync = try FakeSync(folder) { FeedOutcome(feed: $0, outcome: .failed, error: "no route") }
    let server = try RunningServer { $0.syncSocket = folder.path("sync.sock") }
    #expect(eventually { sync.asked.count == FeedName.all.count })
    let client = try server.client()
    for _ in 0..<20 { _ = subject == .banks ? try client.error(BankRegions()) : try client.error(RateList()) }
    let feeds = Set(FeedName.all.filter { $0.subject == subject })
    #expect(eventually { sync.asked.count == FeedName.all.count + feeds.count })
    let due = sync.asked.filter { $0.known == nil }
    #expect(Set(due.compactMap { $0.feeds?.first }) == feeds && due.count == feeds.count)
    // A plan of the subject is for all its sources by now, one of another subject is not.
    let plans = FeedName.all.map { FeedReport(feed: $0, lastError: "no route", nextAttempt: Timestamp.now) }
    try ResidentFeeds.image(plans).write(to: server.folder.path("state/feeds.resident"))
    #expect(eventually { sync.asked.count == 2 * FeedName.all.count + feeds.count })
    let planned = sync.asked.suffix(FeedName.all.count).filter { $0.known == nil }
    #expect(Set(planned.compactMap { $0.feeds?.first }) == feeds)
  }

  @Test func `a watch of all subjects is a question about banks and trade`() throws {
    let folder = try TemporaryFolder()
    let sync = try FakeSync(folder) { FeedOutcome(feed: $0, outcome: .unchanged) }
    let server = try RunningServer { $0.syncSocket = folder.path("sync.sock") }
    let client = try server.client()
    _ = try client.ask(Watch())
    let wanted = Set(FeedName.all.filter { $0 != .cities })
    #expect(eventually { Set(sync.asked.filter { $0.known == nil }.compactMap { $0.feeds?.first }) == wanted })
  }

  @Test func `it is asked at the start and again after the interval`() throws {
    let folder = try TemporaryFolder()
    let sync = try FakeSync(folder) { FeedOutcome(feed: $0, outcome: .reused) }
    let server = try RunningServer {
      $0.syncSocket = folder.path("sync.sock")
      $0.refreshInterval = 100_000_000
    }
    #expect(eventually { sync.asked.count { $0.feeds == [.cities] } >= 3 })
    withExtendedLifetime(server) {}
  }

  @Test func `callers of the same feed are joined`() throws {
    let folder = try TemporaryFolder()
    let mayAnswer = Box(false)
    let sync = try FakeSync(folder, mayAnswer: mayAnswer) { FeedOutcome(feed: $0, outcome: .unchanged) }
    let server = try RunningServer { $0.syncSocket = folder.path("sync.sock") }
    let clients = try (0..<10).map { _ in try server.client() }
    #expect(eventually { sync.asked.count == FeedName.all.count })
    for client in clients { try client.send(Refresh(feeds: [.cities])) }
    #expect(try eventually { try server.onLoop { $0.sync.callers.count } == 11 })
    mayAnswer.value = true
    for client in clients { _ = try client.bytes() }
    // Two at once, one for all that came later, and the server's own, which is for known sources.
    #expect(sync.asked.count <= FeedName.all.count + 3)
  }

  @Test func `a request is not answered by an attempt with an older configuration`() throws {
    let folder = try TemporaryFolder()
    let sync = try FakeSync(folder, delay: 500_000) { FeedOutcome(feed: $0, outcome: .imported) }
    let server = try RunningServer { $0.syncSocket = folder.path("sync.sock") }
    let (first, second) = (try server.client(), try server.client())
    try first.send(Refresh(feeds: [.cities], force: true))
    #expect(eventually { sync.asked.count { $0.force == true } == 1 })
    try second.send(Refresh(feeds: [.cities], force: true))
    // Only the sync service knows whether its configuration has changed, so it gets both.
    #expect(eventually { sync.asked.count { $0.force == true } == 2 })
    for client in [first, second] { _ = try client.bytes() }
  }

  @Test func `a feed that takes too long is running, and others are served meanwhile`() throws {
    let folder = try TemporaryFolder()
    let mayAnswer = Box(false)
    let sync = try FakeSync(folder, mayAnswer: mayAnswer) { FeedOutcome(feed: $0, outcome: .imported) }
    let server = try RunningServer {
      $0.syncSocket = folder.path("sync.sock")
      $0.refreshWait = 100_000_000
    }
    let (client, other) = (try server.client(), try server.client())
    try client.send(Refresh())
    #expect(try other.ask(CitySearch(prefix: "")).total == 9)
    let reply = try CBORDecoder().decode(ServerEnvelope<Refresh>.self, from: client.bytes())
    #expect(reply.result?.feeds == FeedName.all.map { FeedOutcome(feed: $0, outcome: .running) })
    mayAnswer.value = true
    withExtendedLifetime(sync) {}
  }

  @Test func `a sync service that hangs is seen in status, in the outcomes, and no more once it answers`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("sync.sock")
    let hung = try ListeningSocket(binding: path, mode: 0o600)
    let server = try RunningServer {
      $0.syncSocket = path
      $0.syncPatience = 100_000_000
      $0.refreshWait = 3_500_000_000
    }
    let client = try server.client()
    // A server that was suspended until its wait is over has not noticed the silence yet.
    let isSilent = try eventually {
      let outcomes = try client.ask(Refresh()).feeds
      #expect(outcomes.map(\.outcome) == FeedName.all.map { _ in .running })
      return outcomes.allSatisfy { $0.error?.contains("no answer since 20") == true }
    }
    #expect(isSilent)
    #expect(try client.ask(Status()).sync.hasPrefix("no answer since 20"))
    #expect(try client.ask(CitySearch(prefix: "")).total == 9)
    // The connections that waited break, as when the watchdog ends the process; its successor answers.
    close(hung.descriptor)
    unlink(path)
    let mayAnswer = Box(true)
    let sync = try FakeSync(folder, mayAnswer: mayAnswer) { FeedOutcome(feed: $0, outcome: .imported) }
    #expect(try eventually { try client.ask(Refresh()).feeds.allSatisfy { $0.outcome == .imported } })
    #expect(try client.ask(Status()).sync == "ok")
    mayAnswer.value = false
    try client.send(Refresh())
    #expect(try eventually { try server.onLoop { $0.sync.known.running.count } == FeedName.all.count })
    mayAnswer.value = true
    withExtendedLifetime(sync) {}
  }

  @Test func `a request ends with its connection, and the feed is refreshed once for all`() throws {
    let folder = try TemporaryFolder()
    let mayAnswer = Box(false)
    let sync = try FakeSync(folder, mayAnswer: mayAnswer) { FeedOutcome(feed: $0, outcome: .imported) }
    let server = try RunningServer { $0.syncSocket = folder.path("sync.sock") }
    #expect(try eventually { try server.onLoop { $0.sync.callers.count } == 1 })
    for round in 0..<200 {
      let raw = try RawClient(server.socket)
      try raw.sendFrame(CBOREncoder().encode(RequestEnvelope(id: 1, Refresh(feeds: [.cities]))))
      if round == 0 { #expect(try eventually { try server.onLoop { $0.sync.callers.count } == 2 }) }
      raw.close()
    }
    // Only the server's own at its start is left.
    #expect(try eventually { try server.onLoop { $0.sync.callers.count } == 1 })
    #expect(sync.asked.count { $0.feeds == [.cities] && $0.known == nil } <= 3)
    mayAnswer.value = true
  }

  @Test func `leaving answers those who wait for a feed`() throws {
    let folder = try TemporaryFolder()
    let mayAnswer = Box(false)
    let sync = try FakeSync(folder, mayAnswer: mayAnswer) { FeedOutcome(feed: $0, outcome: .imported) }
    let server = try RunningServer { $0.syncSocket = folder.path("sync.sock") }
    let client = try server.client()
    try client.send(Refresh())
    try #require(eventually { sync.asked.contains { $0.known == nil } })
    // The second one is read when the server is already stopping.
    try client.send(Refresh())
    server.stop()
    for _ in 0..<2 {
      let reply = try CBORDecoder().decode(ServerEnvelope<Refresh>.self, from: client.bytes())
      #expect(reply.result?.feeds.first?.outcome == .running)
    }
    mayAnswer.value = true
    withExtendedLifetime(sync) {}
  }

  @Test func `a sync service that breaks the connection is a failed feed`() throws {
    let folder = try TemporaryFolder()
    let sync = try FakeSync(folder) { _ in nil }
    let client = try RunningServer { $0.syncSocket = folder.path("sync.sock") }.client()
    #expect(try client.ask(Refresh()).feeds.first?.outcome == .failed)
    withExtendedLifetime(sync) {}
  }

  @Test func `the server's own user may force`() throws {
    let folder = try TemporaryFolder()
    let sync = try FakeSync(folder) { FeedOutcome(feed: $0, outcome: .imported) }
    let client = try RunningServer { $0.syncSocket = folder.path("sync.sock") }.client()
    _ = try client.ask(Refresh(force: true))
    #expect(sync.asked.contains { $0.force == true })
  }

  @Test func `only root and the own user are trusted`() {
    #expect(Peer(uid: 0, pid: 1).isTrusted && Peer(uid: geteuid(), pid: 1).isTrusted)
    #expect(!Peer(uid: geteuid() &+ 1, pid: 1).isTrusted)
  }

  @Test func `an unknown feed is refused`() throws {
    let error = try RunningServer().client().error(Refresh(feeds: [FeedName(rawValue: "moons")]))
    #expect(error?.code == .invalidParams && error?.data?.param == "feeds")
  }

  @Test func `the report of the sync service is told`() throws {
    let server = try RunningServer()
    let report = FeedReport(feed: .cities, records: 9, source: "file:/cities.json")
    try ResidentFeeds.image([report]).write(to: server.folder.path("state/feeds.resident"))
    let client = try server.client()
    #expect(try eventually { try client.ask(Status()).feeds.first == report })
    #expect(try client.ask(Status()).feeds.dropFirst().allSatisfy { $0 == FeedReport(feed: $0.feed) })
  }

  @Test func `a feed alone is asked again at the time that its report names`() throws {
    let folder = try TemporaryFolder()
    let sync = try FakeSync(folder) { FeedOutcome(feed: $0, outcome: .failed, error: "no route") }
    let server = try RunningServer { $0.syncSocket = folder.path("sync.sock") }
    #expect(eventually { sync.asked.count == FeedName.all.count })
    let reports = [
      FeedReport(feed: .rates, lastError: "no route", nextAttempt: Timestamp.now),
      FeedReport(feed: .cities, nextAttempt: Timestamp(secondsSince1970: 4_000_000_000)),
    ]
    try ResidentFeeds.image(reports).write(to: server.folder.path("state/feeds.resident"))
    #expect(eventually { sync.asked.count == FeedName.all.count + 1 })
    #expect(sync.asked.last?.feeds == [.rates] && sync.asked.last?.force == nil && sync.asked.last?.known == true)
  }
}
