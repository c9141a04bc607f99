import Banks
import CivilTime
import Testing

@Suite("weekly hours")
struct WeeklyHoursTests {
  private func hours(_ stretches: [(day: Int, opens: Int, closes: Int)]) -> WeeklyHours {
    WeeklyHours(stretches.compactMap { WeeklyHours.Stretch(weekday: $0.day, from: $0.opens, to: $0.closes) })
  }

  @Test func `the opening minute is open, the closing minute closed, and a day without a stretch closed`() {
    let open = Set(minutes(of: hours([(0, 570, 990)])))
    #expect(open == Set((9 * 60 + 30)..<(16 * 60 + 30)))
  }

  @Test func `hours past midnight are open on the next day, from Sunday on Monday too`() {
    let hours = hours([(6, 1_320, 120)])
    #expect(minutes(of: hours) == Array(0..<120) + Array((6 * 1440 + 22 * 60)..<10_080))
    #expect(hours.stretches(on: 6).map(\.closes) == [26 * 60] && hours.stretches(on: 0).isEmpty)
  }

  @Test func `a day may have several stretches, in any order; those that overlap or touch are one`() {
    let hours = hours([(1, 780, 1_080), (1, 480, 720), (1, 1_020, 1_140), (1, 1_140, 1_215)])
    #expect(hours.description == "1 480-720, 1 780-1215")
  }

  @Test func `always is every minute of the week, and no stretch is none; equal times are no stretch`() {
    #expect(minutes(of: .always).count == 10_080)
    #expect(minutes(of: hours([])).isEmpty)
    #expect(minutes(of: hours([(3, 0, 1_440)])) == Array(3 * 1440..<4 * 1440))
    #expect(WeeklyHours.Stretch(weekday: 3, from: 540, to: 540) == nil)
  }

  private func minutes(of hours: WeeklyHours) -> [Int] {
    (0..<10_080).filter { hours.isOpen(at: WallClock(localSeconds: Int64(4 * 86_400 + 60 * $0))) }
  }
}
