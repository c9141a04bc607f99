import CBOR
import CitiesCommands
import CitiesProtocol
import Glibc
import TestSupport
import Testing
import Text

@testable import CitiesMapCommands

@Suite struct CityMapTests {
  private static let suva = CityRow(
    id: 2198148, lat: -18.14161, lon: 178.44149, name: "Suva", country: "FJ", population: 9)
  private static let generation = "00000000000000aa"

  /// A server that knows Suva and what lies around it, and answers with those that lie in the box.
  private static func server(around: [CityRow] = []) -> @Sendable (FakeServer.Request) -> [FakeServer.Step] {
    { request in
      if request.params(CityGet.self) != nil {
        return [request.reply(CityGet.self, .init(city: suva, generation: generation))]
      }
      guard let box = request.params(CityWithin.self)?.box else { return [request.failure(.internal)] }
      let rows = ([suva] + around).filter { city in
        let isBetween =
          box.west <= box.east
          ? city.lon >= box.west && city.lon <= box.east
          : city.lon >= box.west || city.lon <= box.east
        return isBetween && city.lat >= box.south && city.lat <= box.north
      }
      return [request.reply(CityWithin.self, .init(rows: rows, generation: generation))]
    }
  }

  private static func city(_ id: UInt64, _ name: String, _ lat: Double, _ lon: Double, _ people: UInt64? = nil)
    -> CityRow
  {
    CityRow(id: id, lat: lat, lon: lon, name: name, country: "FJ", population: people)
  }

  @Test func `the city and those around it are labelled`() throws {
    let around = [Self.city(1, "Nadi", -17.8, 177.41, 5), Self.city(2, "Levuka", -17.68, 178.84)]
    let result = try outcome(["map", "Suva, FJ", "--width", "60"], Self.server(around: around))
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(result.status == .found && result.errors == "")
    #expect(lines.count == 18 + 1 + 1 && lines.allSatisfy { cellWidth($0) <= 60 })
    #expect(result.output.contains("[●] Suva, FJ") && result.output.contains("• Nadi"))
    #expect(result.output.contains("Levuka") && lines[18].hasSuffix("18.14° S 178.44° E"))
  }

  /// A server that knows two towns of Fiji, and that `fiji` is their country.
  private static func country(_ request: FakeServer.Request) -> [FakeServer.Step] {
    if request.params(CityGet.self) != nil {
      let data = ErrorData(value: "fiji", candidates: [suva], total: 2, country: "FJ")
      return [request.failure(.ambiguous, "\"fiji\" is a country; name one of its cities", data: data)]
    }
    if let search = request.params(CitySearch.self) {
      let isKnown = ["FJ", "fiji"].contains(search.country) && search.sort == .population
      let rows = isKnown ? [suva, city(2, "Labasa", -16.43, 179.36, 5)] : []
      let reply = CitySearch.Reply(rows: rows, total: UInt64(rows.count), common: "", generation: generation)
      return [request.reply(CitySearch.self, reply)]
    }
    if request.params(CityFind.self) != nil { return [request.failure(.invalidParams, "no country")] }
    if let lat = request.params(CityLocate.self)?.lat {
      let count = lat.numbers.count
      var reply = CityLocate.Reply(
        ids: Array(repeating: 7, count: count), metres: Array(repeating: 0, count: count), generation: generation)
      // The north is another country's, as far as anybody knows.
      reply.countries = TextLines((0..<count).map { $0 < count / 2 ? "WF" : "FJ" })
      return [request.reply(CityLocate.self, reply)]
    }
    return [request.reply(CityWithin.self, .init(rows: [], generation: generation))]
  }

  @Test func `a country is drawn with its cities`() throws {
    for (words, note) in [
      (["--country", "fiji"], ""), (["-c", "FJ"], ""), (["fiji"], "citiesctl: \"fiji\" is a country\n"),
    ] {
      let result = try outcome(["map", "--width", "60"] + words, Self.country)
      #expect(result.status == .found && result.errors == note, "\(result)")
      #expect(result.output.contains("★ Suva") && result.output.contains("Labasa"))
    }
    #expect(try outcome(["map", "-c", "fiji", "-o", "geo"], Self.country).output.split(separator: "\n").count == 2)
    #expect(try outcome(["map", "-c", "fiji", "-o", "svg"], Self.country).output.contains("<title>Fiji</title>"))
    #expect(try outcome(["map", "-c", "fiji", "-o", "geojson"], Self.country).output.contains(#""name":"Labasa""#))
    #expect(try outcome(["map", "-c", "atlantis"], Self.country).status == .usage)
    #expect(try outcome(["map", "--near", "fiji", "suva"], Self.country).status == .ambiguous)
    for words in [["-c", "fiji", "suva"], ["-c", ""], ["-c", "fiji", "--first"]] {
      #expect(try outcome(["map"] + words, Self.country).status == .usage, "\(words)")
    }
  }

  @Test func `the country that was asked for is set apart from others`() throws {
    let words = ["map", "-c", "FJ", "--width", "60", "--color", "always"]
    let output = try outcome(words, Self.country).output
    // Vanua Levu is in the north, Viti Levu in the south; its capital has a star.
    let (other, own) = (
      try #require(output.firstRange(of: "\u{1B}[2;32m")), try #require(output.firstRange(of: "\u{1B}[32m"))
    )
    #expect(other.lowerBound < own.lowerBound && output.contains("★"))
    let old = try outcome(words) { $0.params(CityLocate.self) == nil ? Self.country($0) : [Self.located($0)] }.output
    #expect(!old.contains("\u{1B}[32m"))
  }

  /// The reply of a server that does not know the countries of places.
  private static func located(_ request: FakeServer.Request) -> FakeServer.Step {
    request.reply(CityLocate.self, .init(ids: [], metres: [], generation: generation))
  }

