import CBOR
import CitiesProtocol
import Resident
import TestSupport
import Testing

@Suite("Feed reports")
struct ResidentFeedsTests {
  @Test func `reports are read back as they were written`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("feeds.resident")
    let reports = [
      FeedReport(
        feed: .cities, records: 209_557, skipped: 3, asOf: Timestamp(secondsSince1970: 1_700_000_000),
        lastAttempt: Timestamp(secondsSince1970: 1_700_000_100), lastError: "no such file",
        nextAttempt: Timestamp(secondsSince1970: 1_700_003_600), source: "/srv/cities.json.gz"),
      FeedReport(feed: FeedName(rawValue: "rates")),
    ]
    try ResidentFeeds.image(reports).write(to: path)
    #expect(try ResidentFeeds.read(path) == reports)
  }

  @Test func `sound bytes that are not a list of reports are refused by section and place`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("feeds.resident")
    let image = ResidentImage(
      kind: ResidentFeeds.kind, fingerprint: 0, sections: [(ResidentFeeds.section, try CBOREncoder().encode([1, 2]))])
    try image.write(to: path)
    let error = #expect(throws: ResidentError.self) { try ResidentFeeds.read(path) }
    #expect(error?.description.hasPrefix("\(path): damaged: section FEED: ") == true)
  }
}
