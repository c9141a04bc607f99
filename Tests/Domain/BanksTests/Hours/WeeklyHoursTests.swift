import Banks
import CivilTime
import Testing

@Suite("weekly hours")
struct WeeklyHoursTests {
  @Test func `the opening minute is open, the closing minute closed, and a day without entry closed`() throws {
    let hours = try WeeklyHours(entries: [
      HoursEntry(day: 0, startHours: 9, startMinutes: 30, endHours: 16, endMinutes: 30)
    ])
    let open = Set(minutes(of: hours))
    #expect(open == Set((9 * 60 + 30)..<(16 * 60 + 30)))
  }

  @Test func `hours past midnight are open on the next day, from Sunday on Monday too`() throws {
    let hours = try WeeklyHours(entries: [
      HoursEntry(day: 6, startHours: 22, startMinutes: 0, endHours: 2, endMinutes: 0)
    ])
    #expect(minutes(of: hours) == Array(0..<120) + Array((6 * 1440 + 22 * 60)..<10_080))
    #expect(hours.stretches(on: 6).map(\.closes) == [26 * 60] && hours.stretches(on: 0).isEmpty)
  }

  @Test func `a day may have several stretches, in any order; those that overlap or touch are one`() throws {
    let hours = try WeeklyHours(entries: [
      HoursEntry(day: 1, startHours: 13, startMinutes: 0, endHours: 18, endMinutes: 0),
      HoursEntry(day: 1, startHours: 8, startMinutes: 0, endHours: 12, endMinutes: 0),
      HoursEntry(day: 1, startHours: 17, startMinutes: 0, endHours: 19, endMinutes: 0),
      HoursEntry(day: 1, startHours: 19, startMinutes: 0, endHours: 20, endMinutes: 15),
    ])
    #expect(hours.description == "1 480-720, 1 780-1215")
  }

  @Test func `always is every minute of the week, and no entry is none`() throws {
    #expect(minutes(of: .always).count == 10_080)
    #expect(try minutes(of: WeeklyHours(entries: [])).isEmpty)
    let day = try WeeklyHours(entries: [HoursEntry(day: 3, startHours: 0, startMinutes: 0, endHours: 24, endMinutes: 0)]
    )
    #expect(minutes(of: day) == Array(3 * 1440..<4 * 1440))
  }

  @Test(
    arguments: [
      ([7, 9, 0, 17, 0], "the day is from 0 to 6, found 7"), ([-1, 9, 0, 17, 0], "found -1"),
      ([0, 24, 0, 17, 0], "the opening hour is from 0 to 23, found 24"), ([0, 9, 60, 17, 0], "the opening minute"),
      ([0, 9, 0, 25, 0], "the closing hour"), ([0, 9, 0, 24, 1], "the closing minute is from 0 to 0"),
      ([0, 9, 0, 17, -1], "found -1"), ([0, 9, 0, 9, 0], "never or always"), ([0, .max, .min, .max, .max], "found"),
    ] as [([Int], String)])
  func `an entry with an invalid time is refused with its number and what was found`(numbers: [Int], reason: String) {
    let good = HoursEntry(day: 0, startHours: 9, startMinutes: 0, endHours: 17, endMinutes: 0)
    let bad = HoursEntry(
      day: numbers[0], startHours: numbers[1], startMinutes: numbers[2], endHours: numbers[3], endMinutes: numbers[4])
    let problem = #expect(throws: HoursProblem.self) { try WeeklyHours(entries: [good, bad]) }
    #expect(problem?.description.hasPrefix("working hours 2: ") ?? false)
    #expect(problem?.description.contains(reason) ?? false, "\(problem?.description ?? "")")
  }

  @Test func `more entries than a week can hold are refused`() {
    let entry = HoursEntry(day: 0, startHours: 9, startMinutes: 0, endHours: 17, endMinutes: 0)
    #expect(throws: HoursProblem.self) { try WeeklyHours(entries: Array(repeating: entry, count: 1_001)) }
  }

  private func minutes(of hours: WeeklyHours) -> [Int] {
    (0..<10_080).filter { hours.isOpen(at: WallClock(localSeconds: Int64(4 * 86_400 + 60 * $0))) }
  }
}
