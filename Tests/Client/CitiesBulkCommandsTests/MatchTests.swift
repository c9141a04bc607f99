import CBOR
import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesBulkCommands
@testable import CitiesCommands

@Suite struct MatchTests {
  private struct Asked: Codable { var id: UInt64, method: String, params: CityMatch }

  /// What a server was asked.
  private let asked = SharedValue<[CityMatch]>([])

  /// Runs `citiesctl match` against a server that knows a (sure), b (likely) and c (a guess), and that works `pause`
  /// milliseconds at each of the first four requests.
  private func match(
    _ words: [String], _ input: some Sequence<UInt8>, pause: Int32 = 0
  ) throws -> FilterOutcome {
    let asked = asked
    let server = try FakeServer { request in
      guard let one = try? CBORDecoder().decode(Asked.self, from: request.payload) else { return [.close] }
      asked.change { $0 + [one.params] }
      let envelope = ServerEnvelope<CityMatch>(id: one.id, result: Self.reply(to: one.params))
      let steps: [FakeServer.Step] = request.number < 4 ? [.pause(pause)] : []
      return (try? CBOREncoder().encode(envelope)).map { steps + [.send(Frame.framed($0))] } ?? [.close]
    }
    defer { server.stop() }
    return try runFilter(["match", "--socket", server.path] + patient(words), input)
  }

  private static func reply(to message: CityMatch) -> CityMatch.Reply {
    let places = message.names.texts.map { ["a", "b", "c"].firstIndex(of: $0) }
    var rows = ["A", "B, \"x\"", "C"].enumerated().map { place, name in
      CityRow(id: UInt64(place) + 7, lat: 1.5, lon: -0.25, name: name, country: place == 2 ? "" : "EE")
    }
    rows[1].region = "Harju"
    let classes: [CityMatch.Certainty] = [.sure, .likely, .guess]
    return CityMatch.Reply(
      ids: places.map { $0.map { UInt64($0) + 7 } ?? 0 },
      classes: places.map { $0.map { classes[$0] } ?? CityMatch.Certainty.none }, rows: rows,
      index: places.map { $0.map { UInt32($0) } ?? CityMatch.nothing }, generation: "00000000000000aa")
  }

