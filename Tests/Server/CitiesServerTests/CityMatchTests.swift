import CBOR
import Cities
import CitiesProtocol
import FrameService
import Logging
import TestSupport
import Testing

@testable import CitiesServer

/// A `city.match` with parts of any type.
private struct OddMatch: RequestMessage {
  static let method = CityMatch.method
  typealias Reply = CityMatch.Reply
  var names: [String]
  var countries: [String]?
}

@Suite struct CityMatchTests {
  let client: TestClient

  init() throws { client = try RunningServer().client() }

  private static let names = TextLines([
    "ALBA", "sao paulo", "", "albq", "Alba, IT", "lodsch", "Twin", "albu", "zzzz", "!?",
  ])

  @Test func `each name has its city and its class, and one that is none harms no other`() throws {
    let reply = try client.ask(CityMatch(names: Self.names))
    #expect(reply.ids.elements == [11, 15, 0, 0, 11, 14, 16, 13, 0, 0])
    let sure = CityMatch.Certainty.sure.rawValue
    #expect(reply.classes.elements == [sure, sure, 0, 0, sure, sure, 2, 1, 0, 0])
    #expect(reply.rows == nil && reply.index == nil && reply.complete)
    for (name, (id, certainty)) in zip(Self.names.texts, zip(reply.ids.elements, reply.classes.elements)) {
      let got = try client.envelope(CityGet(query: name))
      #expect(certainty == sure ? got.result?.city.id == id : got.error != nil)
      guard certainty == 1 || certainty == 2 else { continue }
      #expect(try client.ask(CityFind(query: name)).rows[0].city.id == id)
    }
  }

  @Test func `the numbers of classes are those of the index`() {
    #expect(CityMatch.Certainty.allCases.map(\.rawValue) == [0, 1, 2, 3])
    for certainty in CityMatch.Certainty.allCases {
      #expect(NameCertainty(rawValue: certainty.rawValue).map { "\($0)" } == "\(certainty)")
    }
  }

  @Test func `rows come once, with the parts that are asked for, in the encoder's bytes`() throws {
    let id = try client.send(
      CityMatch(
        names: TextLines(["Łódź", "albany", "?", "lodz"]), rows: true, with: [.region, .alternates], provenance: true))
    let bytes = try client.bytes()
    let reply = try #require(try CBORDecoder().decode(ServerEnvelope<CityMatch>.self, from: bytes).result)
    #expect(reply.rows == [.small(14, with: [.region, .alternates]), .small(12, with: [.region, .alternates])])
    #expect(reply.index?.elements == [0, 1, CityMatch.nothing, 0])
    #expect(try CBOREncoder().encode(ServerEnvelope<CityMatch>(id: id, result: reply)) == bytes)
  }

  @Test func `an array of texts is taken, and a line feed in a text is a space`() throws {
    #expect(try client.ask(OddMatch(names: ["albany", "são\npaulo"])).ids.elements == [12, 15])
    #expect(try client.ask(CityMatch(names: TextLines(lines: "albany\nlodz"))).ids.elements == [12, 14])
    #expect(try client.ask(CityMatch(names: TextLines([]))).ids.elements.isEmpty)
    #expect(try client.ask(CityMatch(names: TextLines([]), rows: true)).rows == [])
  }

  @Test func `countries and regions narrow all names or each`() throws {
    #expect(try client.ask(CityMatch(names: TextLines(["alba", "albany"]), country: "es")).ids.elements == [10, 0])
    let each = CityMatch(
      names: TextLines(["alba", "alba", "alba", "alba", "lodz"]), regions: TextLines(["", "", "", "", "74"]),
      countries: TextLines(["ES", "it", "xx", "", "PL"]))
    #expect(try client.ask(each).ids.elements == [10, 11, 0, 11, 14])
    let empty = CityMatch(
      names: TextLines(["alba", "alba", "nan", "Nan"]), regions: TextLines(["null", "NaN", "", ""]),
      countries: TextLines(["N/A", "Null", "", "-"]))
    #expect(try client.ask(empty).ids.elements == [11, 0, 0, 0])
    let region = CityMatch(names: TextLines(["lodz", "lodz"]), region: "74", countries: TextLines(["PL", "ES"]))
    #expect(try client.ask(region).classes.elements == [3, 0])
  }

  @Test func `wrong lists and unknown areas of all names are refused by their parameter`() throws {
    let two = TextLines(["a", "b"])
    for (message, param) in [
      (CityMatch(names: two, country: "atlantis"), "country"), (CityMatch(names: two, country: "nan"), "country"),
      (CityMatch(names: two, region: "x"), "region"),
      (CityMatch(names: two, region: "74", country: "ES"), "region"), (CityMatch(names: two, country: ""), "country"),
      (CityMatch(names: two, countries: TextLines(["ES"])), "countries"),
      (CityMatch(names: two, regions: TextLines(["a", "b", "c"])), "regions"),
      (CityMatch(names: two, country: "ES", countries: two), "country"),
      (CityMatch(names: two, region: "74", regions: two), "region"),
      (CityMatch(names: TextLines(lines: String(repeating: "\n", count: 8_193))), "names"),
    ] {
      let error = try client.error(message)
      #expect(error?.code == .invalidParams && error?.data?.param == param)
    }
    let most = TextLines(lines: String(repeating: "\n", count: 8_192))
    #expect(try client.ask(CityMatch(names: most)).ids.elements.count == 8_192)
  }

  @Test func `work in slices of any length writes the same bytes`() throws {
    let folder = try TemporaryFolder()
    try SmallWorld.write(to: folder.path("cities.index"))
    let server = try QueryServer(
      ServerConfiguration(stateFolder: folder.path), Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    server.cities.loadNow()
    let generation = try #require(server.cities.current)
    for parts in [nil, [], [.region], .all] as [CityParts?] {
      func work() -> Computation {
        let message = CityMatch(
          names: Self.names, countries: TextLines(["", "", "", "", "IT", "xx", "", "us", "", ""]))
        return Computation(from: []) { budget in
          try await CityMatchHandler.match(
            NarrowedNames(message, count: 10), rows: parts, isExplained: false, CityAnswer(generation), budget)
        }
      }
      let whole = try driven(work(), nanoseconds: .max / 2)
      let pieces = try driven(work(), nanoseconds: 0)
      #expect(whole.bytes == pieces.bytes && pieces.slices >= 10)
      #expect(try CBOREncoder().encode(CBORDecoder().decode(CityMatch.Reply.self, from: whole.bytes)) == whole.bytes)
    }
  }
}
