import Banks
import Base
import CitiesProtocol
import Glibc
import Resident
import TestSupport
import Testing

@testable import FeedSync

/// Feeds of the user's own, in the two formats that are made for them.
enum OwnFeeds {
  static let points = FeedName(rawValue: "my-points")
  static let table = FeedName(rawValue: "my-table")
  static let elements: [FeedName: [String]] = [
    points: [
      feature("24.94,60.17", #""kind":"branch","name":"Keskusta","hours":"Mo-Fr 09:00-16:30""#),
      feature("24.95,60.18,7.5", #""kind":"atm","name":"Asema","id":7"#), feature("1,2", #""kind":"kiosk","name":"A""#),
      feature("1", #""kind":"atm","name":"B""#), feature("1,91", #""kind":"atm","name":"C""#),
    ],
    table: [
      "60.17,24.94,branch,Keskusta,Mo-Fr 09:00-16:30", "60.18,24.95,atm,Asema,24/7", "2,1,kiosk,,", "91,1,atm,,",
      #"3,1,atm,"a, ""b""",off"#, "4,1,,x,",
    ],
  ]

  private static func feature(_ coordinates: String, _ properties: String) -> String {
    """
    {"type":"Feature","geometry":{"type":"Point","coordinates":[\(coordinates)]},"properties":{\(properties)}}
    """
  }

  static func points(_ features: [String]) -> [UInt8] {
    Array("{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}".utf8)
  }

  static func table(_ rows: [String]) -> [UInt8] {
    Array((["lat,lon,kind,name,hours"] + rows).joined(separator: "\n").utf8)
  }

  static func configuration() throws -> SyncConfiguration {
    let folder = try TemporaryFolder()
    let place = #""country":"FI","zone":"Europe/Helsinki""#
    let json = """
      {"feeds":{"my-points":{"format":"geojson","url":"/a",\(place)},"my-table":{"format":"csv","url":"/b",\(place)}}}
      """
    let path = try folder.write("sync.json", Array(json.utf8))
    return try SyncConfiguration(environment: ["CITIES_SYNC_CONFIG": path], user: 1_000)
  }

  static func importer() throws -> BankImporter { BankImporter(try configuration()) }
}

/// The bank feeds in a state folder, over a web of the test's: one of the user's own beside those of this build.
private struct BankSubject {
  let folder: TemporaryFolder
  let state: StateFolder
  let clock = TestClock()
  let web: TestWeb
  static let own = FeedName(rawValue: "mybank")
  private static let table = "lat,lon,kind,name\n60.17,24.94,branch,Keskusta\n"

  init() throws {
    folder = try TemporaryFolder()
    state = StateFolder(path: folder.path("state"))
    web = TestWeb { request in body(request.url.contains("own") ? Self.table : #"[{"lat":59,"lon":24,"t":0}]"#) }
  }

  /// The body of an answer that the bank of the user's own gives no longer.
  func breakOwnSource() {
    web.answer { (request) throws(FeedError) in
      guard !request.url.contains("own") else { throw FeedError(.unavailable, "no route") }
      return body(#"[{"lat":59,"lon":24,"t":0}]"#)
    }
  }

  /// A new process with the own feed in `format`, or without it, and with the Estonian feed if it `hasOther`.
  func engine(_ format: BankFormat?, url: String = "https://own.example/", hasOther: Bool = true) throws -> SyncEngine {
    let own = format.map {
      #""mybank":{"format":"\#($0.rawValue)","url":"\#(url)","country":"FI","zone":"Europe/Helsinki"},"#
    }
    let other = hasOther ? "https://ee.example/" : ""
    let json = """
      {"feeds":{\(own ?? "")"swedbank-ee":{"url":"\(other)"},"swedbank-lv":{"url":""},"swedbank-lt":{"url":""}}}
      """
    let path = try folder.write("sync.json", Array(json.utf8))
    let configuration = try SyncConfiguration(environment: ["CITIES_SYNC_CONFIG": path], user: 1_000)
    let feeds = FeedRegistry.feeds(
      of: [BankImporter(configuration)], configuration, state: state, fetcher: web, now: { [clock] in clock.now })
    let journal = FeedJournal(state: state, log: TestSubject.quiet)
    try journal.register(feeds)
    return SyncEngine(
      feeds: feeds, journal: journal, log: TestSubject.quiet, now: { [clock] in clock.now }, backOff: BackOff { 0.5 })
  }

  /// The banks that are served; `nil` if there is no resident file.
  var banks: [String]? {
    get throws {
      let path = state.path(of: ResidentBanks.kind)
      guard Repository.exists(path) else { return nil }
      let banks = try ResidentBanks(path: path)
      return withExtendedLifetime(banks) { banks.index.banks }
    }
  }

  /// The stored copy of the user's own feed.
  var copy: [UInt8] { get throws { try Repository.bytes("\(state.path)/sources/mybank.source") } }
}

@Suite("Stored data of feeds of the user's own")
struct OwnFeedDataTests {
  @Test func `a copy that no longer parses fails its own feed alone, and is kept`() throws {
    let subject = try BankSubject()
    let outcomes = try subject.engine(.csv).refreshAndWait([.swedbankEE, BankSubject.own], force: false)
    #expect(outcomes.map(\.outcome) == [.downloaded, .downloaded])
    #expect(try subject.banks == ["mybank", "swedbank-ee"])
    let copy = try subject.copy
    subject.breakOwnSource()
    for force in [false, true] {
      let engine = try subject.engine(.geojson)
      let other = engine.refreshAndWait([.swedbankEE], force: force)[0]
      #expect(other.error == nil && other.outcome != .failed, "\(other)")
      #expect(try subject.banks == ["swedbank-ee"])
      let own = engine.refreshAndWait([BankSubject.own], force: force)[0]
      #expect(own.outcome == .failed && own.error?.isEmpty == false)
      #expect(try subject.copy == copy)
    }
    // The first attempt reuses the young copy, and says what is wrong with it.
    let young = try BankSubject()
    _ = try young.engine(.csv).refreshAndWait([BankSubject.own], force: false)
    let failed = try young.engine(.geojson).refreshAndWait([BankSubject.own], force: false)[0]
    #expect(failed.outcome == .failed && failed.error?.contains("expected a JSON object of locations") == true)
    #expect(try young.banks == ["mybank"])
    // With the old format again, nothing is lost.
    subject.clock.advance(3_600)
    _ = try subject.engine(.csv).refreshAndWait([.swedbankEE], force: false)
    #expect(try subject.banks == ["mybank", "swedbank-ee"])
  }

  @Test func `locations leave the service with the entry of their feed, and the stored copy stays`() throws {
    for hasOther in [true, false] {
      let subject = try BankSubject()
      _ = try subject.engine(.csv, hasOther: hasOther).refreshAndWait([], force: false)
      #expect(try subject.banks == (hasOther ? ["mybank", "swedbank-ee"] : ["mybank"]))
      let copy = try subject.copy
      _ = try subject.engine(nil, hasOther: hasOther).refreshAndWait([], force: false)
      #expect(try subject.banks == (hasOther ? ["swedbank-ee"] : nil))
      #expect(try subject.copy == copy)
      _ = try subject.engine(.csv, hasOther: hasOther).refreshAndWait([], force: false)
      #expect(try subject.banks == (hasOther ? ["mybank", "swedbank-ee"] : ["mybank"]))
    }
  }

  @Test func `locations of a configured feed stay in service although its stored copy is lost`() throws {
    let subject = try BankSubject()
    _ = try subject.engine(.csv).refreshAndWait([], force: false)
    for name in ["mybank", "swedbank-ee"] { unlink("\(subject.state.path)/sources/\(name).source") }
    subject.web.answer { (_) throws(FeedError) in throw FeedError(.unavailable, "no route") }
    _ = try subject.engine(.csv).refreshAndWait([], force: true)
    #expect(try subject.banks == ["mybank", "swedbank-ee"])
    // One of them is no longer configured; the other one's locations exist nowhere else.
    _ = try subject.engine(nil).refreshAndWait([], force: true)
    #expect(try subject.banks == ["mybank", "swedbank-ee"])
    // A damaged file stays, too.
    try subject.folder.write("state/banks.resident", [1, 2, 3])
    _ = try subject.engine(nil).refreshAndWait([], force: true)
    #expect(Repository.exists(subject.state.path(of: ResidentBanks.kind)))
  }

  @Test func `forgetting a feed removes its locations also if no other copy can be used`() throws {
    let subject = try BankSubject()
    _ = try subject.engine(.csv).refreshAndWait([], force: false)
    let copy = "\(subject.state.path)/sources/mybank.source"
    // With another format, the copy of the own feed no longer parses; it stays.
    let engine = try subject.engine(.geojson)
    try engine.forget(.swedbankEE)
    #expect(try subject.banks == nil)
    #expect(Repository.exists(copy))
    // A feed that has no data takes nothing with it.
    _ = try subject.engine(.csv).refreshAndWait([BankSubject.own], force: false)
    #expect(try subject.banks == ["mybank"])
    try subject.engine(.geojson).forget(.swedbankEE)
    #expect(try subject.banks == ["mybank"])
    // But a file that cannot be read may have its data.
    try subject.folder.write("state/banks.resident", [1, 2, 3])
    try subject.engine(.geojson).forget(.swedbankEE)
    #expect(try subject.banks == nil)
  }

  @Test func `locations leave with the entry of their feed although the other copy cannot be used`() throws {
    let subject = try BankSubject()
    _ = try subject.engine(.csv, hasOther: false).refreshAndWait([], force: false)
    _ = try subject.engine(nil).refreshAndWait([.swedbankEE], force: false)
    #expect(try subject.banks == ["swedbank-ee"])
    _ = try subject.engine(.csv, hasOther: false).refreshAndWait([], force: false)
    // Now the Estonian copy is damaged in its body, which its header does not show.
    let path = "\(subject.state.path)/sources/swedbank-ee.source"
    var bytes = try Repository.bytes(path)
    bytes[bytes.count - 1] ^= 1
    try subject.folder.write("state/sources/swedbank-ee.source", bytes)
    _ = try subject.engine(.csv, hasOther: false).refreshAndWait([], force: true)
    #expect(try subject.banks == ["mybank"])
    _ = try subject.engine(nil, hasOther: false).refreshAndWait([], force: false)
    #expect(try subject.banks == nil)
  }

  @Test(arguments: [true, false])
  func `a failing attempt keeps the locations of a feed whose copy is lost`(isDamaged: Bool) throws {
    let subject = try BankSubject()
    _ = try subject.engine(.csv).refreshAndWait([], force: false)
    let damaged = try subject.copy.dropLast()
    unlink("\(subject.state.path)/sources/mybank.source")
    if isDamaged { try subject.folder.write("state/sources/mybank.source", damaged) }
    subject.breakOwnSource()
    for force in [false, true] {
      let outcome = try subject.engine(.csv).refreshAndWait([BankSubject.own], force: force)[0]
      #expect(outcome.outcome == .failed)
      #expect(try subject.banks == ["mybank", "swedbank-ee"])
    }
    // Without a file there is nothing to keep, and the other copy is served again.
    unlink(subject.state.path(of: ResidentBanks.kind))
    _ = try subject.engine(.csv).refreshAndWait([BankSubject.own], force: true)
    #expect(try subject.banks == ["swedbank-ee"])
  }

  @Test func `the report names the current URL until an attempt is made at it`() throws {
    let subject = try BankSubject()
    let journal = FeedJournal(state: subject.state, log: TestSubject.quiet)
    for url in ["https://own.example/a", "https://own.example/b", "/c"] {
      _ = try subject.engine(.csv, url: url, hasOther: false)
      #expect(journal.report(of: BankSubject.own).source == url)
    }
    subject.breakOwnSource()
    let asked = "https://own.example/d"
    _ = try subject.engine(.csv, url: asked, hasOther: false).refreshAndWait([BankSubject.own], force: false)
    _ = try subject.engine(.csv, url: "https://own.example/e", hasOther: false)
    #expect(journal.report(of: BankSubject.own).source == asked)
  }

  @Test func `a change of the URL makes the attempt due`() throws {
    let subject = try BankSubject()
    subject.breakOwnSource()
    for (url, asked) in [("own.example/a", 1), ("own.example/a", 1), ("own.example/b", 2), ("own.example/b?c", 3)] {
      let engine = try subject.engine(.csv, url: "https://\(url)", hasOther: false)
      #expect(engine.refreshAndWait([BankSubject.own], force: false)[0].outcome == .failed)
      #expect(subject.web.asked.count == asked, "\(url)")
    }
  }
}

@Suite("Feeds of the user's own")
struct OwnFeedTests {
  private func contents(_ feed: FeedName, _ bytes: [UInt8]) throws -> FeedContents {
    try OwnFeeds.importer().examine(feed, bytes)
  }

  @Test func `they stand after this builds feeds`() throws {
    let configuration = try OwnFeeds.configuration()
    #expect(configuration.names == FeedName.all + [OwnFeeds.points, OwnFeeds.table])
    #expect(configuration[OwnFeeds.table].format == .csv && configuration[OwnFeeds.table].zone == "Europe/Helsinki")
    #expect(configuration.warnings.isEmpty)
    #expect(try OwnFeeds.importer().feeds == Subject.banks.feeds + [OwnFeeds.points, OwnFeeds.table])
  }

  @Test func `records are kept or skipped with the reason`() throws {
    let points = try contents(OwnFeeds.points, OwnFeeds.points(OwnFeeds.elements[OwnFeeds.points] ?? []))
    #expect(points.counts == RecordCounts(kept: 3, skipped: 2))
    #expect(points.notes.map(\.record) == [4, 5])
    let table = try contents(OwnFeeds.table, OwnFeeds.table(OwnFeeds.elements[OwnFeeds.table] ?? []))
    #expect(table.counts == RecordCounts(kept: 4, skipped: 2))
    #expect(table.notes.last?.reason == "kind is missing")
  }

  @Test(arguments: [
    ("", "expected a header row, found nothing"), ("[1]", "expected CSV with a header row, found JSON"),
    ("<html>", "expected CSV with a header row"), ("lat,lon", "the header row has no column kind"),
    ("lat,lat,lon,kind", "the column lat is given twice"),
    ("lat,lon,kind\n1,2,\"atm", "the CSV is broken at byte 17 (line 2): a quote that is not closed"),
    ("lat,lon,kind\n1,2,\"atm\"x", "text after the closing quote"),
    ("lat,lon,kind\n1,2,a\"b", "a quote within a field that does not start with one"),
    ("lat,lon,kind\n", "the list is empty"),
  ])
  func `another file is refused`(text: String, problem: String) {
    let error = #expect(throws: FeedError.self) { try contents(OwnFeeds.table, Array(text.utf8)) }
    #expect(error?.reason == .badData && error?.description.contains(problem) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    ("[]", "expected a JSON object of locations (a GeoJSON FeatureCollection), found an array"),
    (#"{"type":"Feature"}"#, "expected the type"), (#"{"type":"FeatureCollection"}"#, "features is missing"),
    (#"{"type":"FeatureCollection","features":{}}"#, "features is not an array"), ("{", "the JSON is broken"),
  ])
  func `another object is refused`(text: String, problem: String) {
    let error = #expect(throws: FeedError.self) { try contents(OwnFeeds.points, Array(text.utf8)) }
    #expect(error?.reason == .badData && error?.description.contains(problem) == true, "\(error?.description ?? "")")
  }

  @Test func `a field that is not UTF-8 skips its row with the place`() throws {
    let contents = try contents(OwnFeeds.table, Array("lat,lon,kind,name\n1,2,atm,\u{e9}\n1,2,atm,".utf8) + [0xE9])
    #expect(contents.counts == RecordCounts(kept: 1, skipped: 1))
    #expect(contents.notes.first?.reason == "name is not UTF-8, at byte 37 (line 3)")
  }

  @Test(arguments: [
    ("24/7", 7), ("Mo-Fr 09:00-17:00", 5), ("mo,we 9:00-12:00,13:00-17:00", 4), ("Sa-Mo 22:00-02:00", 3),
    ("Mo-Fr 08:00-20:00; PH off", 5), ("Mo-Fr 08:00-20:00; Su,PH 10:00-12:00", 7),
    ("Mo-Su 08:00-20:00; We off", 6), ("Mo-Fr 08:00-20:00;Fr 08:00-12:00", 5), ("Mo 00:00-24:00", 1),
  ])
  func `hours that are understood`(text: String, stretches: Int) {
    #expect(DayRanges.hours(text)?.stretches.count == stretches)
    #expect(DayRanges.hours(text)?.namesHolidays == text.contains("PH"))
  }

  @Test(arguments: [
    "", "Mo", "09:00-17:00", "Mo-Fr 9-17", "Mo-Fr 09:00-25:00", "Mo-Fr 09:00-17:60", "Xx 09:00-17:00",
    "Mo- 09:00-17:00",
    "Mo 09:00-17:00;", "Mo-Fr-Su 09:00-17:00", "Mo 09:00-09:00", "PH off", "Mo 09:00-+7:00", "sunrise-sunset",
  ])
  func `other hours are unknown`(text: String) { #expect(DayRanges.hours(text) == nil) }

  @Test(arguments: [
    ("a", true), ("my-bank2", true), (String(repeating: "a", count: 32), true), ("", false), ("2a", false),
    ("A", false),
    ("a_b", false), ("a/b", false), ("..", false), (String(repeating: "a", count: 33), false), ("é", false),
  ])
  func `names become file names`(name: String, isRight: Bool) { #expect(BankFormat.isFeedName(name) == isRight) }

  @Test(
    arguments: [
      ("citys", "cities"), ("swedbank-e", "swedbank-ee"), ("url", nil), ("Rates", "rates"), ("quite-another", nil),
    ] as [(String, String?)])
  func `the nearest word is meant`(word: String, meant: String?) {
    #expect(FeedName.all.map(\.rawValue).nearest(to: word) == meant)
  }
}
