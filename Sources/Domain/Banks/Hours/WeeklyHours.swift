import Base
import CivilTime

/// The opening hours of a week, and of public holidays if the source names them, as stretches of local time.
///
/// Days without a stretch are closed. The opening minute is included, the closing minute is not.
package struct WeeklyHours: Hashable, Sendable, CustomStringConvertible {
  /// A stretch of open time that starts on one day and ends at most 24 hours later.
  package struct Stretch: Hashable, Sendable {
    /// The ``weekday`` of a stretch that starts on every public holiday.
    package static let holiday = 7

    /// The day on which it starts: 0 is Monday, 6 Sunday, 7 a public holiday.
    package let weekday: Int
    /// The minute of that day at which it starts, 0 to 1,439.
    package let opens: Int
    /// The minute at which it ends, counted from the same midnight; above 1,440 on the next day.
    package let closes: Int

    /// Makes a stretch; `nil` if it is empty, longer than 24 hours, or out of range.
    package init?(weekday: Int, opens: Int, closes: Int) {
      guard (0...Self.holiday).contains(weekday), (0..<WallClock.minutesPerDay).contains(opens), closes > opens,
        closes - opens <= WallClock.minutesPerDay
      else { return nil }
      (self.weekday, self.opens, self.closes) = (weekday, opens, closes)
    }

    /// Whether it contains a minute of the week; the minutes of holidays follow the week's.
    func contains(minuteOfWeek: Int) -> Bool {
      let since = minuteOfWeek - (weekday * WallClock.minutesPerDay + opens)
      let wrapped = since < 0 && weekday != Self.holiday ? since + WallClock.minutesPerWeek : since
      return (0..<closes - opens).contains(wrapped)
    }
  }

  /// The stretches, sorted by day and opening, those of holidays last.
  package let stretches: [Stretch]
  /// Whether the hours of public holidays are known.
  package let namesHolidays: Bool

  /// Sorts stretches, and joins those that start on the same day and overlap or touch, if the result is at most 24
  /// hours.
  ///
  /// With `namesHolidays` but no stretch for holidays, they are closed.
  package init(_ stretches: some Sequence<Stretch>, namesHolidays: Bool = false) {
    self.namesHolidays = namesHolidays
    var joined: [Stretch] = []
    for stretch in stretches.sorted(by: { ($0.weekday, $0.opens, $0.closes) < ($1.weekday, $1.opens, $1.closes) }) {
      guard let last = joined.last, last.weekday == stretch.weekday, stretch.opens <= last.closes,
        let both = Stretch(weekday: last.weekday, opens: last.opens, closes: max(last.closes, stretch.closes))
      else {
        joined.append(stretch)
        continue
      }
      joined[joined.count - 1] = both
    }
    self.stretches = joined
  }

  /// Open at all times.
  package static let always = WeeklyHours(
    (0...6).compactMap { Stretch(weekday: $0, opens: 0, closes: WallClock.minutesPerDay) })

  /// The stretches that start on a day, or on holidays.
  package func stretches(on weekday: Int) -> [Stretch] { stretches.filter { $0.weekday == weekday } }

  /// All stretches as days and minutes, such as `0 540-1080, 5 600-900`; those of holidays follow `*`, if known.
  package var description: String {
    let texts = { (days: [Stretch]) in days.map { "\($0.weekday) \($0.opens)-\($0.closes)" }.joined(separator: ", ") }
    let week = texts(stretches.filter { $0.weekday != Stretch.holiday })
    return namesHolidays ? "\(week) * \(texts(stretches(on: Stretch.holiday)))" : week
  }
}

/// Whether a location is open; unknown hours stay unknown.
package enum OpenState: String, Sendable, CaseIterable {
  /// It is open.
  case yes
  /// It is closed.
  case no
  /// Its hours or its time zone are unknown.
  case unknown
}

/// One entry of a list of working hours, as in the second bank's file: unchecked numbers.
package struct HoursEntry: Equatable, Sendable {
  /// The day: 0 is Monday, 6 Sunday, 7 a public holiday.
  package var day: Int
  /// The hour of opening, 0 to 23.
  package var startHours: Int
  /// The minute of opening, 0 to 59.
  package var startMinutes: Int
  /// The hour of closing, 0 to 24.
  package var endHours: Int
  /// The minute of closing, 0 to 59; 0 with hour 24.
  package var endMinutes: Int

  /// Makes an entry without checks.
  package init(day: Int, startHours: Int, startMinutes: Int, endHours: Int, endMinutes: Int) {
    self.day = day
    (self.startHours, self.startMinutes) = (startHours, startMinutes)
    (self.endHours, self.endMinutes) = (endHours, endMinutes)
  }
}

/// Why an entry is not a period of open time.
package struct HoursProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The fault, with the expected and the found value.
  package let description: String
}

extension WeeklyHours {
  /// The most entries; a week of 15-minute stretches has 672.
  package static let maximumEntries = 1_000

