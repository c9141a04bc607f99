import Banks
import Base
import CivilTime
import Coroutines
import Geodesy
import TestSupport
import Testing

@Suite("open now, on the clock of the location's zone")
struct OpenNowTests {
  /// 9.00 to 17.00 on every day, and on Saturday night from 22.00 to 4.30.
  private static let hours = WeeklyHours(
    availability: "E-R,P 9.00-17.00; L 9.00-17.00, 22.00-4.30", language: .estonian)

  @Test(
    arguments: [
      // Winter: 9.00 is 07:00 UTC in the Baltic states and 08:00 in Sarajevo; in summer an hour earlier.
      ("2026-03-27T06:59:59Z", OpenState.no, OpenState.no), ("2026-03-27T07:00:00Z", .yes, .no),
      ("2026-03-27T08:00:00Z", .yes, .yes), ("2026-03-27T14:59:59Z", .yes, .yes), ("2026-03-27T15:00:00Z", .no, .yes),
      ("2026-03-30T05:59:59Z", .no, .no), ("2026-03-30T06:00:00Z", .yes, .no), ("2026-03-30T14:00:00Z", .no, .yes),
      ("2026-10-24T06:00:00Z", .yes, .no), ("2026-10-26T06:00:00Z", .no, .no), ("2026-10-26T07:00:00Z", .yes, .no),
      // The night in which the clock goes from 3.00 to 4.00: 4.30 comes an hour sooner.
      ("2026-03-29T01:29:59Z", .yes, .yes), ("2026-03-29T01:30:00Z", .no, .yes), ("2026-03-29T02:30:00Z", .no, .no),
      // The night in which it goes from 4.00 back to 3.00: 4.30 comes an hour later.
      ("2026-10-25T01:30:00Z", .yes, .yes), ("2026-10-25T02:29:59Z", .yes, .yes), ("2026-10-25T02:30:00Z", .no, .yes),
      ("2026-10-25T03:30:00Z", .no, .no),
    ])
  func `daylight-saving time moves the opening with the clock`(at: String, baltic: OpenState, central: OpenState) throws
  {
    let moment = try RFC3339.parse(at)
    let hours = try #require(Self.hours)
    #expect(OpenState(hours, at: moment, in: MadeUpZones.baltic) == baltic)
    #expect(OpenState(hours, at: moment, in: MadeUpZones.central) == central)
  }

  @Test(
    .enabled(if: Repository.exists("/usr/share/zoneinfo/Europe/Tallinn"), "no tzdata on this machine"),
    arguments: ["Tallinn", "Riga", "Vilnius", "Sarajevo"])
  func `the machine's own zones say the same`(city: String) throws {
    let real = try ZoneRules(tzif: Repository.bytes("/usr/share/zoneinfo/Europe/\(city)"))
    let made = try #require(MadeUpZones.named("Europe/\(city)"))
    let start = try RFC3339.parse("2026-01-01T00:00:00Z")
    for moment in stride(from: start, to: start + 366 * 86_400, by: 1_700) {
      #expect(OpenState(Self.hours, at: moment, in: real) == OpenState(Self.hours, at: moment, in: made))
    }
  }

  @Test func `24h is open at all times, text that cannot be read and a zone without rules leave it unknown`() throws {
    let moment = try RFC3339.parse("2026-12-24T23:00:00Z")
    #expect(
      OpenState(WeeklyHours(availability: "24h", language: .estonian), at: moment, in: MadeUpZones.baltic) == .yes)
    #expect(
      OpenState(WeeklyHours(availability: "Lepingu alusel", language: .estonian), at: moment, in: MadeUpZones.baltic)
        == .unknown)
    #expect(OpenState(WeeklyHours(availability: "24h", language: .estonian), at: moment, in: nil) == .unknown)
    #expect(OpenState(WeeklyHours([]), at: moment, in: MadeUpZones.baltic) == .no)
  }

  @Test
  func `an index answers as the hours themselves, for every hour of two weeks around a change, without a holiday`()
    throws
  {
    var locations = MadeUpLocations.make(40, seed: 8)
    locations[0].hours = Self.hours
    let built = try BuiltIndex(locations)
    let calendar = LocalCalendar(for: built.index, rules: MadeUpZones.named)
    let start = try RFC3339.parse("2026-10-17T00:00:00Z")
    for moment in stride(from: start, to: start + 14 * 86_400, by: 3_600) {
      let local = calendar.moment(.instant(moment))
      for rank in 0..<built.index.count {
        let location = try #require(built.locations[built.index.id(at: rank)])
        let expected = OpenState(location.hours, at: moment, in: MadeUpZones.named(location.zone))
        #expect(built.index.openState(at: rank, local) == expected)
        #expect(built.index.hours(at: rank) == location.hours)
      }
      let open = try built.index.list(BankFilter(open: local))
      #expect(open == (0..<built.index.count).filter { built.index.openState(at: $0, local) == .yes })
    }
  }

  @Test
  func `locations left out because their hours are unknown are counted, by every request with any other filter`() throws
  {
    let built = try BuiltIndex(MadeUpLocations.make(60, seed: 9))
    let moment = try RFC3339.parse("2026-03-24T10:00:00Z")
    let calendar = LocalCalendar(for: built.index, rules: MadeUpZones.named)
    let scan = PlainScan(locations: built.locations)
    let place = GeoPoint(latitude: 57, longitude: 24)
    func unknown(_ ids: [String]) -> [String] {
      ids.filter { id in
        built.locations[id].map { OpenState($0.hours, at: moment, in: MadeUpZones.named($0.zone)) } == .unknown
      }
    }
    var filters = [BankFilter(), BankFilter(country: "EE"), BankFilter(categories: [.atm])]
    for index in filters.indices { filters[index].open = calendar.moment(.instant(moment)) }
    for filter in filters {
      var without = filter
      without.open = nil
      let expected = unknown(scan.list(without)).count
      let selection = try built.index.selection(filter)
      let listed = try Coroutine.complete { try await built.index.forEachByHeading(selection, $0) { _, _ in } }
      #expect(listed == expected && (expected > 0 || filter.country != nil))
      let words = try KeywordQuery("a")
      let found = try Coroutine.complete { try await built.index.forEachByTitle(words, selection, $0) { _ in } }
      #expect(found == unknown(scan.search("a", without)).count)
      for (limit, radius) in [(1, Double.infinity), (5, .infinity), (100, .infinity), (3, 200_000), (100, 300_000)] {
        let found = try built.index.near(place, limit: limit, radius: radius, filter)
        let isFull = found.neighbours.count == limit
        let reach = isFull ? Double(found.neighbours[limit - 1].metres) : radius
        let within = scan.list(without).filter { id in
          built.locations[id].map { Double(place.metres(to: $0.point)) <= reach } ?? false
        }
        #expect(found.unknownHours == unknown(within).count, "\(limit) \(radius)")
      }
      let all = try built.index.selection(without)
      #expect(try Coroutine.complete { try await built.index.forEachByHeading(all, $0) { _, _ in } } == nil)
    }
  }
}
