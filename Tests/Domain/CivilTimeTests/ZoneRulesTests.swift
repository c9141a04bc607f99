import Base
import CivilTime
import TestSupport
import Testing

@Suite("time zones from TZif files")
struct ZoneRulesTests {
  @Test(
    .enabled(if: !ZoneOracle.samples.isEmpty, "no python3 with zoneinfo and no tzdata on this machine"),
    arguments: ZoneOracle.zones)
  func `every change of two and a half centuries is where Python and the C library see it`(zone: String) throws {
    let rules = try ZoneRules(tzif: Repository.bytes("\(ZoneOracle.folder)/\(zone)"))
    let samples = try #require(ZoneOracle.samples[zone])
    #expect(samples.count > 100)
    let wrong = samples.filter {
      let offset = rules.offset(at: $0.moment)
      return offset
        != ZoneOffset(seconds: $0.seconds, isDaylight: $0.isDaylight, abbreviation: $0.abbreviation)
    }
    #expect(wrong.isEmpty, "\(wrong.prefix(3)) of \(wrong.count)")
  }

  @Test(
    .enabled(if: Repository.exists("\(ZoneOracle.folder)/Europe/Tallinn"), "no tzdata on this machine"),
    arguments: [
      ("Tallinn", 7200, "EET", "EEST"), ("Riga", 7200, "EET", "EEST"), ("Vilnius", 7200, "EET", "EEST"),
      ("Sarajevo", 3600, "CET", "CEST"),
    ])
  func `the summer of 2026 begins and ends at 01:00 UTC`(city: String, standard: Int32, winter: String, summer: String)
    throws
  {
    let rules = try ZoneRules(tzif: Repository.bytes("\(ZoneOracle.folder)/Europe/\(city)"))
    let winterTime = ZoneOffset(seconds: standard, isDaylight: false, abbreviation: winter)
    let summerTime = ZoneOffset(seconds: standard + 3600, isDaylight: true, abbreviation: summer)
    #expect(rules.offset(at: try RFC3339.parse("2026-03-29T00:59:59Z")) == winterTime)
    #expect(rules.offset(at: try RFC3339.parse("2026-03-29T01:00:00Z")) == summerTime)
    #expect(rules.offset(at: try RFC3339.parse("2026-10-25T00:59:59Z")) == summerTime)
    #expect(rules.offset(at: try RFC3339.parse("2026-10-25T01:00:00Z")) == winterTime)
  }

  @Test
  func `before all transitions the first offset holds, behind them the rule, and without one the last offset`() throws {
    var zone = MadeUpZone(transitions: [(1000, 1), (2000, 0)])
    for version in [UInt8(0), 0x32, 0x33, 0x34] {
      zone.version = version
      let rules = try ZoneRules(tzif: zone.bytes)
      #expect(
        [.min, 999, 1000, 1999, 2000, .max].map { rules.offset(at: $0).seconds }
          == [7200, 7200, 10800, 10800, 7200, 7200])
    }
    zone.footer = "\n<+05>-5\n"
    #expect([1999, 2000].map { (try? ZoneRules(tzif: zone.bytes))?.offset(at: $0).seconds } == [10800, 18000])
  }

  @Test func `a zone without transitions follows its rule at all times`() throws {
    let rules = try ZoneRules(tzif: MadeUpZone(footer: "\nEET-2EEST,M3.5.0/3,M10.5.0/4\n").bytes)
    for (text, hours) in [
      ("1950-07-01T00:00:00Z", 3), ("1950-01-01T00:00:00Z", 2), ("2999-07-01T00:00:00Z", 3),
    ] { #expect(rules.offset(at: try RFC3339.parse(text)).seconds == Int32(hours) * 3600) }
    #expect([Int64.min, .max].allSatisfy { [7200, 10800].contains(rules.offset(at: $0).seconds) })
  }

  @Test func `from version 2 on the first block is passed over, whatever it holds`() throws {
    let zone = MadeUpZone(transitions: [(1 << 40, 1)])
    #expect(try ZoneRules(tzif: zone.bytes).offset(at: 1 << 40).seconds == 10800)
  }

  @Test(
    arguments: [
      (MadeUpZone(version: 0x35), "version 1 to 4"), (MadeUpZone(transitions: [(1, 2)]), "leads to offset 2 of 2"),
      (MadeUpZone(transitions: [(2, 0), (2, 1)]), "do not ascend"), (MadeUpZone(offsets: []), "found 0"),
      (MadeUpZone(offsets: [(100_000, 0, 0)]), "100000 seconds"), (MadeUpZone(offsets: [(.min, 0, 0)]), "seconds from"),
      (MadeUpZone(offsets: [(0, 2, 0)]), "0 or 1 for daylight, found 2"),
      (MadeUpZone(offsets: [(0, 0, 200)]), "without an end"), (MadeUpZone(names: Array("EET".utf8)), "without an end"),
      (MadeUpZone(names: []), "0 characters"), (MadeUpZone(leaps: 27), "27 leap seconds"),
      (MadeUpZone(indicators: (1, 0)), "1 and 0 indicators"), (MadeUpZone(footer: ""), "expected a footer"),
      (MadeUpZone(footer: "\nEET-2"), "expected a footer"), (MadeUpZone(footer: "\nEET\n"), "a number of 1 to 3"),
    ] as [(MadeUpZone, String)])
  func `a file that is wrong in one point is refused with that point`(zone: MadeUpZone, reason: String) {
    let problem = #expect(throws: ZoneProblem.self) { try ZoneRules(tzif: zone.bytes) }
    #expect(problem?.description.contains(reason) ?? false, "\(problem?.description ?? "")")
  }

  @Test func `a zone's name leads nowhere but below the folder of zones`() {
    for name in ZoneOracle.zones + ["UTC", "America/Argentina/Buenos_Aires"] { #expect(ZoneRules.isName(name)) }
    for name in ["", "/etc/passwd", "../etc", "Europe/../x", "Europe/", "Europe//Riga", "Rīga", "a b", "a\u{0}", "."] {
      #expect(!ZoneRules.isName(name), "\(name)")
    }
    #expect(!ZoneRules.isName(String(repeating: "a", count: 65)))
  }

  @Test func `what is no TZif file, is empty or too long is refused`() {
    for bytes in [[], Array("#!/bin/sh\n".utf8), [UInt8](repeating: 0, count: 300_000), Array("TZif2".utf8)] {
      #expect(throws: ZoneProblem.self) { try ZoneRules(tzif: bytes) }
    }
  }

  @Test func `every cut of a file is refused, and every flipped bit is refused or answers`() throws {
    var zone = MadeUpZone(transitions: [(1000, 1), (2000, 0)], footer: "\nEET-2EEST,M3.5.0/3,M10.5.0/4\n")
    for version in [UInt8(0), 0x32] {
      zone.version = version
      let bytes = zone.bytes
      for length in 0..<bytes.count {
        #expect(throws: ZoneProblem.self) { try ZoneRules(tzif: Array(bytes[..<length])) }
      }
      for bit in 0..<8 * bytes.count {
        var spoilt = bytes
        spoilt[bit / 8] ^= 1 << UInt8(bit % 8)
        guard let rules = try? ZoneRules(tzif: spoilt) else { continue }
        for moment in [Int64.min, 0, 1500, 1_774_746_000, .max] {
          #expect(abs(rules.offset(at: moment).seconds) <= 93_599)
        }
      }
    }
  }
}
