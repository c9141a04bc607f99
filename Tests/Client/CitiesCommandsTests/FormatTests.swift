import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesCommands

@Suite struct FormatTests {
  static let rows = [
    city(588_409, "Tallinn", "EE", lat: 59.43696, lon: 24.75353, population: 394_024),
    city(2, "東京", "JP", lat: 35, lon: 139.5),
    city(3, "a\tb, \"c\"\u{9C}", "XX", lat: -0.5, lon: 0),
  ]

  private func rendered(_ renderer: RowRenderer, _ rows: [CityRow] = FormatTests.rows) throws -> String {
    let output = OutputStream(descriptor: -1)
    output.keepsEverything = true
    let listing = CityListing.of(rows, total: 7, generation: "00000000000000aa")
    try renderer.render(listing, to: output)
    return String(decoding: output.bytes, as: UTF8.self)
  }

  @Test func `TSV has frozen columns and no head line`() throws {
    #expect(
      try rendered(RowRenderer(format: .tsv)) == """
        Tallinn, EE\t59.43696\t24.75353\t588409\tEE\tTallinn\t394024
        東京, JP\t35.0\t139.5\t2\tJP\t東京\t
        a\\tb, "c"\\u009c, XX\t-0.5\t0.0\t3\tXX\ta\\tb, "c"\\u009c\t

        """)
  }

  @Test func `a row without values is no blank line in CSV`() throws {
    let rows = [city(1, "a", population: 5), city(2, "b")]
    #expect(try rendered(RowRenderer(format: .csv, columns: ["population"]), rows) == "population\r\n5\r\n\"\"\r\n")
    #expect(
      try rendered(RowRenderer(format: .csv, columns: ["population", "region"]), [city(2, "b")])
        == "population,region\r\n,\r\n")
  }

  @Test func `a key is once in an object`() throws {
    let twice = ["id", "name", "id"]
    #expect(try rendered(RowRenderer(format: .jsonl, columns: twice), [city(1, "a")]) == "{\"id\":1,\"name\":\"a\"}\n")
    #expect(try rendered(RowRenderer(format: .tsv, columns: twice), [city(1, "a")]) == "1\ta\t1\n")
  }

  @Test func `nul ends rows and values are raw`() throws {
    let renderer = RowRenderer(format: .tsv, columns: ["name", "id"], endsRowsWithNUL: true)
    #expect(try rendered(renderer) == "Tallinn\t588409\0東京\t2\0a\tb, \"c\"\u{9C}\t3\0")
  }

  @Test func `value cannot end a row that ends with NUL`() throws {
    let renderer = RowRenderer(format: .tsv, columns: ["name", "id"], endsRowsWithNUL: true)
    #expect(try rendered(renderer, [city(1, "a\0b")]) == "a\\u0000b\t1\0")
  }

  @Test func `table is aligned by the width of cells and shows no control character`() throws {
    #expect(
      try rendered(RowRenderer(format: .table, columns: ["name", "id", "population"])) == """
        NAME                     ID  POPULATION
        Tallinn              588409     394,024
        東京                      2
        a\\u0009b, "c"\\u009c       3

        """)
  }

  @Test func `table leaves out a column without values`() throws {
    let table = try rendered(RowRenderer(format: .table, columns: ["id", "population"]), [city(1, "a")])
    #expect(table == "ID\n 1\n")
  }

  @Test func `CSV is RFC 4180 with a head line`() throws {
    #expect(
      try rendered(RowRenderer(format: .csv, columns: ["title", "population"]))
        == "title,population\r\n\"Tallinn, EE\",394024\r\n\"東京, JP\",\r\n\"a\tb, \"\"c\"\"\\u009c, XX\",\r\n")
  }

  @Test func `JSON is one object with the fields of the wire`() throws {
    #expect(
      try rendered(RowRenderer(format: .json)) == #"""
        {"total":7,"generation":"00000000000000aa","rows":[
        {"title":"Tallinn, EE","lat":59.43696,"lon":24.75353,"id":588409,"country":"EE","name":"Tallinn","population":394024},
        {"title":"東京, JP","lat":35.0,"lon":139.5,"id":2,"country":"JP","name":"東京"},
        {"title":"a\tb, \"c\"\u009c, XX","lat":-0.5,"lon":0.0,"id":3,"country":"XX","name":"a\tb, \"c\"\u009c"}
        ]}

        """#)
  }

  /// A city with everything that a row may say.
  static let detailed: CityRow = {
    var row = city(588_409, "Tallinn", "EE", lat: 59.43696, lon: 24.75353, population: 394_024)
    (row.region, row.regionCode, row.zone) = ("Harjumaa", "01", "Europe/Tallinn")
    row.alternates = ["Reval", "TLL"]
    return row
  }()

  @Test func `parts of rows stand in tables in JSON and where they are named`() throws {
    #expect(
      try rendered(RowRenderer(format: .jsonl), [Self.detailed]) == #"""
        {"title":"Tallinn, EE","lat":59.43696,"lon":24.75353,"id":588409,"country":"EE","name":"Tallinn","population":394024,"region":"Harjumaa","region_code":"01","zone":"Europe/Tallinn","alternates":["Reval","TLL"]}

        """#)
    let tsv = RowRenderer(format: .tsv)
    #expect(try rendered(tsv, [Self.detailed]) == rendered(tsv, [Self.rows[0]]))
    let columns = ["region", "region_code", "zone", "alternates"]
    #expect(
      try rendered(RowRenderer(format: .tsv, columns: columns), [Self.detailed])
        == "Harjumaa\t01\tEurope/Tallinn\tReval, TLL\n")
    #expect(
      try rendered(RowRenderer(format: .table), [Self.detailed]) == """
        TITLE        REGION    POPULATION       LAT       LON      ID
        Tallinn, EE  Harjumaa     394,024  59.43696  24.75353  588409

        """)
  }

  @Test(
    arguments: [
      ([], true, [.region]), ([], false, nil), (["id"], true, nil), (["region_code", "id"], false, [.region]),
      (["alternates", "zone", "region"], true, [.region, .zone, .alternates]),
    ] as [([String], Bool, [CityPart]?)])
  func `parts are asked for where they are shown`(columns: [String], isTable: Bool, parts: [CityPart]?) {
    #expect(CityListing.parts(columns, isTable: isTable) == parts)
  }

  @Test func `JSON lines are the rows and columns can be chosen`() throws {
    #expect(
      try rendered(RowRenderer(format: .jsonl, columns: ["title", "id"])) == #"""
        {"title":"Tallinn, EE","id":588409}
        {"title":"東京, JP","id":2}
        {"title":"a\tb, \"c\"\u009c, XX","id":3}

        """#)
  }

  @Test func `GeoJSON puts longitude first and the rest into properties`() throws {
    #expect(
      try rendered(RowRenderer(format: .geojson), [Self.rows[0]]) == #"""
        {"type":"FeatureCollection","features":[
        {"type":"Feature","geometry":{"type":"Point","coordinates":[24.75353,59.43696]},"properties":{"title":"Tallinn, EE","id":588409,"country":"EE","name":"Tallinn","population":394024}}
        ]}

        """#)
  }

  @Test(
    arguments: [
      (.table, ""), (.tsv, ""), (.jsonl, ""), (.csv, "id\r\n"),
      (.json, "{\"total\":7,\"generation\":\"00000000000000aa\",\"rows\":[]}\n"),
      (.geojson, "{\"type\":\"FeatureCollection\",\"features\":[]}\n"),
    ] as [(OutputFormat, String)])
  func `no rows are no output or an empty document`(format: OutputFormat, expected: String) throws {
    #expect(try rendered(RowRenderer(format: format, columns: ["id"]), []) == expected)
  }

  @Test(arguments: OutputFormat.ofRows) func `unknown column is wrong use in every format`(format: OutputFormat) {
    let failure = #expect(throws: CommandFailure.self) {
      try rendered(RowRenderer(format: format, columns: ["id", "size"]))
    }
    #expect(failure?.status == .usage && failure?.message.contains("'size'") == true)
  }

  @Test func `rows that lie nowhere have no geo JSON`() {
    let outcome = FeedOutcome(feed: .cities, outcome: .reused)
    let listing = Listing(columns: RefreshVerb.columns, rows: [outcome], total: 1)
    #expect(throws: CommandFailure.self) {
      try RowRenderer(format: .geojson).render(listing, to: OutputStream(descriptor: -1))
    }
  }

  @Test(
    arguments: [
      (.always, false, [:], true), (.never, true, ["CLICOLOR_FORCE": "1"], false), (.auto, true, [:], true),
      (.auto, false, [:], false), (.auto, true, ["NO_COLOR": "1"], false), (.auto, true, ["NO_COLOR": ""], true),
      (.auto, false, ["CLICOLOR_FORCE": "1"], true), (.auto, false, ["CLICOLOR_FORCE": "0"], false),
      (.auto, true, ["TERM": "dumb"], false), (.auto, true, ["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], false),
    ] as [(ColourChoice, Bool, [String: String], Bool)])
  func `colour follows the manners`(choice: ColourChoice, terminal: Bool, environment: [String: String], expected: Bool)
  {
    #expect(choice.applies(toTerminal: terminal, environment: { environment[$0] }) == expected)
  }

  @Test(arguments: [
    (31, "31 µs"), (999, "999 µs"), (1_000, "1.0 ms"), (949, "949 µs"), (12_345, "12.3 ms"), (2_000_000, "2.0 s"),
  ])
  func `timing is readable`(microseconds: Int, expected: String) {
    #expect(timingText(.microseconds(microseconds)) == expected)
  }
}
