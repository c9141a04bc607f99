import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesCommands

@Suite struct SessionTests {
  /// Finds what is asked for, once per letter of it; `none` finds nothing and `busy` is refused.
  private static let answer: @Sendable (FakeServer.Request) -> [FakeServer.Step] = { request in
    guard let search = request.params(CitySearch.self) else { return [request.failure(.unknownMethod)] }
    if search.prefix == "busy" { return [request.failure(.busy, "too\tmany")] }
    let rows = search.prefix.prefix(Int(search.limit ?? 20)).enumerated().map {
      city(UInt64($0.offset), "\($0.element)")
    }
    let total = UInt64(search.prefix.count)
    return [request.reply(CitySearch.self, page(search.prefix == "none" ? [] : rows, total: total))]
  }

  private func session(_ input: String, _ words: [String] = []) throws -> Outcome {
    try outcome(["session"] + words, input: input, Self.answer)
  }

  @Test func `answer is a head line rows and an empty line`() throws {
    let result = try session("ab\n\nnone\n", ["--columns", "title,id"])
    #expect(
      result
        == Outcome(
          status: .found, output: "#1\t2\t2\tab\na, US\t0\nb, US\t1\n\n#2\t0\t0\t\n\n#3\t0\t4\tnone\n\n", errors: ""))
  }

  @Test func `a row without values is an empty line, which SHOWN counts`() throws {
    #expect(try session("ab\n", ["--columns", "population"]).output == "#1\t2\t2\tab\n\n\n\n")
  }

  @Test func `limit cuts rows and keeps the total`() throws {
    #expect(try session("abc\n", ["--limit", "1", "--columns", "name"]).output == "#1\t1\t3\tabc\na\n\n")
    #expect(try session("abc\n", ["--limit", "0"]).output == "#1\t0\t3\tabc\n\n")
  }

  @Test func `error is a line and the session goes on`() throws {
    let result = try session("a\nbusy\nb\n", ["--columns", "name"])
    #expect(result.output == "#1\t1\t1\ta\na\n\n!2\tbusy\ttoo\\tmany\n\n#3\t1\t1\tb\nb\n\n")
    #expect(result.status == .partial)
  }

  @Test func `code of an error cannot forge a line`() throws {
    let result = try outcome(["session"], input: "a\n") { [$0.failure(ErrorCode(rawValue: "x\n#2\t\u{1B}[2J"), "no")] }
    #expect(result.output == "!1\tx\\n#2\\t\\u001b[2J\tno\n\n")
  }

  @Test func `session of errors alone ends with their status`() throws {
    #expect(try session("busy\nbusy\n").status == .notReady)
  }

  @Test func `query is escaped in the head line`() throws {
    #expect(try session("a\tb\\c\n", ["--limit", "0"]).output == "#1\t0\t5\ta\\tb\\\\c\n\n")
    #expect(try session("a\0b\n", ["--limit", "0"]).output == "#1\t0\t3\ta\\u0000b\n\n")
  }

  @Test func `carriage return before the end is not part of the prefix`() throws {
    #expect(try session("ab\r\nc", ["--limit", "0"]).output == "#1\t0\t2\tab\n\n#2\t0\t1\tc\n\n")
  }

  @Test func `line that no request can hold is an error`() throws {
    let long = String(repeating: "a", count: 70_000)
    let result = try session("\(long)\na\n", ["--limit", "0"])
    #expect(result.output.hasPrefix("!1\tbad-data\t") && result.output.hasSuffix("\n\n#2\t0\t1\ta\n\n"))
    let borderline = try session(String(repeating: "a", count: Frame.maximumRequest) + "\n")
    #expect(borderline.output.hasPrefix("!1\tunsendable\t") && borderline.status == .badData)
  }

  @Test func `latest says what it leaves out`() throws {
    let result = try session("a\nab\nabc\n", ["--latest", "--limit", "0"])
    #expect(result.output == "~1\ta\n\n~2\tab\n\n#3\t0\t3\tabc\n\n")
    #expect(try session("a", ["--latest", "--limit", "0"]).output == "#1\t0\t1\ta\n\n")
  }

  @Test func `JSON lines are one object a line`() throws {
    let result = try session("a\nbusy\n", ["-o", "jsonl"])
    #expect(
      result.output == #"""
        {"seq":1,"query":"a","shown":1,"total":1,"generation":"00000000000000aa","rows":[{"title":"a, US","lat":1.5,"lon":-2.0,"id":0,"country":"US","name":"a"}]}
        {"seq":2,"error":{"code":"busy","message":"too\tmany"}}

        """#)
    let latest = try session("a\nb\n", ["-o", "jsonl", "--latest", "--columns", "id"])
    #expect(latest.output.hasPrefix("{\"seq\":1,\"query\":\"a\",\"superseded\":true}\n{\"seq\":2,"))
  }

  @Test func `missing socket ends the session at once`() throws {
    // Nothing is read: the line would be answered, with an error, on standard output.
    for environment in [[:], ["CITIES_SOCKET": "/nowhere"]] {
      let named = try outcome(["session", "--socket", "/nowhere"], input: "a\n", environment: environment)
      #expect(named.status == .unavailable && named.output == "")
      #expect(named.errors.hasPrefix("citiesctl: no server: /nowhere: no such socket"))
    }
    let json = try outcome(["session", "-o", "jsonl", "--socket", "/nowhere"])
    #expect(json.errors.hasPrefix("{\"error\":{\"code\":\"no-server\"") && json.status == .unavailable)
  }

  @Test func `no lines are no requests`() throws {
    let server = try FakeServer { [$0.failure(.internal)] }
    defer { server.stop() }
    #expect(try outcome(["session"], server: server) == Outcome(status: .found, output: "", errors: ""))
  }

  @Test func `connection that breaks is made again`() throws {
    let result = try outcome(["session", "--limit", "0"], input: "a\nb\nc\n") { request in
      Self.answer(request) + (request.number == 0 ? [.close] : [])
    }
    #expect(result.output == "#1\t0\t1\ta\n\n#2\t0\t1\tb\n\n#3\t0\t1\tc\n\n" && result.status == .found)
  }

  @Test func `options become parameters`() throws {
    let result = try outcome(["session", "--match", "folded", "--country", "EE"], input: "a\n") { request in
      let search = request.params(CitySearch.self)
      let isRight = search?.match == .folded && search?.country == "EE" && search?.limit == 20
      return [isRight ? request.reply(CitySearch.self, page([])) : request.failure(.internal)]
    }
    #expect(result.output == "#1\t0\t0\ta\n\n")
  }
}
