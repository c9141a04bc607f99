import CitiesProtocol
import Synchronization
import TestSupport
import Testing

@testable import CitiesCommands

/// Places that are named by what people call a city.
@Suite struct NamedPlaceTests {
  private static let generation = "00000000000000aa"
  private static let kyiv = city(27, "Kyiv", "UA", lat: 50.5, lon: 30.5, population: 2_797_553)

  /// A server that resolves every query by `by`, and finds the same city.
  private static func answer(
    by kind: CityFind.Kind, matched: String?
  ) -> @Sendable (FakeServer.Request) -> [FakeServer.Step] {
    let resolved = ResolvedCity(by: kind, city: kyiv, matched: matched)
    return { request in
      if let get = request.params(CityGet.self) {
        var reply = CityGet.Reply(city: kyiv, generation: generation)
        if get.query != nil { reply.resolved = resolved }
        if get.near?.query != nil { reply.resolvedNear = resolved }
        return [request.reply(CityGet.self, reply)]
      }
      if let near = request.params(CityNear.self) {
        var reply = CityNear.Reply(
          rows: [.init(city: kyiv, distance: 0)], origin: Position(lat: 50.5, lon: 30.5), generation: generation)
        if near.place.query != nil { reply.resolved = resolved }
        return [request.reply(CityNear.self, reply)]
      }
      let row = CityFind.Row(by: kind, city: kyiv, matched: matched, region: "Kyiv City", regionCode: "12")
      return [request.reply(CityFind.self, .init(rows: [row], generation: generation))]
    }
  }

  @Test(arguments: [
    ["show", "kiev"], ["near", "kiev"], ["here", "kiev"], ["show", "--strict", "A", "--near", "kiev"],
  ])
  func `what a name was resolved to is on standard error`(words: [String]) throws {
    let folder = try TemporaryFolder()
    let result = try outcome(words, environment: ["HOME": folder.path], Self.answer(by: .alternate, matched: "Kiev"))
    let file = "\(folder.path)/.config/cities/here"
    let saved = words[0] == "here" ? "citiesctl: saved 50.5,30.5 (Kyiv, UA) in \(file)\n" : ""
    #expect(result.status == .found)
    #expect(result.errors == "citiesctl: \"kiev\" resolved to Kyiv, UA (Kiev)\n" + saved)
  }

  @Test func `an exact title is taken silently`() throws {
    for words in [["show", "Kyiv, UA"], ["near", "kyiv"]] {
      let result = try outcome(words, Self.answer(by: .title, matched: nil))
      #expect(result.status == .found && result.errors == "")
    }
  }

  @Test func `the first that is found is taken if that is asked`() throws {
    for words in [["show", "--first", "kyv"], ["near", "kyv", "--first"]] {
      let result = try outcome(words, Self.answer(by: .typo, matched: nil))
      #expect(result.status == .found && result.output.hasPrefix("Kyiv, UA\t50.5\t30.5\t27\tUA\tKyiv\t2797553"))
      #expect(result.errors == "citiesctl: \"kyv\" resolved to Kyiv, UA\n")
    }
    #expect(try sent(CityFind.self, ["show", "--first", "a", "b"]) == CityFind(query: "a b", limit: 1))
    #expect(try outcome(["show", "--first", "--strict", "a"]) { _ in [] }.status == .usage)
  }

  @Test func `strict asks for titles alone`() throws {
    #expect(try sent(CityNear.self, ["near", "--strict", "Kyiv, UA"])?.place == Place(title: "Kyiv, UA"))
    #expect(try sent(CityNear.self, ["near", "kyiv", "ua"])?.place == Place(query: "kyiv ua"))
    #expect(try sent(BankNear.self, ["bank", "near", "st", "petersburg"])?.place == Place(query: "st petersburg"))
  }

