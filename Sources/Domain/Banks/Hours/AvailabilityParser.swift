import CivilTime

extension WeeklyHours {
  /// Most bytes of a text about hours; longer texts are prose.
  package static let maximumTextBytes = 256

  /// Reads the free text of a finder file; `nil`, never a guess, if any part of it is not understood.
  ///
  ///     WeeklyHours(availability: "E-R 9.00-18.00; L 10.00-15.00", language: .estonian)
  ///     WeeklyHours(availability: "I-V 8.00-17.00 (12.00-13.00)", language: .lithuanian)
  ///
  /// The grammar, in which spaces may be between any two symbols, `;` may be a line break and `-` any dash:
  ///
  ///     text    = [label [":"]] piece {link piece} [link] ["."]             and = "&" | "+" | word
  ///     link    = ";" | "," | "/" | "|" | nothing
  ///     piece   = days [except days] [":" | "," | "/"] ["-"] ([label] (ranges | always) | closed)
  ///             | days [":"] "-" | closed [":"] days | except days | always [[","] every-day] | ranges [","] days
  ///             | break | "(" note ")" | remark
  ///     days    = item {("," | "/" | and) item}    item  = [from] day [("-" | to) day] | every-day | workdays
  ///                                                    | weekends | holidays
  ///     day     = Roman numeral I to VII | name or abbreviation of the language, with or without a full stop
  ///     ranges  = range {("," | "/" | and) range}  range = {from} time [unit] ("-" | to) {from} time [unit]
  ///     time    = hours [("." | ":") minutes [":00"]] ["am" | "pm"] | "noon" | "midnight"
  ///     always  = "24h" | "24/7" | "24/24" | "24" unit [a-day] | a phrase such as "visą parą"; alone also 0.00-24.00
  ///     break   = a word for a break [":" | "-"] ranges | "closed" ranges
  ///     note    = break | ranges | days closed | closed days | remark {("," | ";") remark}
  ///     remark  = words about the place or its services, quoted names, names after an abbreviation such as "PC"
  ///
  /// Hours without minutes could be dates ("V 9-18") or of a clock of 12 hours ("Mon-Fri 9-5"), unless the text has a
  /// word, a unit or minutes that makes them times: before the range, in it or after it, or in the ranges before it; in
  /// brackets, only the range itself. They are also times after a range or a list of days, or a longer name, if one of
  /// them is after 12 ("E-R 9-17"). After minutes, an hour alone has two digits: "9.00-1" may be a text that was cut
  /// off. A range from the morning to an hour of one digit that is earlier is unclear: "9:00-5:00". Either all times
  /// follow their days, or all days their times.
  ///
  /// A remark without brackets follows a comma, a semicolon, a line break or a time. Only words of ``HoursVocabulary``
  /// may occur in remarks: any other could change the hours ("except", "until", "by appointment"). A range in brackets
  /// is a break within a range of each of its days. A separate break, after a semicolon or a line break, applies to all
  /// days before it. A range that ends before it starts ends on the next day.
  ///
  /// Also not understood: a day named twice, a backward range of letters or numerals, overlapping times, a break that
  /// could also apply to earlier days, and closed days without any open one.
  ///
  /// A list may be in another country's language. Such a text is accepted if it has a word or a range of days by which
  /// that language is known ("suletud", "E-R"), and all possible readings agree.
  ///
  /// - Complexity: O(n) in the bytes of `text`, at most ``maximumTextBytes``.
  package init?(availability text: String, language: HoursLanguage?) {
    guard text.utf8.count <= Self.maximumTextBytes else { return nil }
    let scanner = AvailabilityScanner(text)
    let others = HoursLanguage.marked(by: scanner.compounds).filter { $0 != language }
    let readings = ([language] + others).compactMap { language in
      var parser = AvailabilityParser(scanner, language?.vocabulary ?? .common)
      return try? parser.hours()
    }
    guard let first = readings.first, readings.allSatisfy({ $0 == first }) else { return nil }
    self = first
  }
}

/// Reads a text by the grammar of ``WeeklyHours/init(availability:language:)``.
///
/// A method returns `nil` or `false`, and reads nothing, if its symbol is absent; it throws if a symbol starts but is
/// malformed.
struct AvailabilityParser {
  /// A part of the text is not understood.
  struct Unclear: Error {}

  /// The separator before a piece.
  private enum Link { case none, comma, separate }

  /// Minutes from a day's midnight.
  private struct Times: Equatable {
    var opens: Int
    var closes: Int
  }

