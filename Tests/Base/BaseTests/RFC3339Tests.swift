import Base
import Testing

@Suite("moments from RFC 3339 text")
struct MomentTests {
  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1), ("2001-09-09T01:46:40Z", 1_000_000_000),
      // The examples of RFC 3339, section 5.8, without its leap seconds.
      ("1985-04-12T23:20:50.52Z", 482_196_050), ("1996-12-19T16:39:57-08:00", 851_042_397),
      ("1937-01-01T12:00:27.87+00:20", -1_041_337_173),
      ("2026-03-29t03:00:00+03:00", 1_774_742_400), ("2026-03-29 00:00:00z", 1_774_742_400),
      ("2026-03-28T23:30:00-00:30", 1_774_742_400), ("2026-03-29T00:00:00-00:00", 1_774_742_400),
      ("2024-02-29T00:00:00Z", 1_709_164_800), ("0000-01-01T00:00:00Z", -62_167_219_200),
      ("9999-12-31T23:59:59Z", 253_402_300_799), ("1969-12-31T23:59:59.999999999999Z", -1),
    ] as [(String, Int64)])
  func `a time is the number of its second`(text: String, seconds: Int64) throws {
    #expect(try RFC3339.parse(text) == seconds)
  }

  @Test(
    arguments: [
      ("", "a year of 4 digits"), ("now", "a year"), ("2026-13-01T00:00:00Z", "a month is from 1 to 12, found 13"),
      ("2026-00-01T00:00:00Z", "found 0"), ("2026-02-29T00:00:00Z", "no day 29"), ("2026-04-31T00:00:00Z", "no day 31"),
      ("1900-02-29T00:00:00Z", "no day 29"), ("2026-01-32T00:00:00Z", "found 32"), ("2026-01-01", "expected \"T\""),
      ("2026-01-01T24:00:00Z", "found 24"), ("2026-01-01T23:60:00Z", "found 60"), ("2026-01-01T23:59:61Z", "found 61"),
      ("1990-12-31T23:59:60Z", "leap second"), ("2026-01-01T00:00:00", "\"Z\" or an offset"),
      ("2026-01-01T00:00:00.Z", "digits after"), ("2026-01-01T00:00:00+3", "2 digits"),
      ("2026-01-01T00:00:00+03", "\":\""), ("2026-01-01T00:00:00+24:00", "found 24"),
      ("2026-01-01T00:00:00ZZ", "unexpected text"), ("26-01-01T00:00:00Z", "4 digits"),
      ("2026-1-1T00:00:00Z", "2 digits"), ("２０２６-01-01T00:00:00Z", "4 digits"), ("+026-01-01T00:00:00Z", "4 digits"),
    ])
  func `an invalid time is refused with the reason`(text: String, reason: String) {
    let problem = #expect(throws: RFC3339Error.self) { try RFC3339.parse(text) }
    #expect(problem?.description.contains(reason) ?? false, "\(problem?.description ?? "")")
  }

  @Test func `years before 0 and after 9999 have all their digits`() {
    #expect(RFC3339.text(secondsSince1970: -62_167_219_201) == "-0001-12-31T23:59:59Z")
    #expect(RFC3339.localText(253_402_300_800) == "10000-01-01T00:00:00")
  }

  @Test func `a long text is named by its beginning`() {
    // A letter may have any number of marks.
    for text in [String(repeating: "x", count: 60_000), "a" + String(repeating: "\u{301}", count: 20_000)] {
      let problem = #expect(throws: RFC3339Error.self) { try RFC3339.parse(text) }
      #expect(problem.map { $0.description.utf8.count < 300 } == true)
    }
  }
}
