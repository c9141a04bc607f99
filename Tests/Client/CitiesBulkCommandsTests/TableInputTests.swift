import TestSupport
import Testing

@testable import CitiesBulkCommands
@testable import CitiesCommands

/// Tables as spreadsheets and other programs write them.
@Suite struct TableInputTests {
  private let names = ["--lat", "lat", "--lon", "lon"]

  private func locate(_ words: [String], _ input: some Sequence<UInt8>) throws -> FilterOutcome {
    let server = try TensServer().server
    defer { server.stop() }
    return try runFilter(["locate", "--socket", server.path] + patient(words), input)
  }

  @Test(arguments: [
    ("tsv", ";", "semicolon"), ("csv", ";", "semicolon"), ("csv", "\t", "tab"), ("tsv", ",", "comma"),
    ("tsv", "|", "bar"), ("csv", "|", "bar"),
  ])
  func `another separator is taken if only it has the named columns`(
    form: String, separator: String, name: String
  ) throws {
    let table = "n;lat;lon\r\n\"x;\ny\";52.5;13.4\r\n".map { $0 == ";" ? separator : String($0) }.joined()
    let result = try locate(["--input", form] + names, table.utf8)
    let title = separator == "," ? "\"C5, EE\"" : "C5, EE"
    let expected = [
      "n", "lat", "lon", "id", "title", "distance\r\n\"x\(separator)\ny\"", "52.5", "13.4", "105", title, "5\r\n",
    ]
    #expect(result.status == .found && result.output == expected.joined(separator: separator))
    #expect(
      result.errors
        == "citiesctl: the table is read with --separator \(name), with which its first row has the columns "
        + "'lat' and 'lon'\n")
    for word in [name, separator] {
      let explicit = try locate(["--separator", word] + names, table.utf8)
      #expect(explicit == FilterOutcome(status: .found, output: result.output, errors: ""))
    }
  }

  @Test func `a separator with which the first row has the columns stays`() throws {
    let result = try locate(["--input", "csv"] + names, "lat,lon,a;lat;lon\n11,2,x;31;4\n".utf8)
    #expect(result.errors.isEmpty && result.output.hasSuffix("11,2,x;31;4,101,\"C1, EE\",1\n"))
    // One that is named is not replaced.
    let named = try locate(["--separator", "bar"] + names, "lat;lon\n1;2\n".utf8)
    #expect(named.status == .usage && named.errors.contains("no column is named 'lat'; there are lat;lon"))
    #expect(try locate(["--input", "csv"] + names, "lat;x\n1;2\n".utf8).status == .usage)
  }

  @Test func `the first row is read once more with the separator that is taken`() throws {
    let result = try locate(["--input", "csv"] + names, "lat;lon;\"a,\nb\"\n11;2;x\n".utf8)
    #expect(result.output == "lat;lon;\"a,\nb\";id;title;distance\n11;2;x;101;C1, EE;1\n")
    let early = try locate(names, "\"a;\nb\";lat;lon\nx;11;2\n".utf8)
    #expect(early.output == "\"a;\nb\";lat;lon;id;title;distance\nx;11;2;101;C1, EE;1\n")
    // A quote that does not end with any of them is not why the column is missing.
    let open = try locate(names, "a;\"lat\nx;11\n".utf8)
    #expect(open.status == .usage && open.errors.hasPrefix("citiesctl: no column is named 'lat'; there are a;\"lat\n"))
    let tabs = try locate(names, "\"lat\"\t\"lon\"\n\"11\"\t2\n".utf8)
    #expect(tabs.output.hasSuffix("\"11\"\t2\t101\tC1, EE\t1\n") && tabs.errors.contains("--separator tab"))
  }

  @Test func `commas are decimal points unless they separate values`() throws {
    #expect(try locate([], "52,5\t-13,4\n".utf8).output == "52,5\t-13,4\t105\tC5, EE\t5\n")
    let spreadsheet = "\u{FEFF}lat;lon\r\n52,5;13,4\r\n1,2,3;4\r\n1.000,5;4\r\n61.5;2\r\n;\r\n"
    let result = try locate(["--separator", ";"] + names, spreadsheet.utf8)
    let lines = [
      "\u{FEFF}lat;lon;id;title;distance", "52,5;13,4;105;C5, EE;5", "1,2,3;4;;;", "1.000,5;4;;;",
      "61.5;2;106;C6, EE;6",
      ";;;;", "",
    ]
    #expect(result.output == lines.joined(separator: "\r\n") && result.status == .partial)
    #expect(try locate(["--input", "csv"], "\"52,5\",\"13,4\"\n".utf8).output == "\"52,5\",\"13,4\",,,\n")
  }

  @Test func `added columns get a prefix if the table has one of them`() throws {
    let table = "id,title,lat,lon\n7,x,11,2\n"
    let result = try locate(["--input", "csv"] + names, table.utf8)
    #expect(result.output.hasPrefix("id,title,lat,lon,city_id,city_title,city_distance\n7,x,11,2,101,"))
    let note = "citiesctl: the table has a column 'id' already: the added columns are city_id, city_title and so on"
    #expect(result.errors.hasPrefix(note) && result.status == .found)
    let again = try locate(["--input", "csv"] + names, result.output.utf8)
    #expect(
      again.output.hasPrefix("id,title,lat,lon,city_id,city_title,city_distance,city2_id,city2_title,city2_distance\n"))
    let chosen = try locate(["--input", "csv", "--prefix", "a,\""] + names, table.utf8)
    #expect(chosen.output.hasPrefix("id,title,lat,lon,\"a,\"\"id\",\"a,\"\"title\",") && chosen.errors.isEmpty)
    #expect(
      try locate(["--prefix", ""] + names, "lat\tlon\tid\n".utf8).output == "lat\tlon\tid\tid\ttitle\tdistance\n")
  }

  @Test func `a first row with names is kept for columns that are counted`() throws {
    let result = try locate(["--header", "--lat", "2", "--lon", "3"], "id\tx\ty\n7\t11\t2\n7\t1\n".utf8)
    #expect(result.output == "id\tx\ty\tcity_id\tcity_title\tcity_distance\n7\t11\t2\t101\tC1, EE\t1\n7\t1\t\t\t\t\n")
    #expect(result.status == .partial && result.errors.contains("row 3 has 2 values and the header 3"))
    #expect(try locate(["--header"], "".utf8) == FilterOutcome(status: .found, output: "", errors: ""))
  }

  @Test(arguments: [[], ["--header"]]) func `a column beyond the first row is refused once`(words: [String]) throws {
    let result = try locate(words, "11;2\n21;2\n".utf8)
    let error =
      "citiesctl: there is no column 2: the first row has one column; with --separator semicolon it has more\n"
    #expect(result.status == .usage && result.output.isEmpty && result.errors.hasPrefix(error))
    let tabs = try locate(["--lon", "9"] + words, "11\t2\n".utf8)
    #expect(
      tabs.status == .usage && tabs.errors.hasPrefix("citiesctl: there is no column 9: the first row has 2 columns\n"))
    // An empty row and later rows may be shorter.
    #expect(try locate([], "\n11\t2\n3\n".utf8).errors.contains("no position in 2 of 3 rows"))
  }

  @Test(arguments: [true, false]) func `a table in UTF-16 is decoded`(isBigEndian: Bool) throws {
    let text = "\u{FEFF}lat\tlon\tä𝄞\r\n11\t2\t\"€\"\r\n\t\t\r\n"
    let bytes = text.utf16.flatMap {
      isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)]
    }
    let result = try locate(names, bytes)
    let lines = ["\u{FEFF}lat\tlon\tä𝄞\tid\ttitle\tdistance", "11\t2\t\"€\"\t101\tC1, EE\t1", "\t\t\t\t\t", ""]
    #expect(result.output == lines.joined(separator: "\r\n"))
    let cut = try locate(names, bytes.dropLast())
    #expect(cut.status == .badData && cut.output == lines.dropLast(2).joined(separator: "\r\n") + "\r\n")
    #expect(cut.errors == "citiesctl: row 3 is not utf-16 at byte \(bytes.count - 1) of the table\n")
  }

  @Test func `a table that is compressed is refused in one sentence`() throws {
    let gzip = try locate(names, [0x1F, 0x8B, 8, 0, 10, 10])
    let error = "citiesctl: the table is compressed; write 'gzip -dc FILE | citiesctl locate'\n"
    #expect(gzip == FilterOutcome(status: .badData, output: "", errors: error))
    let zip = try locate([], Array("PK\u{3}\u{4}\n".utf8))
    #expect(zip.status == .badData && zip.errors.contains("zip archive"))
    // A table may start like one.
    #expect(try locate([], [0x1F]).status == .usage)
    #expect(try locate([], Array("PK\t\n".utf8)).status == .partial)
  }

  @Test(arguments: [
    ["--separator", "x"], ["--separator", "é"], ["--separator", "\""], ["--separator", ""], ["--separator", "."],
    ["--separator", ";", "--input", "tsv"], ["--encoding", "ebcdic"], ["--prefix", "x"],
  ])
  func `wrong use is refused`(words: [String]) throws {
    let result = try locate(words, "1\t2\n".utf8)
    #expect(result.status == .usage && result.output.isEmpty)
  }

  /// What a decoder makes of pieces of `bytes`, and where it finds them invalid.
  private func decoded(_ encoding: TableEncoding, _ bytes: [UInt8], piece: Int) -> (text: [UInt8], invalid: Int?) {
    var decoder = TableDecoder(encoding, isBigEndian: false)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: piece) {
      text += bytes[start..<min(start + piece, bytes.count)].withUnsafeBytes { decoder.decode($0, isLast: false) }
    }
    text += decoder.decode(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true)
    return (text, decoder.invalidOffset)
  }

  @Test(arguments: [1, 2, 3, 100]) func `encodings are decoded wherever reads divide the table`(piece: Int) {
    let cases: [(TableEncoding, [UInt8], String, Int?)] = [
      (.latin1, [0x4D, 0xFC, 0x80, 0xFF], "Mü\u{80}ÿ", nil), (.windows1252, [0x80, 0xFC, 0x9F], "€üŸ", nil),
      (.windows1252, [0x41, 0x42, 0x81, 0x43], "AB", 2), (.utf8, [], "", nil),
      (.utf16, [0x41, 0, 0xFC, 0, 0x34, 0xD8, 0x1E, 0xDD, 0x42, 0], "Aü𝄞B", nil),
      (.utf16, [0x41, 0, 0x34, 0xD8, 0x41, 0], "A", 2), (.utf16, [0x41, 0, 0x1E, 0xDD], "A", 2),
      (.utf16, [0x41, 0, 0x34, 0xD8], "A", 2), (.utf16, [0x41, 0, 0x42], "A", 2),
    ]
    for (encoding, bytes, text, invalid) in cases {
      let found = decoded(encoding, bytes, piece: piece)
      #expect(found.text == Array(text.utf8) && found.invalid == invalid, "\(encoding) \(bytes)")
    }
  }
}