  /// How a time is written: an hour of one digit or two, with minutes, or with a half of the day.
  private enum Form {
    case digit, digits, minutes, half

    var isTime: Bool { self == .minutes || self == .half }
  }

  /// Days with the same hours; closed if there are none.
  private struct Part {
    var days: [Int]
    var times: [Times]
    var hasBreak = false
  }

  private let words: HoursVocabulary
  private var scanner: AvailabilityScanner
  private var parts: [Part] = []
  private var namedDays: Set<Int> = []
  /// Whether the times of a day were read, after which numbers alone are hours.
  private var hasTimes = false
  /// Whether the last day was one letter or a numeral, before which hours alone may be dates: "V 9-18".
  private var isShortDay = false
  /// Whether days follow their times, once one of both was read.
  private var areReversed: Bool?
  /// Whether a break for all days was read, after which no day may follow.
  private var isComplete = false

  init(_ scanner: AvailabilityScanner, _ words: HoursVocabulary) { (self.words, self.scanner) = (words, scanner) }

  /// Reads the whole text.
  mutating func hours() throws(Unclear) -> WeeklyHours {
    if scanner.skip(anyOf: words.labels) { _ = scanner.skip(":") }
    try readPiece(after: .none)
    while true {
      scanner.skipFullStop()
      let link = readLink()
      if scanner.isAtEnd { break }
      try readPiece(after: link)
    }
    // Closed days or holidays alone say nothing about the other days.
    let namesHolidays = namedDays.remove(WeeklyHours.Stretch.holiday) != nil
    let isAboutWeek = parts.contains { !$0.times.isEmpty && $0.days != [WeeklyHours.Stretch.holiday] }
    guard isAboutWeek || namedDays.count == 7 else { throw Unclear() }
    return WeeklyHours(try week(), namesHolidays: namesHolidays)
  }

  private mutating func readLink() -> Link {
    var link = scanner.skip(",") ? Link.comma : .none
    if scanner.skip("/") || scanner.skip("|") { link = .separate }
    while scanner.skip(";") { link = .separate }
    return link
  }

  private mutating func readPiece(after link: Link) throws(Unclear) {
    if scanner.skip("(") { return try readNote(after: link) }
    if let pause = try readPause(needsWord: true) { return try apply(pause, after: link) }
    if try readClosedDays() { return }
    if var days = try readDays() {
      try readException(from: &days)
      if !scanner.skip(":"), !scanner.skip(",") { _ = scanner.skip("/") }
      let isClosed = scanner.skip("-") && scanner.isAtEndOfItem
      let times = isClosed ? [] : try readHours(hoursAlone: !isShortDay || days.count > 1)
      return try append(days, times, isReversed: times.isEmpty ? nil : false)
    }
    if readAlways() {
      var after = self
      _ = after.scanner.skip(",")
      if after.readGroup() == 0...6 { self = after }
      try name(Array(0...6))
      return try append(Array(0...6), [Self.wholeDay])
    }
    if try readTimesBeforeDays() { return }
    let followsTimes = !parts.isEmpty && scanner.isAtLetter
    guard link != .none || followsTimes, try readRemark() else { throw Unclear() }
  }

  /// Reads a note after its opening bracket.
  private mutating func readNote(after link: Link) throws(Unclear) {
    if let pause = try readPause(needsWord: false) {
      try apply(pause, after: link)
    } else if try !readNotedDays(), try !readClosedDays() {
      repeat {
        guard try readRemark() else { throw Unclear() }
      } while scanner.skip(",") || scanner.skip(";")
    }
    guard scanner.skip(")") else { throw Unclear() }
  }
}

// MARK: - Days

extension AvailabilityParser {
  private mutating func readDays() throws(Unclear) -> [Int]? {
    guard var days = try readItem() else { return nil }
    while true {
      let before = scanner
      guard readAnd() || scanner.skip("/"), let more = try readItem() else {
        scanner = before
        return days
      }
      days += more
    }
  }

  /// Reads days that are excepted from `days`, before the times.
  private mutating func readException(from days: inout [Int]) throws(Unclear) {
    guard scanner.skip(anyOf: words.except) else { return }
    let named = namedDays
    namedDays = []
    guard let others = try readDays(), Set(others).isSubset(of: days + [WeeklyHours.Stretch.holiday]) else {
      throw Unclear()
    }
    days.removeAll { others.contains($0) }
    namedDays.formUnion(named)
    try append(others, [])
  }

  private mutating func readAnd() -> Bool {
    let hasComma = scanner.skip(",")
    return scanner.skip(anyOf: words.and) || hasComma || scanner.skip("&") || scanner.skip("+")
  }