  @Test func `cities beyond the date line and at the edges are shown`() throws {
    let around = [Self.city(1, "Auckland", -36.85, 174.76, 1_000_000), Self.city(2, "Apia", -13.83, -171.77, 37_708)]
    let words = ["map", "2198148", "--width", "80", "--height", "30", "--zoom"]
    let far = try outcome(words + ["6000km"], Self.server(around: around)).output
    #expect(far.contains("Auckland") && far.contains("Apia"))
    let near = try outcome(words + ["400km"], Self.server(around: around)).output
    #expect(!near.contains("Auckland") && !near.contains("Apia"))
  }

  @Test func `a position needs no city and has a sign of its own`() throws {
    let result = try outcome(["map", "-18.14,178.44", "--width", "40"]) { request in
      guard request.params(CityWithin.self) != nil else { return [request.failure(.internal)] }
      return [request.reply(CityWithin.self, .init(rows: [], generation: Self.generation))]
    }
    #expect(result.status == .found && result.output.contains("[✚]"))
  }

  @Test func `without a place it is the kept position`() throws {
    let folder = try TemporaryFolder()
    let environment = ["XDG_CONFIG_HOME": folder.path, "LANG": "C.UTF-8"]
    #expect(try outcome(["map"], environment: environment).status == .usage)
    mkdir(folder.path("cities"), 0o700)
    try folder.write("cities/here", "1.5,2.5\n".utf8)
    #expect(try outcome(["map", "-o", "geo"], environment: environment).output == "geo:1.5,2.5\n")
  }

  @Test func `other formats say where it is`() throws {
    let geo = try outcome(["map", "Suva, FJ", "-o", "geo"], Self.server())
    #expect(geo == Outcome(status: .found, output: "geo:-18.14161,178.44149\n", errors: ""))
    let json = try outcome(["map", "Suva, FJ", "-o", "geojson"], Self.server())
    #expect(
      json.output == """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","geometry":{"type":"Point","coordinates":[178.44149,-18.14161]},"properties":\
        {"title":"Suva, FJ","id":2198148,"country":"FJ","name":"Suva","population":9}}
        ]}

        """)
    let bare = try outcome(["map", "1,2", "-o", "geojson"]).output
    #expect(bare.contains(#""coordinates":[2.0,1.0]},"properties":{}}"#))
    let svg = try outcome(["map", "Suva, FJ", "-o", "svg", "--width", "40"], Self.server()).output
    #expect(svg.hasPrefix("<?xml") && svg.contains("<title>Suva, FJ</title>") && svg.contains("viewBox=\"0 0 400 "))
  }

  @Test(arguments: [
    ([:], true), (["LANG": "C"], true), (["LANG": "de_DE.ISO-8859-1"], true), (["LANG": "en_US.UTF-8"], false),
    (["LANG": "C.utf8"], false), (["LC_ALL": "C", "LANG": "C.UTF-8"], true),
    (["LC_CTYPE": "C.UTF-8", "LANG": "C"], false), (["LC_ALL": "", "LANG": "ca_ES.UTF-8@valencia"], false),
  ])
  func `the locale decides whether it is ASCII`(environment: [String: String], isASCII: Bool) throws {
    let around = [Self.city(1, "Nausori Łódź 東京", -17.5, 177.41, 5)]
    let result = try outcome(
      ["map", "Suva, FJ", "--width", "60"], environment: environment, Self.server(around: around))
    #expect(result.output.utf8.allSatisfy { $0 < 0x7F } == isASCII)
    #expect(result.output.contains(isASCII ? ". Nausori Lodz ??" : "• Nausori Łódź 東京"))
  }

  @Test func `emphasis is for terminals or where it is asked for`() throws {
    let plain = try outcome(["map", "Suva, FJ", "--width", "60"], Self.server()).output
    #expect(!plain.contains("\u{1B}"))
    let bold = try outcome(["map", "Suva, FJ", "--width", "60", "--color", "always"], Self.server()).output
    #expect(bold.contains("\u{1B}[1m[●] Suva, FJ\u{1B}[0m"))
    var shown = ""
    for (index, part) in bold.split(separator: "\u{1B}[").enumerated() {
      shown += index == 0 ? part : part.drop { $0 != "m" }.dropFirst()
    }
    #expect(shown == plain)
    let environment = ["NO_COLOR": "1", "CLICOLOR_FORCE": "1", "LANG": "C.UTF-8"]
    #expect(try outcome(["map", "Suva, FJ", "--width", "60"], environment: environment, Self.server()).output == plain)
  }

  @Test func `foreign names cannot write to the terminal`() throws {
    let around = [Self.city(1, "\u{1B}]0;x\u{7}\u{202E}y", -17.5, 177.9, 5)]
    let text = try outcome(["map", "Suva, FJ", "--width", "60"], Self.server(around: around)).output
    #expect(text.contains("?]0;x??y") && !text.contains("\u{1B}"))
    let svg = try outcome(["map", "Suva, FJ", "-o", "svg"], Self.server(around: around)).output
    #expect(!svg.contains("\u{1B}") && !svg.contains("\u{7}"))
  }

  @Test func `errors of the server have their status`() throws {
    let statuses: [(ErrorCode, CitiesCommands.ExitStatus)] = [
      (.notFound, .nothingFound), (.ambiguous, .ambiguous), (.internal, .internalFault),
      (.permissionDenied, .permission),
    ]
    for (code, status) in statuses {
      let result = try outcome(["map", "x"]) { [$0.failure(code)] }
      #expect(result == Outcome(status: status, output: "", errors: "citiesctl: as asked\n"))
    }
  }
}
