import CitiesProtocol
import Glibc
import TestSupport
import Testing

@testable import CitiesCommands

/// What errors and notes say to somebody who knows the program's name alone.
@Suite struct AdviceTests {
  private static let general = "; 'citiesctl --help' lists all commands; 'citiesctl find WORDS' looks up a place\n"

  @Test(
    arguments: [
      (["measure", "tallinn", "helsinki"], "citiesctl: no such command: 'measure'\(general)"),
      (["new", "york", "-n", "3"], "citiesctl: no such command: 'new'\(general)"),
      (["kyiv2"], "no such command: 'kyiv2'\(general)"), (["usd", "eur", "rate"], "'citiesctl rate convert usd eur'?"),
      (["convert", "12.50", "usd", "eur"], "'convert'; did you mean 'citiesctl rate convert 12.50 usd eur'?\n"),
      (["regions"], "'citiesctl bank regions'?"),
      (["list"], "; did you mean 'bank list', 'product list' or 'rate list'?\n"),
      (["kyiv", "time"], "'kyiv'; did you mean 'citiesctl time kyiv'?\n"),
      (["new", "york", "map", "-o", "svg"], "'citiesctl map new york'?"),
      (["tallinn", "bank"], "'citiesctl bank near tallinn'?"), (["cities", "near", "lyon"], "'citiesctl near lyon'?"),
      (["12.50", "usd", "eur", "rate"], "'citiesctl rate convert 12.50 usd eur'?"),
      (["kyiv"], "; did you mean 'citiesctl find kyiv'?\n"), (["new york"], "'citiesctl find 'new york''?"),
      (["59.4,24.7"], "'citiesctl near 59.4,24.7'?"), (["-33.9,18.4", "time"], "'citiesctl time -33.9,18.4'?"),
      (["588409"], "'citiesctl show 588409'?"),
      (["version"], "citiesctl: no such command: 'version'; 'citiesctl --version' prints the version\n"),
      (["update", "-q"], "'update'; 'citiesctl refresh' fetches new data\n"),
      (["banks", "near", "lyon"], "'citiesctl bank near PLACE' lists bank branches"),
      (["Weather", "paris"], "'citiesctl show PLACE' shows what is\n"),
      (["reverse", "59.4,24.7"], "'citiesctl near LAT,LON'"),
      (["--hlep"], "unknown option '--hlep'; did you mean '--help'?\n"),
      (["-n", "3"], "unknown option '-n'; options of a command follow its name\n"),
      (["find", "a", "-j"], "unknown option '-j'; did you mean '--output json'?\n"),
      (["here", "--clear"], "unknown option '--clear'; did you mean 'citiesctl here --forget'?\n"),
    ] as [([String], String)])
  func `an unknown command is answered with what it may mean`(words: [String], message: String) throws {
    let result = try outcome(words)
    #expect(result.status == .usage && result.errors.contains(message), "\(result.errors)")
  }

  @Test(
    arguments: [
      (["munich"], ["find", "munich"]), (["new", "york"], ["find", "new", "york"]), (["東京"], ["find", "東京"]),
      (["59.4,24.7"], ["near", "59.4,24.7"]), (["588409"], ["show", "588409"]),
      // A command or an option is there, or may have been meant.
      (["find", "munich"], nil), (["fnd", "munich"], nil), (["loc"], nil), (["bank", "near", "munich"], nil),
      (["munich", "--limit", "3"], ["find", "munich", "--limit", "3"]), (["--limit", "3", "munich"], nil),
      (["weather"], nil), (["Version"], nil), (["--", "munich"], nil), (["kyiv", "time"], nil), (["list"], nil),
      (["regions", "EE"], nil), (["kyiv2"], nil), (["help"], nil), (["help", "munich"], nil), ([""], nil), ([], nil),
    ] as [([String], [String]?)])
  func `words without a command are completed at a terminal`(words: [String], whole: [String]?) {
    #expect(CommandLineParser.completed(words) == whole ?? words)
  }

