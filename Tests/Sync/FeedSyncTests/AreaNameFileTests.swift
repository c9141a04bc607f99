import Cities
import CitiesProtocol
import Glibc
import Resident
import TestSupport
import Testing

@testable import FeedSync

/// The file with the names of countries, regions and counties.
@Suite("Names of countries, regions and counties")
struct AreaNameFileTests {
  private static let text = #"""
    {"version":1,"countries":{"EE":["Estonia","Eesti"],"DE":["Germany"],"XX":[]},
     "regions":{"EE.01":["Harjumaa","Harju"],"DE.02":["Bavaria","Bayern"]},
     "counties":{"DE.02.091":["Oberbayern"]}}
    """#

  private static let one = list(record(1, "A", adding: #""region_code":"02""#))
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func file(_ text: String = text) throws -> AreaNameFile {
    AreaNameFile(path: try folder.write("names.json", Array(text.utf8)))
  }

  @Test func `plain and packed, the names are read in their order, in NFC`() throws {
    let expected = AreaNames(
      countries: ["EE": ["Estonia", "Eesti"], "DE": ["Germany"]],
      regions: ["EE.01": ["Harjumaa", "Harju"], "DE.02": ["Bavaria", "Bayern"]],
      counties: ["DE.02.091": ["Oberbayern"]])
    #expect(try file().names() == expected)
    let packed = AreaNameFile(path: try folder.write("names.json.gz", gzip(Array(Self.text.utf8))))
    #expect(try packed.names() == expected)
    #expect(try file(#"{"countries":{"AT":["O\u0308sterreich"]}}"#).names().countries == ["AT": ["Österreich"]])
    #expect(try AreaNameFile(path: nil).names() == AreaNames())
  }

  @Test func `the shipped file is read whole, and names the regions and counties of the shipped list`() throws {
    let names = try AreaNameFile(path: Repository.path("contrib/data/names.json.gz")).names()
    #expect(names.countries.count == 252 && names.regions.count == 3_782 && names.counties.count == 32_690)
    #expect(names.counties["IT.16.SI"]?.contains("Provincia di Siena") == true)
    #expect(names.countries["EE"]?.first == "Estonia" && names.regions["DE.02"]?.first == "Bavaria")
  }

  @Test func `a city's region has the name of the table, unless the list has one itself`() throws {
    func region(_ members: String) throws -> String {
      let source = SourceFile(bytes: list(record(1, "A", adding: members)))
      return try CityBuild(source, name: "list", areaNames: file()).cities()[0].region
    }
    #expect(try region(#""region_code":"02""#) == "Bavaria")
    #expect(try region(#""region_code":"02","region":"Oberbayern""#) == "Oberbayern")
    #expect(try region(#""region_code":"03""#).isEmpty)
  }

  @Test(
    arguments: [
      ("[]", "expected a JSON object of names, found an array"), ("", "expected a JSON object of names, found nothing"),
      ("{\"countries\":{\"EE\":\"Estonia\"}}", "the JSON is broken at byte 19 (line 1): unexpected \"\"\""),
      ("{\"countries\":{\"EE\":[\"\"]}}", "a name is empty"), ("{\"regions\":{\"EE.01\":[7]}}", "unexpected \"7\""),
      ("{\"regions\":{\"EE.01\":[\"\\u0007\"]}}", "the region contains a control character"),
      ("{\"regions\":{\"EE.01\":[\"\\ud800\"]}}", "a name is not UTF-8"),
      ("{\"regions\":", "the text ends within an object"),
    ])
  func `a file in another format is refused with its path and what is wrong`(text: String, problem: String) throws {
    let names = try file(text)
    let error = #expect(throws: FeedError.self) { try names.names() }
    let description = error?.description ?? ""
    #expect(error?.reason == .badData && description.hasPrefix(folder.path("names.json") + ": "))
    #expect(description.contains(problem), "\(description)")
    #expect(throws: FeedError.self) { try CityBuild(SourceFile(bytes: Self.one), name: "list", areaNames: names) }
  }

  @Test func `hostile sizes are refused: keys, names, and what a small file unpacks to`() throws {
    let key = String(repeating: "k", count: 200)
    #expect(throws: FeedError.self) { try file(#"{"regions":{"\#(key)":["a"]}}"#).names() }
    let names = [String](repeating: "\"a\"", count: AreaNameFile.maximumNames + 1).joined(separator: ",")
    #expect(throws: FeedError.self) { try file(#"{"regions":{"a":[\#(names)]}}"#).names() }
    let bomb = gzip([UInt8](repeating: 0x20, count: AreaNameFile.maximumBytes + 1))
    let error = #expect(throws: FeedError.self) {
      try AreaNameFile(path: folder.write("bomb", bomb)).names()
    }
    #expect(error?.description.contains("unpacks to more than the \(AreaNameFile.maximumBytes) bytes") == true)
  }

  @Test func `an explicit file that is not there is an error with its path`() {
    let error = #expect(throws: FeedError.self) { try AreaNameFile(path: folder.path("none")).names() }
    #expect(error?.description == "\(folder.path("none")): open: No such file or directory")
  }

  @Test func `the installed file is found beside the program`() throws {
    for name in ["usr", "usr/bin", "usr/share", "usr/share/cities"] { #expect(mkdir(folder.path(name), 0o755) == 0) }
    try folder.write("usr/bin/citiesd-sync", [])
    try folder.write("usr/share/cities/names.json.gz", gzip(Array(Self.text.utf8)))
    let names = try AreaNameFile.installed(program: folder.path("usr/bin/citiesd-sync")).names()
    #expect(names.countries["EE"] == ["Estonia", "Eesti"])
  }

  @Test
  func `the file is part of what an index is made from: a changed one rebuilds the index, an equal one does not`()
    throws
  {
    let path = try folder.write("list", Self.one)
    let state = StateFolder(path: folder.path("state"))
    let configuration = try SyncConfiguration(environment: ["CITIES_FEED_CITIES": path], user: 1_000)
    func update(_ names: AreaNameFile) throws -> FeedOutcome.Outcome {
      let importer = CityImporter(areaNames: names)
      return try FeedRegistry.feeds(of: [importer], configuration, state: state)[0].update(AttemptOptions()).outcome
    }
    #expect(try update(AreaNameFile(path: nil)) == .imported)
    #expect(try update(file()) == .imported)
    #expect(try update(file()) == .unchanged)
    let other = Self.text.replacing("Bavaria", with: "Bavière")
    #expect(try update(file(other)) == .imported)
    #expect(try update(AreaNameFile(path: nil)) == .imported)
    #expect(try update(AreaNameFile(path: nil)) == .unchanged)
    // What `build` makes of the same list and names is the same file.
    #expect(try update(file()) == .imported)
    let built = try CityBuild(SourceFile(bytes: Self.one), name: path, areaNames: file())
    #expect(try Repository.bytes(state.path(of: ResidentCities.kind)) == built.image.bytes)
  }
}
