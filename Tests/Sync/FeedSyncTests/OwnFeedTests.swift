import Banks
import Base
import CitiesProtocol
import Geodesy
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
  @Test func `a list whose positions are exchanged overnight is refused, unless it is forced`() throws {
    let subject = try BankSubject()
    @Sendable func list(isExchanged: Bool) -> String {
      (0..<40).reduce("id,kind,lat,lon\n") { text, number in
        let position = isExchanged ? "24.9,60.\(number + 10)" : "60.\(number + 10),24.9"
        return text + "\(number),atm,\(position)\n"
      }
    }
    subject.web.answer { (_) throws(FeedError) in body(list(isExchanged: false)) }
    let engine = try subject.engine(.csv, hasOther: false)
    #expect(engine.refreshAndWait([BankSubject.own], force: false)[0].outcome == .downloaded)
    let copy = try subject.copy
    subject.clock.advance(86_400)
    subject.web.answer { (_) throws(FeedError) in body(list(isExchanged: true)) }
    let refused = engine.refreshAndWait([BankSubject.own], force: false)[0]
    #expect(
      refused.error == """
        https://own.example/: refused, 40 of 40 places that were compared are more than 100 km away from where they \
        were; the data before stays (loss.percent); to accept it: citiesctl refresh --force mybank
        """)
    #expect(try subject.copy == copy)
    let forced = engine.refreshAndWait([BankSubject.own], force: true)[0]
    #expect(forced.outcome == .downloaded && forced.counts?.remarked == 40)
  }

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
    #expect(points.notes.map(\.record) == [3, 4, 5] && points.notes[0].fate == .remarked)
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
    (#"{"elements":[],"remark":"runtime error: Query timed out"}"#, "is not whole: runtime error: Query timed out"),
    (#"{"type":"Place"}"#, "expected the type"), (#"{"type":"FeatureCollection"}"#, "features is missing"),
    (#"{"type":"FeatureCollection","features":{}}"#, "features is not an array"), ("{", "the JSON is broken"),
  ])
  func `another object is refused`(text: String, problem: String) {
    let error = #expect(throws: FeedError.self) { try contents(OwnFeeds.points, Array(text.utf8)) }
    #expect(error?.reason == .badData && error?.description.contains(problem) == true, "\(error?.description ?? "")")
  }

  @Test func `elements of the Overpass API are places at their centre`() throws {
    let tags = #""tags":{"amenity":"bank","name":"A"}"#
    let elements = [
      #"{"type":"node","id":1,"lat":60,"lon":20,\#(tags)}"#,
      #"{"type":"way","id":2,"center":{"lat":61,"lon":21},\#(tags)}"#,
      #"{"type":"relation","id":3,"bounds":{"minlat":61,"minlon":20,"maxlat":63,"maxlon":24},\#(tags)}"#,
      #"{"type":"way","id":4,"geometry":[{"lat":62,"lon":20},{"lat":64,"lon":26}],\#(tags)}"#,
      #"{"type":"way","id":5,"nodes":[6,7,6],\#(tags)}"#, #"{"type":"node","id":6,"lat":63,"lon":21}"#,
      #"{"type":"node","id":7,"lat":65,"lon":27}"#, #"{"type":"way","id":8,"nodes":[9],\#(tags)}"#,
      #"{"type":"node","id":10,"lat":1,"lon":2,"tags":{"name":"no kind"}}"#, "7",
      #"{"type":"relation","id":11,"center":{"lat":65,"lon":25},\#(tags)}"#,
      #"{"type":"relation","id":12,"members":[{"type":"way","ref":13},{"type":"node","ref":7}],\#(tags)}"#,
      #"{"type":"way","id":13,"nodes":[14]}"#, #"{"type":"node","id":14,"lat":67,"lon":25}"#,
      #"{"type":"relation","id":15,"members":[{"type":"way","ref":16,"geometry":[{"lat":67,"lon":27}]}],\#(tags)}"#,
    ]
    let text = #"{"version":0.6,"elements":[\#(elements.joined(separator: ","))]}"#
    let found = try contents(OwnFeeds.points, Array(text.utf8))
    #expect(found.counts == RecordCounts(kept: 8, skipped: 3))
    #expect(found.notes.filter { $0.fate == .skipped }.map(\.record) == [8, 9, 10])
    let places = ["60.0 20.0", "61.0 21.0", "62.0 22.0", "63.0 23.0", "64.0 24.0", "65.0 25.0", "66.0 26.0"]
    #expect(try located(text) == places + ["67.0 27.0"])
  }

  @Test(arguments: [
    ("UK", "GB"), ("el", "GR"), ("ee", "EE"), ("Eesti", "EE"), ("XX", "XX"), ("Congo", "FI"), ("?", "FI"),
  ])
  func `a place's own country is read as people write it`(written: String, code: String) throws {
    let text = "kind,lat,lon,addr:country\natm,60,24,\(written)\n"
    let place = BankPlace(bank: "a", country: "FI", zone: "Europe/Helsinki")
    try CSVFile().readRecords(in: Array(text.utf8), of: place) { _, read in
      var remarks: [String] = []
      #expect((try? read(&remarks))?.country == code)
      #expect(remarks.isEmpty == (code != "FI"))
    }
  }

  @Test func `a collection of geometries is a place at the centre of its box`() throws {
    let parts = #"{"type":"Point","coordinates":[24,60]},{"type":"LineString","coordinates":[[26,62],[25,61]]}"#
    let text = #"""
      {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"kind":"atm"},
        "geometry":{"type":"GeometryCollection","geometries":[\#(parts)]}}]}
      """#
    #expect(try located(text) == ["61.0 25.0"])
  }

  @Test func `remarks are among the notes, after records that are not kept`() throws {
    let rows = (0..<30).map { $0 < 4 ? "x,1,2" : "kiosk,60,24" }
    let text = "kind,lat,lon\natm,60,24\n\(rows.joined(separator: "\n"))\n"
    let found = try contents(OwnFeeds.table, Array(text.utf8))
    #expect(found.counts.kept == 31 && found.counts.remarked == 30)
    #expect(found.notes.count == 20 && found.notes.allSatisfy { $0.fate == .remarked })
    #expect(found.notes[0].description.hasPrefix("record 2 remarked: kind \"x\" is not known"))
    #expect(found.remarks.contains { $0.hasPrefix("my-table: record 2: kind \"x\" is not known") })
    let bad = (0..<30).map { $0 < 11 ? "atm,60,24,more" : "kiosk,60,24" }
    let both = try contents(OwnFeeds.table, Array("kind,lat,lon\n\(bad.joined(separator: "\n"))\n".utf8))
    #expect(both.notes.map(\.fate) == Array(repeating: .skipped, count: 11) + Array(repeating: .remarked, count: 9))
  }

  @Test(arguments: [("", "\n"), ("", "\r\n"), ("\u{1e}", "\n\u{1e}")])
  func `a sequence of features is read line by line`(start: String, separator: String) throws {
    let features = OwnFeeds.elements[OwnFeeds.points] ?? []
    let one = try contents(OwnFeeds.points, Array((start + features[0] + "\n").utf8))
    #expect(one.counts == RecordCounts(kept: 1))
    let text = start + (features + ["{"]).joined(separator: separator) + "\n"
    let found = try contents(OwnFeeds.points, Array(text.utf8))
    #expect(found.counts == RecordCounts(kept: 3, skipped: 3))
    #expect(found.notes.last?.reason == "the JSON is broken: the text ends within an object")
  }

  @Test func `truth values may be words or not`() throws {
    let properties = [
      #""kind":"atm","cash_in":true"#, #""kind":"atm","cash_in":"Yes","no_cash":"TRUE""#,
      #""kind":"atm","cash_in":false,"coin_station":1"#,
    ]
    let features = properties.map {
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[24.9,60.2]},"properties":{\#($0)}}"#
    }
    var found: [BankLocation] = []
    let place = BankPlace(bank: "a", country: "FI", zone: "Europe/Helsinki")
    try GeoJSONFile().readRecords(in: OwnFeeds.points(features), of: place) { _, read in
      var remarks: [String] = []
      if let location = try? read(&remarks) { found.append(location) }
      #expect(remarks.isEmpty)
    }
    #expect(found.map(\.kind) == [.bna, .bna, .atm])
    #expect(found.map(\.noCash) == [false, true, false] && found.map(\.coinStation) == [false, false, true])
  }

  private func located(_ text: String) throws -> [String] {
    var found: [String] = []
    let place = BankPlace(bank: "a", country: "FI", zone: "Europe/Helsinki")
    try GeoJSONFile().readRecords(in: Array(text.utf8), of: place) { _, read in
      var remarks: [String] = []
      guard let point = try? read(&remarks).point else { return }
      found.append("\(point.latitude) \(point.longitude)")
    }
    return found
  }

  @Test func `a field that is not UTF-8 refuses the list with the place`() throws {
    let error = #expect(throws: FeedError.self) {
      try contents(OwnFeeds.table, Array("lat,lon,kind,name\n1,2,atm,\u{e9}\n1,2,atm,".utf8) + [0xE9])
    }
    #expect(error?.description.contains("the text is not UTF-8 at byte 37 (line 3)") == true)
  }

  /// The good records of a list, as its format reads them.
  private func locations(_ feed: FeedName, _ bytes: [UInt8]) throws -> [BankLocation] {
    let format = feed == OwnFeeds.points ? BankFormat.geojson : .csv
    let place = BankPlace(bank: feed.rawValue, country: "FI", zone: "Europe/Helsinki")
    var found: [BankLocation] = []
    try format.file.readRecords(in: bytes, of: place) { _, read in
      var remarks: [String] = []
      if let location = try? read(&remarks) { found.append(location) }
    }
    return found
  }

  @Test(arguments: [
    "lat;lon;kind;name\n60,17;24,94;branch;Kesk", "Latitude\tLongitude\tType\tName\n60.17\t24.94\tbranch\tKesk",
    "sep=;\nLAT;LON;KIND;NAME\n60.17;24.94;Branch;Kesk", "\u{feff}y,x,amenity,name\n60.17,24.94,bank,Kesk",
    "lat,lon,kind,name\n\"60,17\",\"24,94\",branch,Kesk",
  ])
  func `spreadsheets' separators, decimal commas and headings are read`(text: String) throws {
    let found = try locations(OwnFeeds.table, Array(text.utf8))
    #expect(found.map(\.name) == ["Kesk"] && found[0].kind == .branch)
    #expect(found[0].point == GeoPoint(latitude: 60.17, longitude: 24.94))
  }

  @Test func `a wrong separator is named`() {
    let error = #expect(throws: FeedError.self) { try contents(OwnFeeds.table, Array("lat|lon|kind\n1|2|atm".utf8)) }
    #expect(error?.description.contains("its columns seem to be separated by \"|\"") == true)
  }

  @Test func `places of OpenStreetMap and All The Places are read with their tags`() throws {
    let bank = """
      {"type":"Feature","id":"node/267088787","geometry":{"type":"Point","coordinates":[24.94,60.17]},"properties":
       {"@id":"node/267088787","amenity":"bank","brand":"Nordea","addr:street":"Aleksi","addr:housenumber":"1",
        "addr:postcode":"00100","addr:city":"Helsinki","opening_hours":"Mo-Fr 10:00-16:30","contact:phone":358200}}
      """
    let way = """
      {"type":"Feature","id":"way/1","geometry":
       {"type":"Polygon","coordinates":[[[24,60],[26,60],[26,61],[24,61],[24,60]]]},
       "properties":{"amenity":"atm","operator":"Otto","cash_in":"yes","addr:country":"ee","ref":"ä/ö"}}
      """
    let found = try locations(OwnFeeds.points, OwnFeeds.points([bank, way])).sorted { $0.title < $1.title }
    #expect(found.map(\.sourceID) == ["node/267088787", "way/1"])
    #expect(found.map(\.title) == ["Nordea", "Otto"] && found.map(\.address) == ["Aleksi 1, 00100 Helsinki", ""])
    #expect(found.map(\.kind) == [.branch, .bna] && found.map(\.country) == ["FI", "EE"])
    #expect(found[0].region == "Helsinki" && found[0].phone == "358200" && found[0].hours?.stretches.count == 5)
    #expect(found[1].point == GeoPoint(latitude: 60.5, longitude: 25))
  }

  @Test func `a place without a name of its own has its English one`() throws {
    let point = #"{"type":"Feature","geometry":{"type":"Point","coordinates":[24,60]},"properties":"#
    let feature = point + #"{"amenity":"atm","name:en":"North","brand":"Otto"}}"#
    #expect(try locations(OwnFeeds.points, OwnFeeds.points([feature])).map(\.name) == ["North"])
  }

  @Test func `any id is kept, and another one stays another`() throws {
    let ids = ["ä/ö", "ä/õ", String(repeating: "x", count: 70), "a b", "a.b"]
    let geometry = #""geometry":{"type":"Point","coordinates":[24,60]},"properties":{"kind":"atm"}"#
    let points = ids.map { "{\"type\":\"Feature\",\"id\":\"\($0)\",\(geometry)}" }
    let found = try locations(OwnFeeds.points, OwnFeeds.points(points))
    #expect(Set(found.map(\.sourceID)).count == ids.count && found.contains { $0.sourceID == "a.b" })
  }

  @Test func `a value of another type in an optional field is remarked on, never the loss of the place`() throws {
    let feature = """
      {"type":"Feature","geometry":{"type":"Point","coordinates":["24,94"," 60.17 "]},
       "properties":{"kind":"atm","name":7,"phone":true,"hours":{"a":1},"info":[1],"email":null}}
      """
    let contents = try contents(OwnFeeds.points, OwnFeeds.points([feature]))
    #expect(contents.counts == RecordCounts(kept: 1) && contents.counts.remarked == 1)
    #expect(contents.remarks.first?.contains("phone is not a text, and ignored") == true)
    let found = try locations(OwnFeeds.points, OwnFeeds.points([feature]))
    #expect(found[0].name == "7" && found[0].phone == nil && found[0].hours == nil)
  }

  @Test func `a packed list is unpacked`() throws {
    let packed = gzip(OwnFeeds.points([OwnFeeds.elements[OwnFeeds.points]?[0] ?? ""]))
    #expect(try contents(OwnFeeds.points, packed).counts == RecordCounts(kept: 1))
  }

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
