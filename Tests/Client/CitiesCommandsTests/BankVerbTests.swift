import Base
import CitiesProtocol
import Synchronization
import System
import TestSupport
import Testing

@testable import CitiesCommands

@Suite struct BankVerbTests {
  @Test func `all pages of what is open now are of the same moment`() throws {
    let asked = Mutex<[BankList]>([])
    _ = try outcome(["bank", "list", "--open-now", "--all", "--timeout", "60"]) { request in
      guard let message = request.params(BankList.self) else { return [request.failure(.internal)] }
      asked.withLock { $0.append(message) }
      let count = min(message.limit ?? 0, 2_500 - (message.offset ?? 0))
      var page = Banks.page(Array(repeating: Banks.full, count: Int(count)))
      page.total = 2_500
      return [.pause(message.offset == nil ? 1_100 : 0), request.reply(BankList.self, page)]
    }
    let moments = asked.withLock { $0.map { $0.filter?.at } }
    #expect(moments.count == 3 && Set(moments).count == 1)
    let moment = try #require(moments.first ?? nil)
    #expect(abs(try RFC3339.parse(moment) - SystemClock.seconds()) < 60)
    let named = try sent(BankList.self, ["list", "--open-now", "--at", "14:30", "--all"])
    #expect(named?.filter?.at == "14:30")
    #expect(try sent(BankList.self, ["list", "-c", "EE", "--all"])?.filter == BankConditions(country: "EE"))
  }

  /// The parameters that reach the server.
  private func sent<Message: RequestMessage>(
    _ type: Message.Type, _ words: [String], environment: [String: String] = [:]
  ) throws -> Message? {
    let seen = Mutex<Message?>(nil)
    _ = try outcome(["bank"] + words, environment: environment) { request in
      seen.withLock { $0 = request.params(Message.self) ?? $0 }
      return [request.failure(.notFound)]
    }
    return seen.withLock { $0 }
  }

  private func list(_ words: [String], _ page: BankPage) throws -> Outcome {
    try outcome(["bank", "list"] + words) { [$0.reply(BankList.self, page)] }
  }

  @Test func `filter becomes parameters`() throws {
    let words = [
      "--bank", "swedbank", "--country", "Lithuania", "--region", "alytus", "--kind", "ATM", "--open-now", "--at",
      "2026-03-01T12:00:00+02:00",
    ]
    let filter = BankConditions(
      country: "Lithuania", region: "alytus", kind: .atm, bank: "swedbank", open: true, at: "2026-03-01T12:00:00+02:00")
    #expect(try sent(BankRegions.self, ["regions"] + words)?.filter == filter)
    #expect(try sent(BankList.self, ["list"] + words)?.filter == filter)
    #expect(try sent(BankSearch.self, ["search", "a"] + words)?.filter == filter)
    #expect(try sent(BankNear.self, ["near", "1,2"] + words)?.filter == filter)
    #expect(try sent(BankList.self, ["list"]).map { $0.filter == nil } == true)
    #expect(try sent(BankList.self, ["list", "--region", ""])?.filter == BankConditions(region: ""))
  }

  @Test(
    arguments: [
      (["cash machine"], nil, [.atm, .bna]), (["Cash-Machines"], nil, [.atm, .bna]), (["atm,bna"], nil, [.atm, .bna]),
      (["branch", "atm"], nil, [.branch, .atm]), (["atm", "ATM"], .atm, nil), (["branches"], .branch, nil),
      (["cashpoint", "atm"], nil, [.atm, .bna]), (["unknown"], .unknown, nil),
    ] as [([String], BankRow.Kind?, [BankRow.Kind]?)])
  func `kinds are the servers or what people say`(words: [String], kind: BankRow.Kind?, kinds: [BankRow.Kind]?) throws {
    let filter = try sent(BankList.self, ["list"] + words.flatMap { ["--kind", $0] })?.filter
    #expect(filter == BankConditions(kind: kind, kinds: kinds))
  }

