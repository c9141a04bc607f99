import CitiesProtocol
import Logging
import Resident
import TestSupport
import Testing

@testable import CitiesServer

@Suite struct ProvenanceTests {
  private static let noon: Int64 = 1_774_742_400

  private func reported(
    _ reports: [FeedReport], of feeds: [FeedName] = [.rates, .transactions], held: Set<FeedName> = [],
    at now: Int64 = noon
  ) throws -> Provenance {
    let folder = try TemporaryFolder()
    try ResidentFeeds.image(reports).write(to: folder.path("feeds.resident"))
    let known = FeedReports(
      ServerConfiguration(stateFolder: folder.path), Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    known.check()
    return known.provenance(of: feeds, held: held, sample: false, now: now)
  }

  private func report(
    _ feed: FeedName = .rates, asOf: Int64? = noon, error: String? = nil, interval: UInt64? = 600
  ) -> FeedReport {
    FeedReport(
      feed: feed, asOf: asOf.map(Timestamp.init(secondsSince1970:)), lastError: error, source: "https://a.example",
      interval: interval)
  }

  @Test func `feeds are reported in the order asked, each with its moment and its error`() throws {
    let other = report(.transactions, asOf: Self.noon - 1, error: "404")
    let provenance = try reported([other, report()])
    let moments = [Self.noon, Self.noon - 1].map(Timestamp.init(secondsSince1970:))
    #expect(
      provenance.feeds == [
        .init(feed: .rates, asOf: moments[0], stale: false),
        .init(feed: .transactions, asOf: moments[1], stale: false, lastError: "404"),
      ])
    #expect(provenance.asOf == moments[1])
  }

  @Test(
    arguments: [
      (600 + 60, 600, false), (600 + 61, 600, true), (3_660, nil, false), (3_661, nil, true), (-5, 600, false),
      (1 << 40, UInt64.max, false),
    ] as [(Int64, UInt64?, Bool)])
  func `data is stale a minute after its interval`(age: Int64, interval: UInt64?, isStale: Bool) throws {
    let provenance = try reported([report(interval: interval)], of: [.rates], at: Self.noon + age)
    #expect(provenance.feeds.map(\.stale) == [isStale])
  }

  @Test func `a feed that was asked for and never came is stale, one that nobody asked for is not reported`() throws {
    let never = try reported([report(asOf: nil, error: "refused")])
    #expect(never.feeds == [.init(feed: .rates, stale: true, lastError: "refused")] && never.asOf == nil)
    #expect(try reported([FeedReport(feed: .rates, asOf: .now)]).feeds.isEmpty)
  }

  @Test func `the data of a feed that is off is not stale, unless its last attempt failed`() throws {
    let (old, now) = (Timestamp(secondsSince1970: Self.noon), Self.noon + 1 << 30)
    let off = FeedReport(feed: .rates, asOf: old)
    var failed = off
    failed.lastError = "404"
    #expect(
      try reported([off], held: [.rates], at: now).feeds == [.init(feed: .rates, asOf: old, stale: false)])
    #expect(
      try reported([failed], held: [.rates], at: now).feeds
        == [.init(feed: .rates, asOf: old, stale: true, lastError: "404")])
  }

  @Test func `data without any report is stale`() throws {
    #expect(try reported([], held: [.transactions]).feeds == [.init(feed: .transactions, stale: true)])
  }
}
