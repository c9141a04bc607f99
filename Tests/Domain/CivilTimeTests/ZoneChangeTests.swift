import Base
import CivilTime
import TestSupport
import Testing

@Suite struct ZoneChangeTests {
  static let zones = [
    "Europe/Tallinn", "Europe/Dublin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kathmandu",
    "Pacific/Apia", "America/St_Johns", "Antarctica/Troll", "Asia/Tokyo",
  ]

  static let hours = [
    ("2005-01-01T00:00:00Z", "2015-01-01T00:00:00Z"), ("2035-01-01T00:00:00Z", "2040-01-01T00:00:00Z"),
  ]

  static func rules(_ zone: String) throws -> ZoneRules {
    try ZoneRules(tzif: Repository.bytes("/usr/share/zoneinfo/\(zone)"))
  }

  @Test(
    .enabled(if: Repository.exists("/usr/share/zoneinfo/Europe/Tallinn"), "no tzdata on this machine"),
    arguments: zones)
  func `the next change is the first moment with another offset`(zone: String) throws {
    let rules = try Self.rules(zone)
    // Hour by hour, where tables change to rules and where the longest table ends; to the second in hours with a
    // change.
    let changes = try Self.hours.flatMap { (from, to) in
      try stride(from: RFC3339.parse(from), to: RFC3339.parse(to), by: 3_600).compactMap { hour -> Int64? in
        let offset = rules.offset(at: hour).seconds
        guard rules.offset(at: hour + 3_600).seconds != offset else { return nil }
        return Int64(partitionPoint(Int(hour)..<Int(hour) + 3_601) { rules.offset(at: Int64($0)).seconds == offset })
      }
    }
    for expected in changes {
      let change = try #require(rules.nextChange(after: expected - 1))
      #expect(change.moment == expected)
      #expect(change.before == rules.offset(at: expected - 1) && change.after == rules.offset(at: expected))
    }
    for (from, to) in Self.hours {
      let end = try RFC3339.parse(to)
      var moment = try RFC3339.parse(from)
      for expected in changes where moment < expected && expected < end {
        #expect(rules.nextChange(after: moment)?.moment == expected)
        moment = expected
      }
      #expect(rules.nextChange(after: moment).map { $0.moment >= end } ?? true)
    }
  }

  @Test(
    .enabled(if: Repository.exists("/usr/share/zoneinfo/Europe/Tallinn"), "no tzdata on this machine"),
    arguments: zones)
  func `local times lead to the moments that show them`(zone: String) throws {
    let rules = try Self.rules(zone)
    var (locals, start) = ([Int64](), try RFC3339.parse("1990-01-01T00:00:00Z"))
    while let change = rules.nextChange(after: start), change.moment < 2_366_841_600 {
      start = change.moment
      locals += stride(from: start - 172_800, to: start + 172_800, by: 1_799)
    }
    for local in locals {
      let moment = rules.moment(localSeconds: local)
      let shown = rules.localSeconds(at: moment)
      // The offsets of a day before and after: every change is further from the next.
      let before = Int64(rules.offset(at: local - 93_600).seconds)
      let candidates = Set([-93_600, 0, 93_600].map { local - Int64(rules.offset(at: local + $0).seconds) })
      let showing = candidates.filter { rules.localSeconds(at: $0) == local }.min()
      #expect(moment == showing ?? local - before, "\(RFC3339.text(secondsSince1970: local)) in \(zone)")
      #expect(showing == nil || shown == local)
    }
  }

  @Test(
    arguments: [
      ("2026-03-29T02:59:59", "2026-03-29T00:59:59Z"), ("2026-03-29T03:00:00", "2026-03-29T01:00:00Z"),
      ("2026-03-29T03:59:59", "2026-03-29T01:59:59Z"), ("2026-03-29T04:00:00", "2026-03-29T01:00:00Z"),
      ("2026-10-25T02:59:59", "2026-10-24T23:59:59Z"), ("2026-10-25T03:30:00", "2026-10-25T00:30:00Z"),
      ("2026-10-25T04:00:00", "2026-10-25T02:00:00Z"),
    ])
  func `a skipped time is as before the change, of a repeated one the first is meant`(
    local: String, moment: String
  ) throws {
    let rules = try ZoneRules(tzif: MadeUpZone(footer: "\nEET-2EEST,M3.5.0/3,M10.5.0/4\n").bytes)
    #expect(rules.moment(localSeconds: try RFC3339.parse(local + "Z")) == (try RFC3339.parse(moment)))
  }

  @Test func `a zone without changes has none, nor one whose transitions keep the offset`() throws {
    #expect(try ZoneRules(tzif: MadeUpZone().bytes).nextChange(after: 0) == nil)
    var zone = MadeUpZone(transitions: [(1_000, 1), (2_000, 1), (3_000, 0)])
    let rules = try ZoneRules(tzif: zone.bytes)
    let found = [.min, 999, 1_000, 2_000, 2_999].map { rules.nextChange(after: $0)?.moment }
    #expect(found == [1_000, 1_000, 3_000, 3_000, 3_000])
    #expect([3_000, Int64.max].map { rules.nextChange(after: $0) } == [nil, nil])
    zone.transitions = [(.min, 1), (0, 0), (.max, 1)]
    let far = try ZoneRules(tzif: zone.bytes)
    #expect(far.nextChange(after: .min)?.moment == 0 && far.nextChange(after: 0) == nil)
    // Daylight-saving time all the year (RFC 9636, section 3.3.1).
    let whole = try ZoneRules(tzif: MadeUpZone(footer: "\nEST5EDT,0/0,J365/25\n").bytes)
    #expect(whole.nextChange(after: 1_000_000_000) == nil)
  }

  @Test(
    arguments: [
      (0, "+00:00"), (7_200, "+02:00"), (-12_600, "-03:30"), (20_700, "+05:45"), (-2_670, "-00:44:30"),
      (-89_999, "-24:59:59"),
    ] as [(Int32, String)])
  func `offsets are written as ISO 8601 has them`(seconds: Int32, text: String) {
    #expect(ZoneOffset(seconds: seconds, isDaylight: false, abbreviation: "").text == text)
  }
}

@Suite struct AskedMomentZoneTests {
  @Test func `a local time, a day and a time of day are those of each zone`() throws {
    let tallinn = try ZoneRules(tzif: MadeUpZone(footer: "\nEET-2EEST,M3.5.0/3,M10.5.0/4\n").bytes)
    let tokyo = try ZoneRules(tzif: MadeUpZone(footer: "\nJST-9\n").bytes)
    // 23:30 of the 28th in Tallinn, 06:30 of the 29th in Tokyo.
    let now = try RFC3339.parse("2026-03-28T21:30:00Z")
    let cases: [(AskedMoment, String, String)] = [
      (try AskedMoment("2026-03-29", now: now), "2026-03-29T09:00:00Z", "2026-03-29T03:00:00Z"),
      (try AskedMoment("2026-03-29T15:00", now: now), "2026-03-29T12:00:00Z", "2026-03-29T06:00:00Z"),
      (try AskedMoment("08:00", now: now), "2026-03-28T06:00:00Z", "2026-03-28T23:00:00Z"),
      (.instant(now), "2026-03-28T21:30:00Z", "2026-03-28T21:30:00Z"),
    ]
    for (time, inTallinn, inTokyo) in cases {
      for (zone, text) in [(tallinn, inTallinn), (tokyo, inTokyo)] {
        let expected = try RFC3339.parse(text)
        #expect(time.moment(in: zone) == expected && time.localSeconds(in: zone) == zone.localSeconds(at: expected))
      }
    }
  }
}
