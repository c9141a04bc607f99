import Banks
import CivilTime

/// Opening hours as `Mo-Fr 09:00-17:00; Sa 10:00-14:00`: the part of OpenStreetMap's `opening_hours` that describes a
/// week, in the spellings that people use.
///
///     text   = rule {(";" | ",") rule} [";"]
///     rule   = days [":"] times ["open" | closed] | times [days] | [days] closed     without days: every day of the week
///            | dates [":"] closed                    closed = ("off" | "closed") ['"' comment '"']
///            | closed ["on"] dates
///     dates  = date ["-" date] {("," | "and") date ["-" date]}         date = [year] month [day] | day month
///     days   = day ["-" day] {"," day ["-" day]}      times = time "-" time {"," time "-" time} | "24/7"
///     day    = "Mo" | "Mon" | "Monday" | … | "PH"     time  = hours (":" | "." | "h" | nothing) minutes [":00"]
///                                                           | hours [(":" | ".") minutes] ("am" | "pm")
///
/// `PH` is public holidays. Blanks may be anywhere between these symbols, a dash may have any width, a line break is a
/// semicolon, and quotes around the whole text mean nothing. A rule after a semicolon replaces earlier ones for its
/// days, unless it has other hours for all days of one of them: people may mean both. After a comma it adds to
/// them; after neither, its days must be new. Closed times are cut out of earlier hours. After dates no more times
/// follow; in "Dec 24-26" the second month is that of the first, and "Aug" is all of its days. Text with anything else
/// (seasons, times of dates, comments) is rejected whole, and so is text that closes some days without opening any, or
/// has another rule for a day or date into which a rule reaches past midnight: evaluators differ on that night. On a
/// holiday, the rules of its weekday count as well; text by which holidays would differ by their weekday is rejected,
/// too.
struct DayRanges {
  /// The longest text that is read, in bytes.
  private static let maximumBytes = 16_384
  /// The index of public holidays among the days of a rule.
  private static let holidays = WeeklyHours.Stretch.holiday

  private enum Link { case replacing, adding, none }

  /// One day's hours: its stretches, and the number of the last rule that set them.
  private struct Day {
    var stretches: [(rule: Int, stretch: WeeklyHours.Stretch)] = []
    var rule: Int?
  }

  private var rest: ArraySlice<UInt8>
  /// The days of the week, then the same days as holidays.
  private var week = [Day](repeating: Day(), count: 2 * holidays)
  private var count = 0
  private var (namesHolidays, hasAdded, hasReplaced, hasCut) = (false, false, false, false)
  /// Whether the rule of a night is replaced, on whose end evaluators differ, or one that people may mean to add to.
  private var hasUnclearRule = false
  /// The days of each rule.
  private var ruleDays: Set<Set<Int>> = []
  private var closedDays: [ClosedDay] = []

  /// The hours in `text`; `nil` if any of it is not understood, `.some(nil)` if it is, but has two meanings.
  ///
  /// If it `isOwn`, as this product prints hours, a night that leads into a holiday belongs to the day before.
  ///
  /// - Complexity: O(bytes of `text`).
  static func hours(_ text: String, isOwn: Bool = false) -> WeeklyHours?? {
    guard text.utf8.count <= maximumBytes else { return nil }
    var reader = DayRanges(text)
    return reader.readRules() ? .some(reader.hours(isOwn)) : nil
  }

  private init(_ text: String) {
    let quotes = text.utf8.count { $0 == UInt8(ascii: "\"") }
    let isQuoted = quotes == 2 && text.utf8.first == UInt8(ascii: "\"") && text.utf8.last == UInt8(ascii: "\"")
    let text = isQuoted ? text.dropFirst().dropLast() : text[...]
    rest =
      text.unicodeScalars.map { scalar -> UInt8 in
        switch scalar {
        case "A"..."Z": UInt8(scalar.value) | 0x20
        case "\n", "\r": UInt8(ascii: ";")
        case "\t", "\u{a0}", "\u{2000}"..."\u{200a}", "\u{202f}": UInt8(ascii: " ")
        case "\u{2010}"..."\u{2015}", "\u{2212}": UInt8(ascii: "-")
        default: scalar.isASCII ? UInt8(scalar.value) : UInt8.max
        }
      }[...]
  }

  // MARK: - Symbols

  private mutating func skipBlanks() { rest = rest.drop { $0 == UInt8(ascii: " ") } }

