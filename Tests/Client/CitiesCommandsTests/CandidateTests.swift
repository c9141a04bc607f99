import CitiesProtocol
import Synchronization
import TestSupport
import Testing

@testable import CitiesCommands

@Suite struct CandidateTests {
  /// The candidates for a word against a server with the data of these subjects, and the methods that were asked for.
  private static func candidates(
    _ completion: Completion, _ start: String, earlier: [String] = [], ready: [Subject] = []
  ) throws -> (lines: [String], methods: [String]) {
    let methods = Mutex<[String]>([])
    let server = try FakeServer { request in
      methods.withLock { $0.append(request.method) }
      if request.params(Status.self) != nil {
        var status = wellStatus
        status.subjects = Subject.all.map {
          Status.SubjectStatus(subject: $0, ready: ready.contains($0), phase: "as asked")
        }
        status.feeds = [FeedReport(feed: .cities), FeedReport(feed: FeedName(rawValue: "my-bank"))]
        return [request.reply(Status.self, status)]
      }
      if request.params(CityFind.self) != nil {
        var row = CityFind.Row(by: .name, city: city(1, "New York City", population: 8_804_190))
        row.city.region = "New York"
        return [request.reply(CityFind.self, .init(rows: [row], generation: "00000000000000aa"))]
      }
      if request.params(CitySearch.self) != nil { return [request.reply(CitySearch.self, page([]))] }
      if request.params(BankList.self) != nil { return [request.reply(BankList.self, Banks.page([Banks.full]))] }
      if request.params(BankSearch.self) != nil { return [request.reply(BankSearch.self, Banks.page([]))] }
      return [request.failure(.internal)]
    }
    defer { server.stop() }
    let source = CandidateSource(socket: server.path, earlier: earlier, patience: .seconds(60))
    let found = source.candidates(for: completion, start)
    return (found.map(\.line), methods.withLock { $0 })
  }

  @Test func `a subject without data is not asked, which would start a download`() throws {
    for completion in [Completion.locations, .bankRegions, .products, .currencies] {
      let (lines, methods) = try Self.candidates(completion, "a")
      #expect(lines.isEmpty && methods == [Status.method])
    }
  }

  @Test func `a location is completed by the start of its id`() throws {
    #expect(try Self.candidates(.locations, "swedbank-lt", ready: [.banks]).lines.count == 1)
    #expect(try Self.candidates(.locations, "imaginary", ready: [.banks]).lines.isEmpty)
  }

  @Test func `of many candidates fifteen are offered, which together start with no more than all do`() throws {
    let all = try Self.candidates(.countries, "")
    #expect(all.lines.count == 15 && Set(all.lines.map { $0.prefix(1) }).count > 1)
    let some = try Self.candidates(.countries, "C")
    #expect(some.lines.count == 15)
  }

  @Test func `words before may be the start of a place, with or without a command`() throws {
    let (lines, methods) = try Self.candidates(.place, "y", earlier: ["tokyo", "new"])
    #expect(lines == ["York City, US\tNew York, 8,804,190"] && methods.allSatisfy { $0.hasPrefix("city.") })
    #expect(Completer(["sess"]).text.hasPrefix("words\nsession"))
    #expect(Completer(["weather", "p"]).text == "words")
  }

  @Test func `after a task of feed comes what it takes`() {
    #expect(Completer(["feed", ""]).text.split(separator: "\n") == ["words", "list", "show", "enable", "disable"])
    #expect(Completer(["feed", "list", ""]).text == "words")
    #expect(Completer(["feed", "show", "rates", ""]).text == "words")
    #expect(Completer(["feed", "enable", "rates", ""]).text == "files")
  }

  @Test func `a feed is one of those that the server has, also of the user's own`() throws {
    #expect(try Self.candidates(.feeds, "my").lines == ["my-bank"])
    #expect(try Self.candidates(.feeds, "").lines == ["cities", "my-bank"])
    #expect(try Self.candidates(.feeds, "swed").lines.isEmpty)
    // Without a server, those that every server has.
    let alone = CandidateSource(socket: "/nonexistent/socket").candidates(for: .feeds, "swedbank-e")
    #expect(alone.map(\.line) == ["swedbank-ee"])
  }

  @Test func `a title has its region and population, and after other words its rest`() throws {
    let title = "New York City, US\tNew York, 8,804,190"
    #expect(try Self.candidates(.places, "new yrok").lines == [title])
    #expect(try Self.candidates(.places, "yo", earlier: ["new"]).lines == ["York City, US\tNew York, 8,804,190"])
    #expect(try Self.candidates(.places, "yo", earlier: ["old"]).lines.isEmpty)
    #expect(try Self.candidates(.place, "yo", earlier: ["old"]).lines == [title])
    #expect(try Self.candidates(.places, "").methods.isEmpty)
  }

  @Test func `a country is completed by its code in capitals or by its name`() throws {
    #expect(try Self.candidates(.countries, "icel").lines == ["Iceland\tIS"])
    #expect(try Self.candidates(.countries, "EE").lines == ["EE\tEstonia"])
    #expect(try Self.candidates(.countries, "narn").lines.isEmpty)
  }

  @Test(arguments: [["--country", "LV"], ["--country=LV"], ["-c", "LV"], ["-cLV"], ["-c=LV"]])
  func `an option is used however its value is joined to it`(country: [String]) throws {
    let asked = Mutex<[String?]>([])
    let server = try FakeServer { request in
      guard let search = request.params(CitySearch.self) else { return [request.failure(.internal)] }
      asked.withLock { $0.append(search.country) }
      var row = city(1, "Riga", "LV")
      row.region = "Riga"
      return [request.reply(CitySearch.self, page([row]))]
    }
    defer { server.stop() }
    for socket in [["--socket", server.path], ["--socket=\(server.path)"]] {
      // On a busy machine the shell may get no candidates at first.
      let isFound = try eventually {
        try outcome(["---complete", "find"] + socket + country + ["--region", "r"]).output == "titles\nRiga\n"
      }
      #expect(isFound)
      // Values that were given are not offered again.
      let options = try outcome(["---complete", "find"] + socket + country + ["--"]).output
      #expect(
        !options.contains("\n--country\t") && !options.contains("\n--socket\t") && options.contains("\n--region\t"))
    }
    #expect(asked.withLock { $0 } == ["LV", "LV"])
  }

  @Test func `the columns of feeds are those that a refresh accepts`() throws {
    let names = try outcome(["---complete", "refresh", "--columns", ""]).output.split(separator: "\n").dropFirst()
    #expect(names.first == "feed" && names.count == 7)
    let printed = try outcome(["refresh", "-o", "tsv", "--columns", names.joined(separator: ",")]) {
      [$0.reply(Refresh.self, Refresh.Reply(feeds: []))]
    }
    #expect(printed.status == .found, "\(printed)")
  }

  @Test(
    arguments: [
      (["search", "--columns", "title,re"], ["title,region", "title,region_code"]),
      (["bank", "list", "--columns", "holiday_"], ["holiday_hours"]),
    ] as [([String], [String])])
  func `columns are those of the command, the last after a comma`(words: [String], names: [String]) throws {
    #expect(try outcome(["---complete"] + words).output.split(separator: "\n").dropFirst().map(String.init) == names)
  }
}