  /// Reads closed days in a note, in which a letter may also be part of a name.
  private mutating func readNotedDays() throws(Unclear) -> Bool {
    var after = self
    guard let days = try? after.readDays(), after.scanner.skip(anyOf: words.closed) else { return false }
    self = after
    try append(days, [])
    return true
  }

  /// Reads a word for closed, or for an exception from times, and the days that it is about.
  private mutating func readClosedDays() throws(Unclear) -> Bool {
    let isException = scanner.skip(anyOf: words.except)
    guard isException || scanner.skip(anyOf: words.closed) else { return false }
    // After a closed day or a break, it is one from that.
    if isException, parts.last.map({ $0.times.isEmpty || $0.hasBreak }) ?? true { throw Unclear() }
    _ = scanner.skip(":")
    guard let days = try readDays() else { throw Unclear() }
    try append(days, [])
    return true
  }

  /// Reads a day, a range of days, every day, or public holidays.
  private mutating func readItem() throws(Unclear) -> [Int]? {
    if let days = readGroup().map(Array.init) {
      try name(days)
      return days
    }
    let start = scanner
    _ = scanner.skip(anyOf: words.from)
    guard let first = try readDay() else {
      scanner = start
      return nil
    }
    let isFirstShort = isShortDay
    let before = scanner
    guard scanner.skip("-") || scanner.skip(anyOf: words.to) || scanner.isAt(words.lastDays), let last = try readDay()
    else {
      scanner = before
      try name([first.day])
      return [first.day]
    }
    // Letters and numerals may be in another order than that of the week: "L-E".
    guard first.isNumeral == last.isNumeral, first.day != last.day, first.day < last.day || !isFirstShort && !isShortDay
    else { throw Unclear() }
    let days = (0...(last.day - first.day + 7) % 7).map { (first.day + $0) % 7 }
    try name(days)
    return days
  }

  /// Reads a phrase for days: public holidays, every day, workdays or weekends.
  private mutating func readGroup() -> ClosedRange<Int>? {
    if scanner.skip(anyOf: words.holidays) { return WeeklyHours.Stretch.holiday...WeeklyHours.Stretch.holiday }
    if scanner.skip(anyOf: words.everyDay) { return 0...6 }
    if scanner.skip(anyOf: words.workdays) { return 0...4 }
    var after = scanner
    if after.number(1...1) == 7, after.skip(anyOf: words.perWeek) {
      scanner = after
      return 0...6
    }
    return scanner.skip(anyOf: words.weekends) ? 5...6 : nil
  }

  private mutating func readDay() throws(Unclear) -> (day: Int, isNumeral: Bool)? {
    var after = scanner
    guard let word = after.word() else { return nil }
    if word.isAllCapitals, let day = HoursVocabulary.numerals[word.lowercased] {
      (scanner, isShortDay) = (after, true)
      return (day, true)
    }
    guard let day = words.days[word.lowercased] else { return nil }
    let isFirst = namedDays.isEmpty
    guard isFirst || !words.firstOnly.contains(word.lowercased) else { throw Unclear() }
    (scanner, isShortDay) = (after, word.lowercased.scalars.count == 1)
    return (day, false)
  }

  private mutating func name(_ days: [Int]) throws(Unclear) {
    for day in days {
      guard namedDays.insert(day).inserted else { throw Unclear() }
    }
  }

  private mutating func append(_ days: [Int], _ times: [Times], isReversed: Bool? = nil) throws(Unclear) {
    guard !isComplete, isReversed ?? areReversed ?? true == areReversed ?? isReversed ?? true else { throw Unclear() }
    areReversed = isReversed ?? areReversed
    parts.append(Part(days: days, times: times))
  }
}

// MARK: - Times

extension AvailabilityParser {
  private static let (wholeDay, noon) = (Times(opens: 0, closes: WallClock.minutesPerDay), WallClock.minutesPerDay / 2)

  /// Reads the hours of days: ranges, always, or closed.
  private mutating func readHours(hoursAlone: Bool) throws(Unclear) -> [Times] {
    if scanner.skip(anyOf: words.closed) { return [] }
    _ = scanner.skip(anyOf: words.labels)
    if readAlways() { return [Self.wholeDay] }
    defer { hasTimes = true }
    return try readRanges(hoursAlone: hasTimes, isOfDays: hoursAlone)
  }

