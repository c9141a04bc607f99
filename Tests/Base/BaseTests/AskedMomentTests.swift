import Base
import Testing

@Suite struct AskedMomentTests {
  @Test(
    arguments: [
      ("2026-03-29T14:30:00+02:00", .instant(1_774_787_400)), ("1970-01-01 00:00:01Z", .instant(1)),
      ("2026-03-29T14:30", .local(1_774_794_600)), ("1970-01-02 00:00:01", .local(86_401)),
      ("2026-03-29", .date(CivilDate(year: 2026, month: 3, day: 29))),
      ("2024-02-29", .date(CivilDate(year: 2024, month: 2, day: 29))), ("14:30", .time(52_200, now: 7)),
      ("00:00", .time(0, now: 7)), ("23:59:59", .time(86_399, now: 7)),
    ] as [(String, AskedMoment)])
  func `a moment, a local time, a day and a time of day are read`(text: String, expected: AskedMoment) throws {
    #expect(try AskedMoment(text, now: 7) == expected)
  }

  @Test(arguments: [
    "", "now", "2026-02-29", "2026-13-01", "2026-3-29", "2026-03-29T", "2026-02-29T14:30:00", "2026-03-29T24:00",
    "2026-03-29x14:30",
    "2026-03-29T14:30Z", "24:00", "14:60",
    "14:30:60",
    "14:30:5", "14:3",
    "1:30", "14:30Z", "14:30:00.5", "٠٢:٣٠", "2026-03-2٩", " 14:30", "14:30 ",
  ])
  func `anything else is refused`(text: String) {
    #expect(throws: RFC3339Error.self) { try AskedMoment(text) }
  }
}
