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
  }

  /// The stretches, sorted by day and opening, those of holidays last.
  package let stretches: [Stretch]
  /// Whether the hours of public holidays are known.
  package let namesHolidays: Bool
  /// The dates on which it is closed, whatever the day of the week, in ascending order.
  package let closedDays: [ClosedDay]

  /// Sorts stretches, and joins those that start on the same day and overlap or touch, if the result is at most 24
  /// hours.
  ///
  /// With `namesHolidays` but no stretch for holidays, they are closed.
  package init(
    _ stretches: some Sequence<Stretch>, namesHolidays: Bool = false, closedDays: [ClosedDay] = []
  ) {
    self.namesHolidays = namesHolidays
    self.closedDays = Set(closedDays).sorted()
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

  /// All stretches as days and minutes, such as `0 540-1080, 5 600-900`; those of holidays follow `*`, if known, and
  /// each closed day `-`.
  package var description: String {
    let texts = { (days: [Stretch]) in days.map { "\($0.weekday) \($0.opens)-\($0.closes)" }.joined(separator: ", ") }
    let week = texts(stretches.filter { $0.weekday != Stretch.holiday })
    let days = namesHolidays ? "\(week) * \(texts(stretches(on: Stretch.holiday)))" : week
    return closedDays.reduce(days) { "\($0) - \($1)" }
  }
}

/// A date on which a location is closed: of every year, or of one.
package struct ClosedDay: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Its digits: 2026-12-25 is 20,261,225, and 25 December of every year is 1,225.
  let digits: Int

  /// Makes a date; `nil` if there is none.
  package init?(year: Int? = nil, month: Int, day: Int) {
    let leapYear = 2_000
    guard (1...12).contains(month), (1...9_999).contains(year ?? leapYear), day > 0,
      day <= CivilDate.days(inMonth: Int64(month), of: Int64(year ?? leapYear))
    else { return nil }
    digits = (year ?? 0) * 10_000 + month * 100 + day
  }

  init?(digits: Int) {
    self.init(year: digits < 10_000 ? nil : digits / 10_000, month: digits / 100 % 100, day: digits % 100)
  }

  /// Reads `12-25` or `2026-12-25`.
  package init?(_ text: some StringProtocol) {
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    guard let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
    self.init(digits: number)
    guard description.utf8.elementsEqual(text.utf8) else { return nil }
  }

  /// Whether it is `date`.
  func includes(_ date: CivilDate) -> Bool {
    let day = Int(date.month * 100 + date.day)
    return digits == day || digits == Int(date.year) * 10_000 + day
  }

  /// `12-25` or `2026-12-25`.
  package var description: String {
    let text = String(digits + 100_000_000).dropFirst()
    let day = "\(text.dropFirst(4).prefix(2))-\(text.suffix(2))"
    return digits < 10_000 ? day : "\(text.prefix(4))-\(day)"
  }

  /// Those of every year come first.
  package static func < (one: Self, other: Self) -> Bool { one.digits < other.digits }
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

extension WeeklyHours.Stretch {
  /// A stretch between two times of day, the second on the next day if it is earlier; `nil` if they are equal, which
  /// could mean never or always.
  package init?(weekday: Int, from opens: Int, to closes: Int) {
    self.init(weekday: weekday, opens: opens, closes: closes < opens ? closes + WallClock.minutesPerDay : closes)
  }
}

/// Hours as the bytes of an index.
enum PackedHours {
  /// Flags of the first byte.
  private static let known: UInt8 = 1
  private static let sameOnHolidays: UInt8 = 2
  private static let namesHolidays: UInt8 = 4
  /// A bit of the first number of a closed day.
  private static let date = 1 << 31

  /// Empty for unknown hours; else a byte of flags, two numbers per closed day and two per stretch.
  ///
  /// Unless the hours name holidays, holidays do not change those of a machine, or hours around the clock.
  static func encode(_ hours: WeeklyHours?, ofMachine isMachine: Bool) -> [UInt8] {
    guard let hours else { return [] }
    let isAlways = hours.stretches == WeeklyHours.always.stretches
    let holidays = hours.namesHolidays ? namesHolidays : isMachine || isAlways ? sameOnHolidays : 0
    var numbers: [UInt32] = []
    for day in hours.closedDays { numbers += [UInt32(date | day.digits), 0] }
    for stretch in hours.stretches {
      numbers += [
        UInt32(stretch.weekday * WallClock.minutesPerDay + stretch.opens), UInt32(stretch.closes - stretch.opens),
      ]
    }
    return [known | holidays] + [UInt8](column: numbers)
  }

  /// The hours, or `nil` if they are unknown; invalid stretches are left out.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> WeeklyHours? {
    guard let (bits, numbers) = parts(bytes) else { return nil }
    let stretches = (0..<numbers.count / 2).compactMap { index in
      let (day, opens) = numbers[2 * index].quotientAndRemainder(dividingBy: WallClock.minutesPerDay)
      return WeeklyHours.Stretch(weekday: day, opens: opens, closes: opens + numbers[2 * index + 1])
    }
    let dates = (0..<numbers.count / 2).map { numbers[2 * $0] }.filter { $0 & date != 0 }
    return WeeklyHours(
      stretches, namesHolidays: bits & namesHolidays != 0,
      closedDays: dates.compactMap { ClosedDay(digits: $0 & ~date) })
  }

  /// Whether the hours include a minute of the week, on a `day` that may be a public holiday or follow one.
  ///
  /// On a holiday that the hours do not name, and in the night after it, the state is unknown where the hours of its
  /// weekday are open: a location that is closed then on any such weekday is closed on a holiday, too.
  static func openState(
    _ bytes: UnsafeRawBufferPointer, minuteOfWeek minute: Int, on day: Int64, isHoliday: Bool, followsHoliday: Bool
  ) -> OpenState {
    guard let (bits, numbers) = parts(bytes) else { return .unknown }
    let isNamed = bits & namesHolidays != 0
    let (today, yesterday) = bits & sameOnHolidays != 0 ? (false, false) : (isHoliday, followsHoliday)
    let minuteOfDay = minute % WallClock.minutesPerDay
    var state = OpenState.no
    for index in 0..<numbers.count / 2 {
      let (start, length) = (numbers[2 * index], numbers[2 * index + 1])
      if start & date != 0 {
        if ClosedDay(digits: start & ~date)?.includes(CivilDate(daysSince1970: day)) == true { return .no }
        continue
      }
      if start >= WallClock.minutesPerWeek {
        let since = minuteOfDay - (start - WallClock.minutesPerWeek)
        if today, (0..<length).contains(since) { return .yes }
        if yesterday, (0..<length).contains(since + WallClock.minutesPerDay) { return .yes }
        continue
      }
      let since = minute < start ? minute - start + WallClock.minutesPerWeek : minute - start
      guard since < length else { continue }
      let beganToday = since <= minuteOfDay
      if beganToday ? !today : !yesterday && (isNamed || !today) { return .yes }
      if !isNamed { state = .unknown }
    }
    return state
  }

  private static func parts(_ bytes: UnsafeRawBufferPointer) -> (bits: UInt8, numbers: Column)? {
    guard let bits = bytes.first, bits & known != 0 else { return nil }
    return (bits, Column(UnsafeRawBufferPointer(rebasing: bytes[1...])))
  }
}
