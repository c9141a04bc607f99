import CitiesProtocol
import Testing

@testable import CitiesServer

@Suite struct MissingDataTests {
  private func missing(
    _ reports: [FeedReport] = [], running: Set<FeedName> = [], isStarting: Bool = false, state: String = "ok",
    fault: String? = nil
  ) -> MissingData {
    MissingData(
      .trade, remedy: "citiesd-sync run", reports: reports,
      sync: .init(state: state, invalidConfiguration: fault, isStarting: isStarting, running: running))
  }

  private let failed = FeedReport(feed: .rates, lastError: "no route", source: "https://h/")

  @Test func `a feed that is being refreshed is worth waiting for, even after a failure`() {
    let expected = MissingData(phase: "downloading", reason: "refreshing rates", isRunning: true)
    #expect(missing([failed], running: [.rates, .cities]) == expected)
    #expect(missing(running: [.rates], state: "connect: no such file") == expected)
  }

  @Test func `a sync service that is about to be asked is worth waiting for`() {
    #expect(missing(isStarting: true, state: "not asked yet").isRunning)
    #expect(missing(isStarting: true, state: "not asked yet").phase == "starting")
  }

  @Test func `a failed source is the reason, and other subjects' feeds are none`() {
    #expect(
      missing([failed, FeedReport(feed: .swedbankEE, lastError: "other")])
        == MissingData(phase: "failed", reason: "feed rates failed: no route", isRunning: false))
    #expect(missing(running: [.swedbankEE]).isRunning == false)
  }

  @Test func `sources that failed for one reason share it`() {
    let feeds = [FeedName.rates, .transactions].map { feed in
      FeedReport(feed: feed, lastError: "https://\(feed.rawValue).example/: no route", source: "x")
    }
    #expect(missing(feeds).reason == "feeds rates, transactions failed: no route")
  }

  @Test func `without any source that is the reason, with the key to set`() {
    let expected = "no source is configured; set feeds.rates.url in sync.json(5)"
    #expect(missing() == MissingData(phase: "no source", reason: expected, isRunning: false))
    #expect(missing([FeedReport(feed: .cities, source: "/a")]).phase == "no source")
  }

  @Test func `without a sync service nothing is on its way`() {
    let expected = "no sync service (connect: no such file); run citiesd-sync run"
    #expect(
      missing(state: "connect: no such file") == MissingData(phase: "no data", reason: expected, isRunning: false))
  }

  @Test func `the fault of an invalid configuration is the reason, not an earlier failure`() {
    let expected = "the configuration is invalid: /etc/cities/sync.json:2:4: unexpected \",\""
    let found = missing([failed], state: "invalid", fault: "/etc/cities/sync.json:2:4: unexpected \",\"")
    #expect(found == MissingData(phase: "failed", reason: expected, isRunning: false))
  }

  @Test func `a source that has delivered, and a file that is gone, need a run`() {
    let report = FeedReport(feed: .rates, records: 5, source: "https://h/")
    #expect(missing([report]) == MissingData(phase: "no data", reason: "run citiesd-sync run", isRunning: false))
  }
}
