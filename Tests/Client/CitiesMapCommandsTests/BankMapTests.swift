import CitiesCommands
import CitiesProtocol
import Synchronization
import TestSupport
import Testing

@testable import CitiesMapCommands

@Suite struct BankMapTests {
  private static let generation = "00000000000000bb"
  private static let kinds: [BankRow.Kind] = [.branch, .atm, .bna, .init(rawValue: "kiosk")]

  /// The location of a number, a few kilometres from the one before.
  private static func entry(_ number: Int) -> BankEntry {
    BankEntry(
      location: BankRow(
        id: "b-\(number)", bank: "b", kind: kinds[number % 4], name: "Place \(number)", address: "Street",
        country: "EE", countryName: "Estonia", lat: 59.4 + Double(number) / 50, lon: 24.7 + Double(number) / 10,
        zone: "Europe/Tallinn"),
      open: .unknown)
  }

  private static func sources(isSample: Bool) -> Provenance { Provenance(feeds: [], sample: isSample) }

  /// A server with `count` locations and no city; `asked` gets the requests.
  private static func server(
    _ count: Int, isSample: Bool = false, asked: @escaping @Sendable (FakeServer.Request) -> Void = { _ in }
  ) -> @Sendable (FakeServer.Request) -> [FakeServer.Step] {
    let entries = (0..<count).map(entry)
    return { request in
      asked(request)
      if let get = request.params(BankGet.self) {
        guard let entry = entries.first(where: { $0.location.id == get.id }) else {
          return [request.failure(.notFound)]
        }
        let reply = BankGet.Reply(entry: entry, sources: sources(isSample: isSample), generation: generation)
        return [request.reply(BankGet.self, reply)]
      }
      if let list = request.params(BankList.self) {
        let rows = Array(entries.dropFirst(Int(list.offset ?? 0)).prefix(Int(list.limit ?? 20)))
        let page = BankPage(
          rows: rows, total: UInt64(count), sources: sources(isSample: isSample), generation: generation)
        return [request.reply(BankList.self, page)]
      }
      if let near = request.params(BankNear.self) {
        let reply = BankNear.Reply(
          rows: Array(entries.prefix(Int(near.limit ?? 10))), origin: Position(lat: 59.42, lon: 24.75),
          sources: sources(isSample: isSample), generation: generation)
        return [request.reply(BankNear.self, reply)]
      }
      return [request.reply(CityWithin.self, CityWithin.Reply(rows: [], generation: generation))]
    }
  }

  @Test func `one location is in the middle`() throws {
    let result = try outcome(["bank", "map", "b-1", "--width", "60"], Self.server(3))
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(result.status == .found && lines[9].contains("[▲] Place 1"))
    #expect(result.output.contains(" 10 km ") && result.output.contains("\n▲ ATM\n"))
    #expect(try outcome(["bank", "map", "b-9"], Self.server(3)).status == .nothingFound)
  }

  @Test func `kinds have different signs that the legend explains`() throws {
    let result = try outcome(["bank", "map", "--width", "60"], Self.server(4)).output
    for text in ["■ Place 0", "▲ Place 1", "◆ Place 2", "■ branch  ▲ ATM  ◆ BNA  ? unknown kind"] {
      #expect(result.contains(text), "\(text)")
    }
    let ascii = try outcome(["bank", "map", "--width", "60"], environment: [:], Self.server(4)).output
    #expect(ascii.contains("B branch  A ATM  N BNA  ? unknown kind"))
  }

  @Test func `all that fit are shown however many pages they are`() throws {
    let geo = try outcome(["bank", "map", "-o", "geo"], Self.server(2_345))
    #expect(geo.status == .found && geo.output.split(separator: "\n").count == 2_345)
    let text = try outcome(["bank", "map", "--width", "60"], Self.server(2_345)).output
    // That many names would say nothing.
    #expect(text.contains("▲") && !text.contains("Place"))
  }

  @Test func `the filter reaches the server`() throws {
    let seen = Mutex<BankConditions?>(nil)
    _ = try outcome(
      ["bank", "map", "--country", "Estonia", "--kind", "ATM", "--region", "x", "--bank", "swedbank", "--open-now"],
      Self.server(1) { request in
        if let list = request.params(BankList.self) { seen.withLock { $0 = list.filter } }
      })
    let filter = try #require(seen.withLock { $0 })
    let wanted = BankConditions(
      country: "Estonia", region: "x", kind: .atm, bank: "swedbank", open: true, at: filter.at)
    #expect(filter == wanted && filter.at != nil)
  }

  @Test func `the nearest are shown with the place they are near to`() throws {
    let seen = Mutex<BankNear?>(nil)
    let result = try outcome(
      ["bank", "map", "--near", "-33.9,18.4", "--limit", "3", "--width", "60"],
      Self.server(9) { request in if let near = request.params(BankNear.self) { seen.withLock { $0 = near } } })
    #expect(seen.withLock { $0?.place } == Place(at: Position(lat: -33.9, lon: 18.4)))
    #expect(result.output.contains("[✚]") && result.output.contains("Place 2") && !result.output.contains("Place 3"))
    #expect(result.output.contains("✚ position"))
    let geo = try outcome(["bank", "map", "--near", "1,2", "--limit", "2", "-o", "geo"], Self.server(9)).output
    #expect(geo == "geo:59.4,24.7\ngeo:59.42,24.8\n")
  }

  @Test func `geo JSON is that of the listing commands`() throws {
    let result = try outcome(["bank", "map", "-o", "geojson"], Self.server(2))
    #expect(result.output.contains(#""coordinates":[24.7,59.4]},"properties":{"id":"b-0""#))
    #expect(result.output.contains(#""kind":"atm""#))
  }

  @Test func `made up data is noted beside and on the picture`() throws {
    let text = try outcome(["bank", "map", "b-1"], Self.server(2, isSample: true))
    #expect(text.errors == "citiesctl: sample data, not real\n")
    let svg = try outcome(["bank", "map", "-o", "svg"], Self.server(2, isSample: true)).output
    #expect(svg.contains("<title>2 locations of b (sample data, not real)</title>"))
    #expect(try outcome(["bank", "map", "b-1"], Self.server(2)).errors == "")
  }

  @Test func `nothing that fits is 1`() throws {
    for format in ["text", "svg", "geojson", "geo"] {
      let result = try outcome(["bank", "map", "-o", format], Self.server(0))
      #expect(result == Outcome(status: .nothingFound, output: "", errors: ""))
    }
  }

  @Test(arguments: [
    ["b-1", "--near", "1,2"], ["--limit", "3"], ["b-1", "--kind", "atm"], ["--near", "91,0"], ["--near", ""], [""],
    ["--near", "1,2", "--limit", "0"], ["--at", "noon"],
  ])
  func `contradictions are wrong use`(words: [String]) throws {
    let result = try outcome(["bank", "map"] + words, Self.server(2))
    #expect(result.status == .usage && result.errors.contains("usage: citiesctl bank map"))
  }
}