  @Test func `where nothing is called so the failure has what is found`() throws {
    let find = Self.answer(by: .typo, matched: nil)
    let result = try outcome(["show", "kyv"]) { request in
      guard request.params(CityFind.self) == nil else { return find(request) }
      return [request.failure(.notFound, "no city is called \"kyv\"", data: ErrorData(value: "kyv"))]
    }
    #expect(result.status == .nothingFound && result.output.isEmpty)
    #expect(result.errors.hasPrefix("citiesctl: no city is called \"kyv\"\nfind has these"))
    #expect(result.errors.contains("\n27\t50.5,30.5\tKyiv, UA\tKyiv City\t2797553\nfor example: citiesctl show "))
  }

  @Test func `candidates have regions and inhabitants`() throws {
    var other = city(2, "A", population: 7)
    (other.region, other.regionCode) = ("R", "08")
    let data = ErrorData(candidates: [other, city(1, "A")], total: 3)
    let text = try outcome(["show", "a"]) { [$0.failure(.ambiguous, "several", data: data)] }
    #expect(text.status == .ambiguous)
    #expect(text.errors.contains("2\t1.5,-2.0\tA, US\tR\t7\n1\t1.5,-2.0\tA, US\ncitiesctl: 1 more"))
    let json = try outcome(["show", "a", "-o", "json"]) { [$0.failure(.ambiguous, "several", data: data)] }
    #expect(json.errors.contains("\"region\":\"R\",\"region_code\":\"08\""))
  }

  private static let reykjavik = city(3_413_829, "Reykjavík", "IS", lat: 64.1, lon: -21.9, population: 139_875)

  private static func isCountry(_ query: String) -> @Sendable (FakeServer.Request) -> [FakeServer.Step] {
    let data = ErrorData(value: query, candidates: [reykjavik], total: 64, country: "IS")
    return { [$0.failure(.ambiguous, "\"\(query)\" is a country; name one of its cities", data: data)] }
  }

