import CBOR
import CitiesProtocol
import TestSupport
import Testing

@testable import CitiesServer

@Suite(.enabled(if: Repository.exists("/usr/share/zoneinfo/Europe/Warsaw"), "no tzdata on this machine"))
struct CityTimeTests {
  let client: TestClient

  init() throws { client = try RunningServer().client() }

  /// The row of Łódź at a moment before the change of March 2026.
  static let winter: CityTime.Row = {
    var row = CityTime.Row(city: .small(14, with: [.region, .zone]), zone: "Europe/Warsaw")
    (row.local, row.offset, row.daylight, row.abbreviation) = ("2026-03-29T01:59:59", "+01:00", false, "CET")
    row.change = CityTime.Change(
      at: Timestamp(text: "2026-03-29T01:00:00Z"), local: "2026-03-29T03:00:00", offset: "+02:00")
    return row
  }()

  @Test func `rows say what clocks show and when they change, in the encoder's bytes`() throws {
    let places = [Place(title: "lodz"), Place(id: 12), Place(id: 13), Place(id: 10)]
    let id = try client.send(CityTime(places: places, at: "2026-03-29T02:59:59+02:00", provenance: true))
    let bytes = try client.bytes()
    let reply = try #require(try CBORDecoder().decode(ServerEnvelope<CityTime>.self, from: bytes).result)
    #expect(try CBOREncoder().encode(ServerEnvelope<CityTime>(id: id, result: reply)) == bytes)
    #expect(reply.at.text == "2026-03-29T00:59:59Z" && reply.sources != nil)
    #expect(reply.rows.count == 4 && reply.rows[0] == Self.winter)
    #expect(reply.rows[1].local == "2026-03-28T20:59:59" && reply.rows[1].offset == "-04:00")
    #expect(reply.rows[1].daylight == true && reply.rows[1].change?.at.text == "2026-11-01T06:00:00Z")
    #expect(reply.rows[2] == CityTime.Row(city: .small(13, with: .zone), zone: "Mars/Olympus"))
    #expect(reply.rows[3] == CityTime.Row(city: .small(10)))
  }

  @Test func `a position has the time of the nearest city, and a title may be several cities in one place`() throws {
    let position = Place(at: Position(lat: 52, lon: 19))
    let reply = try client.ask(CityTime(places: [position, Place(title: "twin")], at: "2026-03-29T00:59:59Z"))
    #expect(reply.rows == [Self.winter, CityTime.Row(city: .small(16))])
  }

  @Test(
    arguments: [
      ("2026-03-29", "2026-03-29T10:00:00Z", 14), ("2026-03-29", "2026-03-29T16:00:00Z", 12),
      ("2026-03-29T02:30:00Z", "2026-03-29T02:30:00Z", 13),
    ] as [(String, String, UInt64)])
  func `a day is one of the first place`(at: String, moment: String, first: UInt64) throws {
    let places = [Place(id: first), Place(id: 14), Place(id: 12)]
    #expect(try client.ask(CityTime(places: places, at: at)).at.text == moment)
  }

  @Test func `a time of day is of the present day, and without a moment it is now`() throws {
    let reply = try client.ask(CityTime(places: [Place(id: 12), Place(id: 14)], at: "14:30"))
    #expect(reply.rows[0].local?.hasSuffix("T14:30:00") == true)
    let now = try client.ask(CityTime(places: [Place(id: 14)])).at.secondsSince1970 ?? 0
    #expect(abs(now - Timestamp.secondsNow) < 600)
  }

  @Test(
    arguments: [
      (CityTime(places: []), .invalidParams, "places"),
      (CityTime(places: Array(repeating: Place(id: 14), count: 101)), .invalidParams, "places"),
      (CityTime(places: [Place(id: 14)], at: "noon"), .invalidParams, "at"),
      (CityTime(places: [Place(id: 14)], at: "25:00"), .invalidParams, "at"),
      (CityTime(places: [Place(id: 10)], at: "12:00"), .invalidParams, "at"),
      (CityTime(places: [Place(id: 14), Place(at: Position(lat: 91, lon: 0))]), .invalidParams, "places[1].at.lat"),
      (CityTime(places: [Place(id: 14), Place(id: 99)]), .notFound, nil),
      (CityTime(places: [Place(title: "alba")]), .ambiguous, nil),
    ] as [(CityTime, ErrorCode, String?)])
  func `what has no answer is refused`(request: CityTime, code: ErrorCode, param: String?) throws {
    let error = try client.error(request)
    #expect(error?.code == code && error?.data?.param == param)
  }

  @Test func `a time zone has a row without a city`() throws {
    let places = [Place(zone: "+05:30"), Place(id: 14), Place(zone: "Europe/Warsaw"), Place(zone: "-12:00")]
    let rows = try client.ask(CityTime(places: places, at: "2026-03-29T00:59:59Z")).rows
    #expect(rows.map(\.offset) == ["+05:30", "+01:00", "+01:00", "-12:00"])
    #expect(rows.map(\.zone) == ["+05:30", "Europe/Warsaw", "Europe/Warsaw", "-12:00"])
    #expect(rows.map(\.city?.id) == [nil, 14, nil, nil] && rows[2].change == Self.winter.change)
    for zone in ["", "Mars/Olympus", "../../etc/passwd", "+25:00", "+5:30x", "Łódź"] {
      #expect(try client.error(CityTime(places: [Place(zone: zone)]))?.code == .notFound, "\(zone)")
    }
    var both = Place(id: 14)
    both.zone = "+05:30"
    #expect(try client.error(CityTime(places: [both]))?.data?.param == "places[0]")
  }

  @Test func `a hundred places are answered, each by itself`() throws {
    let places = (0..<CityTime.maximumPlaces).map { Place(id: 10 + UInt64($0 % 9)) }
    let rows = try client.ask(CityTime(places: places, at: "2026-03-29T00:59:59Z")).rows
    #expect(rows.map(\.city?.id) == places.map(\.id))
  }
}
