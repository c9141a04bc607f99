import CitiesProtocol
import Synchronization
import TestSupport
import Testing

@testable import CitiesCommands

@Suite struct TimeTests {
  static let tallinn: CityTime.Row = {
    var tallinn = city(588_409, "Tallinn", "EE", lat: 59.43696, lon: 24.75353, population: 394_024)
    (tallinn.region, tallinn.regionCode) = ("Harjumaa", "01")
    var row = CityTime.Row(city: tallinn, zone: "Europe/Tallinn")
    (row.local, row.offset, row.daylight, row.abbreviation) = ("2026-03-29T02:59:59", "+02:00", false, "EET")
    row.change = CityTime.Change(
      at: Timestamp(text: "2026-03-29T01:00:00Z"), local: "2026-03-29T04:00:00", offset: "+03:00")
    return row
  }()

  static func reply(_ rows: [CityTime.Row]) -> CityTime.Reply {
    CityTime.Reply(at: Timestamp(text: "2026-03-29T00:59:59Z"), rows: rows, generation: "00000000000000aa")
  }

  private func printed(_ words: [String], _ rows: [CityTime.Row] = [tallinn]) throws -> Outcome {
    try outcome(["time", "588409"] + words) { [$0.reply(CityTime.self, Self.reply(rows))] }
  }

  private static func at(_ title: String, _ local: String) -> CityTime.Row {
    var row = CityTime.Row(city: nil, zone: title)
    row.local = local
    return row
  }

