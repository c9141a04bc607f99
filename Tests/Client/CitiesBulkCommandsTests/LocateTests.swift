import TestSupport
import Testing

@testable import CitiesBulkCommands
@testable import CitiesCommands

@Suite struct LocateTests {
  /// Runs `citiesctl locate` against a server that names a city by the tens of degrees of its latitude.
  private func locate(_ words: [String], _ input: String) throws -> FilterOutcome {
    let server = try TensServer().server
    defer { server.stop() }
    return try runFilter(["locate", "--socket", server.path] + patient(words), input.utf8)
  }

  @Test func `rows get three columns and keep their bytes`() throws {
    let result = try locate([], "59.4\t24.7\tx \r\n12\t-3.5\t\n33\t4")
    #expect(result.output == "59.4\t24.7\tx \t105\tC5, EE\t5\r\n12\t-3.5\t\t101\tC1, EE\t1\n33\t4\t103\tC3, EE\t3\n")
    #expect(result.status == .found && result.errors.isEmpty)
  }

  @Test func `countries are two more columns`() throws {
    let result = try locate(
      ["--with-country", "--input", "csv", "--lat", "a", "--lon", "b"], "a,b\n61,2\nx,\n50,3\n10,4\n")
    let lines = [
      "a,b,id,title,distance,country,certain\n", "61,2,106,\"C6, EE\",6,EE,true\n", "x,,,,,,\n",
      "50,3,105,\"C5, EE\",5,EE,false\n", "10,4,101,\"C1, EE\",1,,false\n",
    ]
    #expect(result.output == lines.joined() && result.status == .partial)
  }

  @Test func `columns have names in CSV`() throws {
    let result = try locate(
      ["--input", "csv", "--lat", "Lat", "--lon", "Lon"], "a,Lon,\"Lat\"\n\"x,\ny\",7,\"45\"\n")
    #expect(result.output == "a,Lon,\"Lat\",id,title,distance\n\"x,\ny\",7,\"45\",104,\"C4, EE\",4\n")
    #expect(try locate(["--lat", "lat", "--lon", "Lon"], "Lat\tLon\n").status == .usage)
  }

  @Test func `rows without a position are named and kept`() throws {
    let result = try locate([], "1\t2\nx\t2\n\n95\t0\n")
    #expect(result.status == .partial)
    #expect(result.output == "1\t2\t100\tC0, EE\t0\nx\t2\t\t\t\n\t\t\t\n95\t0\t\t\t\n")
    let lines = ["2: not a position: 'x, 2'", "3: not a position", "4: not a position: '95, 0'"]
      .map { "citiesctl: row \($0)\n" }.joined()
    #expect(result.errors == lines + "citiesctl: no position in 3 of 4 rows\n")
  }

