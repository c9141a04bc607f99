import CivilTime
import Testing

@Suite("dates and the clock on the wall")
struct CivilDateTests {
  @Test("day numbers and dates are each other's inverse, and follow the calendar day by day from 1599 to 2410")
  func everyDay() {
    var date = CivilDate(year: 1599, month: 12, day: 31)
    for days in CivilDate(year: 1600, month: 1, day: 1).daysSince1970...160_000 {
      date = next(date)
      #expect(date.daysSince1970 == days && CivilDate(daysSince1970: days) == date)
    }
    #expect(date.year == 2408)
  }

  @Test(
    "known days have their numbers",
    arguments: [
      (1970, 1, 1, 0), (2000, 2, 29, 11_016), (1969, 12, 31, -1), (0, 3, 1, -719_468), (-1, 12, 31, -719_529),
    ]
      as [(Int64, Int64, Int64, Int64)])
  func known(year: Int64, month: Int64, day: Int64, days: Int64) {
    #expect(CivilDate(year: year, month: month, day: day).daysSince1970 == days)
    #expect(CivilDate(daysSince1970: days) == CivilDate(year: year, month: month, day: day))
  }

  @Test(
    "a clock shows weekday and minute, and a minute that has begun counts whole",
    arguments: [
      (0, 3, 0), (59, 3, 0), (60, 3, 1), (86_399, 3, 1439), (86_400, 4, 0), (-1, 2, 1439), (259_200, 6, 0),
      (345_600, 0, 0), (-259_201, 6, 1439),
    ] as [(Int64, Int, Int)])
  func clock(seconds: Int64, weekday: Int, minute: Int) {
    let clock = WallClock(localSeconds: seconds)
    #expect(clock.weekday == weekday && clock.minuteOfDay == minute)
    #expect(clock.minuteOfWeek == weekday * 1440 + minute)
  }

  @Test("a clock at the end of all numbers still shows something")
  func ends() throws {
    let zone = try ZoneRules(tzif: MadeUpZone(footer: "\nEET-2EEST,M3.5.0/3,M10.5.0/4\n").bytes)
    for moment in [Int64.min, .max] { #expect((0..<10_080).contains(WallClock(at: moment, in: zone).minuteOfWeek)) }
  }

  /// The day after, by the rules that one learns at school.
  private func next(_ date: CivilDate) -> CivilDate {
    let lengths: [Int64] = [31, isLeap(date.year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    if date.day < lengths[Int(date.month) - 1] {
      return CivilDate(year: date.year, month: date.month, day: date.day + 1)
    }
    if date.month < 12 { return CivilDate(year: date.year, month: date.month + 1, day: 1) }
    return CivilDate(year: date.year + 1, month: 1, day: 1)
  }

  private func isLeap(_ year: Int64) -> Bool { year % 400 == 0 || (year % 4 == 0 && year % 100 != 0) }
}