  @Test func `rows get seven columns and keep their bytes`() throws {
    let result = try match([], "a\t1\r\nb\nc\tx ".utf8)
    #expect(
      result.output == "a\t1\t7\tA, EE\tEE\t\t1.5\t-0.25\tsure\r\nb\t8\tB, \"x\", EE\tEE\tHarju\t1.5\t-0.25\tlikely\n"
        + "c\tx \t9\tC\t\t\t1.5\t-0.25\tguess\n")
    #expect(result.status == .found && result.errors.isEmpty)
    let expected = CityMatch(names: TextLines(["a", "b", "c"]), rows: true, with: [.region])
    #expect(asked.value == [expected])
  }

  @Test func `columns have names in CSV`() throws {
    let result = try match(
      ["--input", "csv", "--name", "town", "--country-column", "land", "--region-column", "land"],
      "land,\"town\"\n\"E\"\"E\",\"b\"\n".utf8)
    #expect(
      result.output == "land,\"town\",id,title,country,region,lat,lon,class\n"
        + "\"E\"\"E\",\"b\",8,\"B, \"\"x\"\", EE\",EE,Harju,1.5,-0.25,likely\n")
    let areas = [TextLines(["E\"E"])]
    #expect(asked.value.map(\.countries) == areas && asked.value.map(\.regions) == areas)
  }

  @Test func `rows without a city are named and kept`() throws {
    let result = try match([], "x\na\n\n".utf8)
    #expect(result.output == "x\t\t\t\t\t\t\t\na\t7\tA, EE\tEE\t\t1.5\t-0.25\tsure\n\t\t\t\t\t\t\t\n")
    #expect(result.status == .partial)
    #expect(
      result.errors == "citiesctl: row 1: no city: 'x'\ncitiesctl: row 3: no city\n"
        + "citiesctl: no city in 2 of 3 rows; if the first row names the columns, write --name NAME\n")
  }

  @Test func `a name of two columns is refused if it is asked for`() throws {
    let table = "x,town,\"town\",x\na,a,b,c\n".utf8
    let result = try match(["--input", "csv", "--name", "town"], table)
    let error = "citiesctl: columns 2 and 3 are both named 'town'; rename one of them\n"
    #expect(result.status == .usage && result.output.isEmpty && result.errors.hasPrefix(error))
    #expect(try match(["--input", "csv", "--name", "2"], table).status == .partial)
    let others = try match(["--input", "csv", "--name", "town", "--country-column", "town"], "x,town,x\na,a,b\n".utf8)
    #expect(others.status == .found && others.output.hasSuffix("a,a,b,7,\"A, EE\",EE,,1.5,-0.25,sure\n"))
  }

  @Test func `rows that do not fit the header are not matched`() throws {
    let result = try match(["--input", "csv", "--name", "town"], "town,x\na,1\nb\na,1,5\n\"b\",\"\"\n".utf8)
    #expect(
      result.output == "town,x,id,title,country,region,lat,lon,class\na,1,7,\"A, EE\",EE,,1.5,-0.25,sure\nb,,,,,,,,\n"
        + "a,1,5,,,,,,,\n\"b\",\"\",8,\"B, \"\"x\"\", EE\",EE,Harju,1.5,-0.25,likely\n")
    #expect(
      result.errors == "citiesctl: row 3 has 1 value and the header 2\ncitiesctl: row 4 has 3 values and the header 2\n"
        + "citiesctl: no city in 2 of 4 rows\n")
    #expect(result.status == .partial && asked.value.map(\.names) == [TextLines(["a", "", "", "b"])])
  }

  @Test func `less sure rows are left out`() throws {
    let result = try match(["--least", "likely", "-c", "EE", "--no-typos"], "a\nb\nc\n".utf8)
    #expect(result.status == .partial && result.errors.contains("row 3: no city"))
    #expect(asked.value.map(\.country) == ["EE"] && asked.value.map(\.typos) == [false])
    #expect(try match(["--least", "sure"], "a\nb\nc\n".utf8).errors.contains("2 of 3 rows"))
  }

  @Test func `values that are not names are empty`() throws {
    let long = [UInt8](repeating: 0x61, count: MatchQuestion.maximumNameBytes + 1)
    _ = try match(["--country-column", "2"], Array("\t\n".utf8) + long + [0x0A] + Array("a\tEE\n".utf8))
    #expect(asked.value.map(\.names) == [TextLines(["", "", "a"])])
    #expect(asked.value.map(\.countries) == [TextLines(["", "", "EE"])])
  }

  @Test(arguments: [[], ["--name", "n"], ["--country-column", "2"]])
  func `a wanted value that is not UTF-8 ends the table after the rows before it`(words: [String]) throws {
    let table =
      Array("n\tx\na\tEE\n".utf8) + (words.first == "--country-column" ? [0x61, 0x09] : [0x4D]) + [0xFC, 0x0A]
    let result = try match(words, table)
    let place = words.first == "--country-column" ? 3 : 2
    let error =
      "citiesctl: row 3 is not UTF-8 at byte \(place); if the table has another encoding, name it with --encoding\n"
    #expect(result.status == .badData && result.errors.hasSuffix(error))
    #expect(result.output.hasSuffix("a\tEE\t7\tA, EE\tEE\t\t1.5\t-0.25\tsure\n"))
    // Other columns are copied as they are.
    #expect(try match([], [0x61, 0x09, 0xFC, 0x0A]).status == .found)
  }

  @Test func `a first row in another encoding is a reason why it lacks a name`() throws {
    let result = try match(["--name", "ü"], [0xFC, 0x0A, 0x61, 0x0A])
    #expect(result.status == .badData && result.errors.contains("not text in UTF-8 at byte 1; "))
    let decoded = try match(["--name", "ü", "--encoding", "latin1"], [0xFC, 0x0A, 0x61, 0x0A])
    #expect(decoded.status == .found && decoded.output.hasPrefix("ü\tid\t"))
    #expect(try match(["--name", "n"], [0x6E, 0, 0x0A, 0]).errors.contains("not text in UTF-8 at byte 2; "))
  }

  @Test(arguments: ["--country-column", "--region-column"])
  func `a row whose area cannot be known gets no city`(option: String) throws {
    let long = [UInt8](repeating: 0x61, count: MatchQuestion.maximumNameBytes + 1)
    let start = Array("a\t".utf8)
    let result = try match([option, "2"], start + long + [0x0A] + start + long + Array("\na\nb\tEE\n".utf8))
    // An empty area in a request would mean all cities.
    #expect(asked.value.map(\.names) == [TextLines(["", "", "a", "b"])])
    let classes = result.output.split(separator: "\n").suffix(2).map { $0.split(separator: "\t").last ?? "" }
    #expect(classes == ["sure", "likely"])
    #expect(result.status == .partial && result.errors.contains("no city in 2 of 4 rows"))
  }

  @Test func `a text that is too long for an area is not looked up`() throws {
    let long = String(repeating: "x", count: 70_000)
    let result = try match(
      ["--country-column", "2"], "Foo, \(long)\t\nc\t\(long.prefix(300))\nx, \(long.prefix(300))\t\n".utf8)
    #expect(
      result.status == .partial
        && result.errors.hasSuffix("no city in 2 of 3 rows; if the first row names the columns, write --name NAME\n"))
    // The server would not have answered any other question.
    #expect(asked.value.flatMap(\.names.texts) == ["", "c", "x, \(long.prefix(300))"])
  }

  @Test func `requests become as large as the server is fast`() throws {
    let names = (0..<6_000).map { "name \($0)" }
    let quick = try match([], names.map { "\($0)\n" }.joined().utf8)
    #expect(asked.value.flatMap(\.names.texts) == names)
    #expect(asked.value.first?.names.count == MatchQuestion.firstRows)
    #expect(asked.value.map(\.names.count).max() == MatchQuestion.limits.rows)
    asked.change { _ in [] }
    let slow = try match([], names.prefix(700).map { "\($0)\n" }.joined().utf8, pause: 600)
    #expect(asked.value.flatMap(\.names.texts) == Array(names.prefix(700)))
    #expect(asked.value.map(\.names.count).dropLast().min() ?? 0 < MatchQuestion.firstRows / 2)
    // The output does not depend on that.
    #expect(quick.output.hasPrefix(slow.output))
  }

  @Test func `requests stay below their limit`() throws {
    let names = (0..<20_000).map { "name of a place with number \($0)" }
    let result = try match([], names.map { "\($0)\n" }.joined().utf8)
    #expect(result.output.split(separator: "\n").count == 20_000 && result.status == .partial)
    #expect(asked.value.flatMap(\.names.texts) == names)
    for message in asked.value {
      #expect(try CBOREncoder().encode(RequestEnvelope(id: .max, message)).count <= Frame.maximumRequest)
    }
  }

  @Test(arguments: [
    ["--name", "0"], ["--name", ""], ["--least", "none"], ["--name", "a", "--country-column", "2"],
    ["--country", "EE", "--country-column", "2"], ["--region", "x", "--region-column", "2"],
  ])
  func `wrong use is refused`(words: [String]) throws { #expect(try match(words, "a\n".utf8).status == .usage) }
}
