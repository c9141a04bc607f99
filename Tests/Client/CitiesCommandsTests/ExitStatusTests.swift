import CitiesProtocol
import Glibc
import TestSupport
import Testing

@testable import CitiesCommands

@Suite struct ExitStatusTests {
  @Test(
    arguments: [
      (.notFound, 1), (.invalidParams, 2), (.ambiguous, 3), (.noConversion, 4), (.frameTooLarge, 65),
      (.tooExpensive, 65), (.internal, 70), (ErrorCode(rawValue: "of-tomorrow"), 70), (.unavailable, 75),
      (.staleGeneration, 75), (.busy, 75),
      (.unknownMethod, 76), (.malformed, 76), (.permissionDenied, 77),
    ] as [(ErrorCode, Int32)])
  func `errors of the server have their status`(code: ErrorCode, status: Int32) throws {
    let result = try outcome(["show", "x", "--wait", "0"]) { [$0.failure(code, "said by the server")] }
    #expect(result.status.rawValue == status)
    #expect(result.output == "" && result.errors == "citiesctl: said by the server\n")
  }

  @Test func `found is 0`() throws {
    let result = try outcome(["search", "a"]) { [$0.reply(CitySearch.self, page([city(1, "A")]))] }
    #expect(result == Outcome(status: .found, output: "A, US\t1.5\t-2.0\t1\tUS\tA\t\n", errors: ""))
  }

  @Test func `nothing found is 1 without a word off a terminal`() throws {
    let result = try outcome(["search", "a"]) { [$0.reply(CitySearch.self, page([]))] }
    #expect(result == Outcome(status: .nothingFound, output: "", errors: ""))
  }

