import CitiesProtocol
import FeedSync
import Resident
import TestSupport
import Testing

@Suite("Import of the other bank")
struct ImaginaryImportTests {
  private let importer: BankImporter

  init() throws { importer = BankImporter(try SyncConfiguration(environment: [:], user: 1_000)) }

  /// One record, with `fields` after the required ones.
  private func file(_ fields: String) -> [UInt8] {
    Array(#"{"data": [{"id": 1, "type": "branch", "location": {"lat": 44.5, "long": 18.5}\#(fields)}]}"#.utf8)
  }

  private func row(_ fields: String) throws -> BankRow? {
    try openedRows(importer.image(of: [.imaginary: SourceCopy(bytes: file(fields))])).first
  }

  @Test func `every key is in the row; country and zone are the feed's`() throws {
    let row = try row(
      #", "name": "Poslovnica", "address": "Armije 3", "phone": "+387", "email": "a@b", "website": "https://b/""#)
    var expected = BankRow(
      id: "imaginary-1", bank: "imaginary", kind: .branch, name: "Poslovnica", address: "Armije 3", country: "BA",
      countryName: "Bosnia and Herzegovina", lat: 44.5, lon: 18.5, zone: "Europe/Sarajevo")
    (expected.phone, expected.email, expected.website) = ("+387", "a@b", "https://b/")
    #expect(row == expected)
  }

  @Test func `keys may have blanks around them, and one that is spelt exactly comes first`() throws {
    let hours = #"{"day": 0, "start_hours": 8, " start_minutes": 30, "end_hours\t": 16, "end_minutes ": 30}"#
    #expect(try row(", \"working_hours \": [\(hours)]")?.hours == [OpeningHours(day: 0, opens: 510, closes: 990)])
    #expect(try row(#", "name ": "Wrong", "name": "Right", " name": "Wrong""#)?.name == "Right")
  }

  @Test func `a day without an entry is closed, a list without entries is never open, no list is unknown`() throws {
    let hours = #"{"day": 5, "start_hours": 22, "start_minutes": 0, "end_hours": 2, "end_minutes": 0}"#
    #expect(try row(", \"working_hours\": [\(hours)]")?.hours == [OpeningHours(day: 5, opens: 1_320, closes: 1_560)])
    #expect(try row(", \"working_hours\": []")?.hours == [])
    #expect(try row("")?.hours == nil && row(", \"working_hours\": null")?.hours == nil)
  }

  @Test(
    arguments: [
      ([7, 9, 0, 17, 0], "the day is from 0 to 6, found 7"), ([-1, 9, 0, 17, 0], "the day is from 0 to 6, found -1"),
      ([0, 24, 0, 17, 0], "the opening hour is from 0 to 23, found 24"),
      ([0, 9, 60, 17, 0], "the opening minute is from 0 to 59, found 60"),
      ([0, 9, 0, 25, 0], "the closing hour is from 0 to 24, found 25"),
      ([0, 9, 0, 24, 1], "the closing minute is from 0 to 0, found 1"),
      ([0, 9, 0, 17, -1], "the closing minute is from 0 to 59, found -1"),
      ([0, 9, 0, 9, 0], "it closes at the minute at which it opens, which could mean never or always"),
      ([0, .max, .min, .max, .max], "the opening hour is from 0 to 23, found \(Int.max)"),
    ] as [([Int], String)])
  func `an entry with an invalid time is refused with its number and what was found`(numbers: [Int], problem: String)
    throws
  {
    let keys = ["day", "start_hours", "start_minutes", "end_hours", "end_minutes"]
    let entries = [[0, 9, 0, 17, 0], numbers].map { numbers in
      "{" + zip(keys, numbers).map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
    }
    let contents = try importer.examine(
      .imaginary, file(", \"working_hours\": [\(entries.joined(separator: ", "))]"))
    #expect(contents.remarks == ["imaginary: record 1: working hours 2: \(problem); its state is unknown"])
    let many = Array(repeating: entries[0], count: 1_001).joined(separator: ", ")
    #expect(
      try importer.examine(.imaginary, file(", \"working_hours\": [\(many)]")).remarks == [
        "imaginary: record 1: 1001 working hours, at most 1000 are read; its state is unknown"
      ])
  }

  @Test(
    arguments: [
      ("5", "working_hours is not an array"), ("[5]", "working hours 1: the record is not an object"),
      (#"[{"day": 0}]"#, "working hours 1: start_hours is missing"),
      (
        #"[{"day": 7, "start_hours": 8, "start_minutes": 0, "end_hours": 9, "end_minutes": 0}]"#,
        "working hours 1: the day is from 0 to 6, found 7"
      ),
    ])
  func `impossible hours are reported, and the location is kept without any`(hours: String, problem: String) throws {
    let fields = ", \"working_hours\": \(hours)"
    #expect(try row(fields)?.hours == nil)
    let contents = try importer.examine(.imaginary, file(fields))
    #expect(contents.counts == RecordCounts(kept: 1))
    #expect(contents.remarks == ["imaginary: record 1: \(problem); its state is unknown"])
  }

  @Test(
    arguments: [("\"kiosk\"", "kiosk", nil), ("7", "7", 7), ("\"\"", "", nil)] as [(String, String, Int?)])
  func `a type that is not known is kept as an unknown kind, and remarked on`(type: String, shown: String, code: Int?)
    throws
  {
    let text = Array("{\"data\": [{\"id\": 2, \"type\": \(type), \"location\": {\"lat\": 44, \"long\": 18}}]}".utf8)
    let contents = try importer.examine(.imaginary, text)
    #expect(contents.counts == RecordCounts(kept: 1))
    #expect(contents.remarks == ["imaginary: record 1: type \"\(shown)\" is not known; kept as an unknown kind"])
    let rows = try openedRows(importer.image(of: [.imaginary: SourceCopy(bytes: text)]))
    #expect(rows.map(\.kind) == [.unknown] && rows.map(\.code) == [code])
  }

  @Test(
    arguments: [
      (#"{"id": 2, "location": {"lat": 1, "long": 1}}"#, "type is missing"),
      (#"{"id": 2, "type": "atm"}"#, "location is missing"),
      (#"{"id": 2, "type": "atm", "location": 5}"#, "location is not an object"),
      (#"{"id": 2, "type": "atm", "location": {"lat": 1}}"#, "location.long is missing"),
      (#"{"id": 2, "type": "atm", "location": {"lat": "x", "long": 1}}"#, "location.lat is not a number"),
    ])
  func `a bad record is skipped and reported by position`(text: String, problem: String) throws {
    let good = #"{"id": "x-1", "type": "ATM", "location": {"lat": 44, "long": 18}}"#
    let contents = try importer.examine(.imaginary, Array("{\"data\": [\(good), \(text)]}".utf8))
    #expect(contents.counts == RecordCounts(kept: 1, skipped: 1))
    #expect(contents.remarks == ["imaginary: record 2 skipped: \(problem)"])
  }

  @Test(
    arguments: [
      (#""id": true, "name": "A""#, "A", "id is not a text, and ignored"), (#""id": "a b", "name": 7"#, "7", nil),
      (#""phone": 35, "name": null, "address": ["a"]"#, nil, "address is not a text, and ignored"),
    ] as [(String, String?, String?)])
  func `a value of another type in an optional field never costs the place`(
    members: String, name: String?, remark: String?
  ) throws {
    let text = Array(
      "{\"data\": [{\"type\": \"atm\", \"location\": {\"lat\": \"44,5\", \"long\": 18}, \(members)}]}".utf8)
    let contents = try importer.examine(.imaginary, text)
    #expect(contents.counts == RecordCounts(kept: 1) && contents.counts.remarked == (remark == nil ? nil : 1))
    #expect(contents.remarks == (remark.map { ["imaginary: record 1: \($0)"] } ?? []))
    let rows = try openedRows(importer.image(of: [.imaginary: SourceCopy(bytes: text)]))
    #expect(rows.map(\.name) == [name] && rows.map(\.lat) == [44.5])
  }
}
