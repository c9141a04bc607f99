import Banks
import CBOR
import CitiesProtocol
import FeedSync
import Resident
import TestSupport
import Testing

@Suite("Bank import")
struct BankImportTests {
  private let importer: BankImporter

  init() throws { importer = BankImporter(try SyncConfiguration(environment: [:], user: 1_000)) }

  private func examined(_ feed: FeedName, _ text: String) throws -> FeedContents {
    try importer.examine(feed, Array(text.utf8))
  }

  private func refusal(_ feed: FeedName, _ text: String) -> FeedError? {
    do {
      _ = try examined(feed, text)
      return nil
    } catch {
      return error as? FeedError
    }
  }

  /// The rows of an index made from one file.
  private func rows(_ feed: FeedName, _ text: String) throws -> [BankRow] {
    try openedRows(importer.image(of: [feed: SourceCopy(bytes: Array(text.utf8))]))
  }

  /// One record of a finder file, with `fields` after the required ones.
  private func finder(_ fields: String = "") throws -> BankRow? {
    let text = #"[{"lat": 59.5, "lon": 24, "t": 0, "a": "Kesk 4"\#(fields.isEmpty ? "" : ", \(fields)")}]"#
    return try rows(.swedbankEE, text).first
  }

  @Test func `every key of a finder file is in the row, tidied`() throws {
    let text = """
      [{"lat": 59.42736111, "lon": 24.74562778, "n": " LIIVALAIA ", "a": "Liivalaia 8\\r", "t": 0, "cs": true, "ncash": 1,
        "r": "Kesklinna linnaosa ", "av": "E-R 9.00-17.00 \\r\\n", "i": "Üks \\r\\nkaks\\n\\n", "x": {"new": []}}]
      """
    let row = try #require(try rows(.swedbankEE, text).first)
    var expected = BankRow(
      id: row.id, bank: "swedbank-ee", kind: .branch, name: "LIIVALAIA", address: "Liivalaia 8",
      region: "Kesklinna linnaosa", country: "EE", countryName: "Estonia", lat: 59.42736111, lon: 24.74562778,
      zone: "Europe/Tallinn")
    (expected.noCash, expected.coinStation) = (true, true)
    (expected.availability, expected.info) = ("E-R 9.00-17.00", "Üks\nkaks")
    expected.hours = (0..<5).map { OpeningHours(day: $0, opens: 540, closes: 1_020) }
    #expect(row == expected)
    #expect(row.id.wholeMatch(of: /swedbank-ee-[0-9a-f]{8}/) != nil)
  }