  @Test(
    arguments: [
      (["-n", "3", "find", "a"], ["find", "-n", "3", "a"]), (["-ojson", "near", "a"], ["near", "-ojson", "a"]),
      (["-n", "3", "bank", "near", "a"], ["bank", "near", "-n", "3", "a"]),
      (["bank", "-n", "3", "near", "a"], ["bank", "near", "-n", "3", "a"]),
      // Nothing to move, or nowhere to.
      (["find", "-n", "3", "a"], nil), (["-n", "3"], nil), (["-n", "3", "a"], nil), (["--help", "find"], nil),
      (["-V", "find"], nil), (["--", "find", "a"], nil), (["-n", "--", "find"], nil), (["bank", "-n"], nil), ([], nil),
    ] as [([String], [String]?)])
  func `options before a command are its own`(words: [String], ordered: [String]?) {
    #expect(CommandLineParser.ordered(words) == ordered ?? words)
  }

  @Test func `the last of a repeated option counts, unless several could mean all`() throws {
    #expect(try (FindVerb.read(["a", "-c", "de"]) as? FindVerb) != nil)
    let search = try outcome(["search", "t", "-n", "5", "--limit", "1"], SearchTests.towns(3))
    #expect(search.output.split(separator: "\n").count == 1)
    let json = try outcome(["search", "t", "-o", "json", "-o", "tsv", "--nope"], SearchTests.towns(3))
    #expect(json.errors.hasPrefix("citiesctl: unknown option"))
    for twice in [
      ["find", "a", "-c", "de", "--country", "fr"], ["find", "a", "--columns", "id", "--columns", "name"],
      ["find", "a", "--region", "b", "--region", "c"], ["bank", "list", "--bank", "a", "--bank", "b"],
      ["product", "list", "--in", "EUR", "--in", "USD"],
    ] {
      #expect(try outcome(twice).errors.contains("was given twice"), "\(twice)")
    }
  }

  @Test(
    arguments: [
      (["near", "lyon", "--within", "30km"], "'--within'; did you mean '--radius 30km'?\n"),
      (["bank", "near", "lyon", "--distance=2km"], "did you mean '--radius 2km'?\n"),
      (["near", "--within"], "did you mean '--radius'?\n"),
      (["near", "lyon", "--top", "5"], "did you mean '--limit 5'?\n"),
      (["find", "a", "--max=5"], "did you mean '--limit 5'?\n"), (["near", "a", "--count", "5"], "'--limit 5'?\n"),
      (["near", "lyon", "--count"], "unknown option '--count'; '| wc -l' after the command counts rows\n"),
      (["bank", "near", "lyon", "--all"], "unknown option '--all'; '--limit N' prints up to N rows\n"),
      (["-v"], "unknown option '-v'; did you mean '-V' for the version, or '--verbose' of 'citiesctl status'?\n"),
      (["rate"], "missing command: 'rate list' or 'rate convert'\n"),
      (["rate", "convert", "USD", "EUR", "12.50"], "citiesctl: the amount comes first: 12.50 USD EUR\n"),
      (["rate", "convert", "USD", "-3", "EUR"], "the amount comes first: -3 USD EUR\n"),
      (["rate", "convert", "x", "USD", "EUR"], "not an amount: 'x'"),
      (["search", "--country", "iceland"], "write '' for all cities: citiesctl search --country iceland ''\n"),
      (["search"], "missing argument: <prefix>; write '' for all cities: citiesctl search ''\n"),
    ] as [([String], String)])
  func `wrong use is answered with the right one`(words: [String], message: String) throws {
    let result = try outcome(words)
    #expect(result.status == .usage && result.errors.contains(message), "\(result.errors)")
  }

  @Test(arguments: [
    (["near", "lyon", "30km"], "near lyon --radius 30km"),
    (["bank", "near", "new york 5m"], "near new york --radius 5m"),
    (["near", "1.5,2", "2.5km", "-n", "3"], "near 1.5,2 --radius 2.5km -n 3"),
  ])
  func `a distance in a name that nothing has is an option`(words: [String], command: String) throws {
    let server = try FakeServer { [$0.failure(.notFound)] }
    defer { server.stop() }
    let result = try outcome(words, server: server)
    let errors = result.errors.replacing(" --socket \(server.path) --timeout 60", with: "")
    #expect(result.status == .nothingFound && errors.hasPrefix("citiesctl: as asked\nfor a distance: citiesctl "))
    #expect(errors.hasSuffix(command + "\n"), "\(errors)")
  }

  @Test(arguments: [
    ["near", "lyon", "30"], ["near", "30km"], ["show", "lyon", "30km"], ["near", "lyon", "km"],
    ["near", "--", "lyon", "30km"],
  ])
  func `other names are not`(words: [String]) throws {
    #expect(try outcome(words) { [$0.failure(.notFound)] }.errors == "citiesctl: as asked\n")
  }

