import CivilTime

@testable import Banks

extension WeeklyHours {
  /// Whether it is open when its clock shows `clock` and there is no public holiday.
  func isOpen(at clock: WallClock) -> Bool { stretches.contains { $0.contains(minuteOfWeek: clock.minuteOfWeek) } }
}

extension OpenState {
  /// The state of a location with `hours` at a moment without holiday, on the clock of its own zone.
  init(_ hours: WeeklyHours?, at moment: Int64, in zone: ZoneRules?) {
    guard let hours, let zone else {
      self = .unknown
      return
    }
    self = hours.isOpen(at: WallClock(localSeconds: zone.localSeconds(at: moment))) ? .yes : .no
  }
}

extension WeeklyHours.Stretch {
  /// Whether it contains a minute of the week; the minutes of holidays follow the week's.
  func contains(minuteOfWeek: Int) -> Bool {
    let since = minuteOfWeek - (weekday * WallClock.minutesPerDay + opens)
    let wrapped = since < 0 && weekday != Self.holiday ? since + WallClock.minutesPerWeek : since
    return (0..<closes - opens).contains(wrapped)
  }
}
