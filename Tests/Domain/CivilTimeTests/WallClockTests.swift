import CivilTime
import Testing

@Suite("the clock on the wall")
struct WallClockTests {
  @Test(
    arguments: [
      (0, 3, 0), (59, 3, 0), (60, 3, 1), (86_399, 3, 1439), (86_400, 4, 0), (-1, 2, 1439), (259_200, 6, 0),
      (345_600, 0, 0), (-259_201, 6, 1439),
    ] as [(Int64, Int, Int)])
  func `a clock shows weekday and minute, and a minute that has begun counts whole`(
    seconds: Int64, weekday: Int, minute: Int
  ) {
    let clock = WallClock(localSeconds: seconds)
    #expect(clock.weekday == weekday && clock.minuteOfDay == minute)
    #expect(clock.minuteOfWeek == weekday * 1440 + minute)
  }

  @Test func `a clock at the end of all numbers still shows something`() throws {
    let zone = try ZoneRules(tzif: MadeUpZone(footer: "\nEET-2EEST,M3.5.0/3,M10.5.0/4\n").bytes)
    for moment in [Int64.min, .max] {
      let clock = WallClock(localSeconds: zone.localSeconds(at: moment))
      #expect((0..<10_080).contains(clock.minuteOfWeek))
    }
  }
}