  @Test(arguments: [["time", "kyvi"], ["show", "kyvi"], ["near", "kyvi"]])
  func `a name that nothing has is answered as by find`(words: [String]) throws {
    let result = try outcome(words) { request in
      guard request.params(CityFind.self) != nil else { return [request.failure(.notFound)] }
      var reply = CityFind.Reply(rows: [], generation: "00000000000000aa")
      (reply.start, reply.similar) = ("kyv", [city(1, "Kyviv", "UA")])
      return [request.reply(CityFind.self, reply)]
    }
    #expect(result.status == .nothingFound)
    #expect(result.errors == "citiesctl: as asked\nnames that start with \"kyv\": Kyviv, UA\n")
  }

  /// Standard error that is a terminal: what `note` writes to it.
  private func onTerminal(_ note: (Diagnostics) throws -> Void) throws -> String {
    var (master, slave): (Int32, Int32) = (-1, -1)
    try #require(openpty(&master, &slave, nil, nil, nil) == 0)
    defer { for descriptor in [master, slave] { close(descriptor) } }
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    try note(Diagnostics(descriptor: slave))
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(master, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).replacing("\r\n", with: "\n")
  }

  @Test(
    arguments: [
      (.nearest, 10, nil, false, "the 10 nearest are shown; --limit N shows more\n"),
      (.largest, 10, nil, true, "the 10 largest are shown; --limit N may show more\n"),
      (.nearest, 1_000, 1_000, false, "the 1000 nearest are shown; --limit is at most 1000\n"),
      (.nearest, 9, nil, false, ""), (.nearest, 0, 0, false, ""),
      // Who chooses a limit knows it.
      (.best, 10, 10, true, ""), (.nearest, 1, 1, false, ""),
    ] as [(RowOrder, Int, UInt64?, Bool, String)])
  func `a list that ends at the usual or the largest limit is noted`(
    order: RowOrder, shown: Int, limit: UInt64?, isNarrowed: Bool, note: String
  ) throws {
    let noted = try onTerminal {
      $0.noteLimit(order, shown: shown, limit: limit, or: 10, isNarrowed: isNarrowed)
    }
    #expect(noted == (note.isEmpty ? "" : "citiesctl: \(note)"))
  }

  private static let near: @Sendable (FakeServer.Request) -> [FakeServer.Step] = { request in
    let rows = (1...10).map { CityNear.Neighbour(city: city($0, "A"), distance: UInt64($0)) }
    let origin = Position(lat: 1, lon: 2)
    return [request.reply(CityNear.self, .init(rows: rows, origin: origin, generation: "00000000000000aa"))]
  }

  @Test(arguments: [
    ([], "citiesctl: the 10 nearest are shown; --limit N shows more\n"),
    (["--radius", "5km"], "citiesctl: the 10 nearest are shown; --limit N may show more\n"), (["-n", "10"], ""),
  ])
  func `near notes it on a terminal alone`(options: [String], note: String) throws {
    let server = try FakeServer(Self.near)
    defer { server.stop() }
    let words = ["near", "--socket", server.path, "x", "-o", "tsv"] + options
    let file = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    let errors = try onTerminal { diagnostics in
      let context = Context(output: OutputStream(descriptor: file), diagnostics: diagnostics, environment: { _ in nil })
      #expect(run(words, in: context) == .found)
    }
    #expect(errors == note)
    #expect(try outcome(["near", "x"], server: server).errors == "")
  }

  @Test func `an unknown product is answered with their list`() throws {
    let missing = try outcome(["product", "show", "t2006"]) { [$0.failure(.notFound, "no product")] }
    #expect(missing.status == .nothingFound)
    #expect(missing.errors == "citiesctl: no product; 'citiesctl product list' lists them\n")
    let failed = try outcome(["product", "show", "t2006"]) { [$0.failure(.internal, "why")] }
    #expect(failed.errors == "citiesctl: why\n")
  }

  @Test func `help says the units and what values mean`() throws {
    let near = try outcome(["near", "--help"]).output
    #expect(near.contains("Only this far away: 25km, 800m, 800 (metres) or 15mi."))
    let root = try outcome(["--help"]).output
    #expect(root.contains("; 'man cities' is an overview.") && !root.contains("Alabama"))
    let lines = root.split(separator: "\n")
    #expect(lines.contains("  locate                  Add the nearest city to each position in a table."))
    #expect(lines.allSatisfy { $0.count <= 80 })
  }
}
