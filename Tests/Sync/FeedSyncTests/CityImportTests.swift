import CBOR
import Cities
import CitiesProtocol
import FeedSync
import Resident
import TestSupport
import Testing

@Suite("City import")
struct CityImportTests {
  @Test func `a list becomes an index that gives back every record`() throws {
    let folder = try TemporaryFolder()
    let made = try imported(
      list(record(7, "Hurzuf", country: "UA", lat: "44.549999", lon: "34.283333"), record(5, "Aachen")))
    try made.image.write(to: folder.path("cities.index"))
    let cities = try ResidentCities(path: folder.path("cities.index"))
    #expect(cities.count == 2)
    #expect(cities.summary == ResidentCities.Summary(records: 2))
    #expect(cities.generation == made.image.generation)
    let rows = try withExtendedLifetime(cities) {
      try (0..<2).map { try CBORDecoder().decode(CityRow.self, from: cities.index.row(at: $0).bytes) }
    }
    #expect(
      rows == [
        CityRow(id: 5, lat: 1.5, lon: 2.5, name: "Aachen", country: "DE"),
        CityRow(id: 7, lat: 44.549999, lon: 34.283333, name: "Hurzuf", country: "UA"),
      ])
  }

  @Test func `plain and packed, with and without byte-order mark and blanks, the cities are the same`() throws {
    let plain = list(record(1, "A"), record(2, "B"))
    let sections = try imported(plain).image.header.sections
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    for bytes in [gzip(plain), mark + plain, gzip(mark + plain), Array(" \r\n\t".utf8) + plain + Array("\n".utf8)] {
      #expect(try imported(bytes).image.header.sections == sections)
    }
  }

  @Test func `the same bytes give the same index, other bytes another fingerprint`() throws {
    let bytes = list(record(1, "A"), record(2, "B"))
    #expect(try imported(bytes).image.bytes == imported(bytes).image.bytes)
    #expect(try imported(bytes).image.header.fingerprint != imported(bytes + [0x20]).image.header.fingerprint)
  }

  @Test(
    arguments: [
      ("5", "the record is not an object"), ("null", "the record is null"), ("\"x\"", "the record is not an object"),
      ("[]", "the record is not an object"), ("{}", "coord is missing"),
      (#"{"name":"A","country":"DE","coord":{"lon":1,"lat":1}}"#, "_id is missing"),
      (#"{"_id":1,"country":"DE","coord":{"lon":1,"lat":1}}"#, "name is missing"),
      (#"{"_id":1,"name":"A","coord":{"lon":1,"lat":1}}"#, "country is missing"),
      (#"{"_id":1,"name":"A","country":"DE"}"#, "coord is missing"),
      (#"{"_id":1,"name":"A","country":"DE","coord":{"lon":1}}"#, "coord.lat is missing"),
      (#"{"_id":1,"name":"A","country":"DE","coord":{"lat":1}}"#, "coord.lon is missing"),
      (#"{"_id":1,"name":"A","country":"DE","coord":[1,1]}"#, "coord is not an object"),
      (#"{"_id":1,"name":"A","country":"DE","coord":null}"#, "coord is null"),
      (record(1, "A", lat: "\"1\""), "coord.lat is not a number"),
      (record(1, "A", lon: "null"), "coord.lon is null"),
      (record(1, "A", lon: "true"), "coord.lon is not a number"),
      (record(1, "A", lat: "91"), "latitude 91.0 is not between -90 and 90"),
      (record(1, "A", lat: "-90.0000001"), "latitude -90.0000001 is not between -90 and 90"),
      (record(1, "A", lon: "180.5"), "longitude 180.5 is not between -180 and 180"),
      (record(1, "A", lon: "1e999"), "coord.lon: the number is out of range"),
      (record(0, "A"), "the id is 0; ids start at 1"),
      (record(-1, "A"), "_id: the number is out of range"),
      (#"{"_id":"1","name":"A","country":"DE","coord":{"lon":1,"lat":1}}"#, "_id is not a number"),
      (#"{"_id":1.5,"name":"A","country":"DE","coord":{"lon":1,"lat":1}}"#, "_id: the number is out of range"),
      (#"{"_id":1,"name":7,"country":"DE","coord":{"lon":1,"lat":1}}"#, "name is not a text"),
      (
        #"{"_id":1,"name":"A","country":"DE","coord":{"lon":1,"lat":1},"population":"5"}"#, "population is not a number"
      ),
      (record(1, ""), "the name is empty"),
      (record(1, "\\u0001"), "the name contains U+0000 or U+0001"),
      (record(1, "A\\u0000"), "the name contains U+0000 or U+0001"),
      (record(1, String(repeating: "n", count: 513)), "the name has 513 bytes, at most 512 are kept"),
    ])
  func `a bad record is skipped and reported by position, with what is wrong`(text: String, problem: String) throws {
    let made = try imported(list(record(2, "Good"), text, record(3, "Better")))
    #expect(made.summary == ResidentCities.Summary(records: 2, skipped: 1))
    #expect(made.remarks == ["list: record 2 skipped: \(problem)"])
  }

  @Test func `a name of 10 MB is one bad record, and costs little`() throws {
    let made = try imported(list(record(1, String(repeating: "é", count: 5 << 20)), record(2, "Good")))
    #expect(made.summary == ResidentCities.Summary(records: 1, skipped: 1))
    #expect(made.remarks == ["list: record 1 skipped: the name has 10485760 bytes, at most 512 are kept"])
  }

  @Test func `unknown keys are ignored, population is kept or unknown`() throws {
    let text =
      #"{"_id":1,"name":"A","country":"DE","coord":{"lon":1,"lat":1,"alt":3},"population":12,"tags":[{"x":[]}]}"#
    #expect(try imported(list(text)).summary == ResidentCities.Summary(records: 1))
    let unknown = #"{"_id":1,"name":"A","country":"DE","coord":{"lon":1,"lat":1},"population":null}"#
    #expect(try imported(list(unknown)).summary == ResidentCities.Summary(records: 1))
  }

  @Test func `names are composed: NFD and NFC give the same index`() throws {
    let decomposed = try imported(list(record(1, "Sa\\u0303o Paulo")))
    let composed = try imported(list(record(1, "S\\u00e3o Paulo")))
    #expect(decomposed.image.generation == composed.image.generation)
  }

  @Test func `cities with one id are all kept; equal ones are one, and the larger population is kept`() throws {
    let many = String(record(2, "Other").dropLast()) + ",\"population\":7}"
    let made = try imported(list(record(1, "Old"), record(2, "Other"), record(1, "New"), record(1, "Old"), many))
    #expect(made.summary == ResidentCities.Summary(records: 3, repeated: 1, replaced: 1))
    #expect(
      made.remarks == [
        "list: record 4 repeated: the city with id 1 is in an earlier record, with equal fields",
        "list: record 5 replaced: an earlier record of the city with id 2 has another population; the larger one is kept",
      ])
    #expect(
      try imported(list(many, record(1, "New"), record(1, "Old"))).image.header.sections.dropFirst()
        == made.image.header.sections.dropFirst())
  }

  @Test func `the first 20 bad records are reported in full, the rest as a number`() throws {
    let bad = (1...25).map { record($0, "") }
    let made = try imported(Array("[\(bad.joined(separator: ",")),\(record(99, "Good"))]".utf8))
    #expect(made.summary.skipped == 25)
    #expect(made.remarks.count == 21)
    #expect(made.remarks.last == "list: 25 records are not kept; the first 20 are listed")
  }

  @Test(
    arguments: [
      ("", "expected a JSON array of cities, found nothing"),
      ("  \n", "expected a JSON array of cities, found nothing"),
      ("{\"a\":[]}", "expected a JSON array of cities, found an object"),
      ("\"a\"", "expected a JSON array of cities, found text"),
      ("12", "expected a JSON array of cities, found no JSON"),
      ("[{\"_id\":1},", "the JSON is broken at byte 11 (line 1): the text ends within an array"),
      ("[1\n 2]", "the JSON is broken at byte 4 (line 2): unexpected \"2\""),
      ("[]x", "the JSON is broken at byte 2 (line 1): unexpected \"x\""),
    ])
  func `anything but a JSON array is refused whole, by what it is`(text: String, problem: String) {
    let error = refusal(Array(text.utf8))
    #expect(error?.reason == .badData)
    #expect(error?.description == "list: \(problem); nothing was imported")
  }

  @Test(arguments: ["[", "{\"a\":", "[{\"coord\":"])
  func `a bomb of nested arrays is refused, not followed`(opening: String) {
    let bomb = "[" + String(repeating: opening, count: 100_000)
    #expect(refusal(Array(bomb.utf8))?.description.contains("512 arrays and objects inside each other") == true)
  }

  @Test func `a list that is cut off anywhere is refused, plain and packed`() {
    let plain = list(record(1, "A"), record(2, "B"))
    for count in 0..<plain.count { #expect(refusal(Array(plain[..<count])) != nil, "\(count) plain") }
    let packed = gzip(plain)
    for count in 0..<packed.count { #expect(refusal(Array(packed[..<count])) != nil, "\(count) packed") }
  }

  @Test(arguments: ["[]", "[5,6]"])
  func `a list without a single good record is refused unless that is allowed`(text: String) throws {
    let error = refusal(Array(text.utf8))
    #expect(error?.reason == .badData)
    #expect(error?.description.hasPrefix("list: no city in it") == true)
    #expect(try imported(Array(text.utf8), allowsEmpty: true).summary.records == 0)
  }
}