  @Test func `a day at several places shows the working hours and those in common`() throws {
    let rows = [Self.at("A", "2026-03-02T12:00:00"), Self.at("Bb", "2026-03-02T17:30:00")]
    let hours = try #require(HourRows(rows))
    #expect(
      hours.lines(width: 60, isUnicode: false) == [
        "           00    03    06    09    12    15    18    21",
        "A          ..................################..............",
        "Bb         .......################.........................",
        "in common  ..................#####.........................",
        "9:00 to 17:00 in all: 09:00 to 11:30 in A",
      ])
    #expect(hours.lines(width: 36, isUnicode: true)[1] == "A          ·········████████·······")
    #expect(hours.lines(width: 20, isUnicode: true) == ["9:00 to 17:00 in all: 09:00 to 11:30 in A"])
    let far = try #require(HourRows([rows[0], Self.at("C", "2026-03-03T00:00:00")]))
    #expect(far.lines(width: 0, isUnicode: true) == ["9:00 to 17:00 has no hour in common"])
    #expect(HourRows([rows[0]]) == nil && HourRows([rows[0], rows[0]]) == nil)
    #expect(rows.map { $0.difference(from: rows[0]) } == ["0 h", "+5:30 h"])
    #expect(rows[0].difference(from: rows[1]) == "-5:30 h")
  }

  @Test func `each argument is a place`() throws {
    let message = try sent(CityTime.self, ["time", "588409", "New York City", "1,2", "--at", "14:30"])
    #expect(
      message
        == CityTime(
          places: [
            Place(id: 588_409), Place(query: "New York City", likely: true), Place(at: Position(lat: 1, lon: 2)),
          ], at: "14:30"))
  }

  @Test func `a time before the places is that of --at`() throws {
    let places = [Place(query: "tokyo", likely: true), Place(query: "new york", likely: true)]
    #expect(try sent(CityTime.self, ["time", "14:30", "tokyo", "new york"]) == CityTime(places: places, at: "14:30"))
    let moment = "2026-03-01T12:00:00Z"
    #expect(try sent(CityTime.self, ["time", moment, "tokyo", "new york"]) == CityTime(places: places, at: moment))
    #expect(try outcome(["time", "25:00", "tokyo"]).errors.contains("the time must be a local time such as"))
    // Only before them, and only one.
    for words in [["tokyo", "14:30"], ["--at", "12:00", "14:30"]] {
      #expect(try sent(CityTime.self, ["time"] + words)?.places.last == Place(query: "14:30", likely: true))
    }
  }

  @Test(arguments: [
    ("utc", "UTC"), ("Z", "UTC"), ("GMT", "UTC"), ("UTC+3", "+03:00"), ("+02:00", "+02:00"), ("utc-0530", "-05:30"),
    ("\u{2212}5:30", "-05:30"), ("\u{2212}0530", "-05:30"), ("GMT-0", "+00:00"), ("-00:00", "+00:00"),
    ("-0:30", "-00:30"),
    ("Europe/Tallinn", "Europe/Tallinn"), ("Etc/GMT+3", "Etc/GMT+3"),
  ])
  func `a time zone is a place of its own`(word: String, zone: String) throws {
    #expect(try sent(CityTime.self, ["time", "--", word]) == CityTime(places: [Place(zone: zone)]))
    let row = CityTime.Row(city: nil, zone: zone)
    let printed = try outcome(["time", "-o", "tsv", "--", word]) { [$0.reply(CityTime.self, Self.reply([row]))] }
    #expect(printed.output == "\(zone)\t\t\t\(zone)\t\n")
  }

  @Test(arguments: [
    "Alicante/Alacant", "utc+99", "+", "+1:2:3", "++5", "+5:+3", "+-5", "utc+٣", "UTC+3:", "cet", "Utrecht", "a/b",
  ])
  func `other words are names`(word: String) throws {
    #expect(try sent(CityTime.self, ["time", "--", word]) == CityTime(places: [Place(query: word, likely: true)]))
  }

  @Test func `a code is refused, with what it may mean as a time zone`() throws {
    var row = Self.tallinn
    row.resolved = ResolvedCity(by: .code, city: try #require(row.city), matched: "CET")
    let result = try outcome(["time", "cet"]) { [row] in [$0.reply(CityTime.self, Self.reply([row]))] }
    #expect(result.status == .ambiguous && result.output == "")
    #expect(result.errors.contains("\"cet\" is a code"))
    #expect(result.errors.contains("may be UTC+1 (Europe/Berlin)"))
  }

  @Test func `rows have the time and the next change`() throws {
    #expect(
      try printed(["-o", "tsv"])
        == Outcome(
          status: .found,
          output: "Tallinn, EE\t2026-03-29T02:59:59\t+02:00\tEurope/Tallinn\t2026-03-29T04:00:00+03:00\n", errors: ""))
    #expect(
      try printed(["-o", "table"]).output == """
        TITLE        REGION    LOCAL                    OFFSET  ZONE            CHANGE
        Tallinn, EE  Harjumaa  Sun 2026-03-29 02:59:59  +02:00  Europe/Tallinn  Sun 2026-03-29 04:00 (+03:00)

        """)
    #expect(
      try printed(["-o", "json"]).output == #"""
        {"total":1,"generation":"00000000000000aa","at":"2026-03-29T00:59:59Z","rows":[
        {"title":"Tallinn, EE","local":"2026-03-29T02:59:59","offset":"+02:00","zone":"Europe/Tallinn","change":{"at":"2026-03-29T01:00:00Z","local":"2026-03-29T04:00:00","offset":"+03:00"},"abbreviation":"EET","daylight":false,"lat":59.43696,"lon":24.75353,"id":588409,"country":"EE","name":"Tallinn","population":394024,"region":"Harjumaa","region_code":"01"}
        ]}

        """#)
    #expect(try printed(["--columns", "abbreviation,id"]).output == "EET\t588409\n")
  }

  @Test func `a place without a time is noted`() throws {
    let nowhere = CityTime.Row(city: city(1, "A"))
    let mars = CityTime.Row(city: city(2, "B"), zone: "Mars/Olympus")
    let both = try printed(["-o", "tsv"], [Self.tallinn, nowhere])
    #expect(both.status == .found && both.errors == "citiesctl: A, US: no local time: the list names no time zone\n")
    let none = try printed(["-o", "tsv"], [mars])
    #expect(none.status == .nothingFound && none.output == "B, US\t\t\tMars/Olympus\t\n")
    #expect(none.errors.contains("no time zone file for Mars/Olympus (package tzdata)"))
  }

  @Test func `many places are asked for in turn about one moment`() throws {
    let seen = Mutex<[CityTime]>([])
    let words = (1...230).map { "\($0)" }
    let result = try outcome(["time", "--at", "14:30", "--columns", "id"] + words) { request in
      guard let message = request.params(CityTime.self) else { return [request.failure(.unknownMethod)] }
      seen.withLock { $0.append(message) }
      let rows = message.places.map { CityTime.Row(city: city($0.id ?? 0, "A")) }
      return [request.reply(CityTime.self, Self.reply(rows))]
    }
    #expect(result.output == words.joined(separator: "\n") + "\n")
    #expect(seen.withLock { $0.map(\.places.count) } == [100, 100, 30])
    #expect(seen.withLock { $0.map(\.at) } == ["14:30", "2026-03-29T00:59:59Z", "2026-03-29T00:59:59Z"])
  }

  @Test func `a day in words is one of the first place`() throws {
    let seen = Mutex<[String?]>([])
    let result = try outcome(["time", "--columns", "id", "monday", "9am", "588409", "1"]) { request in
      guard let message = request.params(CityTime.self) else { return [request.failure(.unknownMethod)] }
      seen.withLock { $0.append(message.at) }
      return [request.reply(CityTime.self, Self.reply(message.places.map { _ in Self.tallinn }))]
    }
    #expect(result.status == .found && seen.withLock { $0.prefix(2) } == [nil, "2026-03-30T09:00"])
  }

  @Test func `a word for a time before an area alone begins a name`() throws {
    let result = try outcome(["time", "-o", "tsv", "--columns", "id", "noon", "texas"]) { request in
      let place = request.params(CityTime.self)?.places.first?.query ?? ""
      return place == "noon texas"
        ? [request.reply(CityTime.self, Self.reply([Self.tallinn]))] : [request.failure(.ambiguous)]
    }
    #expect(result.status == .found && result.output == "588409\n")
  }

  @Test func `a city far from the position is noted`() throws {
    func notes(_ place: String) throws -> String {
      try outcome(["time", "-o", "tsv", "--", place]) { [$0.reply(CityTime.self, Self.reply([Self.tallinn]))] }.errors
    }
    #expect(
      try notes("61,24")
        == "citiesctl: the nearest city is Tallinn, EE, 179 km away; the zone of the place itself may differ\n")
    #expect(try notes("60,24.7") == "" && notes("588409") == "")
  }

  @Test(
    arguments: [
      (
        "2026-03-29T03:30", "2026-03-29T04:30:00",
        "03:30 does not exist there on 2026-03-29: clocks go from 03:00 to 04:00"
      ),
      ("2026-03-29T02:59:59", "2026-03-29T02:59:59", ""), ("2026-03-29T00:59:59Z", "2026-03-29T02:59:59", ""),
    ])
  func `a skipped time is noted`(at: String, local: String, note: String) throws {
    let result = try outcome(["time", "-o", "tsv", "588409", "--at", at]) { request in
      var row = Self.tallinn
      // The next change as of an earlier moment is the change itself.
      if request.params(CityTime.self)?.at == at {
        row.local = local
        row.change = nil
      }
      return [request.reply(CityTime.self, Self.reply([row]))]
    }
    #expect(result.errors == (note.isEmpty ? "" : "citiesctl: \(note)\n"))
  }

  @Test func `a repeated time is noted`() throws {
    var row = Self.tallinn
    row.local = "2026-10-25T03:30:00"
    row.change = CityTime.Change(
      at: Timestamp(text: "2026-10-25T01:00:00Z"), local: "2026-10-25T03:00:00", offset: "+02:00")
    func notes(_ at: String) throws -> String {
      try outcome(["time", "-o", "tsv", "588409", "--at", at]) { [row] in [$0.reply(CityTime.self, Self.reply([row]))] }
        .errors
    }
    #expect(try notes("2026-10-25T03:30") == "citiesctl: 03:30 happens twice there on 2026-10-25: the first is shown\n")
    #expect(try notes("2026-10-25T00:30:00Z") == "")
  }

  @Test(arguments: [["time", "91,0"], ["time", ""], ["time", "a", "--at", "9"], ["time", "a", "--at", "25:00"]])
  func `wrong use is refused`(words: [String]) throws {
    #expect(try outcome(words).status == .usage)
  }
}