  @Test func `rows that do not fit the header fail and keep their columns`() throws {
    let words = ["--lat", "lat", "--lon", "lon"]
    let csv = try locate(
      ["--input", "csv"] + words,
      "x,lat,lon\r\np,59.4,24.7\r\np,59.4\r\np,59,4,24,7\r\n\"a,\"\"b\",\"12\",3\n\np\n,,\n\"p,1\",2")
    let lines = [
      "x,lat,lon,id,title,distance\r\n", "p,59.4,24.7,105,\"C5, EE\",5\r\n", "p,59.4,,,,\r\n", "p,59,4,24,7,,,\r\n",
      "\"a,\"\"b\",\"12\",3,101,\"C1, EE\",1\n", ",,,\n", "p,,,,,\n", ",,,,,\n", "\"p,1\",2,,,,\n",
    ]
    #expect(csv.output == lines.joined())
    let errors = [
      "row 3 has 2 values and the header 3", "row 4 has 5 values and the header 3", "row 6: not a position",
      "row 7 has 1 value and the header 3", "row 8: not a position: ', '", "no position in 6 of 8 rows",
    ]
    #expect(csv.errors.hasPrefix(errors.map { "citiesctl: \($0)" }.joined(separator: "\n")))
    #expect(csv.status == .partial)
    let tsv = try locate(words, "lat\tlon\n11\t2\t\n\u{22}21\t2\n31\t2\n")
    #expect(
      tsv.output == "lat\tlon\tid\ttitle\tdistance\n11\t2\t\t\t\t\n\"21\t2\t\t\t\n31\t2\t103\tC3, EE\t3\n")
    #expect(tsv.errors.hasPrefix("citiesctl: row 2 has 3 values and the header 2\ncitiesctl: row 3: not a position"))
  }

  @Test func `without a header rows may have any number of values`() throws {
    let result = try locate(["--input", "csv"], "11,2\n21,2,x\n31,2,x,\n")
    #expect(result.status == .found && result.errors.isEmpty)
    #expect(result.output.hasSuffix("31,2,x,,103,\"C3, EE\",3\n"))
  }

  @Test func `short rows get the columns of a long header`() throws {
    let (columns, rows) = (9_000, 500)
    let head = "lat\tlon" + String(repeating: "\t", count: columns - 2)
    let result = try locate(["--lat", "lat", "--lon", "lon"], head + "\n" + String(repeating: "1\n", count: rows))
    #expect(result.status == .partial)
    let lines = result.output.utf8.split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == rows + 1)
    #expect(lines.dropFirst().allSatisfy { $0.count == columns + 3 })
  }

  @Test(arguments: [5, 6, 4_020])
  func `the last message says if not all rows without a position are listed`(failures: Int) throws {
    let result = try locate([], "1\t2\n" + String(repeating: "x\t2\n", count: failures))
    let listed = (2...6).map { "citiesctl: row \($0): not a position: 'x, 2'\n" }.joined()
    let rest = failures > TableWriter.namedFailures ? "; only the first 5 are listed" : ""
    #expect(result.errors == "\(listed)citiesctl: no position in \(failures) of \(failures + 1) rows\(rest)\n")
    for verb in ["locate", "match"] {
      let help = try runFilter(["help", verb], "".utf8).output
      let words = help.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
      #expect(words.contains("the first five of these rows") && TableWriter.namedFailures == 5)
    }
  }

  @Test func `hexadecimal numbers are not degrees`() throws {
    let result = try locate([], "0x3b\t2\n11\t0X1P3\ninf\t2\n2e1\t1e-05\n")
    #expect(result.output == "0x3b\t2\t\t\t\n11\t0X1P3\t\t\t\ninf\t2\t\t\t\n2e1\t1e-05\t102\tC2, EE\t2\n")
    #expect(result.status == .partial && result.errors.hasPrefix("citiesctl: row 1: not a position: '0x3b, 2'\n"))
  }

  @Test func `columns take angles with letters and signs`() throws {
    let words = ["--lat", "lat", "--lon", "lon"]
    let result = try locate(words, "lat\tlon\n52.5N\t13.4E\n31°30'N\tW 3\n12.5\t−3\n13.4E\t52.5N\n52,5\t3\n")
    let lines = [
      "lat\tlon\tid\ttitle\tdistance\n", "52.5N\t13.4E\t105\tC5, EE\t5\n", "31°30'N\tW 3\t103\tC3, EE\t3\n",
      "12.5\t−3\t101\tC1, EE\t1\n", "13.4E\t52.5N\t\t\t\n", "52,5\t3\t105\tC5, EE\t5\n",
    ]
    #expect(result.output == lines.joined() && result.status == .partial)
  }

  @Test func `more rows than requests hold keep their order`() throws {
    let (input, rows) = TensServer.table(29_001)
    let result = try locate([], input)
    #expect(result.output == rows.joined() && result.status == .found && result.errors.isEmpty)
    #expect(try locate([], "").output.isEmpty)
  }

  @Test func `a quote inside a value is part of it`() throws {
    let result = try locate(
      ["--input", "csv", "--lat", "3", "--lon", "4"], "1,5\" pipe,11,2\n2,3\" rod,31,4\n3,\"6\"\", 7\",51,4\n")
    #expect(
      result.output == "1,5\" pipe,11,2,101,\"C1, EE\",1\n2,3\" rod,31,4,103,\"C3, EE\",3\n"
        + "3,\"6\"\", 7\",51,4,105,\"C5, EE\",5\n")
    #expect(result.status == .found && result.errors.isEmpty)
  }

  @Test func `a quote that does not end is an error after the rows before it`() throws {
    let result = try locate(["--input", "csv"], "11,2\n31,2,\"x\n51,2\n")
    let error = "citiesctl: row 2 has a value in quotes that does not end\n"
    #expect(result == FilterOutcome(status: .badData, output: "11,2,101,\"C1, EE\",1\n", errors: error))
  }

  @Test(arguments: [
    ("lat,lon", "lat"), ("\"lat\",\"lon\"", "lat"), ("\"l,\"\"a\"\"\",lon", "l,\"a\""), ("la\"\"t,lon", "la\"\"t"),
  ])
  func `a byte order mark is no part of a name`(head: String, name: String) throws {
    for mark in ["", "\u{FEFF}"] {
      let result = try locate(["--input", "csv", "--lat", name, "--lon", "lon"], "\(mark)\(head)\n1,2\n")
      let output = "\(mark)\(head),id,title,distance\n1,2,100,\"C0, EE\",0\n"
      #expect(result == FilterOutcome(status: .found, output: output, errors: ""))
    }
  }

  @Test func `a byte order mark is no part of a value`() throws {
    #expect(try locate([], "\u{FEFF}11\t2\n").output == "\u{FEFF}11\t2\t101\tC1, EE\t1\n")
    let result = try locate(["--input", "csv"], "\u{FEFF}\"11\",2\n")
    #expect(result.output == "\u{FEFF}\"11\",2,101,\"C1, EE\",1\n")
  }

  @Test(arguments: [
    ["--lat", "0"], ["--lat", "x"], ["--input", "xml"], ["--rule", "big"], ["--lon", ""], ["--lat", "10001"],
  ])
  func `wrong use is refused`(words: [String]) throws { #expect(try locate(words, "1\t2\n").status == .usage) }

  @Test func `degrees are read as the standard library reads them`() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<5_000 {
      let text = "\(Double.random(in: -180...180, using: &random))"
      for part in [text, String(text.prefix(7)), " " + text.prefix(4) + " "] {
        let plain = part.split(separator: " ").joined()
        #expect(Array(part.utf8).withUnsafeBytes { DegreeText.number($0) } == Double(plain))
      }
    }
    for (text, number) in [("1e-05", 0.00001), ("-1.5E+1", -15), ("+4", 4), ("1234567890.12345e-8", 12.3456789012345)] {
      #expect(Array(text.utf8).withUnsafeBytes { DegreeText.number($0) } == number)
    }
    for text in [
      "", " ", "-", ".", "1 2", "1,5", "x", "--1", "0x3b", "0X1P3", "-0x1.8p1", "inf", "-Infinity", "nan", "NaN(0)",
      "1e", "e1",
    ] {
      #expect(Array(text.utf8).withUnsafeBytes { DegreeText.number($0) } == nil)
    }
  }
}