  /// Reads a list of working hours.
  ///
  /// Several entries per day are several stretches. An entry that closes before it opens closes on the next day. One
  /// with equal times could mean never or always, and is refused. An empty list is a week without an open day.
  ///
  /// Entries for holidays are valid only with `namesHolidays`.
  ///
  /// - Throws: ``HoursProblem`` with the number of the entry, from 1.
  package init(entries: [HoursEntry], namesHolidays: Bool = false) throws(HoursProblem) {
    guard entries.count <= Self.maximumEntries else {
      throw HoursProblem(description: "\(entries.count) working hours, at most \(Self.maximumEntries) are read")
    }
    var stretches: [Stretch] = []
    for (index, entry) in entries.enumerated() {
      do throws(HoursProblem) {
        stretches.append(try entry.stretch(lastDay: namesHolidays ? Stretch.holiday : 6))
      } catch {
        throw HoursProblem(description: "working hours \(index + 1): \(error.description)")
      }
    }
    self.init(stretches, namesHolidays: namesHolidays)
  }
}

extension HoursEntry {
  fileprivate func stretch(lastDay: Int) throws(HoursProblem) -> WeeklyHours.Stretch {
    try expect(day, 0...lastDay, "the day")
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
  /// A stretch between two times of day, the second on the next day if it is earlier.
  init(weekday: Int, from opens: Int, to closes: Int) throws(HoursProblem) {
    let stretch = Self(
      weekday: weekday, opens: opens, closes: closes < opens ? closes + WallClock.minutesPerDay : closes)
    guard let stretch else {
      throw HoursProblem(description: "it closes at the minute at which it opens, which could mean never or always")
    }
    self = stretch
  }
}

/// Hours as the bytes of an index.
enum PackedHours {
  /// Flags of the first byte.
  private static let known: UInt8 = 1
  private static let sameOnHolidays: UInt8 = 2
  private static let namesHolidays: UInt8 = 4

  /// Empty for unknown hours; else a byte of flags and two numbers per stretch.
  ///
  /// Unless the hours name holidays, holidays do not change those of a machine, or hours around the clock.
  static func encode(_ hours: WeeklyHours?, ofMachine isMachine: Bool) -> [UInt8] {
    guard let hours else { return [] }
    let holidays = hours.namesHolidays ? namesHolidays : isMachine || hours == .always ? sameOnHolidays : 0
    return [known | holidays]
      + [UInt8](
        column: hours.stretches.flatMap {
          [UInt32($0.weekday * WallClock.minutesPerDay + $0.opens), UInt32($0.closes - $0.opens)]
        })
  }

  /// The hours, or `nil` if they are unknown; invalid stretches are left out.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> WeeklyHours? {
    guard let (bits, numbers) = parts(bytes) else { return nil }
    let stretches = (0..<numbers.count / 2).compactMap { index in
      let (day, opens) = numbers[2 * index].quotientAndRemainder(dividingBy: WallClock.minutesPerDay)
      return WeeklyHours.Stretch(weekday: day, opens: opens, closes: opens + numbers[2 * index + 1])
    }
    return WeeklyHours(stretches, namesHolidays: bits & namesHolidays != 0)
  }

  /// Whether the hours include a minute of the week, on a day that may be a public holiday or follow one.
  ///
  /// The state is unknown on a holiday that the hours do not name, and in the night after it, if the hours of its
  /// weekday extend past midnight.
  static func openState(
    _ bytes: UnsafeRawBufferPointer, minuteOfWeek minute: Int, isHoliday: Bool, followsHoliday: Bool
  ) -> OpenState {
    guard let (bits, numbers) = parts(bytes) else { return .unknown }
    let isNamed = bits & namesHolidays != 0
    let (today, yesterday) = bits & sameOnHolidays != 0 ? (false, false) : (isHoliday, followsHoliday)
    if today && !isNamed { return .unknown }
    let minuteOfDay = minute % WallClock.minutesPerDay
    var state = OpenState.no
    for index in 0..<numbers.count / 2 {
      let (start, length) = (numbers[2 * index], numbers[2 * index + 1])
      if start >= WallClock.minutesPerWeek {
        let since = minuteOfDay - (start - WallClock.minutesPerWeek)
        if today, (0..<length).contains(since) { return .yes }
        if yesterday, (0..<length).contains(since + WallClock.minutesPerDay) { return .yes }
        continue
      }
      let since = minute < start ? minute - start + WallClock.minutesPerWeek : minute - start
      guard since < length else { continue }
      let beganToday = since <= minuteOfDay
      if beganToday ? !today : !yesterday { return .yes }
      if !beganToday && !isNamed { state = .unknown }
    }
    return state
  }

  private static func parts(_ bytes: UnsafeRawBufferPointer) -> (bits: UInt8, numbers: Column)? {
    guard let bits = bytes.first, bits & known != 0 else { return nil }
    return (bits, Column(UnsafeRawBufferPointer(rebasing: bytes[1...])))
  }
}
