import Cities
import CitiesProtocol
import FeedSync
import Resident
import TestSupport
import Testing

/// Dumps as GeoNames publishes them, plain and packed.
@Suite("Dumps of GeoNames'")
struct GeoNamesDumpTests {
  private static let tallinn = DumpLine(
    asciiName: "Tallin", alternates: "TLL,Reval,Таллин")
  private static let harju = DumpLine(
    id: "592170", name: "Harjumaa", featureClass: "A", featureCode: "ADM1", population: "0")
  private static let imavere = DumpLine(
    id: "999", name: "Imavere", asciiName: "Imavere", latitude: "-58.7", longitude: "-25.5", featureCode: "PPL",
    regionCode: "00", countyCode: "", population: "0", zone: "")

  @Test func `a line becomes a city with its other names, region, county and time zone`() throws {
    let made = try imported(dumpText(Self.tallinn, Self.imavere))
    #expect(made.summary == ResidentCities.Summary(records: 2) && made.remarks.isEmpty)
    #expect(
      try made.cities() == [
        ImportedCity(name: "Imavere", country: "EE"),
        ImportedCity(
          name: "Tallinn", country: "EE", population: 394_024, alternates: ["TLL", "Reval", "Таллин", "Tallin"],
          regionCode: "01", countyCode: "0784", zone: "Europe/Tallinn"),
      ])
  }

  @Test
  func `plain, packed with gzip and zipped, with and without a byte-order mark and a last LF, the cities are the same`()
    throws
  {
    let plain = dumpText(Self.tallinn, Self.imavere)
    let sections = try imported(plain).image.header.sections
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let returns = Array(String(decoding: plain, as: UTF8.self).replacing("\n", with: "\r\n").utf8)
    for bytes in [
      Array(plain.dropLast()), mark + plain, gzip(plain), zip(plain), zip(plain, method: 0), zip(mark + plain), returns,
    ] {
      #expect(try imported(bytes).image.header.sections == sections)
    }
    let json = list(record(1, "A"))
    #expect(try imported(zip(json)).image.header.sections == imported(json).image.header.sections)
  }

  @Test func `a dump that is read in pieces loses no line, and its faults have their places`() throws {
    let lines = (1...30_000).map { number in
      DumpLine(
        id: "\(number)", name: "Town \(number)", asciiName: "Town", alternates: "T\(number),Küla \(number)"
      ).text
    }
    let plain = dumpText(lines)
    let sections = try imported(plain).image.header.sections
    for bytes in [gzip(plain), zip(plain), zip(plain, method: 0)] {
      #expect(try imported(bytes).image.header.sections == sections)
    }
    let start = dumpText(Array(lines[..<29_999])).count
    var damaged = Array(plain[..<start])
    damaged += Array("7\t".utf8)
    damaged.append(0xFF)
    damaged += plain[start...].drop { $0 != UInt8(ascii: "\t") }.dropFirst()
    let made = try imported(gzip(damaged))
    #expect(made.summary.records == 29_999 && made.summary.skipped == 1)
    #expect("\(made.remarks)".contains("name is not UTF-8, at byte \(start + 2) (line 30000)"))
  }

  @Test func `places that are no cities are counted, with one note for each reason`() throws {
    let ruin = DumpLine(id: "5", featureCode: "PPLQ")
    let hill = DumpLine(featureClass: "T")
    let made = try imported(dumpText(Self.harju, Self.tallinn, ruin, Self.harju, Self.harju, hill))
    #expect(made.summary == ResidentCities.Summary(records: 1, skipped: 5))
    #expect(
      made.remarks == [
        "list: record 1 skipped: feature class A, not P (populated places); the first of 3 such lines",
        "list: record 3 skipped: feature code PPLQ, a place that is historical, abandoned or destroyed",
        "list: record 6 skipped: feature class T, not P (populated places)",
        "list: 5 records are not kept; the first 3 are listed",
      ])
  }

  @Test func `sections of cities and places without a class are kept`() throws {
    let part = DumpLine(id: "1", name: "Kesklinn", featureCode: "PPLX")
    let made = try imported(dumpText(part, DumpLine(id: "2", featureClass: "", featureCode: "")))
    #expect(made.summary == ResidentCities.Summary(records: 2))
  }

  @Test(
    arguments: [
      (DumpLine(id: "x").text, "geonameid is not a whole number"),
      (DumpLine(id: "-1").text, "geonameid is not a whole number"),
      (DumpLine(id: "0").text, "the id is 0; ids start at 1"),
      (DumpLine(id: "99999999999999999999").text, "geonameid is not a whole number"),
      (DumpLine(name: "").text, "the name is empty"),
      (DumpLine(latitude: "").text, "latitude is not a number"),
      (DumpLine(latitude: "91").text, "latitude 91.0 is not between -90 and 90"),
      (DumpLine(latitude: "0x1").text, "latitude is not a number"),
      (DumpLine(longitude: "nan").text, "longitude is not a number"),
      (DumpLine(longitude: "1-1").text, "longitude is not a number"),
      (DumpLine(population: "many").text, "population is not a whole number"),
      (DumpLine(population: "5000000000").text, "population 5000000000 is above 4000000000"),
      (DumpLine(featureClass: "PP").text, "the feature class is not one of GeoNames'"),
      (DumpLine().text + "\t", "20 columns with a TAB between them, where GeoNames' dumps have 19"),
      ("5\tTallinn", "2 columns with a TAB between them, where GeoNames' dumps have 19"),
      ("", "1 columns with a TAB between them, where GeoNames' dumps have 19"),
    ])
  func `a bad line is skipped and named by its number`(line: String, problem: String) throws {
    let made = try imported(dumpText([Self.imavere.text, line, Self.tallinn.text]))
    #expect(made.summary == ResidentCities.Summary(records: 2, skipped: 1))
    #expect(made.remarks == ["list: record 2 skipped: \(problem)"])
  }

  @Test func `a line that is not UTF-8 is skipped with the place of the byte`() throws {
    let first = dumpText(Self.imavere)
    var second = dumpText(Self.tallinn)
    second.insert(0xE9, at: 7)
    let made = try imported(first + second)
    #expect(
      made.remarks == ["list: record 2 skipped: name is not UTF-8, at byte \(first.count + 7) (line 2)"])
  }

  @Test func `lines about one city are repeated, replaced or joined as records are`() throws {
    let smaller = DumpLine(asciiName: "Tallin", alternates: "TLL,Reval,Таллин", population: "5")
    let made = try imported(dumpText(Self.tallinn, Self.tallinn, smaller))
    #expect(made.summary == ResidentCities.Summary(records: 1, repeated: 1, replaced: 1))
  }

  @Test func `a dump without a city is refused`() {
    let error = refusal(dumpText(Self.harju))
    #expect(error?.reason == .badData)
    #expect(error?.description.hasPrefix("list: no city in it, 1 records were skipped") == true)
    #expect(refusal(Array("5".utf8))?.description.contains("expected a JSON array of cities, found no JSON") == true)
  }

  @Test(arguments: 0..<200)
  func `damaged, doubled and shuffled dumps lose no line without a note`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let lines = [Self.tallinn, Self.harju, Self.imavere, DumpLine(name: "Twin"), DumpLine(population: "7")].map(\.text)
    let many = (0..<Int.random(in: 1...4, using: &random)).flatMap { _ in lines }.shuffled(using: &random)
    var bytes = dumpText(many)
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let offset = Int.random(in: 1..<bytes.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes[offset] = [0x09, 0x0A, 0xFF, 0x30, 0x00].randomElement(using: &random) ?? 0
      case 1: bytes.remove(at: offset)
      default: bytes.insert(bytes[Int.random(in: bytes.indices, using: &random)], at: offset)
      }
    }
    let count = bytes.count { $0 == 0x0A } + (bytes.last == 0x0A ? 0 : 1)
    guard bytes.prefix(while: { $0 != 0x0A }).contains(0x09) else {
      #expect(refusal(bytes)?.reason == .badData)
      return
    }
    let made = try imported(bytes, allowsEmpty: true)
    #expect(made.contents.counts.read == UInt64(count), "\(made.contents.counts)")
    #expect(try made.cities().count == Int(made.contents.counts.kept))
    let lost = made.contents.counts.read - made.contents.counts.kept
    #expect(made.contents.notes.isEmpty == (lost == 0))
    #expect(made.contents.notes.allSatisfy { (1...UInt64(count)).contains($0.record) })
  }
}
