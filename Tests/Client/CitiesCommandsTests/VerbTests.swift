import CitiesProtocol
import Glibc
import Synchronization
import System
import TestSupport
import Testing

@testable import CitiesCommands

@Suite struct VerbTests {
  @Test func `find joins its words and sends its conditions`() throws {
    #expect(try sent(CityFind.self, ["find", "san", "jose", "cr"]) == CityFind(query: "san jose cr", finished: true))
    let words = [
      "find", "東", "--country", "japan", "--region", "13", "--limit", "3", "--no-typos", "--near", "-1,2",
    ]
    #expect(
      try sent(CityFind.self, words)
        == CityFind(
          query: "東", limit: 3, near: Place(at: Position(lat: -1, lon: 2)), typos: false, region: "13",
          country: "japan", finished: true))
    #expect(try sent(CityFind.self, ["find", "-12", "mile"])?.query == "-12 mile")
    for words in [["find"], ["find", ""], ["find", "a", "--limit", "101"], ["find", "a", "--near", "91,0"]] {
      #expect(try outcome(words) { _ in [] }.status == .usage, "\(words)")
    }
  }

  @Test func `find prints the name that matched, the area that is meant, and suggestions`() throws {
    let row = CityFind.Row(by: .alternate, city: city(1, "A"), matched: "Ä", region: "R", regionCode: "08", zone: "Z/Z")
    let found = CityFind.Reply(rows: [row], generation: "00000000000000aa")
    let result = try outcome(["find", "ä"]) { [$0.reply(CityFind.self, found)] }
    #expect(result.output == "A, US\t1.5\t-2.0\t1\tUS\tA\t\tÄ\talternate\tR\n" && result.status == .found)
    var none = CityFind.Reply(rows: [], generation: "00000000000000aa")
    none.similar = [city(1, "A"), city(2, "B")]
    let elsewhere = try outcome(["find", "ä", "-c", "ee"]) { [none] in [$0.reply(CityFind.self, none)] }
    #expect(elsewhere.status == .nothingFound && elsewhere.output.isEmpty)
    #expect(elsewhere.errors == "citiesctl: no city is called \"ä\"; elsewhere: A, US; B, US\n")
    none.start = "a"
    let suggested = try outcome(["find", "ä", "b"]) { [none] in [$0.reply(CityFind.self, none)] }
    #expect(suggested.errors == "citiesctl: no city is called \"ä b\"; names that start with \"a\": A, US; B, US\n")
    var area = CityFind.Reply(rows: [.init(by: .area, city: city(1, "A"))], generation: "00000000000000aa")
    area.areas = [.init(country: "GE"), .init(country: "US", region: "Georgia", regionCode: "GA")]
    let named = try outcome(["find", "georgia"]) { [area] in [$0.reply(CityFind.self, area)] }
    let note = "\"georgia\" is the country GE or Georgia, US; its largest cities are listed"
    #expect(named.status == .found && named.errors == "citiesctl: \(note)\n")
  }

  @Test func `show takes an id or a title`() throws {
    #expect(try sent(CityGet.self, ["show", "588409"])?.id == 588_409)
    let named = try sent(CityGet.self, ["show", "tallinn", "ee", "--near", "-1,2"])
    #expect(named?.query == "tallinn ee" && named?.near == Place(at: Position(lat: -1, lon: 2)) && named?.id == nil)
    #expect(try sent(CityGet.self, ["show", "1770, AU"])?.query == "1770, AU")
    let strict = try sent(CityGet.self, ["show", "--strict", "Tallinn, EE"])
    #expect(strict?.title == "Tallinn, EE" && strict?.query == nil)
  }

  @Test func `show prints the city`() throws {
    let reply = CityGet.Reply(city: city(1, "A"), generation: "00000000000000aa")
    let result = try outcome(["show", "1", "-o", "json"]) { [$0.reply(CityGet.self, reply)] }
    #expect(result.output.hasPrefix(#"{"total":1,"generation":"00000000000000aa","rows":["#))
    #expect(result.output.contains(#"{"title":"A, US","lat":1.5"#))
  }

  @Test(arguments: ["-33.9,18.4", "geo:-33.9,18.4"])
  func `near takes a place with a dash in front`(word: String) throws {
    let request = try sent(CityNear.self, ["near", word, "--limit", "3", "--radius", "2km"])
    #expect(
      request?.place == Place(at: Position(lat: -33.9, lon: 18.4)) && request?.limit == 3 && request?.radius == 2_000)
  }

  @Test func `near takes a rule`() throws {
    #expect(try sent(CityNear.self, ["near", "1,2", "--rule", "main"])?.rule == .place)
    #expect(try sent(CityNear.self, ["near", "1,2", "--rule", "place"])?.rule == .place)
    #expect(try sent(CityNear.self, ["near", "1,2", "--rule=nearest"])?.rule == .nearest)
    #expect(try sent(CityNear.self, ["near", "1,2"])?.rule == nil)
    #expect(try outcome(["near", "1,2", "--rule", "biggest"]).status == .usage)
    let note = NearVerb.note(CityNear.Neighbour(city: city(1, "Tallinn", "EE"), distance: 1_240))
    #expect(note == "the place is Tallinn, EE, 1.2 km away")
  }

  @Test func `within takes two corners`() throws {
    let request = try sent(CityWithin.self, ["within", "-20.5,170", "0,-160", "--limit", "5", "--population", "1000"])
    let box = CityWithin.Box(south: -20.5, west: 170, north: 0, east: -160)
    #expect(request == CityWithin(box: box, limit: 5, population: 1_000))
    let words = ["within", "-20.5,170", "0,-160", "--columns", "title,region"]
    #expect(try sent(CityWithin.self, words)?.with == [.region])
    #expect(try sent(CityWithin.self, ["within", "-20.5,170", "0,-160"])?.limit == 20)
    for words in [
      [], ["1,2"], ["1,2", "3,4", "5,6"], ["3,2", "1,4"], ["1,2", "Paris"], ["1,2", "3,181"],
      ["1,2", "3,4", "--limit", "1001"], ["1,2", "3,4", "--population", "-1"],
    ] {
      #expect(try outcome(["within"] + words).status == .usage, "\(words)")
    }
  }

  @Test func `within prints the columns of cities`() throws {
    let reply = CityWithin.Reply(rows: [city(7, "Suva", "FJ", population: 9)], generation: "00000000000000aa")
    let result = try outcome(["within", "-20,170", "0,-160"]) { [$0.reply(CityWithin.self, reply)] }
    #expect(result == Outcome(status: .found, output: "Suva, FJ\t1.5\t-2.0\t7\tFJ\tSuva\t9\n", errors: ""))
    let none = CityWithin.Reply(rows: [], generation: "00000000000000aa")
    #expect(try outcome(["within", "0,0", "0,0"]) { [$0.reply(CityWithin.self, none)] }.status == .nothingFound)
  }

  @Test func `near prints distances in the last column`() throws {
    let rows = [CityNear.Neighbour(city: city(1, "A"), distance: 42)]
    let reply = CityNear.Reply(rows: rows, origin: Position(lat: 1, lon: 2), generation: "00000000000000aa")
    let result = try outcome(["near", "1,2"]) { [$0.reply(CityNear.self, reply)] }
    #expect(result.output == "A, US\t1.5\t-2.0\t1\tUS\tA\t\t42\n")
  }

  @Test func `here is kept for the user alone and used by near`() throws {
    let folder = try TemporaryFolder()
    let environment = ["XDG_CONFIG_HOME": folder.path("config")]
    let file = folder.path("config/cities/here")
    #expect(try outcome(["here"], environment: environment).status == .nothingFound)
    #expect(try outcome(["near"], environment: environment).status == .usage)
    let saved = try outcome(["here", "-33.9,18.4"], environment: environment)
    #expect(saved == Outcome(status: .found, output: "", errors: "citiesctl: saved -33.9,18.4 in \(file)\n"))
    #expect(try Repository.text(file) == "-33.9,18.4\n")
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try outcome(["here"], environment: environment).output == "-33.9,18.4\n")
    let seen = Mutex<CityNear?>(nil)
    _ = try outcome(["near"], environment: environment) { request in
      seen.withLock { $0 = request.params(CityNear.self) }
      return [request.failure(.notFound)]
    }
    #expect(seen.withLock { $0?.place } == Place(at: Position(lat: -33.9, lon: 18.4)))
    #expect(try outcome(["here", "--forget"], environment: environment).status == .found)
    #expect(try outcome(["here", "--forget"], environment: environment).status == .nothingFound)
  }

  @Test func `here of a title is the position that the server gives`() throws {
    let folder = try TemporaryFolder()
    let environment = ["HOME": folder.path("home")]
    mkdir(folder.path("home"), 0o700)
    let file = folder.path("home/.config/cities/here")
    var reply = CityNear.Reply(rows: [], origin: Position(lat: 59.4, lon: 24.7), generation: "00000000000000aa")
    reply.resolved = ResolvedCity(
      by: .title, city: CityRow(id: 1, lat: 59.4, lon: 24.7, name: "Tallinn", country: "EE"))
    let kept = try outcome(["here", "Tallinn, EE"], environment: environment) { [reply] in
      [$0.reply(CityNear.self, reply)]
    }
    #expect(kept.status == .found && kept.errors == "citiesctl: saved 59.4,24.7 (Tallinn, EE) in \(file)\n")
    #expect(try Repository.text(file) == "59.4,24.7\n")
  }

  @Test func `damaged here file is bad data`() throws {
    let folder = try TemporaryFolder()
    mkdir(folder.path("cities"), 0o700)
    for text in ["", "\n", "north\n", "91,0\n", "1\n"] {
      try folder.write("cities/here", text.utf8)
      #expect(try outcome(["here"], environment: ["XDG_CONFIG_HOME": folder.path]).status == .badData)
    }
  }

  @Test(arguments: [
    ("rates", "rates"), ("/var/lib/cities", "/var/lib/cities"), ("", "''"), ("a b", "'a b'"),
    ("x;touch /tmp/y;#", "'x;touch /tmp/y;#'"), ("it's $(id)", #"'it'\''s $(id)'"#),
  ])
  func `a name in a remedy is one word of the shell`(name: String, word: String) {
    #expect(quotedForShell(name) == word)
  }

  @Test func `doctor says which data are samples`() {
    var status = wellStatus
    let made = FeedReport(feed: .rates, records: 5, asOf: Timestamp(secondsSince1970: 9), source: "x", sample: true)
    status.feeds = [made, FeedReport(feed: .imaginary, records: 5, sample: true)]
    let found = ServerDiagnoses(status, nil, Remedies([]), configured: [:]).data.filter { $0.check.hasPrefix("feed") }
    #expect(
      found == [
        .note("feed rates", "sample data, not real", remedy: "citiesd-sync run rates, for real data"),
        .note("feed imaginary", "sample data, not real", remedy: "citiesctl feed enable imaginary, for real data"),
      ])
  }

  @Test func `doctor knows which sources are off from the configuration or the reports`() {
    var status = wellStatus
    status.subjects = [Status.SubjectStatus(subject: .trade, ready: false, phase: "no data")]
    status.feeds = [FeedReport(feed: .rates), FeedReport(feed: .transactions)]
    func finding(_ configured: [TextKey: Bool], sync: String) -> Diagnosis? {
      status.sync = sync
      return ServerDiagnoses(status, "/s", Remedies([]), configured: configured).data.first
    }
    let new = "not asked yet"
    #expect(finding([:], sync: new)?.message == "no data: the sync service has not reported its feeds yet")
    #expect(finding(["rates": true], sync: new)?.message == "no data: not requested yet")
    #expect(finding(["rates": false], sync: new)?.message == "no data: its sources are off")
    #expect(finding([:], sync: "ok")?.remedy == "citiesctl feed enable rates")
    status.feeds[0].source = "https://h/"
    #expect(finding(["rates": false, "transactions": false], sync: "ok")?.message == "no data: its sources are off")
    status.feeds[0].lastError = "no route"
    #expect(finding([:], sync: "ok")?.message == "source set, but nothing downloaded")
  }

  @Test func `findings are plain words on a terminal and frozen ones in rows`() throws {
    let wrong = Diagnosis.wrong("socket", "none", remedy: "citiesd")
    #expect(wrong.paragraph(on: -1) == "problem  socket: none\n         help: citiesd\n")
    #expect(Diagnosis.ok("configuration", "ok").paragraph(on: -1) == "ok       configuration: ok\n")
    var page = DoctorPage(on: -1, nil)
    let findings = [
      Diagnosis.ok("program citiesd", "fine"), wrong, .ok("data cities", "fine"),
      .note("feed rates", "sample data", remedy: "citiesctl feed enable rates, for real data"),
      .note("feed imaginary", "sample data", remedy: "citiesctl feed enable imaginary, for real data"),
      .ok("feed other", "fine"), .ok("configuration", "ok"),
    ]
    #expect(
      findings.map { page.add($0) }.joined() + page.end() == """
        Programs
        ok       program citiesd: fine

        Server
        problem  socket: none
                 help: citiesd

        Data
        ok       data cities: fine
        note     feeds rates, imaginary: sample data
                 help: citiesctl feed enable NAME, for real data
        ok       feed other: fine

        Configuration
        ok       configuration: ok

        1 problem, 2 notes, 4 ok

        """)
    var well = DoctorPage(on: -1, nil)
    #expect(
      well.add(.ok("configuration", "ok")) + well.end()
        == "Configuration\nok       configuration: ok\n\nno problems, 1 ok\n")
    #expect(DoctorVerb.columns.map { $0.value(wrong) } == ["socket", "wrong", "none", "citiesd"].map { .text($0) })
  }

  @Test func `feeds are listed as the server has them`() throws {
    var reply = wellStatus
    reply.feeds = [FeedReport(feed: .rates, source: "https://h/r"), FeedReport(feed: .imaginary)]
    // Formats, and feeds that the server does not have, come from a program that may not be beside this one.
    let words = ["feed", "list", "--columns", "feed,state,source"]
    let result = try outcome(words, environment: ["CITIES_SYNC_CONFIG": "/nonexistent"]) { [reply] in
      [$0.reply(Status.self, reply)]
    }
    #expect(result.status == .found)
    let lines = result.output.split(separator: "\n")
    #expect(lines.prefix(2) == ["rates\ton\thttps://h/r", "imaginary\toff\t"])
    #expect(!lines.dropFirst(2).contains { $0.hasPrefix("rates\t") || $0.hasPrefix("imaginary\t") })
  }

  @Test func `reasons of failures survive narrow terminals`() {
    var reply = wellStatus
    reply.subjects[0].problem = "damaged"
    let reason = "the host's name cannot be resolved; check the URL and the network"
    reply.feeds = [FeedName.swedbankEE, .swedbankLV].map { feed in
      FeedReport(feed: feed, lastError: "https://\(feed.rawValue).example/a.json: \(reason)", source: "x")
    }
    reply.feeds.append(FeedReport(feed: .rates, lastError: "https://h/r: status 404", source: "x"))
    reply.feeds.append(FeedReport(feed: .transactions, lastError: "/srv/t: open: No such file", source: "x"))
    let shared = "swedbank-ee, swedbank-lv: failed: \(reason)"
    let file = "transactions: failed: /srv/t: open: No such file"
    #expect(reply.faults(width: 80) == ["cities: damaged", shared, "rates: failed: https://h/r: status 404", file])
    #expect(reply.faults(width: 30) == ["cities: damaged", shared, "rates: failed: status 404", file])
  }

  @Test func `status names the reason below the table`() throws {
    var reply = wellStatus
    reply.feeds = [FeedReport(feed: .rates, lastError: "https://h/r: status 404", source: "https://h/r")]
    let result = try outcome(["status", "-o", "table"]) { [reply] in [$0.reply(Status.self, reply)] }
    #expect(result.output.hasSuffix("\nFEED   NOTE\nrates  failed\n\nrates: failed: https://h/r: status 404\n"))
  }

  @Test func `status of a server that is well is 0`() throws {
    let result = try outcome(["status", "-o", "table"]) { [$0.reply(Status.self, wellStatus)] }
    #expect(result.status == .found)
    #expect(result.output.hasPrefix("citiesd 1, process 2, started "))
    #expect(result.output.contains("\nSUBJECT  STATE  RECORDS\ncities   ready        5\n"))
    let page = try outcome(["status", "-o", "table", "-v"]) { [$0.reply(Status.self, wellStatus)] }
    #expect(page.status == .found && page.output.contains("cities: ready, 5 records"))
  }

  @Test func `status says when the data was imported`() throws {
    var reply = wellStatus
    let now = SystemClock.seconds()
    reply.subjects[0].written = Timestamp(secondsSince1970: now - 180_005)
    let day = Timestamp(secondsSince1970: now - 180_005).text.prefix(10)
    let result = try outcome(["status", "-o", "table"]) { [reply] in [$0.reply(Status.self, reply)] }
    #expect(
      result.output.contains(
        "\nSUBJECT  STATE  RECORDS  IMPORTED\ncities   ready        5  \(day), 2 d 2 h ago\n"), "\(result.output)")
    let page = try outcome(["status", "-v", "-o", "table"]) { [reply] in [$0.reply(Status.self, reply)] }
    #expect(page.output.contains("\n  imported: \(day), 2 d 2 h ago\n"))
  }

  @Test func `a private server has no sync service and no next check`() throws {
    var reply = wellStatus
    reply.feeds = [FeedReport(feed: .rates, records: 5, nextAttempt: Timestamp(secondsSince1970: 9), source: "x")]
    let shared = try outcome(["status", "-o", "table"]) { [reply] in [$0.reply(Status.self, reply)] }.output
    #expect(shared.contains("\nsync: ok\n") && shared.contains("  NEXT CHECK\n"))
    reply.private = true
    let own = try outcome(["status", "-o", "table"]) { [reply] in [$0.reply(Status.self, reply)] }.output
    #expect(own.contains("3 connections, 4 requests\n\n") && !own.contains("sync") && !own.contains("NEXT CHECK"))
  }

  @Test func `refresh without a server says what fetches data all the same`() throws {
    let folder = try TemporaryFolder()
    for (words, command) in [
      ([String](), "'citiesd-sync run' fetches"), (["rates"], "'citiesd-sync run rates' fetches"),
    ] {
      let result = try outcome(["refresh", "--socket", folder.path("none.sock")] + words)
      #expect(result.status == .unavailable && result.errors.contains(command), "\(result)")
      #expect(result.errors.contains("systemctl start") && result.errors.contains("systemctl --user start"))
    }
  }

  @Test func `status with a troubled subject or feed is 4 in every format`() throws {
    var refused = wellStatus
    refused.subjects[0].problem = "damaged"
    var failed = wellStatus
    failed.feeds[0].lastError = "no route"
    var empty = wellStatus
    empty.subjects[0].ready = false
    var alone = wellStatus
    alone.sync = "connect /run/cities/sync.sock: No such file or directory"
    for reply in [refused, failed, empty, alone] {
      for format in ["table", "tsv", "json", "jsonl", "csv"] {
        #expect(try outcome(["status", "-o", format]) { [$0.reply(Status.self, reply)] }.status == .partial)
      }
    }
    let result = try outcome(["status", "-o", "tsv"]) { [failed] in [$0.reply(Status.self, failed)] }
    #expect(result.output == "subject\tcities\ttrue\t5\t00000000000000aa\t\t\nfeed\tcities\ttrue\t5\t\t\tno route\n")
  }

  @Test func `status shows the age and the failure of every feed`() throws {
    let report = FeedReport(
      feed: .swedbankLV, records: 3, skipped: 1, asOf: Timestamp(secondsSince1970: 1_000_000),
      lastAttempt: Timestamp(secondsSince1970: 1_000_700), lastError: "status 500",
      nextAttempt: Timestamp(secondsSince1970: 1_000_730), source: "https://x/y", sample: true)
    var reply = wellStatus
    var counted = FeedReport(feed: .swedbankLT)
    counted.counts = RecordCounts(kept: 430, repeated: 2, replaced: 1, skipped: 2)
    counted.notes = [RecordNote(record: 17, fate: .skipped, reason: "lat is missing")]
    reply.feeds = [report, counted, FeedReport(feed: .imaginary)]
    let page = StatusPage(reply, now: 1_000_725).text
    #expect(
      page.hasSuffix(
        """
        feed swedbank-lv: 3 records, 1 skipped as invalid, sample data, not real
          source: https://x/y
          as of: 1970-01-12T13:46:40Z (12 min old)
          last attempt: 1970-01-12T13:58:20Z
          failed: status 500
          next attempt: 1970-01-12T13:58:50Z
        feed swedbank-lt: 435 records read: 430 kept, 2 repeated, 1 replaced, 2 skipped
          record 17 skipped: lat is missing
        feed imaginary: no source

        """))
  }

  @Test(arguments: [
    (-5, "0 s"), (59, "59 s"), (60, "1 min"), (3_599, "59 min"), (11_100, "3 h 5 min"), (180_000, "2 d 2 h"),
  ])
  func `ages are written as people say them`(seconds: Int64, text: String) { #expect(AgeText.of(seconds) == text) }

  @Test func `refresh shows people the outcome of each feed`() throws {
    let outcomes = [
      FeedOutcome(feed: .swedbankEE, outcome: .downloaded, records: 5, skipped: 2),
      FeedOutcome(feed: .swedbankLV, outcome: .reused, records: 4, skipped: 0, age: 725),
      FeedOutcome(feed: .swedbankLT, outcome: .failed, error: "no route", asOf: Timestamp(secondsSince1970: 0)),
      FeedOutcome(feed: .rates, outcome: .failed, error: "no route"),
      FeedOutcome(feed: .cities, outcome: .unconfigured),
    ]
    let result = try outcome(["refresh", "-o", "table"]) { [$0.reply(Refresh.self, .init(feeds: outcomes))] }
    #expect(result.status == .partial)
    #expect(
      result.output == """
        swedbank-ee: downloaded, 5 records, 2 skipped as invalid
        swedbank-lv: reused, 12 min old, 4 records
        swedbank-lt: failed: no route; last good data of 1970-01-01T00:00:00Z
        rates: failed: no route; no data yet
        cities: unconfigured

        """)
  }

  @Test func `a reason that is not that of a source is printed once`() throws {
    func page(_ outcomes: [FeedOutcome]) throws -> Outcome {
      try outcome(["refresh", "-o", "table"]) { [$0.reply(Refresh.self, .init(feeds: outcomes))] }
    }
    let fault = "/etc/cities/sync.json:15:1: the JSON is broken: unexpected \"x\""
    let invalid = [FeedName.rates, .transactions].map { FeedOutcome(feed: $0, outcome: .failed, error: fault) }
    let off = FeedOutcome(feed: .imaginary, outcome: .unconfigured)
    #expect(try page(invalid + [off]) == Outcome(status: .unavailable, output: "not done: \(fault)\n", errors: ""))
    let late = FeedOutcome(feed: .rates, outcome: .running, error: "the sync service has given no answer since 9")
    #expect(try page([late]).output == "rates: not done: the sync service has given no answer since 9\n")
    let two = try page([late, FeedOutcome(feed: .transactions, outcome: .failed, error: fault)])
    #expect(two.output.split(separator: "\n").count == 2)
    let rows = try outcome(["refresh"]) { [$0.reply(Refresh.self, .init(feeds: invalid))] }
    #expect(rows.output == "rates\tfailed\t\t\t\t\t\(fault)\ntransactions\tfailed\t\t\t\t\t\(fault)\n")
  }

  @Test func `status as JSON is the reply of the wire`() throws {
    let result = try outcome(["status", "-o", "json"]) { [$0.reply(Status.self, wellStatus)] }
    #expect(result.output.contains("\"started\":\"2026-03-01T12:00:00Z\"") && result.output.contains("\"sync\":\"ok\""))
  }

  @Test func `introspect prints the schema byte for byte`() throws {
    let reply = Introspect.Reply(
      schema: "a = 1\r\n; \\ \u{9C}", methods: ["x", "y"], protocols: [1], server: "citiesd 1")
    #expect(try outcome(["introspect"]) { [$0.reply(Introspect.self, reply)] }.output == reply.schema)
    #expect(try outcome(["introspect", "--methods"]) { [$0.reply(Introspect.self, reply)] }.output == "x\ny\n")
    let json = try outcome(["introspect", "-o", "json"]) { [$0.reply(Introspect.self, reply)] }
    #expect(json.output.contains("\"methods\":[\"x\",\"y\"]"))
  }

  @Test func `refresh sends names and force`() throws {
    #expect(try sent(Refresh.self, ["refresh", "cities", "--force"])?.feeds == [.cities])
    #expect(try sent(Refresh.self, ["refresh", "cities", "--force"])?.force == true)
    #expect(try sent(Refresh.self, ["refresh"])?.feeds == nil)
  }

  @Test func `refresh is patient beyond the timeout`() throws {
    let result = try outcome(["refresh", "--timeout", "50ms"]) {
      [.pause(150), $0.reply(Refresh.self, .init(feeds: [FeedOutcome(feed: .cities, outcome: .reused, age: 7)]))]
    }
    #expect(result == Outcome(status: .found, output: "cities\treused\t\t\t7\t\t\n", errors: ""))
  }

  @Test func `watch prints the state and then events`() throws {
    let state = Watch.Reply(ready: ["cities": true], generations: ["cities": "aa"])
    let event = Watch.Event(
      event: "changed", subject: .cities, generation: "bb", at: Timestamp(text: "2026-03-01T12:00:00Z"))
    let result = try outcome(["watch", "--limit", "2"]) { [$0.reply(Watch.self, state), $0.event(event)] }
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix(#"{"event":"ready","subject":"cities","generation":"aa","at":"2"#))
    #expect(lines.last == #"{"event":"changed","subject":"cities","generation":"bb","at":"2026-03-01T12:00:00Z"}"#)
  }

  @Test func `watch goes on when the server restarts and says so`() throws {
    let state = Watch.Reply(ready: ["cities": true], generations: ["cities": "aa"])
    let result = try outcome(["watch", "--limit", "2", "-o", "table"]) { [$0.reply(Watch.self, state), .close] }
    #expect(result.output.split(separator: "\n").allSatisfy { $0.hasSuffix("cities ready, generation aa") })
    #expect(result.errors == "citiesctl: the connection was lost; waiting for the server\n")
  }

  @Test func `errors of the server cannot write to the terminal`() throws {
    let result = try outcome(["show", "1"]) { [$0.failure(.notFound, "no \u{1B}]0;x\u{7} such\u{9C}")] }
    #expect(result.errors == "citiesctl: no \\u001b]0;x\\u0007 such\\u009c\n")
  }

  @Test func `completion offers each title once and no control character`() {
    let rows = [city(1, "São Paulo", "BR"), city(2, "Santos", "BR"), city(3, "Santos", "BR"), city(4, "a\u{9C}", "XX")]
    let source = CandidateSource(earlier: ["sao"])
    let titles = source.once(source.titles(rows, after: []))
    #expect(titles.map(\.line) == ["São Paulo, BR", "Santos, BR", "a\\u009c, XX"])
    #expect(source.titles(rows, after: ["sao"]).map(\.line) == ["Paulo, BR"])
  }
}
