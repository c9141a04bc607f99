import CitiesProtocol
import Synchronization
import TestSupport
import Testing

@testable import CitiesCommands

@Suite struct SearchTests {
  /// Answers searches in a list of `count` towns, whose generation is what `generation` says for the nth request.
  static func towns(
    _ count: Int, generation: @escaping @Sendable (Int) -> String = { _ in "00000000000000aa" }
  ) -> @Sendable (FakeServer.Request) -> [FakeServer.Step] {
    let rows = (0..<count).map { city(UInt64($0 + 1), "Town \($0)") }
    let asked = Counter()
    return { request in
      guard let search = request.params(CitySearch.self) else { return [request.failure(.unknownMethod)] }
      let current = generation(asked.next())
      guard search.generation ?? current == current else { return [request.failure(.staleGeneration)] }
      let part = rows.dropFirst(Int(search.offset ?? 0)).prefix(Int(search.limit ?? 20))
      return [request.reply(CitySearch.self, page(Array(part), total: UInt64(count), generation: current))]
    }
  }

  final class Counter: Sendable {
    private let value = Mutex(0)
    func next() -> Int {
      value.withLock { value in
        defer { value += 1 }
        return value
      }
    }
  }

  private func ids(_ output: String) -> [Int] { output.split(separator: "\n").compactMap { Int($0) } }

  @Test(arguments: [0, 1, 19, 20, 21, 999, 1_000, 1_001, 2_000, 17_500])
  func `all rows come through pages in order`(count: Int) throws {
    let result = try outcome(["search", "t", "--all", "--columns", "id"], Self.towns(count))
    #expect(ids(result.output) == Array(0..<count).map { $0 + 1 })
    #expect(result.errors == "" && result.status == (count == 0 ? .nothingFound : .found))
  }

  @Test(arguments: [(0, 5), (3, 5), (2_497, 2_000)])
  func `offset is left out in front`(offset: Int, limit: Int) throws {
    let words = ["search", "t", "--offset", "\(offset)", "--columns", "id"]
    let limits = limit > 1_000 ? ["--all"] : ["--limit", "\(limit)"]
    let result = try outcome(words + limits, Self.towns(2_500))
    #expect(ids(result.output) == Array((offset + 1)...min(offset + limit, 2_500)))
  }

  @Test(
    arguments: [
      (UInt64.max, 1_000), (1_000_000, 0), (2_000, 3), (1_500, 1_000), (5, 10), ((1 << 30) + 1, 1_000), (0, 1),
    ] as [(UInt64, Int)])
  func `total that is a lie ends with a protocol error`(total: UInt64, rows: Int) throws {
    let asked = Counter()
    let all = (0..<rows).map { city(UInt64($0), "Town \($0)") }
    let result = try outcome(["search", "t", "--all"]) { request in
      _ = asked.next()
      // The same rows again and again, whatever the offset.
      return [request.reply(CitySearch.self, page(all, total: total))]
    }
    #expect(result.status == .protocolMismatch && result.output == "" && result.errors.contains("were expected"))
    #expect(asked.next() <= 17)
  }

  @Test func `rows left out are noted on standard error`() throws {
    let result = try outcome(["search", "t"], Self.towns(21))
    #expect(result.status == .found && result.output.split(separator: "\n").count == 20)
    #expect(result.errors == "citiesctl: 20 of 21 rows shown; --limit N shows more, --all shows all\n")
    for words in [["search", "t", "-n", "5"], ["search", "t", "-q"], ["search", "t", "--limit", "20", "--quiet"]] {
      #expect(try outcome(words, Self.towns(21)).errors == "", "\(words)")
    }
    let most = try outcome(["search", "t", "-n", "1000"], Self.towns(1_001))
    #expect(most.errors.hasPrefix("citiesctl: 1000 of 1001 rows shown"))
    let exact = try outcome(["search", "t"], Self.towns(20))
    #expect(exact.errors == "")
  }

  @Test func `cut is an object where the answer is one`() throws {
    let result = try outcome(["search", "t", "-o", "jsonl"], Self.towns(21))
    #expect(result.errors.hasPrefix("{\"note\":\"cut\",\"message\":\"20 of 21 rows shown"))
  }

  @Test func `offset past the end is noted and nothing is found`() throws {
    let result = try outcome(["search", "t", "--offset", "50"], Self.towns(21))
    #expect(result.status == .nothingFound && result.output == "" && result.errors.contains("there are only 21"))
  }

  @Test func `change in between starts over and nothing is printed twice`() throws {
    let answers = Self.towns(2_500) { $0 < 1 ? "00000000000000aa" : "00000000000000bb" }
    let result = try outcome(["search", "t", "--all", "--columns", "id"], answers)
    #expect(result.status == .found && ids(result.output) == Array(1...2_500))
  }

  @Test func `changes without end are given up with nothing printed`() throws {
    let answers = Self.towns(2_500) { "000000000000\(1_000 + $0)" }
    let result = try outcome(["search", "t", "--all"], answers)
    #expect(result.status == .notReady && result.output == "")
  }

  @Test(arguments: [
    ("tsv", "2500\n"), ("table", "2500\n"), ("json", "{\"total\":2500,\"generation\":\"00000000000000aa\"}\n"),
  ])
  func `count is the total alone`(format: String, expected: String) throws {
    let result = try outcome(["search", "t", "--count", "-o", format], Self.towns(2_500))
    #expect(result == Outcome(status: .found, output: expected, errors: ""))
  }

