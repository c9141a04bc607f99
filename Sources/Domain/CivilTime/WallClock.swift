/// The day of the week and the minute of the day, for weekly timetables.
package struct WallClock: Equatable, Sendable {
  /// Minutes of a day.
  package static let minutesPerDay = 1_440
  /// Minutes of a week.
  package static let minutesPerWeek = 7 * minutesPerDay

  /// The day of the week, 0 is Monday and 6 Sunday.
  package var weekday: Int
  /// The minute of the day, 0 to 1,439, rounded down.
  package var minuteOfDay: Int

  /// The weekday and minute at `seconds` of local time, counted from 1970-01-01 00:00, a Thursday.
  package init(localSeconds seconds: Int64) {
    let (day, second) = seconds.flooredDivision(by: 86_400)
    weekday = Int((day + 3).flooredDivision(by: 7).remainder)
    minuteOfDay = Int(second / 60)
  }

  /// The minute of the day of a time on a clock of 12 hours; `nil` if there is none.
  package static func minute(hours: Int, _ minutes: Int, isAfternoon: Bool) -> Int? {
    guard (1...12).contains(hours), (0...59).contains(minutes) else { return nil }
    return (hours % 12 + (isAfternoon ? 12 : 0)) * 60 + minutes
  }

  /// Minutes since Monday 00:00.
  package var minuteOfWeek: Int { weekday * Self.minutesPerDay + minuteOfDay }
}
