import CivilTime

/// One entry of a list of working hours, as the second bank's file has it: numbers that nobody has looked at yet.
package struct HoursEntry: Equatable, Sendable {
  /// The day, 0 is Monday and 6 Sunday.
  package var day: Int
  /// The hour of opening, 0 to 23.
  package var startHours: Int
  /// The minute of opening, 0 to 59.
  package var startMinutes: Int
  /// The hour of closing, 0 to 24.
  package var endHours: Int
  /// The minute of closing, 0 to 59; 0 with hour 24.
  package var endMinutes: Int

  /// Takes the numbers as they are.
  package init(day: Int, startHours: Int, startMinutes: Int, endHours: Int, endMinutes: Int) {
    self.day = day
    (self.startHours, self.startMinutes) = (startHours, startMinutes)
    (self.endHours, self.endMinutes) = (endHours, endMinutes)
  }
}

/// Why an entry is no stretch of open time.
package struct HoursProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong, with what was expected and found.
  package let description: String
}

extension WeeklyHours {
  /// Entries at most; a week of 15-minute stretches has 672.
  package static let maximumEntries = 1_000

  /// Reads a list of working hours.
  ///
  /// Several entries a day are several stretches. One that closes before it opens closes on the next day. One that closes
  /// as it opens could mean never or always, and is refused. An empty list is a week without an open day.
  ///
  /// - Throws: ``HoursProblem`` with the number of the entry, from 1 up.
  package init(entries: [HoursEntry]) throws(HoursProblem) {
    guard entries.count <= Self.maximumEntries else {
      throw HoursProblem(description: "\(entries.count) working hours, at most \(Self.maximumEntries) are read")
    }
    var stretches: [Stretch] = []
    for (index, entry) in entries.enumerated() {
      do throws(HoursProblem) {
        stretches.append(try entry.stretch())
      } catch {
        throw HoursProblem(description: "working hours \(index + 1): \(error.description)")
      }
    }
    self.init(stretches)
  }
}

extension HoursEntry {
  fileprivate func stretch() throws(HoursProblem) -> WeeklyHours.Stretch {
    try expect(day, 0...6, "the day")
    try expect(startHours, 0...23, "the opening hour")
    try expect(startMinutes, 0...59, "the opening minute")
    try expect(endHours, 0...24, "the closing hour")
    try expect(endMinutes, endHours == 24 ? 0...0 : 0...59, "the closing minute")
    return try WeeklyHours.Stretch(
      weekday: day, from: 60 * startHours + startMinutes, to: 60 * endHours + endMinutes)
  }

  private func expect(_ value: Int, _ range: ClosedRange<Int>, _ what: String) throws(HoursProblem) {
    guard range.contains(value) else {
      throw HoursProblem(description: "\(what) is from \(range.lowerBound) to \(range.upperBound), found \(value)")
    }
  }
}

extension WeeklyHours.Stretch {
  /// A stretch between two times of day, the second on the next day if it is below the first.
  init(weekday: Int, from opens: Int, to closes: Int) throws(HoursProblem) {
    let stretch = Self(
      weekday: weekday, opens: opens, closes: closes < opens ? closes + WallClock.minutesPerDay : closes)
    guard let stretch else {
      throw HoursProblem(description: "it closes at the minute at which it opens, which could mean never or always")
    }
    self = stretch
  }
}