  @Test func `count of nothing is 0 and nothing found`() throws {
    #expect(try outcome(["search", "t", "--count"], Self.towns(0)).output == "0\n")
    #expect(try outcome(["search", "t", "--count"], Self.towns(0)).status == .nothingFound)
  }

  @Test func `options become parameters`() throws {
    let seen = Mutex<CitySearch?>(nil)
    let words = ["--match", "folded", "--country", "br", "--sort", "population", "--limit", "7", "--offset", "3"]
    _ = try outcome(["search", "-33.9,1"] + words) { request in
      seen.withLock { $0 = request.params(CitySearch.self) ?? $0 }
      return [request.reply(CitySearch.self, page([]))]
    }
    let sent = try #require(seen.withLock { $0 })
    #expect(sent.prefix == "-33.9,1" && sent.match == .folded && sent.country == "br" && sent.sort == .population)
    #expect(sent.limit == 7 && sent.offset == 3 && sent.generation == nil)
  }

  @Test func `one command is one request on one connection`() throws {
    let counter = Counter()
    let server = try FakeServer { request in
      _ = counter.next()
      return [request.reply(CitySearch.self, page([city(1, "A")]))]
    }
    defer { server.stop() }
    _ = try outcome(["search", "a"], server: server)
    #expect(counter.next() == 1 && server.connections == 1)
  }

  @Test func `timing is noted for answers and before errors`() throws {
    let found = try outcome(["search", "t", "--timing"], Self.towns(3))
    #expect(found.errors.wholeMatch(of: /citiesctl: connect \S+ .?s · server \S+ .?s · total \S+ .?s\n/) != nil)
    let refused = try outcome(["search", "t", "--timing"]) { [$0.failure(.internal)] }
    let lines = refused.errors.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("citiesctl: connect ") && lines[1] == "citiesctl: as asked")
  }

  @Test func `timing of several requests is their sum`() throws {
    let towns = Self.towns(3_000)
    let result = try outcome(["search", "t", "--all", "--timing", "-o", "json"]) { [.pause(20)] + towns($0) }
    // Three pages, two of them asked for at once: the last exchange alone takes about 40 ms.
    let form = /"connect (.*) · server (\d+\.\d) (ms|s) · total (\d+\.\d) (ms|s)"/
    let timing = try #require(result.errors.firstMatch(of: form)).output
    func milliseconds(_ number: Substring, _ unit: Substring) -> Double {
      (Double(number) ?? 0) * (unit == "s" ? 1_000 : 1)
    }
    let (server, total) = (milliseconds(timing.2, timing.3), milliseconds(timing.4, timing.5))
    #expect(timing.1 != "0 µs" && server >= 60 && total >= server)
  }

  @Test func `subject without data is waited for`() throws {
    let counter = Counter()
    let result = try outcome(["search", "t", "--wait", "5"]) { request in
      switch request.method {
      case Watch.method:
        return [
          request.reply(Watch.self, .init(ready: ["cities": false], generations: [:])), .pause(20),
          request.event(
            .init(
              event: "changed", subject: .cities, generation: "00000000000000bb",
              at: Timestamp(text: "2026-03-01T12:00:00Z"))),
        ]
      default:
        guard counter.next() > 0 else {
          return [request.failure(.unavailable, "loading", data: .init(subject: .cities))]
        }
        return [request.reply(CitySearch.self, page([city(1, "A")]))]
      }
    }
    #expect(result.status == .found && result.output.hasPrefix("A, US\t"))
  }

  @Test func `wait that is over is 75`() throws {
    let result = try outcome(["search", "t", "--wait", "60ms"]) { request in
      request.method == Watch.method
        ? [request.reply(Watch.self, .init(ready: ["cities": false], generations: [:]))]
        : [request.failure(.unavailable, "no cities yet", data: .init(subject: .cities))]
    }
    #expect(result == Outcome(status: .notReady, output: "", errors: "citiesctl: no cities yet\n"))
  }

  @Test(arguments: ["no source", "failed", "refused", "no data"])
  func `subject without anything under way is not waited for`(phase: String) throws {
    let asked = Counter()
    let result = try outcome(["search", "t", "--wait", "3600"]) { request in
      _ = asked.next()
      return [request.failure(.unavailable, "why", data: .init(subject: .cities, phase: phase, running: false))]
    }
    #expect(result == Outcome(status: .notReady, output: "", errors: "citiesctl: why\n"))
    #expect(asked.next() == 1, "it neither watched nor asked again")
  }

  @Test func `waiting ends when nothing is under way any more`() throws {
    let counter = Counter()
    let result = try outcome(["search", "t", "--wait", "3600"]) { request in
      if request.method == Watch.method {
        return [request.reply(Watch.self, .init(ready: ["cities": false], generations: [:]))]
      }
      let isRunning = counter.next() < 2
      return [request.failure(.unavailable, "why \(isRunning)", data: .init(subject: .cities, running: isRunning))]
    }
    #expect(result == Outcome(status: .notReady, output: "", errors: "citiesctl: why false\n"))
  }

  @Test func `waiting line says what is under way`() {
    let data = ErrorData(subject: .banks, phase: "downloading", done: 0.404)
    let text = WaitingLine.text(.banks, data, elapsed: .milliseconds(3_900), limit: .seconds(30))
    #expect(text == "banks: downloading 40 %, waiting 3 s of 30 s (--wait)")
    #expect(
      WaitingLine.text(.cities, nil, elapsed: .zero, limit: .seconds(1))
        == "cities: no data yet, waiting 0 s of 1 s (--wait)")
  }
}
