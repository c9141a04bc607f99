import Banks
import CitiesProtocol
import FeedSync
import Resident
import TestSupport
import Testing

@Suite("The index of all banks")
struct BankImporterTests {
  private static let finder = Array(#"[{"lat": 59, "lon": 24, "t": 1, "n": "Õ"}, 5]"#.utf8)
  private static let other = Array(#"{"data": [{"id": 7, "type": "atm", "location": {"lat": 44, "long": 18}}]}"#.utf8)

  private func importer(_ environment: [String: String] = [:]) throws -> BankImporter {
    BankImporter(try SyncConfiguration(environment: environment, user: 1_000))
  }

  @Test func `locations of all copies are in one index; what has no copy is left out`() throws {
    let folder = try TemporaryFolder()
    let copies: [FeedName: SourceCopy] = [
      .swedbankLT: SourceCopy(bytes: Self.finder), .imaginary: SourceCopy(bytes: Self.other, isSample: true),
    ]
    try importer().image(of: copies).write(to: folder.path("banks.resident"))
    let banks = try ResidentBanks(path: folder.path("banks.resident"))
    #expect(
      banks.summary.feeds == [
        .init(feed: .swedbankLT, records: 1, skipped: 1), .init(feed: .imaginary, records: 1, sample: true),
      ])
    #expect(banks.summary.isSample && banks.count == 2 && banks.index.banks == ["imaginary", "swedbank-lt"])
    #expect(try importer().image(of: [:]).header.fileSize > 0)
  }

  @Test func `the fingerprint covers everything that the index depends on`() throws {
    let copy = SourceCopy(bytes: Self.finder)
    let plain = try importer().image(of: [.swedbankEE: copy])
    #expect(try importer().image(of: [.swedbankEE: copy]).bytes == plain.bytes)
    let changed = [
      try importer().image(of: [.swedbankLV: copy]),
      try importer().image(of: [.swedbankEE: SourceCopy(bytes: Self.finder + [0x20])]),
      try importer().image(of: [.swedbankEE: SourceCopy(bytes: Self.finder, isSample: true)]),
      try importer().image(of: [.swedbankEE: copy, .imaginary: SourceCopy(bytes: Self.other)]),
    ]
    #expect(Set(changed.map(\.header.fingerprint)).count == 4)
    #expect(!changed.map(\.header.fingerprint).contains(plain.header.fingerprint))
  }

  @Test func `an unknown zone is its feed's failure alone, with the configuration's key; the locations stay`() throws {
    let folder = try TemporaryFolder()
    let importer = BankImporter(
      try SyncConfiguration(environment: [:], user: 1_000), zones: ZoneFolder(path: folder.path))
    let expected = """
      no time zone "Europe/Tallinn": there is no such file in \(folder.path) (package tzdata); correct \
      feeds.swedbank-ee.zone in the configuration, or CITIES_FEED_SWEDBANK_EE_ZONE, as Europe/Vilnius
      """
    #expect(throws: FeedError(.badData, expected)) { try importer.examine(.swedbankEE, Self.finder) }
    #expect(throws: FeedError(.badData, expected)) { try importer.check(.swedbankEE) }
    let rows = try openedRows(importer.image(of: [.swedbankEE: SourceCopy(bytes: Self.finder)]))
    #expect(!rows.isEmpty && rows.allSatisfy { $0.zone == "Europe/Tallinn" })
  }

  @Test(
    arguments: ["../x", "", "e"])
  func `a zone that is not a name, or a country that is not a code, harms no other feed`(value: String) throws {
    let environment = ["CITIES_FEED_SWEDBANK_LT_TIMEZONE": value, "CITIES_FEED_SWEDBANK_LT_COUNTRY": value]
    let importer = BankImporter(try SyncConfiguration(environment: environment, user: 1_000))
    if !value.isEmpty { #expect(throws: FeedError.self) { try importer.check(.swedbankLT) } }
    try importer.check(.swedbankEE)
    let copy = SourceCopy(bytes: Self.finder)
    let rows = try openedRows(importer.image(of: [.swedbankEE: copy, .swedbankLT: copy]))
    #expect(Set(rows.map(\.country)) == ["EE", "LT"])
  }

  @Test func `a feed of another subject is refused`() throws {
    #expect(throws: FeedError(.unavailable, "cities is not a feed of locations")) {
      try importer().examine(.cities, Self.finder)
    }
  }

  @Test(
    arguments: [(FeedName.swedbankEE, 7), (.swedbankLV, 6), (.swedbankLT, 6), (.imaginary, 5)] as [(FeedName, UInt64)])
  func `the samples that are shipped load without losing a record`(feed: FeedName, records: UInt64) throws {
    let bytes = try Repository.bytes(Repository.path("contrib/data/sample/\(feed.rawValue).json"))
    #expect(try importer().examine(feed, bytes) == FeedContents(RecordCounts(kept: records)))
  }

  @Test(
    .enabled(if: Repository.sharedData("banks/imaginary-bank.json") != nil, "no shared/data/banks beside the checkout"))
  func `the real samples load without losing a record`() throws {
    let finder = try Repository.bytes(#require(Repository.sharedData("banks/finder-ee-12-records.json")))
    let other = try Repository.bytes(#require(Repository.sharedData("banks/imaginary-bank.json")))
    #expect(try importer().examine(.swedbankEE, finder) == FeedContents(RecordCounts(kept: 12)))
    #expect(try importer().examine(.imaginary, other) == FeedContents(RecordCounts(kept: 7)))
    let rows = try openedRows(
      importer().image(of: [.swedbankEE: SourceCopy(bytes: finder), .imaginary: SourceCopy(bytes: other)]))
    #expect(
      rows.count == 19 && rows.map(\.country) == Array(repeating: "BA", count: 7) + Array(repeating: "EE", count: 12))
    // The hours of the misspelt key.
    let misspelt = rows.first { $0.id == "imaginary-7" }?.hours
    #expect(misspelt?.first == OpeningHours(day: 0, opens: 510, closes: 990) && misspelt?.count == 3)
  }
}
