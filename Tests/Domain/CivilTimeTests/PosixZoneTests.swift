import Base
import CivilTime
import Testing

@Suite("rules for all years")
struct PosixZoneTests {
  @Test(
    arguments: [
      ("EET-2", "2026-07-01T12:00:00Z", 7200, "EET"), ("<-03>3", "2026-07-01T12:00:00Z", -10800, "-03"),
      ("<+0545>-5:45", "2026-07-01T12:00:00Z", 20700, "+0545"), ("XXX-1:02:03", "2026-07-01T12:00:00Z", 3723, "XXX"),
      // Daylight-saving time is an hour ahead unless it says otherwise, and changes at two o'clock.
      ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T06:59:59Z", -18000, "EST"),
      ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T07:00:00Z", -14400, "EDT"),
      ("EST5EDT,M3.2.0,M11.1.0", "2026-11-01T05:59:59Z", -14400, "EDT"),
      ("EST5EDT,M3.2.0,M11.1.0", "2026-11-01T06:00:00Z", -18000, "EST"),
      // In the south, summer spans the new year.
      ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-12-31T23:00:00Z", 39600, "AEDT"),
      ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01T00:00:00Z", 39600, "AEDT"),
      ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-06-01T00:00:00Z", 36000, "AEST"),
      // Ireland's standard time is in summer; its winter time is an hour earlier.
      ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-01T00:00:00Z", 0, "GMT"),
      ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-07-01T00:00:00Z", 3600, "IST"),
      // Daylight-saving time all year, as RFC 9636 writes it.
      ("EST5EDT4,0/0,J365/25", "2026-01-01T04:59:59Z", -14400, "EDT"),
      ("EST5EDT4,0/0,J365/25", "2026-01-01T05:00:00Z", -14400, "EDT"),
      ("EST5EDT4,0/0,J365/25", "2028-12-31T23:00:00Z", -14400, "EDT"),
      // Times outside their day.
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:59:59Z", -7200, "-02"),
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -3600, "-01"),
      // Days of the year with and without the leap day.
      ("AAA0BBB,J60/0,J61/0", "2028-03-01T00:00:00Z", 3600, "BBB"),
      ("AAA0BBB,J60/0,J61/0", "2028-02-29T12:00:00Z", 0, "AAA"),
      ("AAA0BBB,59/0,60/0", "2028-02-29T12:00:00Z", 3600, "BBB"),
      ("AAA0BBB,59/0,60/0", "2027-03-01T12:00:00Z", 3600, "BBB"),
    ] as [(String, String, Int32, String)])
  func `a rule gives the offset of every moment`(rule: String, at: String, seconds: Int32, name: String) throws {
    let zone = try ZoneRules(tzif: MadeUpZone(footer: "\n\(rule)\n").bytes)
    let offset = zone.offset(at: try RFC3339.parse(at))
    #expect(offset.seconds == seconds && offset.abbreviation == name)
  }

  @Test(
    arguments: [
      "E-2", "EET", "EET-25", "EET-2:60", "EET-2EEST", "EET-2EEST,M3.5.0", "EET-2EEST,M13.5.0,M10.5.0",
      "EET-2EEST,M3.6.0,M10.5.0", "EET-2EEST,M3.5.7,M10.5.0", "EET-2EEST,J0,J365", "EET-2EEST,J1,J366",
      "EET-2EEST,1,366", "EET-2EEST,M3.5.0/168,M10.5.0", "EET-2EEST,M3.5.0,M10.5.0,", "<EET-2", "EET-2 ", "EET--2",
      "EET-0002", "\u{0}", "EET-2EEST,M3.5,M10.5.0",
    ])
  func `what is no rule is refused with the byte`(rule: String) {
    let problem = #expect(throws: ZoneProblem.self) { try PosixZone(rule) }
    #expect(problem?.description.contains("after byte") ?? false)
  }

  @Test func `a long rule is named by its beginning`() {
    // A letter may have any number of marks.
    for rule in [String(repeating: "x", count: 60_000), "a" + String(repeating: "\u{301}", count: 20_000)] {
      let problem = #expect(throws: ZoneProblem.self) { try PosixZone(rule) }
      #expect(problem.map { $0.description.utf8.count < 300 } == true)
    }
  }
}