  /// `24h`, `24 h`, `24/7`, or a phrase.
  private mutating func readAlways() -> Bool {
    if scanner.skip(anyOf: words.always) { return true }
    var after = scanner
    guard after.number(2...2) == 24 else { return false }
    guard after.skip("/") ? [7, 24].contains(after.number(1...2)) : after.skip(anyOf: words.hours) else { return false }
    _ = after.skip(anyOf: words.perDay)
    scanner = after
    return true
  }

  /// Reads ranges and the days after them; without days, only `00.00-24.00`, which can only mean every day.
  private mutating func readTimesBeforeDays() throws(Unclear) -> Bool {
    let start = scanner
    while scanner.skip(anyOf: words.from) {}
    let isTime = scanner.isAtDigit
    scanner = start
    guard isTime else { return false }
    let ranges = try readRanges(hoursAlone: false)
    let end = scanner
    _ = scanner.skip(",")
    if let days = try readDays() {
      try append(days, ranges, isReversed: true)
      return true
    }
    scanner = end
    guard ranges == [Self.wholeDay] else { throw Unclear() }
    try name(Array(0...6))
    try append(Array(0...6), ranges)
    return true
  }

  /// Reads ranges; hours alone that are those of days need no other sign if one is of a clock of 24 hours.
  private mutating func readRanges(hoursAlone: Bool, isOfDays: Bool = false) throws(Unclear) -> [Times] {
    var ranges: [Times] = []
    var isClear = hoursAlone
    while true {
      while scanner.skip(anyOf: words.from) { isClear = true }
      var (opens, form) = try readTime()
      isClear = scanner.skip(anyOf: words.hours) || isClear
      let isRange = scanner.skip("-") || scanner.skip(anyOf: words.to)
      guard opens < WallClock.minutesPerDay, isRange else { throw Unclear() }
      _ = scanner.skip(anyOf: words.from)
      let isShort = !scanner.startsWithTwoDigits
      let (closes, other) = try readTime()
      isClear = scanner.skip(anyOf: words.hours) || isClear || form.isTime || other.isTime
      // "9-5pm" is from the morning, and "9-5" or "9:00-5:00" not of a clock of 24 hours.
      if other == .half, opens <= Self.noon, closes - Self.noon < opens, opens < closes { form = .half }
      // "9 AM-12:30 PM, 1:30-6 PM" is in the afternoon.
      let later = opens + Self.noon
      if other == .half, form != .half, let last = ranges.last, opens < last.closes, last.closes <= later,
        later < closes
      {
        (opens, form) = (later, .half)
      }
      guard other == .half || closes > opens || opens > Self.noon || closes < 60 || !isShort else { throw Unclear() }
      // "1-5" may be in the afternoon, and "9.00-1" cut off.
      let isNight = form == .digits && opens > Self.noon
      guard (form == .half) == (other == .half), isNight || other != .digit else { throw Unclear() }
      ranges.append(Times(opens: opens, closes: closes))
      let before = scanner
      guard scanner.skip("/") || readAnd(), scanner.isAtDigit else {
        scanner = before
        let isDay = ranges.contains { $0.closes >= 13 * 60 } && ranges.allSatisfy { $0.opens < $0.closes }
        guard isClear || isOfDays && isDay else { throw Unclear() }
        return ranges
      }
    }
  }

  /// `9.00`, `09:00` or `9 am` in minutes; 24.00 is the end of the day.
  private mutating func readTime() throws(Unclear) -> (minute: Int, form: Form) {
    if scanner.skip(anyOf: HoursVocabulary.noon) { return (Self.noon, .half) }
    if scanner.skip(anyOf: HoursVocabulary.midnight) { return (WallClock.minutesPerDay, .half) }
    let two = scanner.number(2...2)
    guard let hours = two ?? scanner.number(1...1) else { throw Unclear() }
    let written = scanner.minutes()
    let minutes = written ?? 0
    let isMorning = scanner.skip(anyOf: HoursVocabulary.morning)
    if isMorning || scanner.skip(anyOf: HoursVocabulary.afternoon) {
      guard let minute = WallClock.minute(hours: hours, minutes, isAfternoon: !isMorning) else { throw Unclear() }
      return (minute, .half)
    }
    guard minutes < 60, hours < 24 || (hours == 24 && minutes == 0) else { throw Unclear() }
    return (60 * hours + minutes, written != nil ? .minutes : two == nil ? .digit : .digits)
  }
}

// MARK: - Breaks