  @Test(arguments: [
    (["show", "iceland"], "citiesctl show 'Reykjavík, IS'"), (["near", "iceland"], "citiesctl near 'Reykjavík, IS'"),
    (["time", "kyiv", "iceland"], "citiesctl time kyiv 'Reykjavík, IS'"),
    (["bank", "near", "iceland", "-n", "3"], "citiesctl bank near 'Reykjavík, IS' -n 3"),
    (["here", "iceland"], "citiesctl here 'Reykjavík, IS'"),
    (["show", "--near", "iceland", "springfield"], "citiesctl show --near 'Reykjavík, IS' springfield"),
  ])
  func `the name of a country is answered with its cities and what draws it`(words: [String], example: String) throws {
    let server = try FakeServer(Self.isCountry("iceland"))
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let result = try outcome(words, server: server, environment: ["HOME": folder.path])
    #expect(result.status == .ambiguous && result.output.isEmpty)
    // The words of the test's server come after the verb.
    let lines = result.errors.replacing(" --socket \(server.path) --timeout 60", with: "").split(separator: "\n").map(
      String.init)
    #expect(
      lines == [
        "citiesctl: \"iceland\" is a country; name one of its cities", "its largest cities:",
        "3413829\t64.1,-21.9\tReykjavík, IS\t139875", "for example: \(example)",
        "'citiesctl map --country is' draws the country",
      ], "\(result.errors)")
  }

  @Test func `the country is a key of the error as JSON`() throws {
    let result = try outcome(["show", "iceland", "-o", "json"], Self.isCountry("iceland"))
    #expect(result.errors.contains("\"unlisted\":63,\"country\":\"IS\"}}\n") && !result.errors.contains("draws"))
  }

  @Test func `candidates with one title are chosen by their ids`() throws {
    let data = ErrorData(candidates: [city(2, "A"), city(1, "A")], total: 2)
    let result = try outcome(["show", "a", "b"]) { [$0.failure(.ambiguous, "2 are called \"a b\"", data: data)] }
    #expect(result.errors.hasSuffix(" 2\n") && result.errors.contains("\nfor example: citiesctl show "))
  }

  @Test func `several words of a time are explained`() throws {
    let find = Self.answer(by: .typo, matched: nil)
    let result = try outcome(["time", "new", "kyv"]) { request in
      guard request.params(CityFind.self) == nil else { return find(request) }
      return [request.failure(.notFound, "no city is called \"kyv\"", data: ErrorData(value: "kyv"))]
    }
    #expect(result.status == .nothingFound && result.errors.contains("\tKyiv, UA\t"))
    #expect(result.errors.contains("\nfor example: citiesctl time ") && result.errors.hasSuffix(" new 'Kyiv, UA'\n"))
    #expect(try outcome(["time", "a"]) { [$0.failure(.notFound)] }.errors == "citiesctl: as asked\n")
  }

  @Test(
    arguments: [
      (["59.437", "24.7536"], Place(at: Position(lat: 59.437, lon: 24.7536))),
      (["-33.9", "18"], Place(at: Position(lat: -33.9, lon: 18))), (["59.437,", "24.7536"], nil),
      (["1770", "2"], Place(query: "1770 2")), (["1.5", "x"], Place(query: "1.5 x")),
      (["1.5", "2", "3"], Place(query: "1.5 2 3")),
    ] as [([String], Place?)])
  func `two numbers are a position`(words: [String], place: Place?) throws {
    let place = place ?? Place(at: Position(lat: 59.437, lon: 24.7536))
    #expect(try sent(CityNear.self, ["near"] + words)?.place == place)
    #expect(try sent(BankNear.self, ["bank", "near"] + words)?.place == place)
    if place.at != nil, words[0].last != "," { #expect(try sent(CityTime.self, ["time"] + words)?.places == [place]) }
  }

  @Test func `two numbers out of range are refused`() throws {
    #expect(try outcome(["near", "159.4", "24.7"]) { _ in [] }.errors.contains("the latitude must be from -90 to 90"))
  }

  @Test func `session finds names without a total`() throws {
    let answer = Self.answer(by: .alternate, matched: "Kiev")
    let lines = try outcome(["session", "--find", "--columns", "title,matched,by,region"], input: "kiev\n", answer)
    #expect(lines.output == "#1\t1\t-\tkiev\nKyiv, UA\tKiev\talternate\tKyiv City\n\n")
    let json = try outcome(["session", "--find", "-o", "jsonl", "--columns", "id"], input: "kiev\n", answer)
    #expect(json.output.hasPrefix("{\"seq\":1,\"query\":\"kiev\",\"shown\":1,\"total\":null,"))
    for words in [["--find", "--sort", "key"], ["--find", "--match", "folded"], ["--find", "--limit", "101"]] {
      #expect(try outcome(["session"] + words) { _ in [] }.status == .usage)
    }
  }

  @Test func `a line of a session without letters lists nothing`() throws {
    let answer = Self.answer(by: .alternate, matched: "Kiev")
    let asked = Mutex(0)
    let lines = try outcome(["session", "--find", "--columns", "title"], input: "\nkiev\n ,.\n") { request in
      if request.params(CityFind.self) != nil { asked.withLock { $0 += 1 } }
      return answer(request)
    }
    let expected = "#1\t0\t-\t\n\n#2\t1\t-\tkiev\nKyiv, UA\n\n#3\t0\t-\t ,.\n\n"
    #expect(lines == Outcome(status: .found, output: expected, errors: ""))
    #expect(asked.withLock(\.self) == 1)
    let json = try outcome(["session", "--find", "-o", "jsonl"], input: "\n") { _ in [] }
    #expect(json.output == "{\"seq\":1,\"query\":\"\",\"shown\":0,\"total\":null,\"rows\":[]}\n")
    #expect(json.status == .found)
  }

  @Test func `session sorts by inhabitants`() throws {
    let seen = try outcome(["session", "--sort", "population"], input: "a\n") { request in
      let isSorted = request.params(CitySearch.self)?.sort == .population
      return [request.failure(isSorted ? .busy : .internal, "")]
    }
    #expect(seen.output.hasPrefix("!1\tbusy"))
  }

  @Test func `an unknown country of a search is wrong use`() throws {
    let result = try outcome(["search", "a", "--country", "atlantis"]) { request in
      guard request.params(CitySearch.self) == nil else { return [request.reply(CitySearch.self, page([]))] }
      return [request.failure(.invalidParams, "country: no country \"atlantis\"")]
    }
    #expect(result.status == .usage && result.errors.contains("no country"))
  }
}
