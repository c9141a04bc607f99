import CitiesProtocol
import Testing

@testable import CitiesCommands

@Suite struct ArgumentTests {
  @Test(arguments: [
    ("-33.9,18.4", false), ("-33,18", false), ("-0.5,x", false), ("-.5,1", false), ("-5.,1", false), ("-1,", false),
    ("-1,-2", false), ("33.9,18.4", false), ("-33.9", false), ("-12.50", false), ("-0.5", false), ("-0,5", false),
    ("-1e3", false), ("-a,b", true), ("--1,2", true), ("-,1", true), ("-.,1", true), ("-0", true), ("-0o", true),
    ("-", false), ("-.", true), ("--", true), ("", false), ("-o", true), ("o", false),
  ])
  func `negative numbers are no options`(word: String, isOption: Bool) {
    #expect(ArgumentTable.isOption(word) == isOption)
  }

  @Test(arguments: [
    ("59.437,24.7536", 59.437, 24.7536), ("-33.9,18.4", -33.9, 18.4), ("0,0", 0, 0),
    ("+1,-2", 1, -2), ("59.437, 24.7536", 59.437, 24.7536), ("90,180", 90, 180), ("-90,-180", -90, -180),
    ("geo:59.437,24.7536", 59.437, 24.7536), ("GEO:-1,2", -1, 2), ("geo:1,2,3", 1, 2), ("geo:1,2;u=35", 1, 2),
    ("geo:1,2;crs=WGS84;u=3", 1, 2),
    ("43.74° N 7.42° E", 43.74, 7.42), ("59.437N,24.754E", 59.437, 24.754), ("33.9 s 18.4 w", -33.9, -18.4),
    ("24°45′E, 59°30′36″N", 59.51, 24.75), ("0°0'36\"S 0°W", -0.01, 0), ("90°N 180° E", 90, 180),
    ("51.48º\u{a0}N,\u{202f}0°W", 51.48, 0), ("59°\t30.0'N , 24.75E", 59.5, 24.75),
  ])
  func `position is read`(word: String, lat: Double, lon: Double) throws {
    #expect(try PlaceArgument.parse(word) == Place(at: Position(lat: lat, lon: lon)))
  }

  @Test(arguments: [
    ("91,0", "latitude must be from -90 to 90, not 91"), ("-90.5,0", "not -90.5"), ("0,181", "not 181"),
    ("0,-180.1", "longitude"), ("91° N 7° E", "latitude"), ("9° N 190° W", "not -190"),
    ("geo:91,0", "latitude"), ("geo:", "geo:LAT,LON"), ("geo:1", "geo:LAT,LON"), ("geo:1,2,3,4", "geo:LAT,LON"),
    ("geo:a,b", "geo:LAT,LON"), ("geo:1,2;crs=moon", "reference system"), ("-33.9,x", "LAT,LON"),
    ("-1,2,3", "LAT,LON"), ("", "a place is missing or empty"), ("nan,nan", "not a position: 'nan,nan'"),
    ("1,", "LAT,LON"),
    (",", "LAT,LON"),
    ("1,2,3", "LAT,LON"), ("1e3,2", "in degrees"), ("0x10,2", "LAT,LON"), ("inf, 1", "LAT,LON"),
  ])
  func `what is no position says why`(word: String, reason: String) {
    let message =
      #expect(throws: (any Error).self) { try PlaceArgument.parse(word) }.map { "\($0)" } ?? ""
    #expect(message.contains(reason), "\(message)")
  }

  @Test(arguments: [
    "1770, AU", "Nan, TH", "Tallinn, EE", "1.5", "1 2", "100 Mile House, CA", ", x", "43.74° N", "1°N 2°N",
    "1 60′N 2°E",
    "1.2.3°N 2°E", "1°2°3°4°N 5°E", "1°N 2°E 3", "S", "new",
    "43.5°30′N 1°E", "1770, N 1 E", "5 E 3 N 2, S",
  ])
  func `other words are names`(word: String) throws {
    #expect(try PlaceArgument.parse(word) == Place(query: word))
  }

  @Test(arguments: [("0", UInt64(0)), ("588409", 588_409), ("18446744073709551615", .max)])
  func `digits are an id`(word: String, id: UInt64) throws {
    #expect(try PlaceArgument.parse(word) == Place(id: id))
  }

  @Test(arguments: [
    ("2", 2_000), ("0.5", 500), ("200ms", 200), ("2s", 2_000), ("0", 0), ("86400", 86_400_000),
  ])
  func `duration is read`(word: String, milliseconds: Int) throws {
    #expect(try OptionValue<Duration>.duration.read("--wait", word) == .milliseconds(milliseconds))
  }

  @Test(arguments: ["", "s", "ms", "-1", "nan", "inf", "86401", "2m", "1e300"])
  func `what is no duration is refused`(word: String) {
    #expect(throws: (any Error).self) { try OptionValue<Duration>.duration.read("--wait", word) }
  }

  @Test(arguments: [("500", 500), ("500m", 500), ("2.5km", 2_500), ("0", 0), ("5mi", 8_046.72)] as [(String, Double)])
  func `distance is read`(word: String, metres: Double) throws {
    #expect(try OptionValue<Double>.distance.read("--radius", word) == metres)
  }

  @Test(arguments: ["0", "1001", "-1", "x", "", "1.0", "+5", "1e3"])
  func `what is no count in range says the range and what it got`(word: String) {
    let message = #expect(throws: (any Error).self) {
      try OptionValue<UInt64>.count(from: 1, to: 1_000).read("--limit", word)
    }
    #expect(message.map { "\($0)" } == "--limit must be a whole number from 1 to 1000, not '\(word)'")
  }

  @Test(arguments: ["", "km", "-1", "nan", "inf", "1e308km", "5furlongs"])
  func `what is no distance is refused`(word: String) {
    #expect(throws: (any Error).self) { try OptionValue<Double>.distance.read("--radius", word) }
  }

  @Test(arguments: [
    (["search", "a", "--output", "json"], true), (["search", "-o", "jsonl", "a"], true),
    (["search", "--output=geojson"], true), (["search", "-o=json"], true), (["search", "-ojson"], true),
    (["search", "-otsv"], false), (["search", "a"], false),
    (["search", "--output", "tsv"], false),
    (["search", "--", "--output", "json"], false), (["search", "--output"], false), ([], false),
  ])
  func `format of errors is known before parsing`(words: [String], isJSON: Bool) {
    #expect(CommandLineParser.asksForJSON(words) == isJSON)
  }
}