  @Test(arguments: ["shop", "", "atm,", "atm,shop"])
  func `unknown kinds are refused with all that there are`(word: String) throws {
    let result = try outcome(["bank", "near", "1,2", "--kind", word]) { _ in [] }
    #expect(result.status == .usage)
    #expect(
      result.errors.contains(word.contains("shop") ? "atm (a cash machine), bna (one" : "--kind must not be empty"))
  }

  @Test func `locations with unknown hours are counted on standard error`() throws {
    var page = Banks.page([Banks.full])
    page.unknownHours = 117
    let many = try list(["--open-now"], page)
    #expect(many.errors == "citiesctl: 117 locations were left out because their hours are unknown\n")
    #expect(try list(["--open-now", "--count"], page).errors == many.errors)
    page.unknownHours = 1
    #expect(
      try list(["--open-now"], page).errors == "citiesctl: 1 location was left out because its hours are unknown\n")
    #expect(
      try list(["--open-now", "-o", "json"], page).errors
        == "{\"note\":\"unknown-hours\",\"message\":\"1 location was left out because its hours are unknown\"}\n")
    page.unknownHours = 0
    #expect(try list(["--open-now"], page).errors == "")
    var regions = Banks.regions()
    regions.unknownHours = 2
    let result = try outcome(["bank", "regions", "--open-now"]) { [regions] in [$0.reply(BankRegions.self, regions)] }
    #expect(result.errors == "citiesctl: 2 locations were left out because their hours are unknown\n")
    var near = BankNear.Reply(
      rows: [], origin: .init(lat: 1, lon: 2), sources: Banks.sources, generation: Banks.generation)
    near.unknownHours = 3
    let around = try outcome(["bank", "near", "1,2", "--open-now"]) { [near] in [$0.reply(BankNear.self, near)] }
    #expect(around.errors == "citiesctl: 3 locations were left out because their hours are unknown\n")
  }

  @Test func `CSV safe marks texts that would be formulas and never numbers`() throws {
    var rows = ["=1+1", "+1", "-1", "@a", "a=1", "", " =1", "'x"].map { address in
      var row = Banks.least
      row.address = address
      return row
    }
    rows[0].phone = "+370 1"
    let words = ["-o", "csv", "--columns", "address,lat,phone"]
    let safe = try list(words + ["--csv-safe"], Banks.page(rows)).output.split(separator: "\r\n").dropFirst()
    #expect(
      Array(safe) == [
        "'=1+1,-0.5,'+370 1", "'+1,-0.5,", "'-1,-0.5,", "'@a,-0.5,", "a=1,-0.5,", ",-0.5,", " =1,-0.5,", "'x,-0.5,",
      ])
    let plain = try list(words, Banks.page(rows)).output.split(separator: "\r\n").dropFirst()
    #expect(plain.first == "=1+1,-0.5,+370 1")
    #expect(try list(["--csv-safe"], Banks.page(rows)).status == .usage)
    #expect(try list(["--csv-safe", "-o", "json"], Banks.page(rows)).status == .usage)
  }

  @Test func `words of a search are one query`() throws {
    #expect(try sent(BankSearch.self, ["search", "narva", "mnt"])?.query == "narva mnt")
    #expect(try sent(BankSearch.self, ["search", "-12", "mnt"])?.query == "-12 mnt")
    #expect(try sent(BankSearch.self, ["search", ""])?.query == "")
  }

  @Test func `near takes a place a radius and what here keeps`() throws {
    let near = try sent(BankNear.self, ["near", "-33.9,18.4", "--radius", "2km", "--limit", "3"])
    #expect(near?.place == Place(at: Position(lat: -33.9, lon: 18.4)) && near?.radius == 2_000 && near?.limit == 3)
    #expect(try sent(BankNear.self, ["near", "Tallinn, EE"])?.place == Place(query: "Tallinn, EE"))
    let folder = try TemporaryFolder()
    let environment = ["XDG_CONFIG_HOME": folder.path]
    #expect(try outcome(["bank", "near"], environment: environment).status == .usage)
    #expect(try outcome(["here", "1,2"], environment: environment).status == .found)
    #expect(try sent(BankNear.self, ["near"], environment: environment)?.place == Place(at: Position(lat: 1, lon: 2)))
  }

  @Test func `table has headings for country and region`() throws {
    let table = try list(["-o", "table"], Banks.page([Banks.full, Banks.least]))
    #expect(
      table.output == """
            TITLE            OPEN     KIND    ADDRESS     ID
        Lithuania
          Alytus
            Alytaus skyrius  yes      branch  Pulko g. 1  swedbank-lt-1f0c9a77
          (no region)
            Vytauto 2        unknown  atm     Vytauto 2   swedbank-lt-00000001

        """)
    #expect(table.status == .found && table.errors == "")
  }

  @Test func `TSV has the frozen columns`() throws {
    #expect(
      try list([], Banks.page([Banks.full, Banks.least])).output == """
        Alytaus skyrius\t54.396\t24.046\tswedbank-lt-1f0c9a77\tswedbank-lt\tbranch\tLT\tLithuania\tAlytus\t\
        Alytaus skyrius\tPulko g. 1\tyes\t+370 1\ta@b.example\thttps://b.example/\ttrue\ttrue\tI-V\tfirst\\nsecond\t\
        Mo 09:00-17:00, Fr 22:00-02:00,00:00-01:00, Sa 00:00-24:00\tEurope/Vilnius\t\t\t
        Vytauto 2\t-0.5\t24.0\tswedbank-lt-00000001\tswedbank-lt\tatm\tLT\tLithuania\t\t\t\
        Vytauto 2\tunknown\t\t\t\tfalse\tfalse\t\t\t\tEurope/Vilnius\t\t\t

        """)
  }

  @Test(
    arguments: [
      ([(0, 540, 780), (0, 840, 1_080), (5, 600, 900)], nil, "Mo 09:00-13:00,14:00-18:00; Sa 10:00-15:00"),
      ([(0, 540, 1_020)], [], "Mo 09:00-17:00; PH off"), ([], [], "closed; PH off"), ([], nil, "closed"),
      ([(4, 1_200, 1_560), (5, 600, 720)], nil, "Fr 20:00-02:00, Sa 10:00-12:00"),
      ([(0, 480, 1_920)], nil, "Mo 08:00-32:00"), ([(0, 0, 1_440)], nil, "Mo 00:00-24:00"),
    ] as [([(Int, Int, Int)], [Int]?, String)])
  func `hours are printed in the grammar in which they are read`(
    week: [(Int, Int, Int)], holidays: [Int]?, text: String
  ) {
    let hours = week.map { OpeningHours(day: $0.0, opens: $0.1, closes: $0.2) }
    #expect(WeekText.short(hours, holidays.map { _ in [] }) == text)
  }

  @Test func `a holiday is named with its hours`() throws {
    var page = Banks.page([Banks.full])
    (page.rows[0].open, page.rows[0].holiday) = (.unknown, "Christmas Day")
    let table = try list(["-o", "table"], page).output
    #expect(table.contains("Alytaus skyrius  unknown (Christmas Day)  branch"))
    page.rows[0].location.holidayHours = [
      HolidayHours(opens: 600, closes: 720), HolidayHours(opens: 1_320, closes: 1_500),
    ]
    let columns = ["--columns", "open,holiday,holiday_hours"]
    #expect(
      try list(["-o", "tsv"] + columns, page).output == "unknown\tChristmas Day\t10:00-12:00,22:00-01:00\n")
    #expect(try list(["-o", "tsv", "--columns", "hours"], page).output.hasSuffix("; PH 10:00-12:00,22:00-01:00\n"))
    #expect(
      try list(["-o", "jsonl"], page).output.contains(
        #""holiday":"Christmas Day","holiday_hours":[{"opens":600,"closes":720},{"opens":1320,"closes":1500}]"#))
    let entry = page.rows[0]
    let text = try outcome(["bank", "show", "a", "-o", "table"]) { request in
      [request.reply(BankGet.self, .init(entry: entry, sources: Banks.sources, generation: Banks.generation))]
    }.output
    #expect(text.contains("\n  open now      unknown\n  holiday       Christmas Day\n  hours"))
    #expect(text.contains("\n                Holidays   10:00–12:00, 22:00–01:00\n  time zone"))
    page.rows[0].location.holidayHours = []
    #expect(try list(["-o", "tsv"] + columns, page).output == "unknown\tChristmas Day\tclosed\n")
  }

  @Test func `CSV has them with a head line`() throws {
    let csv = try list(["-o", "csv", "--columns", "title,info,open"], Banks.page([Banks.full]))
    #expect(csv.output == "title,info,open\r\nAlytaus skyrius,\"first\nsecond\",yes\r\n")
    let head = try list(["-o", "csv"], Banks.page([Banks.least])).output.prefix { $0 != "\r\n" }
    #expect(
      head == """
        title,lat,lon,id,bank,kind,country,country_name,region,name,address,open,phone,email,website,no_cash,\
        coin_station,availability,info,hours,zone,code,holiday,holiday_hours
        """)
  }

  @Test func `JSON has the fields of the wire and where the data comes from`() throws {
    #expect(
      try list(["-o", "json"], Banks.page([Banks.least], total: 1)).output == #"""
        {"total":1,"generation":"00000000000000bb","as_of":"2026-03-01T12:00:00Z","sources":[{"feed":"swedbank-lt","as_of":"2026-03-01T12:00:00Z","stale":false}],"rows":[
        {"lat":-0.5,"lon":24.0,"id":"swedbank-lt-00000001","bank":"swedbank-lt","kind":"atm","country":"LT","country_name":"Lithuania","address":"Vytauto 2","open":"unknown","no_cash":false,"coin_station":false,"zone":"Europe/Vilnius"}
        ]}

        """#)
    let full = try list(["-o", "jsonl"], Banks.page([Banks.full])).output
    #expect(full.contains(#""hours":[{"day":0,"opens":540,"closes":1020},{"day":4,"#))
    #expect(full.contains(#""info":"first\nsecond""#) && !full.contains("sample") && !full.contains("distance"))
  }

  @Test func `GeoJSON is a feature a location`() throws {
    let geojson = try list(["-o", "geojson", "--columns", "id"], Banks.page([Banks.least], sources: Banks.samples))
    #expect(
      geojson.output == #"""
        {"type":"FeatureCollection","sample":true,"sources":[{"feed":"swedbank-lt","as_of":"2026-03-01T12:00:00Z","stale":false}],"features":[
        {"type":"Feature","geometry":{"type":"Point","coordinates":[24.0,-0.5]},"properties":{"id":"swedbank-lt-00000001"}}
        ]}

        """#)
  }

  @Test(arguments: ["table", "tsv", "csv", "json", "jsonl", "geojson"])
  func `samples are noted in every format`(format: String) throws {
    let result = try list(["-o", format], Banks.page([Banks.full], sources: Banks.samples))
    let isInAnswer = result.output.contains(#""sample":true"#)
    #expect(isInAnswer == format.contains("json"))
    #expect(result.errors == (isInAnswer ? "" : "citiesctl: sample data, not real\n"))
  }

  @Test(arguments: ["tsv", "json"]) func `samples are noted with a number`(format: String) throws {
    let result = try list(["--count", "-o", format], Banks.page([], total: 7, sources: Banks.samples))
    #expect((result.output + result.errors).contains("sample") && result.status == .found)
  }

  @Test func `ages are text for people`() {
    let source = Banks.troubled.feeds[0]
    #expect(
      Provenance.ages([source], 1_772_366_400 + 3_900)
        == ["swedbank-lt: data of 2026-03-01T12:00:00Z, 1 h 5 min old; the last attempt failed: no route"])
    #expect(Provenance.ages([.init(feed: .rates, stale: true)], 0) == ["rates: no data yet"])
  }

  @Test func `feeds that failed for one reason share a note`() {
    func source(_ feed: FeedName, asOf: Int64?) -> Provenance.Source {
      let time = asOf.map { Timestamp(secondsSince1970: $0) }
      return .init(feed: feed, asOf: time, stale: true, lastError: "https://\(feed.rawValue).example/: no route")
    }
    let sources = [source(.swedbankEE, asOf: 120), source(.swedbankLV, asOf: 60), source(.swedbankLT, asOf: nil)]
    #expect(
      Provenance.ages(sources + [.init(feed: .imaginary, stale: true)], 180) == [
        "imaginary: data of unknown age",
        "swedbank-ee, swedbank-lv: data of 1970-01-01T00:01:00Z, 2 min old; the last attempts failed: no route",
        "swedbank-lt: data of unknown age; the last attempt failed: https://swedbank-lt.example/: no route",
      ])
  }

  @Test(arguments: ["tsv", "jsonl", "csv", "json"])
  func `old data is noted for scripts unless the answer says so`(format: String) throws {
    let result = try list(["-o", format], Banks.page([Banks.full], sources: Banks.troubled))
    #expect(result.errors.contains("swedbank-lt: data of 2026-03-01T12:00:00Z") == (format != "json"))
    #expect(!result.errors.contains("imaginary") && result.status == .found)
    var excluded = Banks.troubled
    excluded.feeds[0].excluded = true
    #expect(try list(["-o", format], Banks.page([Banks.full], sources: excluded)).errors == "")
  }

  @Test(arguments: ["tsv", "jsonl", "csv", "json", "geojson"])
  func `a missing feed is noted in every format with status 4`(format: String) throws {
    let found = try list(["-o", format], Banks.page([Banks.full], sources: Banks.missing))
    let note = "swedbank-lv: no data yet: feed swedbank-lv failed: no route"
    let isJSON = format.contains("json")
    #expect(found.errors == (isJSON ? #"{"note":"missing","message":"\#(note)"}"# : "citiesctl: \(note)") + "\n")
    #expect(found.status == .partial)
    #expect(found.output.contains(#""missing":["swedbank-lv"]"#) == (format == "json" || format == "geojson"))
    #expect(try list(["-o", format], Banks.page([], sources: Banks.missing)).status == .partial)
    var excluded = Banks.missing
    excluded.feeds[1].excluded = true
    let other = try list(["-o", format], Banks.page([Banks.full], sources: excluded))
    #expect(other.status == .found && other.errors == "" && !other.output.contains(#""missing":["#))
  }

  @Test func `a number names missing feeds too`() throws {
    let number = try list(["--count", "-o", "json"], Banks.page([], total: 7, sources: Banks.missing))
    #expect(number.output == #"{"total":7,"generation":"00000000000000bb","missing":["swedbank-lv"]}"# + "\n")
    #expect(number.status == .partial)
  }

  @Test func `all rows come through pages of one generation`() throws {
    let seen = Mutex<[BankList]>([])
    let rows = (0..<2_500).map { number in
      var row = Banks.least
      row.id = "x-\(number)"
      return row
    }
    let result = try outcome(["bank", "list", "--all", "--columns", "id"]) { request in
      guard let asked = request.params(BankList.self) else { return [request.failure(.unknownMethod)] }
      seen.withLock { $0.append(asked) }
      let part = rows.dropFirst(Int(asked.offset ?? 0)).prefix(Int(asked.limit ?? 20))
      return [request.reply(BankList.self, Banks.page(Array(part), total: 2_500))]
    }
    #expect(result.output.split(separator: "\n").map(String.init) == rows.map(\.id))
    #expect(seen.withLock { $0.map(\.offset) } == [nil, 1_000, 2_000])
    #expect(seen.withLock { $0.map(\.generation) } == [nil, Banks.generation, Banks.generation])
  }

  @Test func `rows left out are noted and nothing found is 1`() throws {
    #expect(
      try list([], Banks.page([Banks.full], total: 9)).errors
        == "citiesctl: 1 of 9 rows shown; --limit N shows more, --all shows all\n")
    #expect(try list(["--limit", "1"], Banks.page([Banks.full], total: 9)).errors == "")
    #expect(try list([], Banks.page([])) == Outcome(status: .nothingFound, output: "", errors: ""))
    #expect(
      try list(["--count"], Banks.page([], total: 0)) == Outcome(status: .nothingFound, output: "0\n", errors: ""))
    let past = try list(["--offset", "30"], Banks.page([], total: 9))
    #expect(
      past.errors == "citiesctl: no rows after the first 30 (--offset): there are only 9\n"
        && past.status == .nothingFound)
  }

  @Test func `regions stand under their countries on a terminal and are rows elsewhere`() throws {
    func regions(_ format: String) throws -> String {
      try outcome(["bank", "regions", "-o", format]) { [$0.reply(BankRegions.self, Banks.regions())] }.output
    }
    #expect(
      try regions("table") == """
          REGION       COUNT
        Estonia (7)
          Põlva            7
        Lithuania (12)
          Alytus          10
          (no region)      2

        """)
    #expect(try regions("tsv") == "EE\tEstonia\tPõlva\t7\nLT\tLithuania\tAlytus\t10\nLT\tLithuania\t\t2\n")
    #expect(try regions("jsonl").hasSuffix(#"{"country":"LT","country_name":"Lithuania","count":2}"# + "\n"))
    #expect(
      try regions("json").hasPrefix(
        #"{"total":3,"generation":"00000000000000bb","as_of":"2026-03-01T12:00:00Z","locations":19,"#))
    #expect(
      try outcome(["bank", "regions", "-o", "geojson"]) { [$0.reply(BankRegions.self, Banks.regions())] }.status
        == .usage)
  }

  @Test func `show is a page for people`() throws {
    let reply = BankGet.Reply(
      entry: BankEntry(location: Banks.full, open: .no), sources: Banks.sources, generation: Banks.generation)
    let result = try outcome(["bank", "show", "swedbank-lt-1f0c9a77", "-o", "table"]) {
      [$0.reply(BankGet.self, reply)]
    }
    #expect(
      result.output == """
        Alytaus skyrius
          id            swedbank-lt-1f0c9a77
          bank          swedbank-lt
          kind          branch
          address       Pulko g. 1
          region        Alytus, Lithuania
          open now      no
          hours         Monday     09:00–17:00
                        Tuesday    closed
                        Wednesday  closed
                        Thursday   closed
                        Friday     22:00–02:00, 00:00–01:00
                        Saturday   00:00–24:00
                        Sunday     closed
          time zone     Europe/Vilnius
          availability  I-V
          info          first
                        second
          cash          no
          coin station  yes
          phone         +370 1
          e-mail        a@b.example
          web site      https://b.example/
          position      54.396,24.046

        """)
  }

  @Test func `what concerns branches is not said of machines`() throws {
    var row = Banks.least
    (row.kind, row.code, row.info) = (.unknown, 7, "secret\u{1B}")
    let reply = BankGet.Reply(
      entry: BankEntry(location: row, open: .unknown), sources: Banks.samples, generation: Banks.generation)
    let words = ["bank", "show", "x", "--at", "2026-03-01T12:00:00Z"]
    let page = try outcome(words + ["-o", "table"]) { [$0.reply(BankGet.self, reply)] }
    #expect(
      page.output.contains("  kind          unknown (7 in the source)\n")
        && page.output.contains("  hours         unknown\n"))
    #expect(page.output.contains("  open          unknown at 2026-03-01T12:00:00Z\n"))
    #expect(!page.output.contains("secret") && !page.output.contains("cash") && !page.output.contains("coin"))
    let json = try outcome(words + ["-o", "json"]) { [$0.reply(BankGet.self, reply)] }.output
    #expect(
      json.contains(#""no_cash":false"#) && json.contains(#""info":"secret\u001b""#) && json.contains(#""code":7"#))
  }

  @Test func `near has the distance in the last column and in a table after the title`() throws {
    let entry = BankEntry(location: Banks.least, open: .unknown, distance: 981)
    let reply = BankNear.Reply(
      rows: [entry], origin: Position(lat: 1, lon: 2), sources: Banks.sources, generation: Banks.generation)
    let tsv = try outcome(["bank", "near", "1,2"]) { [$0.reply(BankNear.self, reply)] }
    #expect(tsv.output.hasSuffix("\tEurope/Vilnius\t\t981\t\t\n"))
    let table = try outcome(["bank", "near", "1,2", "-o", "table"]) { [$0.reply(BankNear.self, reply)] }
    #expect(
      table.output.hasPrefix("TITLE      DISTANCE  OPEN") && table.output.contains("Vytauto 2     981 m  unknown"))
  }

  @Test func `subjects that a neighbour needs are waited for one after the other`() throws {
    let missing = Mutex<[Subject]>([.cities, .banks])
    let reply = BankNear.Reply(
      rows: [], origin: Position(lat: 1, lon: 2), sources: Banks.sources, generation: Banks.generation)
    let result = try outcome(["bank", "near", "Tallinn", "--wait", "5"]) { request in
      if request.method == Watch.method {
        let subject = missing.withLock { $0.removeFirst() }
        return [request.reply(Watch.self, .init(ready: [subject.rawValue: true], generations: [:]))]
      }
      if let subject = missing.withLock({ $0.first }) {
        return [request.failure(.unavailable, "not yet", data: .init(subject: subject))]
      }
      return [request.reply(BankNear.self, reply)]
    }
    #expect(result == Outcome(status: .nothingFound, output: "", errors: ""))
  }

  @Test(arguments: [
    ["bank"], ["bank", "sing"], ["bank", "list", "x"], ["bank", "list", "--at", "noon"],
    ["bank", "list", "--bank", ""],
    ["bank", "list", "--limit", "0"], ["bank", "list", "--all", "--limit", "3"], ["bank", "list", "--count", "--all"],
    ["bank", "list", "--count", "-o", "csv"], ["bank", "search"], ["bank", "show"], ["bank", "show", ""],
    ["bank", "near", "91,0"], ["bank", "near", "1,"], ["bank", "near", "--radius", "far"], ["bank", "--no-such"],
  ])
  func `wrong use is 2 with a usage of the command`(words: [String]) throws {
    let result = try outcome(words)
    #expect(result.status == .usage && result.output == "")
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 2 && lines[1].hasPrefix("usage: citiesctl bank "))
  }

  @Test(arguments: [["bank", "--help"], ["help", "bank"], ["bank", "list", "-h"], ["help", "bank", "near"]])
  func `help is on standard output`(words: [String]) throws {
    let result = try outcome(words)
    #expect(result.status == .found && result.output.contains("citiesctl bank") && result.errors == "")
  }
}