  @Test
  func `nothing is lost for a missing name, region or address, and an unknown type is kept with its number`() throws {
    let found = try rows(.swedbankLV, #"[{"lat": 57, "lon": 24.1, "t": 9}, {"lat": 57, "lon": 24, "t": 1, "n": null}]"#)
    #expect(found.map(\.kind) == [.atm, .unknown] && found.map(\.code) == [nil, 9])
    #expect(found.allSatisfy { $0.name == nil && $0.region == nil && $0.address.isEmpty && $0.country == "LV" })
  }

  @Test(
    arguments: [
      ("", false, 0), ("null", false, 0), ("true", true, 0), ("1", true, 0), ("\"true\"", true, 0), ("\"1\"", true, 0),
      ("false", false, 0), ("0", false, 0), ("\"false\"", false, 0), ("\"\"", false, 0), ("2", false, 1),
      ("\"maybe\"", false, 1), ("[]", false, 1), ("{}", false, 1), ("1.5", false, 1),
    ])
  func `flags are read in all the ways that files write them`(value: String, isSet: Bool, remarks: Int) throws {
    for key in ["ncash", "cs"] {
      let field = value.isEmpty ? "" : "\"\(key)\": \(value)"
      let row = try #require(try finder(field))
      #expect((key == "cs" ? row.coinStation : row.noCash) == isSet && (key == "cs" ? !row.noCash : !row.coinStation))
      let report = try examined(
        .swedbankEE, "[{\"lat\": 59, \"lon\": 25, \"t\": 0\(field.isEmpty ? "" : ", \(field)")}]")
      #expect(report.remarks.count == remarks && report.counts.skipped == 0)
    }
  }

  @Test
  func `rows equal in all keys after tidying are as many locations; a row that differs in any key is another`() throws {
    let one = #"{"lat": 59, "lon": 24, "t": 1, "n": "A", "a": "B", "av": "24h"}"#
    let same = #"{"a": "B ", "av": "24h\r\n", "n": " A", "t": "1", "lon": 24.0, "lat": 59, "r": ""}"#
    let other = #"{"lat": 59, "lon": 24, "t": 1, "n": "A", "a": "B", "av": "8-18"}"#
    #expect(try examined(.swedbankEE, "[\(one), \(same), \(one)]") == FeedContents(RecordCounts(kept: 3)))
    let rows = try rows(.swedbankEE, "[\(one), \(same), \(other), \(one)]")
    #expect(rows.count == 4 && Set(rows.map(\.id)).count == 4)
    let id = try #require(rows.map(\.id).min())
    let equal = rows.filter { $0.availability == "24h" }.map(\.id)
    #expect(equal == [id, "\(id)-2", "\(id)-3"])
    let twin = try #require(rows.first { $0.availability == "8-18" }?.id)
    #expect(twin.hasPrefix("\(id)-") && twin.count == id.count + 9)
  }

  @Test
  func `letters are days in the language of the feed's country; Roman numerals and 24h are read everywhere`() throws {
    let text =
      #"[{"lat": 57, "lon": 24, "t": 0, "n": "1", "av": "P 9.00-14.00"}, "#
      + #"{"lat": 57, "lon": 24, "t": 1, "n": "2", "av": " 24H\n"}, {"lat": 57, "lon": 24, "t": 1, "n": "3"}, "#
      + #"{"lat": 57, "lon": 24, "t": 0, "n": "4", "av": "I-IV 9.00-17.30; V 9.00-16.30 (12.00-13.00)"}, "#
      + #"{"lat": 57, "lon": 24, "t": 0, "n": "5", "av": "I-V 9.00-17.30 (tik vasarą)"}]"#
    let unclear = try rows(.swedbankLT, text)
    #expect(unclear.map { $0.hours?.count } == [nil, 7, nil, nil, nil])
    let clear = text.replacing(" (12.00-13.00)", with: "")
    for (feed, day) in [(FeedName.swedbankEE, 6), (.swedbankLV, 0)] {
      #expect(try rows(feed, clear).map { $0.hours?.count } == [1, 7, nil, 5, nil])
      #expect(try rows(feed, clear).first?.hours?.first?.day == day)
    }
    // Hours that are not understood stay as text.
    #expect(unclear.map(\.availability).last == "I-V 9.00-17.30 (tik vasarą)")
  }

  @Test(
    arguments: [
      ("5", "the record is not an object"), ("null", "the record is not an object"),
      ("[]", "the record is not an object"),
      (#"{"lon": 1, "t": 0}"#, "lat is missing"), (#"{"lat": 1, "t": 0}"#, "lon is missing"),
      (#"{"lat": 1, "lon": null, "t": 0}"#, "lon is missing"), (#"{"lat": 1, "lon": 1}"#, "t is missing"),
      (#"{"lat": "x", "lon": 1, "t": 0}"#, "lat is not a number"),
      (#"{"lat": 1, "lon": 1, "t": "zero"}"#, "t is not a whole number"),
      (#"{"lat": 90.5, "lon": 1, "t": 0}"#, "latitude 90.5 is not between -90 and 90"),
      (#"{"lat": 1, "lon": -181, "t": 0}"#, "longitude -181.0 is not between -180 and 180"),
      (#"{"lat": 1e999, "lon": 1, "t": 0}"#, "lat: the number is out of range"),
      (#"{"lat": 1, "lon": 1, "t": 0, "n": "a\u0000"}"#, "the name contains U+0000"),
    ])
  func `a bad record is skipped and reported by its position and fault`(text: String, problem: String) throws {
    let good = #"{"lat": 55, "lon": 24, "t": 0}"#
    let contents = try examined(.swedbankLT, "[\(good), \(text)]")
    #expect(contents.counts == RecordCounts(kept: 1, skipped: 1))
    #expect(contents.remarks == ["swedbank-lt: record 2 skipped: \(problem)"])
  }

  @Test(
    arguments: [
      (FeedName.swedbankEE, "", "expected a JSON array of locations, found nothing"),
      (.swedbankEE, "{}", "expected a JSON array of locations, found an object"),
      (.swedbankEE, "\r\n<!DOCTYPE html>", "expected a JSON array of locations, found a page of HTML or XML"),
      (.swedbankEE, "[{\"t\": 0},", "the JSON is broken at byte 10 (line 1): the text ends within an array"),
      (.imaginary, "[]", "expected a JSON object of locations, found an array"),
      (.imaginary, "{\"date\": []}", "data is missing"), (.imaginary, "{\"data\": {}}", "data is not an array"),
    ])
  func `any other file is refused whole, by what it is`(feed: FeedName, text: String, problem: String) {
    let error = refusal(feed, text)
    #expect(error?.reason == .badData && error?.description == "\(problem); nothing was imported")
  }

  @Test(
    arguments: [
      (FeedName.swedbankEE, "[]", "swedbank-ee: the list is empty; nothing was imported"),
      (.imaginary, "{\"data\": []}", "imaginary: the list is empty; nothing was imported"),
      (
        .swedbankEE, "[5]",
        """
        swedbank-ee: not one of 1 records is good; nothing was imported
        swedbank-ee: record 1 skipped: the record is not an object
        """
      ),
    ])
  func `a file without a single good record is refused, an empty one too`(feed: FeedName, text: String, problem: String)
  {
    #expect(refusal(feed, text) == FeedError(.badData, problem))
  }

  @Test(
    arguments: [FeedName.swedbankEE, .imaginary])
  func `a file of more values than fit into memory is refused before it is decoded`(feed: FeedName) {
    let list = "[" + String(repeating: "{},", count: BankImporter.maximumValues) + "{}]"
    let error = refusal(feed, feed == .imaginary ? "{\"data\": \(list)}" : list)
    #expect(error?.description == "more than the 2000000 values that are accepted; nothing was imported")
  }

  @Test func `a file that is cut off anywhere is refused`() {
    let text = #"[{"lat": 1, "lon": 1, "t": 0, "n": "Õ"}, {"lat": 1, "lon": 1, "t": 1}]"#
    for count in 0..<text.utf8.count {
      #expect(throws: FeedError.self) { try importer.examine(.swedbankEE, Array(text.utf8.prefix(count))) }
    }
  }

  @Test func `a byte-order mark changes nothing`() throws {
    let text = #"[{"lat": 1, "lon": 1, "t": 0}]"#
    #expect(try rows(.swedbankEE, "\u{FEFF}\(text)") == rows(.swedbankEE, text))
  }
}

/// The rows of an image, in the order of headings.
func openedRows(_ image: ResidentImage) throws -> [BankRow] {
  let folder = try TemporaryFolder()
  try image.write(to: folder.path("banks.resident"))
  let banks = try ResidentBanks(path: folder.path("banks.resident"))
  return try withExtendedLifetime(banks) {
    try (0..<banks.count).map { try CBORDecoder().decode(BankRow.self, from: banks.index.row(at: $0).bytes) }
  }
}
