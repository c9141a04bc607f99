internal import CitiesProtocol

/// Opening hours as text.
enum WeekText {
  private static let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

  /// `Mo 09:00-17:00; Sa 10:00-14:00`, one stretch after the other; `closed` if there is none.
  static func short(_ hours: [OpeningHours]) -> String {
    let stretches = hours.map { stretch in "\(name(of: stretch.day).prefix(2)) \(text(stretch, "-"))" }
    return stretches.isEmpty ? "closed" : stretches.joined(separator: "; ")
  }

  /// A line for each weekday: `Monday     09:00–17:00`.
  static func lines(_ hours: [OpeningHours]) -> [String] {
    days.indices.map { day in
      let stretches = hours.filter { $0.day == day }.map { text($0, "–") }
      let blanks = String(repeating: " ", count: 11 - days[day].count)
      return days[day] + blanks + (stretches.isEmpty ? "closed" : stretches.joined(separator: ", "))
    }
  }

  /// A day that the contract does not know is shown by its number.
  private static func name(of day: Int) -> String { days.indices.contains(day) ? days[day] : "day \(day)" }

  /// Past midnight the clock begins anew; at midnight it may show 24:00.
  private static func text(_ stretch: OpeningHours, _ dash: String) -> String {
    let end = stretch.closes > 1_440 ? stretch.closes - 1_440 : stretch.closes
    return "\(clock(stretch.opens))\(dash)\(clock(end))"
  }

  private static func clock(_ minute: Int) -> String {
    let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
    return "\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)"
  }
}