  @Test(arguments: [
    ["bank"], ["sing"], ["search"], ["product", "show", "a", "b"], ["search", "a", "--no-such"],
    ["search", "a", "--limit", "x"],
    ["search", "a", "--limit", "0"], ["search", "a", "--limit", "1001"], ["search", "a", "--all", "--count"],
    ["search", "a", "--output", "xml"], ["search", "a", "--match", "fuzzy"], ["search", "a", "-0", "-o", "csv"],
    ["near", "91,0"], ["near", "-33.9,181"], ["near", ""], ["show", ""], ["show"], ["session", "-o", "table"],
    ["watch", "-o", "csv"], ["introspect", "-o", "csv"], ["here", "--forget", "1,2"],
    ["search", "a", "--timeout", "0"], ["search", "a", "--limit", "-1"], ["search", "a", "--all", "--limit", "5"],
    ["search", "a", "--count", "--limit", "5"], ["search", "a", "--count", "--offset", "5"],
    ["search", "a", "--count", "-o", "csv"],
    ["search", "a", "--count", "-0"],
    ["search", "a", "--count", "--columns", "id"], ["near", "nan,nan"], ["near", "1,"], ["near", "--radius", "-5"],
    ["search", "a", "--socket", ""], ["call"], ["--no-such"], ["help", "--no-such"], ["help", "nope"],
    ["help", "bank", "nope"], ["help", "--", "nope"], ["nope", "--help"], ["bank", "nope", "-h"],
  ])
  func `wrong use is 2 with two lines on standard error alone`(words: [String]) throws {
    let result = try outcome(words)
    #expect(result.status == .usage && result.output == "")
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("citiesctl: ") && lines[1].hasPrefix("usage: citiesctl "))
    #expect(!result.errors.contains("\0"))
  }

  @Test(arguments: [
    ["--help"], ["-h"], ["help"], ["--version"], ["-V"], ["help", "bank", "near"], ["search", "--help"],
    ["help", "near"], ["help", "help"], ["help", "--", "near"], ["help", "--help"],
  ])
  func `help and version are 0 on standard output alone`(words: [String]) throws {
    let result = try outcome(words)
    #expect(result.status == .found && !result.output.isEmpty && result.errors == "")
  }

  @Test(arguments: Citiesctl.verbs.map { $0.name })
  func `help has the own options before the shared ones`(verb: String) throws {
    let help = try outcome(["help", verb]).output
    let heads = help.split(separator: "\n").filter {
      $0.hasSuffix(":") && $0.allSatisfy { $0.isUppercase || $0 == ":" }
    }
    let own = heads.prefix { $0 == "ARGUMENTS:" || $0 == "OPTIONS:" }
    #expect(!heads.dropFirst(own.count).contains("OPTIONS:"))
    #expect(heads.drop { $0 != "HELP:" }.allSatisfy { $0 == "HELP:" || $0 == "EXAMPLES:" })
    #expect(heads.contains("HELP:") && !help.contains("OVERVIEW") && !help.contains("--version"))
    #expect(!help.contains("\n\n\n") && help.hasSuffix("\n") && !help.hasSuffix("\n\n"))
  }

  @Test func `help has a line for an option and leaves details to the manual`() throws {
    let help = try outcome(["help", "search"]).output
    #expect(help.contains("--csv-safe") && !help.contains("apostrophe"))
    #expect(help.hasSuffix("  citiesctl search --all --output jsonl new | jq .id\n"))
    let root = try outcome(["--help"]).output
    #expect(HelpPage.manualOnly.allSatisfy { !root.contains($0) } && root.contains("\nBANKS AND TRADE:\n  bank "))
    #expect(root.contains("-V, --version") && !root.lowercased().contains("subcommand"))
  }

  @Test(
    arguments: [
      (["serch"], "no such command: 'serch'; did you mean 'search'?"),
      (["bank", "neer"], "; did you mean 'bank near'?"),
      (["search", "a", "--match", "foled"], "must be plain or folded, not 'foled'; did you mean 'folded'?"),
      (["search", "a", "--limt", "3"], "citiesctl: unknown option '--limt'; did you mean '--limit'?"),
      (["rate", "convert", "1"], "citiesctl: missing argument: '<from>'"),
      (["Kyiv"], "no such command: 'Kyiv'; did you mean 'citiesctl find Kyiv'?\n"),
      (["help", "xyzzy"], "no such command: 'xyzzy'\n"),
      (["product", "T2006"], "'product T2006'; did you mean 'citiesctl product show T2006'?"),
      (["bank", "tallinn"], "did you mean 'citiesctl bank near tallinn'?"),
      (["rate", "5", "USD", "EUR"], "did you mean 'citiesctl rate convert 5 USD EUR'?"),
      (["product", "show", "T2006", "usd"], "unexpected argument 'usd'; write '--in USD' for totals in that currency"),
      (["product", "list", "USD"], "write '--in USD'"), (["search", "a", "--csv"], "did you mean '--output csv'?\n"),
      (["show", "a", "--json"], "unknown option '--json'; did you mean '--output json'?\n"),
      (["map", "a", "--svg"], "did you mean '--output svg'?\n"), (["bank", "map", "--svg"], "'--output svg'?"),
      (["match", "a b.tsv"], "it reads standard input: 'citiesctl match < 'a b.tsv''"),
      (["locate", "x.tsv"], "unexpected argument 'x.tsv'; it reads standard input: 'citiesctl locate < x.tsv'"),
    ] as [([String], String)])
  func `a mistyped name is answered with the nearest`(words: [String], message: String) throws {
    #expect(try outcome(words).errors.contains(message))
  }

  @Test func `without words the tasks are on standard output`() throws {
    let result = try outcome([])
    #expect(result.status == .usage && result.errors == "")
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 20 && lines.allSatisfy { $0.utf8.count <= 80 })
    // Each task is a command that the parser takes.
    let commands = lines.filter { $0.hasPrefix("  citiesctl ") }.map { $0.dropFirst(12) }
    #expect(commands.count >= 8)
    for command in commands {
      let typed = command.prefix(command.firstRange(of: "  ")?.lowerBound.utf16Offset(in: command) ?? 0)
      let words = typed.prefix { $0 != ">" }.split(separator: " ").map(String.init)
      guard case .verb = CommandLineParser.parse(words) else {
        Issue.record("\(words)")
        continue
      }
    }
  }

  @Test(arguments: [
    (["find", "a", "-c", "de", "--country", "fr"], "--country"), (["find", "a", "-cde", "-cfr"], "--country"),
    (["show", "a", "--columns", "title", "--columns=id"], "--columns"),
    (["product", "list", "--in", "USD", "--in", "EUR"], "--in"),
    (["rate", "list", "--base", "USD", "--base=EUR"], "--base"),
    (["bank", "near", "a", "--bank", "x", "--bank", "y"], "--bank"),
    (["bank", "near", "a", "--region", "", "--region", "x"], "--region"),
  ])
  func `an option of which several could mean all is not given twice`(words: [String], option: String) throws {
    let result = try outcome(words) { _ in [] }
    #expect(result.status == .usage && result.errors.contains("\(option) was given twice"), "\(result)")
  }

  @Test(arguments: [["--limit", "3", "--limit", "4"], ["-n3", "--limit=4"], ["--limit=3", "-n", "4"]])
  func `of another option, the last one counts`(options: [String]) throws {
    #expect(try sent(CitySearch.self, ["search", "a"] + options)?.limit == 4)
  }

  @Test(arguments: [
    ["search", "a", "--all", "--all"], ["search", "--", "--limit", "--limit"], ["status", "-v", "-v"],
    ["search", "a", "--country", "de", "--limit", "3"],
  ])
  func `flags and words that are no options may be repeated`(words: [String]) throws {
    let result = try outcome(words) { [$0.failure(.busy)] }
    #expect(result.status == .notReady, "\(result)")
  }

  @Test func `help is printed whatever else is wrong`() throws {
    #expect(try outcome(["search", "--country", "de", "--country", "fr", "--help"]).status == .found)
  }

  @Test func `a mistyped column is answered with the nearest`() throws {
    func message(_ column: String) throws -> String {
      try outcome(["search", "a", "--columns", column]) { [$0.reply(CitySearch.self, page([city(1, "A")]))] }.errors
    }
    #expect(try message("titel") == "citiesctl: no such column: 'titel'; did you mean 'title'?\n")
    #expect(try message("colour").hasPrefix("citiesctl: no such column: 'colour'; choose from title, lat, "))
  }

  @Test(
    arguments: [
      (
        "filter.country", "Estnia", ["Estonia", "Latvia"], 2,
        "no country \"Estnia\"; did you mean \"Estonia\"?"
      ),
      (
        "filter.country", "Narnia", ["Lithuania", "Estonia"], 2,
        "no country \"Narnia\"; there are Estonia, Lithuania"
      ),
      ("filter.country", "EE", [], 0, "no country \"EE\"; there is none"),
      ("filter.bank", "x", ["b", "a"], 9, "no bank \"x\"; there are a, b and 7 more"),
      ("filter.region", "x", ["Alytus"], 1, "no region \"x\"; 'citiesctl bank regions' lists them"),
      ("filter.region", "Alitus", ["Alytus"], 40, "no region \"Alitus\"; did you mean \"Alytus\"?"),
      ("country", "icland", ["Iceland"], 250, "no country \"icland\"; did you mean \"Iceland\"?"),
      (
        "country", "atlantis", ["Austria"], 250,
        "no country \"atlantis\"; use a code (FR) or a name (France)"
      ),
      ("in[1]", "EUX", ["EUR", "USD"], 2, "no currency \"EUX\"; did you mean \"EUR\"?"),
      ("feeds", "rats", ["rates", "cities"], 9, "no feed \"rats\"; did you mean \"rates\"?"),
      // A name that is known to the server without data for it is not suggested again.
      ("base", "eur", ["EUR"], 1, "no currency \"eur\"; there are EUR"),
    ] as [(String, String, [String], UInt64, String)])
  func `an unknown name is answered with the known ones`(
    param: String, value: String, known: [String], total: UInt64, shown: String
  ) throws {
    let data = ErrorData(param: param, problem: "not this", value: value, known: known, knownTotal: total)
    let result = try outcome(["show", "x"]) { [$0.failure(.invalidParams, "nor that", data: data)] }
    #expect(result.errors == "citiesctl: \(shown)\n" && result.status == .usage)
    let called = try outcome(["call", "city.get", "{\"title\": \"x\"}"]) {
      [$0.failure(.invalidParams, "nor that", data: data)]
    }
    #expect(called.errors == "citiesctl: nor that\n")
  }

  @Test(
    arguments: [
      ("in[1]", "it is given twice", "--in: it is given twice"),
      ("place.at.lat", "91.0 is out of range", "91.0 is out of range"),
      ("filter.at", "not a time", "--at: not a time"),
    ])
  func `a problem with a parameter names the option that the user typed`(param: String, problem: String, shown: String)
    throws
  {
    let data = ErrorData(param: param, problem: problem)
    let result = try outcome(["show", "x"]) { [$0.failure(.invalidParams, "not this", data: data)] }
    #expect(result.errors == "citiesctl: \(shown)\n" && result.status == .usage)
  }

  @Test(arguments: [nil, ErrorData(param: "filter.country")])
  func `the message of an older server is shown as it came`(data: ErrorData?) throws {
    let message = "the parameter \"filter.country\": no country \"Estnia\"; there are Bosnia and Herzegovina, Estonia"
    let result = try outcome(["show", "x"]) { [$0.failure(.invalidParams, message, data: data)] }
    #expect(result.errors == "citiesctl: \(message)\n" && result.status == .usage)
  }

  @Test(
    arguments: [
      ("find", ["find", "feed"], "find"), ("FIND", ["find"], "find"), ("stats", ["status", "search"], "status"),
      ("intro", ["introspect", "call"], "introspect"), ("x", ["y"], nil), ("", ["a"], nil), ("ab", ["ba"], "ba"),
      ("qqqq", ["search"], nil),
    ] as [(String, [String], String?)])
  func `the nearest name is the one with the fewest mistakes`(word: String, names: [String], nearest: String?) {
    #expect(NearestName.of(word, among: names) == nearest)
  }

  @Test func `the manual lists every status`() {
    let text = Citiesctl.text.discussion
    for status in ExitStatus.allCases { #expect(text.contains("\(status.rawValue) \(status.meaning)")) }
  }

  @Test func `ambiguous is 3 with the candidates on standard error`() throws {
    let candidates = [city(5, "Springfield", lat: 39.8, lon: -89.6), city(6, "Springfield", lat: 42.1, lon: -72.6)]
    let data = ErrorData(candidates: candidates, total: 9)
    let result = try outcome(["show", "Springfield"]) { [$0.failure(.ambiguous, "9 are called that", data: data)] }
    #expect(result.status == .ambiguous && result.output == "")
    let expected = """
      citiesctl: 9 are called that
      5\t39.8,-89.6\tSpringfield, US
      6\t42.1,-72.6\tSpringfield, US
      citiesctl: 7 more are not listed
      for example: citiesctl show
      """
    #expect(result.errors.hasPrefix(expected) && result.errors.hasSuffix(" 5\n"))
  }

  @Test func `errors are objects where the answer would be one`() throws {
    let data = ErrorData(candidates: [city(5, "A")], total: 1)
    let result = try outcome(["show", "A", "-o", "json"]) { [$0.failure(.ambiguous, "two", data: data)] }
    #expect(
      result.errors == #"""
        {"error":{"code":"ambiguous","message":"two","exit":3,"candidates":[{"title":"A, US","lat":1.5,"lon":-2.0,"id":5,"country":"US","name":"A"}]}}

        """#)
  }

  @Test func `wrong use is an object where the answer would be one`() throws {
    let result = try outcome(["product", "show", "a", "b", "--output", "jsonl"])
    #expect(result.errors.hasPrefix("{\"error\":{\"code\":\"usage\",") && result.errors.hasSuffix(",\"exit\":2}}\n"))
  }

  @Test(
    arguments: [
      ([.imported, .reused, .unchanged], 0), ([.imported, .running], 4), ([.running, .running], 75),
      ([.running, .unconfigured], 75), ([.failed, .running], 4), ([.imported, .failed], 4),
      ([.failed, .failed], 69),
      ([.failed, .unconfigured], 69), ([.unconfigured], 0), ([], 0),
    ] as [([FeedOutcome.Outcome], Int32)])
  func `refresh is 0 or 4 or 69 or 75`(outcomes: [FeedOutcome.Outcome], status: Int32) throws {
    let feeds = outcomes.map { FeedOutcome(feed: .cities, outcome: $0) }
    let result = try outcome(["refresh"]) { [$0.reply(Refresh.self, .init(feeds: feeds))] }
    #expect(result.status.rawValue == status)
    #expect(result.output.split(separator: "\n").count == outcomes.count)
  }

  static let withoutTrade = [FeedReport(feed: .cities), FeedReport(feed: .rates), FeedReport(feed: .transactions)]
  /// A source that nobody has asked for yet, and the same after an attempt.
  static let silentRates = [FeedReport(feed: .rates, source: "https://rates.example/")]
  static let askedRates = [
    FeedReport(feed: .rates, lastAttempt: Timestamp(secondsSince1970: 9), source: "https://rates.example/")
  ]
  static let ownBank = FeedName(rawValue: "mybank")
  static let askedOwn = [
    FeedReport(feed: ownBank, lastAttempt: Timestamp(secondsSince1970: 9), source: "/srv/banks.csv")
  ]

  @Test(arguments: [
    (Subject.trade, withoutTrade, nil, 0), (.trade, silentRates, nil, 0), (.trade, askedRates, nil, 4),
    (.trade, withoutTrade, "damaged", 4), (.cities, withoutTrade, nil, 4), (.banks, askedOwn, nil, 4),
    (.trade, askedOwn, nil, 0),
  ])
  func `status is 0 without data that nobody asked for`(
    subject: Subject, feeds: [FeedReport], problem: String?, status: Int32
  ) throws {
    let reply = Status.Reply(
      server: "citiesd 0", pid: 1, started: Timestamp(secondsSince1970: 0), connections: 1, requests: 1,
      subjects: [Status.SubjectStatus(subject: subject, ready: false, phase: "no data", problem: problem)],
      feeds: feeds, sync: "ok")
    #expect(StatusVerb.status(of: reply).rawValue == status)
  }

  @Test(arguments: [("2029-07-01T00:00:00Z", false), ("2029-07-02T00:00:00Z", true), ("2030-05-01T00:00:00Z", true)])
  func `status warns half a year before the last known holiday`(now: String, warns: Bool) throws {
    let seconds = try #require(Timestamp(text: now).secondsSince1970)
    let note = StatusVerb.holidayNote(until: Timestamp(text: "2029-12-31T00:00:00Z"), now: seconds)
    #expect((note?.contains("only until 2029-12-31; install a newer version") ?? false) == warns)
    #expect(StatusVerb.holidayNote(until: nil, now: seconds) == nil)
  }

  @Test(arguments: [("1999-12-31T00:00:00Z", true), ("9999-12-31T00:00:00Z", false)])
  func `status notes on standard error that the table of holidays ended`(last: String, warns: Bool) throws {
    var reply = wellStatus
    reply.holidaysUntil = Timestamp(text: last)
    for words in [[], ["--verbose"], ["-o", "json"]] {
      let result = try outcome(["status"] + words) { [reply] request in [request.reply(Status.self, reply)] }
      #expect(result.errors.contains("public holidays are known only until 1999-12-31") == warns)
      #expect(result.status == .found)
    }
  }

  @Test func `bad data is 65`() throws {
    for json in ["{", "[]", "1", "{\"a\":1,\"a\":2}"] {
      #expect(try outcome(["call", "status", json]).status == .badData)
    }
    let long = String(repeating: "a", count: 70_000)
    #expect(try outcome(["search", long]) { _ in [] }.status == .badData)
  }

  @Test func `no server is 69 and says which socket was tried and how to start one`() throws {
    let folder = try TemporaryFolder()
    let result = try outcome(["search", "a", "--socket", folder.path("none.sock")])
    #expect(
      result.status == .unavailable && result.errors.contains("none.sock") && result.errors.contains("citiesd.socket"))
  }

  @Test func `connection that is lost twice is 69`() throws {
    #expect(try outcome(["search", "a"]) { _ in [.close] }.status == .unavailable)
  }

  @Test(arguments: [["search", "a"], ["status"], ["introspect"], ["--help"], ["search", "a", "-o", "json"]])
  func `full disk is 74`(words: [String]) throws {
    let server = try FakeServer { request in
      switch request.method {
      case CitySearch.method: [request.reply(CitySearch.self, page([city(1, "A")]))]
      case Introspect.method:
        [request.reply(Introspect.self, .init(schema: "x", methods: [], protocols: [1], server: ""))]
      default: [request.reply(Status.self, wellStatus)]
      }
    }
    defer { server.stop() }
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(full) }
    let folder = try TemporaryFolder()
    let errors = open(folder.path("err"), O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    defer { close(errors) }
    let context = Context(output: OutputStream(descriptor: full), diagnostics: Diagnostics(descriptor: errors))
    let words = words == ["--help"] ? words : words + ["--socket", server.path]
    #expect(run(words, in: context) == .inputOutput)
    #expect(try Repository.text(folder.path("err")).contains("No space left"))
  }

  @Test func `closed pipe is quiet where SIGPIPE is ignored`() throws {
    // The tests' own process ignores SIGPIPE here, as a child of a process that ignores it would.
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    defer { close(ends[1]) }
    let server = try FakeServer { [$0.reply(CitySearch.self, page([city(1, "A")]))] }
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let errors = open(folder.path("err"), O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    defer { close(errors) }
    let context = Context(output: OutputStream(descriptor: ends[1]), diagnostics: Diagnostics(descriptor: errors))
    #expect(run(["search", "a", "--socket", server.path], in: context) == .found)
    #expect(try Repository.text(folder.path("err")) == "")
  }

  @Test func `silent server is 75`() throws {
    let result = try outcome(["search", "a", "--timeout", "100ms"]) { _ in [] }
    #expect(result.status == .notReady && result.errors.contains("100 ms"))
  }

  @Test func `answer that is none is 76`() throws {
    #expect(try outcome(["search", "a"]) { _ in [.send(Array("HTTP/1.1 400".utf8))] }.status == .protocolMismatch)
  }

  @Test func `method that the user named and nobody knows is wrong use`() throws {
    #expect(try outcome(["call", "no.such"]) { [$0.failure(.unknownMethod)] }.status == .usage)
  }
}

/// The status of a server without a problem.
let wellStatus = Status.Reply(
  server: "citiesd 1", pid: 2, started: Timestamp(text: "2026-03-01T12:00:00Z"), connections: 3, requests: 4,
  subjects: [.init(subject: .cities, ready: true, phase: "ready", records: 5, generation: "00000000000000aa")],
  feeds: [FeedReport(feed: .cities, records: 5)], sync: "ok")
