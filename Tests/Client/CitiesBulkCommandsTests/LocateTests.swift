import TestSupport
import Testing

@testable import CitiesBulkCommands
@testable import CitiesCommands

@Suite struct LocateTests {
  /// Runs `citiesctl locate` against a server that names a city by the tens of degrees of its latitude.
  private func locate(_ words: [String], _ input: String) throws -> FilterOutcome {
    let server = try TensServer().server
    defer { server.stop() }
    return try runFilter(["locate", "--socket", server.path] + words, input.utf8)
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
    let lines = ["2: not a position: 'x, 2'", "3: not a position", "4: not a position: '95, 0'"]
      .map { "citiesctl: row \($0)\n" }.joined()
    #expect(result.errors == lines + "citiesctl: no position in 3 of 4 rows\n")
  }

  @Test func moreRowsThanRequestsHoldKeepTheirOrder() throws {
    let (input, rows) = TensServer.table(29_001)
    let result = try locate([], input)
    #expect(result.output == rows.joined() && result.status == .found && result.errors.isEmpty)
    #expect(try locate([], "").output.isEmpty)
  }

  @Test func aByteOrderMarkIsNoPartOfAName() throws {
    let result = try locate(["--input", "csv", "--lat", "lat", "--lon", "lon"], "\u{FEFF}lat,lon\n1,2\n")
    #expect(result.output == "\u{FEFF}lat,lon,id,title,distance\n1,2,100,\"C0, EE\",0\n")
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
        #expect(Array(part.utf8).withUnsafeBytes(DegreeText.number) == Double(plain))
      }
    }
    for text in ["", " ", "-", ".", "1 2", "1,5", "x", "--1"] {
      #expect(Array(text.utf8).withUnsafeBytes(DegreeText.number) == nil)
    }
  }
}
