import CBOR
import CitiesProtocol
import Glibc
import TestSupport
import Testing

@testable import CitiesBulkCommands
@testable import CitiesCommands

@Suite struct LocateTests {
  private struct Outcome: Equatable {
    var status: CitiesCommands.ExitStatus
    var output: String
    var errors: String
  }

  private struct Envelope: Codable {
    struct Params: Codable { var id: UInt64, method: String, params: CityLocate }
  }

  /// Runs `citiesctl locate` against a server that names a city by the tens of degrees of its latitude.
  private func locate(_ words: [String], _ input: String) throws -> Outcome {
    let folder = try TemporaryFolder()
    let server = try FakeServer { request in
      guard let asked = try? CBORDecoder().decode(Envelope.Params.self, from: request.payload) else { return [.close] }
      let lat = asked.params.lat.numbers
      let isThere = zip(lat, asked.params.lon.numbers).map { abs($0) <= 90 && abs($1) <= 180 }
      let cities = (0...9).map { CityRow(id: $0 + 100, lat: 0, lon: 0, name: "C\($0)", country: "EE") }
      let index = zip(lat, isThere).map { $1 ? UInt32($0 / 10) : CityLocate.nothing }
      let reply = CityLocate.Reply(
        ids: index.map { $0 == CityLocate.nothing ? 0 : UInt64($0) + 100 }, metres: index, rows: cities, index: index,
        generation: "00000000000000aa")
      guard let bytes = try? CBOREncoder().encode(ServerEnvelope<CityLocate>(id: asked.id, result: reply)) else {
        return [.close]
      }
      return [.send(Frame.framed(bytes))]
    }
    defer { server.stop() }
    let files = ["out", "err"].map { open(folder.path($0), O_CREAT | O_RDWR | O_CLOEXEC, 0o600) }
    let source = open(try folder.write("in", input.utf8), O_RDONLY | O_CLOEXEC)
    defer { for descriptor in files + [source] { close(descriptor) } }
    let context = Context(
      output: OutputStream(descriptor: files[0]), diagnostics: Diagnostics(descriptor: files[1]), input: source,
      environment: { _ in nil })
    let status = run(["locate", "--socket", server.path] + words, in: context) {
      try performInHelper($0, in: $1, filterTable)
    }
    return Outcome(
      status: status, output: try Repository.text(folder.path("out")),
      errors: try Repository.text(folder.path("err")))
  }

  @Test func rowsGetThreeColumnsAndKeepTheirBytes() throws {
    let result = try locate([], "59.4\t24.7\tx \r\n12\t-3.5\t\n33\t4")
    #expect(result.output == "59.4\t24.7\tx \t105\tC5, EE\t5\r\n12\t-3.5\t\t101\tC1, EE\t1\n33\t4\t103\tC3, EE\t3\n")
    #expect(result.status == .found && result.errors.isEmpty)
  }

  @Test func columnsHaveNamesInCSV() throws {
    let result = try locate(
      ["--input", "csv", "--lat", "Lat", "--lon", "Lon"], "a,Lon,\"Lat\"\n\"x,\ny\",7,\"45\"\n")
    #expect(result.output == "a,Lon,\"Lat\",id,title,distance\n\"x,\ny\",7,\"45\",104,\"C4, EE\",4\n")
    #expect(try locate(["--lat", "lat", "--lon", "Lon"], "Lat\tLon\n").status == .usage)
  }

  @Test func rowsWithoutAPositionAreNamedAndKept() throws {
    let result = try locate([], "1\t2\nx\t2\n\n95\t0\n")
    #expect(result.status == .partial)
    #expect(result.output == "1\t2\t100\tC0, EE\t0\nx\t2\t\t\t\n\t\t\t\n95\t0\t\t\t\n")
    let lines = [2, 3, 4].map { "citiesctl: row \($0): not a position\n" }.joined()
    #expect(result.errors == lines + "citiesctl: 3 of 4 rows have no position\n")
  }

  @Test func moreRowsThanARequestHoldsKeepTheirOrder() throws {
    let rows = (0..<9_001).map { "\($0 % 90)\t1\t\($0)" }
    let result = try locate([], rows.map { $0 + "\n" }.joined())
    let expected = (0..<9_001).map {
      "\($0 % 90)\t1\t\($0)\t10\($0 % 90 / 10)\tC\($0 % 90 / 10), EE\t\($0 % 90 / 10)\n"
    }
    #expect(result.output == expected.joined())
    #expect(try locate([], "").output.isEmpty)
  }

  @Test(arguments: [
    ["--lat", "0"], ["--lat", "x"], ["--input", "xml"], ["--rule", "big"], ["--lon", ""], ["--lat", "10001"],
  ])
  func wrongUseIsRefused(words: [String]) throws { #expect(try locate(words, "1\t2\n").status == .usage) }

  @Test func degreesAreReadAsTheStandardLibraryReadsThem() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<5_000 {
      let text = "\(Double.random(in: -180...180, using: &random))"
      for part in [text, String(text.prefix(7)), " " + text.prefix(4) + " "] {
        let plain = part.split(separator: " ").joined()
        #expect(DegreeText.number(Array(part.utf8)[...]) == Double(plain))
      }
    }
    for text in ["", " ", "-", ".", "1 2", "1,5", "x", "--1"] {
      #expect(DegreeText.number(Array(text.utf8)[...]) == nil)
    }
  }
}
