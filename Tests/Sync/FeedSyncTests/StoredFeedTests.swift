import CitiesProtocol
import Glibc
import Resident
import Synchronization
import TestSupport
import Testing

@testable import FeedSync

@Suite("Stored feed", .timeLimit(.minutes(5)))
struct StoredFeedTests {
  private func time(_ seconds: Int64) -> Timestamp { Timestamp(secondsSince1970: seconds) }

  @Test func `a first refresh downloads from the default URL with the headers of the feed`() throws {
    let subject = try TestSubject { _ in body("[1]", etag: "\"a\"") }
    let outcome = subject.refresh()
    #expect(outcome.outcome == .downloaded && outcome.records == 1 && outcome.asOf == time(1_700_000_000))
    #expect(
      subject.web.asked == [
        FetchRequest(
          url: "https://www.swedbank.ee/finder.json", headers: ["Cookie: Swedbank-Embedded=iphone-app"])
      ])
    #expect(subject.lines == ["a", "swedbank-ee false [1]"])
    #expect(
      subject.report
        == FeedReport(
          feed: .swedbankEE, records: 1, skipped: 0, asOf: time(1_700_000_000), lastAttempt: time(1_700_000_000),
          nextAttempt: time(1_700_003_600), source: "https://www.swedbank.ee/finder.json", interval: 3_600,
          country: "EE"
        ).counted())
  }

  @Test func `a copy is reused until it is an hour old, by another process too, and then requested once`() throws {
    let subject = try TestSubject { _ in body("[1]") }
    _ = subject.refresh()
    subject.clock.advance(725)
    let outcome = subject.refresh()
    #expect(outcome.outcome == .reused && outcome.age == 725 && outcome.records == 1)
    #expect(outcome.asOf == time(1_700_000_000))
    subject.clock.advance(3_599 - 725)
    #expect(subject.refresh().outcome == .reused)
    #expect(subject.web.asked.count == 1)
    #expect(subject.report.lastAttempt == time(1_700_000_000) && subject.report.nextAttempt == time(1_700_003_600))
    subject.clock.advance(1)
    #expect(subject.refresh().outcome == .unchanged)
    #expect(subject.refresh().outcome == .reused)
    #expect(subject.web.asked.count == 2)
  }

  @Test func `a source without a request is not contacted, and its report names it`() throws {
    let subject = try TestSubject { _ in body("[1]") }
    #expect(subject.refreshKnown() == FeedOutcome(feed: .swedbankEE, outcome: .idle))
    #expect(subject.web.asked.isEmpty && subject.lines.isEmpty)
    #expect(
      subject.report
        == FeedReport(
          feed: .swedbankEE, source: "https://www.swedbank.ee/finder.json", interval: 3_600, country: "EE"))
    // A sample did not come from the source.
    try subject.store.write(
      StoredCopy(.init(url: "/sample", confirmed: subject.clock.now, sample: true), Array("[9]".utf8)), of: .swedbankEE)
    subject.clock.advance(7_200)
    #expect(subject.refreshKnown()?.outcome == .idle)
    #expect(subject.web.asked.isEmpty && subject.lines == ["a", "swedbank-ee true [9]"])
    #expect(subject.refresh().outcome == .downloaded)
    #expect(subject.web.asked.count == 1)
  }

  @Test func `a source that was asked before is checked by the one-hour rule`() throws {
    let subject = try TestSubject { _ in body("[1]") }
    _ = subject.refresh()
    subject.clock.advance(3_590)
    #expect(subject.refreshKnown()?.outcome == .reused)
    #expect(subject.web.asked.count == 1)
    subject.clock.advance(11)
    #expect(subject.refreshKnown()?.outcome == .unchanged)
    #expect(subject.web.asked.count == 2)
    #expect(subject.web.asked.allSatisfy { $0.headers == ["Cookie: Swedbank-Embedded=iphone-app"] })
    // A damaged copy was one, too.
    let bytes = try Repository.bytes(subject.store.path(of: .swedbankEE))
    try subject.folder.write("state/sources/swedbank-ee.source", bytes.dropLast())
    #expect(subject.refreshKnown()?.outcome == .downloaded)
  }

  @Test func `a source that failed is tried again although nothing is stored`() throws {
    let subject = try TestSubject { (_) throws(FeedError) in throw FeedError(.unavailable, "no route") }
    #expect(subject.refresh().outcome == .failed)
    subject.clock.advance(30)
    #expect(subject.refreshKnown()?.outcome == .failed)
    #expect(subject.web.asked.count == 2)
  }

  @Test func `a local file is read without a request`() throws {
    let files = try TemporaryFolder()
    let subject = try TestSubject(["CITIES_FEED_SWEDBANK_EE": try files.write("list.json", Array("[1]".utf8))]) { _ in
      body("")
    }
    #expect(subject.refreshKnown()?.outcome == .imported)
    #expect(subject.web.asked.isEmpty && subject.lines == ["a", "swedbank-ee false [1]"])
  }

  @Test func `a forced refresh asks however young the copy is`() throws {
    let subject = try TestSubject { _ in body("[1]") }
    _ = subject.refresh()
    #expect(subject.refresh(force: true).outcome == .unchanged)
    #expect(subject.web.asked.count == 2)
  }

  @Test func `a copy from the future, from another URL, or a sample is not young`() throws {
    var subject = try TestSubject { _ in body("[1]", etag: "\"a\"") }
    subject.clock.advance(100)
    _ = subject.refresh()
    subject.clock.advance(-50)
    #expect(subject.refresh().outcome == .unchanged)
    subject.configuration = try SyncConfiguration(
      environment: ["CITIES_FEED_SWEDBANK_EE": "https://example.org/"], user: 1000)
    #expect(subject.refresh().outcome == .downloaded)
    // What another server called its document says nothing here.
    #expect(
      subject.web.asked.last
        == FetchRequest(
          url: "https://example.org/", headers: ["Cookie: Swedbank-Embedded=iphone-app"]))
    try subject.store.write(
      StoredCopy(.init(url: "https://example.org/", confirmed: subject.clock.now, sample: true), Array("[9]".utf8)),
      of: .swedbankEE)
    #expect(subject.refresh().outcome == .downloaded)
    #expect(subject.web.asked.last?.validators == SourceValidators())
    #expect(subject.lines == ["a", "swedbank-ee false [1]"])
  }

  @Test func `what identifies the copy is sent back, and 304 moves its time alone`() throws {
    let subject = try TestSubject { _ in body("[1]", etag: "\"a\"", modified: "yesterday") }
    _ = subject.refresh()
    let file = try Repository.bytes(subject.state.path(of: TestImporter.kind))
    subject.web.answer { _ in .notModified(SourceValidators()) }
    subject.clock.advance(3_600)
    let outcome = subject.refresh()
    #expect(outcome.outcome == .unchanged && outcome.asOf == time(1_700_003_600) && outcome.records == 1)
    #expect(subject.web.asked.last?.validators == SourceValidators(etag: "\"a\"", modified: "yesterday"))
    #expect(try Repository.bytes(subject.state.path(of: TestImporter.kind)) == file)
    #expect(subject.refresh().outcome == .reused)
  }

  @Test(
    arguments: [body("<html>"), body("[1"), body("")])
  func `a failure keeps the last good data, says why and plans the next attempt`(reply: FetchReply) throws {
    let subject = try TestSubject { _ in body("[1]") }
    _ = subject.refresh()
    let stored = try subject.store.read(.swedbankEE)
    subject.web.answer { _ in reply }
    subject.clock.advance(3_600)
    let outcome = subject.refresh()
    #expect(outcome.outcome == .failed && outcome.records == 1 && outcome.asOf == time(1_700_000_000))
    #expect(outcome.error == "https://www.swedbank.ee/finder.json: expected a JSON array")
    #expect(try subject.store.read(.swedbankEE) == stored)
    #expect(subject.lines == ["a", "swedbank-ee false [1]"])
    #expect(subject.report.lastError == outcome.error && subject.report.nextAttempt == time(1_700_003_630))
  }

  @Test func `failures are tried again later and later, and a retry asks although the copy is young`() throws {
    let subject = try TestSubject { _ in body("[1]") }
    _ = subject.refresh()
    subject.web.answer { (_) throws(FeedError) in throw FeedError(.unavailable, "no route") }
    _ = subject.refresh(force: true)
    var delays: [Int64] = []
    for _ in 0..<9 {
      let next = try #require(subject.report.nextAttempt?.secondsSince1970)
      delays.append(next - subject.clock.now)
      #expect(subject.report.lastError == "no route")
      subject.clock.advance(next - subject.clock.now)
      #expect(subject.refresh().outcome == .failed)
    }
    #expect(delays == [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600])
    subject.web.answer { _ in body("[2]") }
    subject.clock.advance(3_600)
    #expect(subject.refresh().outcome == .downloaded)
    #expect(subject.report.lastError == nil)
  }

  @Test func `before the retry is due a young copy is reused, and the failure stays reported`() throws {
    let subject = try TestSubject { _ in body("[1]") }
    _ = subject.refresh()
    subject.web.answer { (_) throws(FeedError) in throw FeedError(.unavailable, "no route") }
    _ = subject.refresh(force: true)
    subject.clock.advance(29)
    #expect(subject.refresh().outcome == .reused)
    #expect(subject.report.lastError == "no route" && subject.report.nextAttempt == time(1_700_000_030))
    #expect(subject.web.asked.count == 2)
  }

  @Test func `a source that failed is not asked again before it is due: the known error is the answer`() throws {
    var subject = try TestSubject { (_) throws(FeedError) in throw FeedError(.unavailable, "no route") }
    let first = subject.refresh()
    let report = subject.report
    for _ in 0..<200 { #expect(subject.refresh() == first) }
    subject.clock.advance(29)
    #expect(subject.refresh() == first)
    #expect(first.outcome == .failed && first.error == "no route")
    #expect(subject.web.asked.count == 1 && subject.report == report)
    // A forced request goes out, and so does one when the time has come.
    #expect(subject.refresh(force: true).outcome == .failed)
    #expect(subject.web.asked.count == 2)
    let next = try #require(subject.report.nextAttempt?.secondsSince1970)
    subject.clock.advance(next - subject.clock.now)
    _ = subject.refresh()
    #expect(subject.web.asked.count == 3)
    // Another source has not failed, and a plan of a clock that was set back says nothing.
    subject.configuration = try SyncConfiguration(
      environment: ["CITIES_FEED_SWEDBANK_EE": "https://example.org/"], user: 1000)
    _ = subject.refresh()
    #expect(subject.web.asked.count == 4)
    subject.clock.advance(-1_000_000)
    _ = subject.refresh()
    #expect(subject.web.asked.count == 5)
  }

  @Test func `a change of the secret part of a URL alone makes the attempt due, and no report shows it`() throws {
    var subject = try TestSubject { (_) throws(FeedError) in throw FeedError(.unavailable, "no route") }
    func use(_ query: String) throws {
      subject.configuration = try SyncConfiguration(
        environment: ["CITIES_FEED_SWEDBANK_EE": "https://example.org/list\(query)"], user: 1000)
    }
    for (query, asked) in [("?key=first", 1), ("?key=first", 1), ("?key=second", 2), ("?key=second", 2), ("", 3)] {
      try use(query)
      #expect(subject.refresh().outcome == .failed)
      #expect(subject.web.asked.count == asked, "\(query)")
    }
    // The command that switches a feed on drops what is known of the source before.
    try use("?key=third")
    _ = subject.refresh()
    #expect(subject.report.lastError == "no route" && subject.report.source == "https://example.org/list?…")
    func note() throws {
      let feeds = FeedRegistry.feeds(of: [TestImporter()], subject.configuration, state: subject.state)
      try subject.engine().noteSource(of: #require(feeds.first))
    }
    try note()
    #expect(subject.report.lastError == "no route")
    try use("?key=fourth")
    try note()
    #expect(subject.report.lastError == nil && subject.report.source == "https://example.org/list?…")
    #expect(throws: Never.self) { try ResidentFeeds.verify(subject.state.path(of: ResidentFeeds.kind)) }
    let text = String(decoding: try Repository.bytes(subject.state.path(of: ResidentFeeds.kind)), as: UTF8.self)
    #expect(!text.contains("key"))
  }

  @Test func `data that cannot be removed is reported, and its feed's report stays`() throws {
    let subject = try TestSubject { _ in body("[1]") }
    _ = subject.refresh()
    // A folder in the place of a file: unlink(2) fails, for root too.
    let copy = subject.store.path(of: .swedbankEE)
    #expect(unlink(copy) == 0 && mkdir(copy, 0o755) == 0)
    let error = #expect(throws: FeedError.self) { try subject.engine().forget(.swedbankEE) }
    #expect(error?.description.contains("\(copy): unlink: ") == true, "\(error?.description ?? "")")
    #expect(subject.report.records == 1)
    #expect(rmdir(copy) == 0)
    let file = subject.state.path(of: TestImporter.kind)
    #expect(unlink(file) == 0 && mkdir(file, 0o755) == 0)
    let second = #expect(throws: FeedError.self) { try subject.engine().forget(.swedbankEE) }
    #expect(second?.description.contains("\(file): unlink: ") == true, "\(second?.description ?? "")")
    #expect(rmdir(file) == 0)
    try subject.engine().forget(.swedbankEE)
    #expect(subject.report == FeedReport(feed: .swedbankEE))
  }

  @Test func `damaged copies that were set aside are forgotten with the data, and those of other feeds stay`() throws {
    let subject = try TestSubject { _ in body("[1]") }
    for feed in [FeedName.swedbankEE, .swedbankLV] {
      _ = subject.engine().refreshAndWait([feed], force: false)
      for _ in 0..<2 {
        try subject.folder.write("state/sources/\(feed.rawValue).source", [1, 2, 3])
        subject.clock.advance(1)
        #expect(subject.engine().refreshAndWait([feed], force: false)[0].outcome == .downloaded)
      }
    }
    let before = Repository.names(in: subject.folder.path("state/sources"))
    #expect(before.count == 6)
    try subject.engine().forget(.swedbankEE)
    #expect(
      Repository.names(in: subject.folder.path("state/sources")) == before.filter { $0.hasPrefix("swedbank-lv.source") }
    )
  }

  @Test func `a damaged copy is set aside by name and downloaded again, a bounded number of times`() throws {
    let subject = try TestSubject { _ in body("[1]", etag: "\"a\"") }
    for round in 0..<5 {
      _ = subject.refresh()
      var bytes = try Repository.bytes(subject.store.path(of: .swedbankEE))
      bytes[bytes.count - 1 - round] ^= 1
      try subject.folder.write("state/sources/swedbank-ee.source", bytes)
      subject.clock.advance(1)
      #expect(subject.refresh().outcome == .downloaded)
      #expect(subject.web.asked.last?.validators == SourceValidators())
    }
    #expect(
      Repository.names(in: subject.folder.path("state/sources")) == [
        "swedbank-ee.source", "swedbank-ee.source.damaged-1700000003", "swedbank-ee.source.damaged-1700000004",
        "swedbank-ee.source.damaged-1700000005",
      ])
  }

  @Test func `a resident file that is missing, damaged or of another setting is rebuilt without asking`() throws {
    let subject = try TestSubject { _ in body("[1]") }
    let engine = subject.engine()
    _ = subject.refresh(engine)
    for damage in [[1, 2, 3], Array("".utf8)] {
      try subject.folder.write("state/test.resident", damage)
      #expect(subject.refresh(engine).outcome == .reused)
      #expect(subject.lines == ["a", "swedbank-ee false [1]"])
    }
    #expect(subject.refresh(subject.engine(TestImporter(setting: "b"))).outcome == .reused)
    #expect(subject.lines == ["b", "swedbank-ee false [1]"])
    #expect(subject.web.asked.count == 1)
  }

  @Test func `a resident file is rebuilt from what is stored while its source fails, which is reported`() throws {
    let subject = try TestSubject { _ in body("[1]") }
    _ = subject.refresh()
    subject.web.answer { (_) throws(FeedError) in throw FeedError(.unavailable, "no route") }
    // The source is contacted, then not yet due for a retry, then contacted again.
    for (seconds, asked) in [(3_600, 2), (29, 2), (1, 3)] as [(Int64, Int)] {
      subject.clock.advance(seconds)
      try subject.folder.write("state/test.resident", [1, 2, 3])
      let outcome = subject.refresh()
      #expect(outcome.outcome == .failed && outcome.error == "no route" && outcome.records == 1)
      #expect(subject.lines == ["a", "swedbank-ee false [1]"])
      #expect(subject.report.lastError == "no route" && subject.web.asked.count == asked)
    }
    // A service that stops does not wait for that.
    subject.web.answer { (_) throws(FeedError) in throw FeedError(.cancelled, "given up") }
    try subject.folder.write("state/test.resident", [1, 2, 3])
    #expect(subject.refresh(force: true).outcome == .running && subject.lines.isEmpty)
  }

  @Test func `a resident file is rebuilt from what is stored when the local file is gone`() throws {
    var subject = try TestSubject { (_) throws(FeedError) in throw FeedError(.io, "the web is not asked") }
    let path = try subject.folder.write("list.json", Array("[1]".utf8))
    subject.configuration = try SyncConfiguration(environment: ["CITIES_FEED_SWEDBANK_EE": path], user: 1000)
    _ = subject.refresh()
    unlink(path)
    try subject.folder.write("state/test.resident", [1, 2, 3])
    #expect(subject.refresh().outcome == .failed)
    #expect(subject.lines == ["a", "swedbank-ee false [1]"])
  }

  @Test func `a resident file is rebuilt from what is stored when no source is left`() throws {
    var subject = try TestSubject { _ in body("[1]") }
    _ = subject.refresh()
    subject.configuration = try SyncConfiguration(environment: ["CITIES_FEED_SWEDBANK_EE": ""], user: 1000)
    try subject.folder.write("state/test.resident", [1, 2, 3])
    #expect(subject.refresh().outcome == .unconfigured)
    #expect(subject.lines == ["a", "swedbank-ee false [1]"])
    #expect(subject.web.asked.count == 1)
  }

  @Test
  func `feeds of one subject that finish together do not lose each other's data, over several engines too`() throws {
    let subject = try TestSubject { request in body("[\(request.url.count)]") }
    for round in 0..<8 {
      let engines = [subject.engine(), subject.engine()]
      let threads = engines.map { engine in
        BackgroundThread { _ = engine.refreshAndWait([], force: true) }
      }
      for thread in threads { thread.join() }
      #expect(subject.lines.count == 4, "round \(round)")
      subject.web.answer { request in body("[\(request.url.count) \(round)]") }
    }
  }

  @Test func `data that another process builds while a feed is forgotten stays`() throws {
    let (subject, other) = (try TestSubject { _ in body("[1]") }, try TestSubject { _ in body("[2]") })
    _ = subject.refresh()
    _ = other.engine().refreshAndWait([.swedbankLV], force: false)
    let engine = subject.engine()
    let lock = try FolderLock(subject.state.make(), name: ".test.resident.lock")
    let thread = try withExtendedLifetime(consume lock) { _ in
      let thread = BackgroundThread { try? engine.forget(.swedbankEE) }
      while Repository.exists(subject.store.path(of: .swedbankEE)) { shortPause() }
      // By now it may wait for the lock.
      for _ in 0..<50 { shortPause() }
      for file in ["sources/swedbank-lv.source", "test.resident"] {
        try subject.folder.write("state/\(file)", Repository.bytes(other.folder.path("state/\(file)")))
      }
      return thread
    }
    thread.join()
    #expect(subject.lines == ["a", "swedbank-lv false [2]"])
    try engine.forget(.swedbankLV)
    #expect(!Repository.exists(subject.state.path(of: TestImporter.kind)))
  }

  @Test func `a feed that hangs delays no other`() throws {
    let gate = Mutex(false)
    let subject = try TestSubject { request in
      while request.url.contains(".lt") && !gate.withLock({ $0 }) { shortPause() }
      return body("[1]")
    }
    let engine = subject.engine()
    engine.refresh([.swedbankLT], reach: .due) { _ in }
    #expect(
      engine.refreshAndWait([.swedbankEE, .swedbankLV], force: false).map(\.outcome) == [.downloaded, .downloaded])
    #expect(subject.lines.count == 3)
    gate.withLock { $0 = true }
    engine.waitUntilIdle()
    #expect(subject.lines.count == 4)
  }

  @Test func `a local file is looked at every time, and a sample gives way to it`() throws {
    var subject = try TestSubject { (_) throws(FeedError) in throw FeedError(.io, "the web is not asked") }
    let path = try subject.folder.write("list.json", Array("[1]".utf8))
    subject.configuration = try SyncConfiguration(environment: ["CITIES_FEED_SWEDBANK_EE": path], user: 1000)
    #expect(subject.refresh().outcome == .imported)
    #expect(subject.refresh().outcome == .unchanged)
    try subject.folder.write("list.json", Array("[1,2]".utf8))
    #expect(subject.refresh().outcome == .imported)
    #expect(subject.lines == ["a", "swedbank-ee false [1,2]"])
  }

  @Test func `a local file above the limit is refused`() throws {
    var subject = try TestSubject { (_) throws(FeedError) in throw FeedError(.io, "the web is not asked") }
    let path = try subject.folder.write("list.json", [UInt8](repeating: 0x20, count: 2_000))
    subject.configuration = try SyncConfiguration(
      environment: ["CITIES_FEED_SWEDBANK_EE": path, "CITIES_LIMITS_BYTES": "1024"], user: 1000)
    #expect(
      subject.refresh().error == "\(path): more than the 1024 bytes that are accepted; limits.bytes can be raised")
  }

  @Test func `a download that is given up because the service leaves is not a failure`() throws {
    let subject = try TestSubject { (_) throws(FeedError) in throw FeedError(.cancelled, "given up") }
    #expect(subject.refresh().outcome == .running)
    #expect(subject.report == FeedReport(feed: .swedbankEE))
  }
}