  private mutating func skip(_ text: StaticString) -> Bool {
    skipBlanks()
    let symbol = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard rest.starts(with: symbol) else { return false }
    rest = rest.dropFirst(symbol.count)
    return true
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// The letters that come next, not yet read.
  private mutating func nextWord() -> ArraySlice<UInt8> {
    skipBlanks()
    return rest.prefix(while: Self.isLetter)
  }

  // MARK: - Days

  private static let days: [[UInt8]: Int] = {
    let names = [
      "mo mon monday", "tu tue tues tuesday", "we wed wednesday", "th thu thur thurs thursday", "fr fri friday",
      "sa sat saturday", "su sun sunday", "ph",
    ]
    let pairs = names.enumerated().flatMap { day, names in names.split(separator: " ").map { (Array($0.utf8), day) } }
    return Dictionary(uniqueKeysWithValues: pairs)
  }()

  private mutating func readDay() -> Int? {
    let word = nextWord()
    guard let day = Self.days[Array(word)] else { return nil }
    rest = rest[word.endIndex...]
    return day
  }

  /// Reads `mo-fr,su,ph`; `nil` if a range or list is malformed, empty without any day.
  private mutating func readDays() -> [Int]? {
    guard let first = readDay() else { return [] }
    var found: [Int] = []
    var day = first
    while true {
      if skip("-") {
        guard let last = readDay(), day != Self.holidays, last != Self.holidays else { return nil }
        // A range may wrap around the end of the week.
        found += (0...(last - day + 7) % 7).map { (day + $0) % 7 }
      } else {
        found.append(day)
      }
      let before = rest
      guard skip(",") else { return found }
      guard let next = readDay() else {
        rest = before
        return nil
      }
      day = next
    }
  }

  // MARK: - Dates

  /// Most dates on which a place is closed.
  private static let maximumDates = 100

  private static let months = "january february march april may june july august september october november december"
    .split(separator: " ")

  /// Reads a month by name, or by its first three letters or more.
  private mutating func readMonth() -> Int? {
    let word = nextWord()
    guard word.count >= 3, let month = Self.months.firstIndex(where: { $0.utf8.starts(with: word) }) else { return nil }
    rest = rest[word.endIndex...]
    return month + 1
  }

  /// Reads a date, or the first and last day of a month, with a year and a month or those of an earlier date.
  private mutating func readDate(after known: CivilDate?) -> (first: CivilDate, last: CivilDate)? {
    let before = rest
    let year = readNumber(4...4)
    var number = year == nil ? readNumber(1...2) : nil
    let named = readMonth()
    if number == nil, named != nil { number = readNumber(1...2) }
    guard let month = named.map(Int64.init) ?? (year == nil && number != nil ? known?.month : nil) else {
      rest = before
      return nil
    }
    let (inYear, day) = (year.map(Int64.init) ?? known?.year ?? 0, number.map(Int64.init))
    let date = { CivilDate(year: inYear, month: month, day: $0) }
    return (date(day ?? 1), date(day ?? CivilDate.days(inMonth: month, of: inYear)))
  }

  /// Reads dates on which it is closed; `nil` if they are malformed, `false` if there are none.
  private mutating func readClosedDays() -> Bool? {
    let (before, isBefore) = (rest, skipClosed())
    if isBefore { _ = skip("on ") }
    guard var date = readDate(after: nil) else {
      rest = before
      return false
    }
    while true {
      var last = date.last
      if skip("-") {
        guard let end = readDate(after: date.first) else { return nil }
        last = end.last
      }
      guard addClosedDays(date.first, last) else { return nil }
      guard skip(",") || skip("and ") else { break }
      guard let next = readDate(after: last) else { return nil }
      date = next
    }
    _ = skip(":")
    return isBefore || skipClosed() ? true : nil
  }

  /// Adds the dates from `first` to `last`, which is in the next year if it is earlier and has no year.
  private mutating func addClosedDays(_ first: CivilDate, _ last: CivilDate) -> Bool {
    let isYearly = first.year == 0
    guard isYearly == (last.year == 0) else { return false }
    // Year 0 is a leap year.
    var (day, end) = (first.daysSince1970, last.daysSince1970)
    if isYearly, end < day { end += 366 }
    guard day <= end, end - day < Self.maximumDates, CivilDate(daysSince1970: day) == first,
      CivilDate(daysSince1970: last.daysSince1970) == last
    else { return false }
    while day <= end {
      let date = CivilDate(daysSince1970: day)
      let closed = ClosedDay(year: isYearly ? nil : Int(date.year), month: Int(date.month), day: Int(date.day))
      guard let closed, closedDays.count < Self.maximumDates else { return false }
      closedDays.append(closed)
      day += 1
    }
    return true
  }

  // MARK: - Times

  /// Reads `09:00-12:00,13:00-17:00` up to a comma that another rule follows; `nil` if it is malformed.
  private mutating func readTimes() -> [(opens: Int, closes: Int)]? {
    if skip("24/7") { return [(0, 1_440)] }
    var found: [(opens: Int, closes: Int)] = []
    while true {
      guard let (opens, isHalf) = readTime(), opens < 1_440, skip("-") else { return nil }
      skipBlanks()
      // "9:00-5:00" is rather not of a clock of 24 hours.
      let isShort = !(rest.dropFirst().first.map(Self.isDigit) ?? false)
      guard let (closes, isOtherHalf) = readTime(), closes != opens, isHalf == isOtherHalf,
        isHalf || closes > opens || opens > 720 || closes < 60 || !isShort
      else { return nil }
      // More than 24 hours are read only as the same time of the next day, which has no other form.
      guard closes <= 1_440 || closes == opens + 1_440 else { return nil }
      found.append((opens, closes < opens ? closes + 1_440 : closes))
      let before = rest
      guard skip(","), let next = rest.first(where: { $0 != UInt8(ascii: " ") }), Self.isDigit(next) else {
        rest = before
        return found
      }
    }
  }

  /// Reads `9:00` or `9 am` in minutes; hours above 24 are those of the next day.
  private mutating func readTime() -> (minute: Int, is12Hours: Bool)? {
    if let number = readNumber(4...4) {
      return number <= 2_400 && number % 100 < 60 ? (number / 100 * 60 + number % 100, false) : nil
    }
    guard let hours = readNumber(1...2) else { return nil }
    let hasMinutes = skip(":") || skip(".") || skip("h")
    guard let minutes = hasMinutes ? readNumber(2...2) : 0, minutes < 60 else { return nil }
    _ = hasMinutes && skip(":00")
    if let isAfternoon = skip("am") || skip("a.m.") ? false : skip("pm") || skip("p.m.") ? true : nil {
      return WallClock.minute(hours: hours, minutes, isAfternoon: isAfternoon).map { ($0, true) }
    }
    return hasMinutes && 60 * hours + minutes <= 2 * 1_440 ? (60 * hours + minutes, false) : nil
  }

  private mutating func readNumber(_ length: ClosedRange<Int>) -> Int? {
    skipBlanks()
    let digits = rest.prefix(while: Self.isDigit)
    guard length.contains(digits.count) else { return nil }
    rest = rest[digits.endIndex...]
    return digits.reduce(0) { 10 * $0 + Int($1 - 0x30) }
  }

  // MARK: - Rules

  private mutating func readRules() -> Bool {
    var link = Link.replacing
    while true {
      guard readRule(link) else { return false }
      link = skip(",") ? .adding : .none
      while skip(";") { link = .replacing }
      skipBlanks()
      if rest.isEmpty { return link != .adding }
    }
  }

  private mutating func readRule(_ link: Link) -> Bool {
    switch readClosedDays() {
    case true?: return true
    case nil: return false
    case false?: break
    }
    guard var named = readDays() else { return false }
    _ = !named.isEmpty && skip(":")
    let isClosed = skipClosed()
    guard let times = isClosed ? [] : readTimes(), closedDays.isEmpty || times.isEmpty else { return false }
    if named.isEmpty, link != .none, !isClosed, !nextWord().isEmpty {
      guard let after = readDays() else { return false }
      named = after
    }
    let days = named.isEmpty ? Array(0...6) : named
    if !isClosed, skipClosed() { return cut(times, from: days, link) }
    _ = skip("open")
    defer { count += 1 }
    if count > 0, link == .adding { hasAdded = true } else if count > 0 { hasReplaced = true }
    hasReplaced = hasReplaced || link == .adding && isClosed
    namesHolidays = namesHolidays || days.contains(Self.holidays)
    let entries = Self.entries(of: days)
    hasUnclearRule = hasUnclearRule || link == .replacing && adds(times, toRuleOf: entries)
    for day in entries {
      let isHoliday = days.contains(Self.holidays) && day >= Self.holidays
      let isNew = week[day].rule == nil
      guard isNew || link != .none || isHoliday else { return false }
      // Hours that are added to a day leave the night before it.
      let hasNight = week[day].stretches.contains { $0.stretch.closes > 1_440 }
      hasUnclearRule = hasUnclearRule || hasNight && (link != .adding || isClosed)
      if link != .adding || isClosed { week[day] = Day(rule: count) } else if isNew { week[day].rule = 0 }
      for time in times {
        guard
          let stretch = WeeklyHours.Stretch(weekday: day % Self.holidays, opens: time.opens, closes: time.closes)
        else { return false }
        week[day].stretches.append((link == .adding ? 0 : count, stretch))
      }
    }
    return true
  }

  /// Remembers the days of a rule; whether there was one for some of them alone, and `times` are none of those that it
  /// gave.
  private mutating func adds(_ times: [(opens: Int, closes: Int)], toRuleOf days: Set<Int>) -> Bool {
    defer { ruleDays.insert(days) }
    return !times.isEmpty
      && ruleDays.contains { $0.isSubset(of: days) && $0.contains { hasOtherTimes(than: times, on: $0) } }
  }

  private func hasOtherTimes(than times: [(opens: Int, closes: Int)], on day: Int) -> Bool {
    let known = week[day].stretches.map(\.stretch)
    return !known.isEmpty
      && known.allSatisfy { one in times.allSatisfy { one.closes <= $0.opens || $0.closes <= one.opens } }
  }

  /// The indices in ``week`` of days.
  private static func entries(of days: [Int]) -> Set<Int> {
    Set(days.flatMap { $0 == holidays ? Array(holidays..<2 * holidays) : [$0, $0 + holidays] })
  }

  /// Closes `times` within the hours that earlier rules give to `days`.
  private mutating func cut(_ times: [(opens: Int, closes: Int)], from days: [Int], _ link: Link) -> Bool {
    hasCut = true
    namesHolidays = namesHolidays || days.contains(Self.holidays)
    guard link == .replacing, times.allSatisfy({ $0.closes <= 1_440 }) else { return false }
    for day in Self.entries(of: days) {
      guard week[day].rule != nil else { return false }
      for time in times {
        week[day].stretches = week[day].stretches.flatMap { (rule, stretch) in
          [(stretch.opens, min(stretch.closes, time.opens)), (max(stretch.opens, time.closes), stretch.closes)]
            .compactMap { WeeklyHours.Stretch(weekday: stretch.weekday, opens: $0, closes: $1).map { (rule, $0) } }
        }
      }
    }
    return true
  }

  private mutating func skipClosed() -> Bool {
    let before = rest
    if skip("closed") || skip("off"), !nextIsLetter {
      // A comment can only be the reason.
      if skip("\""), let end = rest.firstIndex(of: UInt8(ascii: "\"")) { rest = rest[(end + 1)...] }
      return true
    }
    rest = before
    return false
  }

  private var nextIsLetter: Bool { rest.first.map(Self.isLetter) ?? false }

  /// The week; `nil` if it says nothing of some days, or a night has two readings.
  private func hours(_ isOwn: Bool) -> WeeklyHours? {
    let (weekdays, holidays) = (week[..<Self.holidays], week[Self.holidays...])
    guard weekdays.contains(where: { !$0.stretches.isEmpty }) || weekdays.allSatisfy({ $0.rule != nil }) else {
      return nil
    }
    let reachesOver = week.contains { $0.stretches.contains { $0.stretch.closes > 1_440 } }
    guard !hasCut || !reachesOver && !hasAdded, isOwn || !hasUnclearRule,
      !reachesOver || closedDays.isEmpty && (isOwn || !hasAdded || !hasReplaced)
    else {
      return nil
    }
    for (index, day) in (isOwn ? weekdays : week[...]).enumerated() {
      for (rule, stretch) in day.stretches where stretch.closes > 1_440 {
        let next = (index + 1) % Self.holidays
        let covers = { (other: WeeklyHours.Stretch) in other.opens == 0 && other.closes >= stretch.closes - 1_440 }
        for next in isOwn ? [week[next]] : [week[next], week[next + Self.holidays]] where next.rule ?? rule != rule {
          guard next.stretches.contains(where: { covers($0.stretch) }) else { return nil }
        }
      }
    }
    let stretches = weekdays.flatMap { $0.stretches.map(\.stretch) }
    guard namesHolidays else { return WeeklyHours(stretches, closedDays: closedDays) }
    let ofHolidays = holidays.map { day in
      let all = day.stretches.map(\.stretch)
      return WeeklyHours(
        all.compactMap { WeeklyHours.Stretch(weekday: Self.holidays, opens: $0.opens, closes: $0.closes) })
    }
    guard ofHolidays.allSatisfy({ $0 == ofHolidays[0] }) else { return nil }
    return WeeklyHours(stretches + ofHolidays[0].stretches, namesHolidays: true, closedDays: closedDays)
  }
}