extension AvailabilityParser {
  /// Reads a break: its word and ranges, or, in brackets, ranges alone.
  private mutating func readPause(needsWord: Bool) throws(Unclear) -> [Times]? {
    let hasWord = scanner.skip(anyOf: words.pause)
    if hasWord, !scanner.skip(":") { _ = scanner.skip("-") }
    var after = scanner
    // Not a word of the language, which may also mean weekends or holidays: "выходные 10:00-16:00".
    let isClosed = after.skip(anyOf: HoursVocabulary.common.closed) && after.isAtDigit
    guard hasWord || isClosed || (!needsWord && scanner.isAtDigit) else { return nil }
    if isClosed { scanner = after }
    return try readRanges(hoursAlone: hasWord)
  }

  /// Removes breaks from the hours of the days they apply to.
  private mutating func apply(_ pauses: [Times], after link: Link) throws(Unclear) {
    guard !isComplete, let last = parts.indices.last else { throw Unclear() }
    isComplete = link == .separate
    let earlier = parts.indices.dropLast()
    if isComplete {
      guard parts.allSatisfy({ !$0.hasBreak }) else { throw Unclear() }
    } else if earlier.contains(where: { !parts[$0].hasBreak && (try? cut(pauses, from: parts[$0].times)) != nil }) {
      throw Unclear()
    }
    let concerned = isComplete ? parts.indices.filter { !parts[$0].times.isEmpty } : [last]
    for index in concerned {
      parts[index].times = try cut(pauses, from: parts[index].times)
      parts[index].hasBreak = true
    }
  }

  /// `times` without `pauses`, each of which must be within one of them.
  private func cut(_ pauses: [Times], from times: [Times]) throws(Unclear) -> [Times] {
    var times = times
    for pause in pauses {
      let found = times.firstIndex {
        let closes = $0.closes < $0.opens ? $0.closes + WallClock.minutesPerDay : $0.closes
        return $0.opens < pause.opens && pause.opens < pause.closes && pause.closes < closes
      }
      guard let found else { throw Unclear() }
      let rest = Times(opens: pause.closes, closes: times[found].closes)
      times[found].closes = pause.opens
      times.insert(rest, at: found + 1)
    }
    return times
  }
}

// MARK: - Remarks

extension AvailabilityParser {
  /// Reads a remark of known words and names.
  private mutating func readRemark() throws(Unclear) -> Bool {
    var count = 0
    var mayBeName = false
    while true {
      if scanner.quotation() {
        (count, mayBeName) = (count + 1, false)
        continue
      }
      guard let word = scanner.word(isCompound: true) else { return count > 0 }
      count += 1
      let isName = mayBeName && isName(word)
      guard isName || isHarmless(word.lowercased) else { throw Unclear() }
      mayBeName = isName || words.beforeNames.contains(word.lowercased)
    }
  }

  /// Whether a word is known not to change hours.
  private func isHarmless(_ word: Phrase) -> Bool {
    words.remarkWords.contains(word) || words.beforeNames.contains(word) || words.chains.contains(word)
      || words.remarkStems.contains { word.scalars.starts(with: $0.scalars) }
  }

  /// Whether a word may be the name of a shopping centre: capitalized, and without a meaning for the hours.
  private func isName(_ word: ScannedWord) -> Bool {
    word.isCapitalized && word.lowercased.scalars.count >= 3 && words.days[word.lowercased] == nil
      && !(word.isAllCapitals && HoursVocabulary.numerals[word.lowercased] != nil)
      && !words.meaningful.contains(word.lowercased)
  }
}

// MARK: - The week

extension AvailabilityParser {
  private func week() throws(Unclear) -> [WeeklyHours.Stretch] {
    let found = parts.flatMap { part in
      part.days.flatMap { day in
        part.times.map { WeeklyHours.Stretch(weekday: day, from: $0.opens, to: $0.closes) }
      }
    }
    let stretches = found.compactMap(\.self)
    guard stretches.count == found.count, !overlap(stretches) else { throw Unclear() }
    return stretches
  }

  /// Whether any two stretches share a minute, even across the end of a day or of the week.
  private func overlap(_ stretches: [WeeklyHours.Stretch]) -> Bool {
    let ranges = stretches.map { stretch in
      let midnight = stretch.weekday * WallClock.minutesPerDay
      return (midnight + stretch.opens)..<(midnight + stretch.closes)
    }.sorted { $0.lowerBound < $1.lowerBound }
    let week = ranges.prefix { $0.lowerBound < WallClock.minutesPerWeek }
    let isPastWeek = (week.last?.upperBound ?? 0) - WallClock.minutesPerWeek > week.first?.lowerBound ?? 0
    return isPastWeek || zip(ranges, ranges.dropFirst()).contains { $0.upperBound > $1.lowerBound }
  }
}
