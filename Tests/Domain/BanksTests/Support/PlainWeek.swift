import Banks
import Testing

/// A week written as `Mo-Fr 9:00-12:00,13:00-18:00; Sa 10:00-15:00`, for the expectations of tests; `never` has no
/// hours.
///
/// It shares nothing with the reading of free text: every character is at a fixed place, and a fault in it is a failed
/// expectation.
func plainWeek(_ text: String) -> WeeklyHours {
  let days = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]
  var stretches: [WeeklyHours.Stretch] = []
  for part in text == "never" ? [] : text.components(separatedBy: "; ") {
    let (named, times) = (part.components(separatedBy: " ")[0], part.components(separatedBy: " ")[1])
    let ends = named.components(separatedBy: "-").compactMap(days.firstIndex(of:))
    for day in ends[0]...ends[ends.count - 1] {
      for range in times.components(separatedBy: ",") {
        let minutes = range.components(separatedBy: "-").map { time in
          time.components(separatedBy: ":").compactMap { Int($0) }.reduce(0) { 60 * $0 + $1 }
        }
        let closes = minutes[1] < minutes[0] ? minutes[1] + 1_440 : minutes[1]
        stretches += [WeeklyHours.Stretch(weekday: day, opens: minutes[0], closes: closes)].compactMap(\.self)
      }
    }
  }
  return WeeklyHours(stretches)
}

extension String {
  fileprivate func components(separatedBy separator: String) -> [String] {
    split(separator: separator).map(String.init)
  }
}

/// One line of a table: a text, and the week that it says, or that it is unclear.
struct HoursCase: CustomTestStringConvertible {
  let text: String
  let week: String?
  let testDescription: String

  static func reads(_ text: String, _ week: String) -> Self { Self(text: text, week: week, testDescription: text) }
  static func isUnclear(_ text: String) -> Self { Self(text: text, week: nil, testDescription: text) }

  /// What the product must make of it.
  var expected: WeeklyHours? { week.map(plainWeek) }
}
