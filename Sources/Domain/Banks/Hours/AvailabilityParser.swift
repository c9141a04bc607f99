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
  ///     text    = [label [":"]] piece {link piece} [link] ["."]
  ///     link    = ";" | "," | nothing
  ///     piece   = days [":" | "-"] (ranges | always | closed) | always | break | "(" note ")" | remark
  ///     days    = item {("," | and) item}          item  = day ["-" day] | every-day | holidays
  ///     day     = Roman numeral I to VII | name or abbreviation of the language, with or without a full stop
  ///     ranges  = range {("," | and) range}        range = time "-" time [unit]
  ///     time    = hours ("." | ":") minutes        the hours alone only in a break with its word
  ///     always  = "24h" | "24/7" | "24" unit | a phrase of the language, such as "visą parą"; alone also 0.00-24.00
  ///     break   = a word for a break [":" | "-"] ranges
  ///     note    = break | ranges | remark {("," | ";") remark}
  ///     remark  = words about the place or its services, quoted names, names after an abbreviation such as "PC"
  ///
  /// A remark without brackets follows a comma, a semicolon or a line break, or starts with a capital letter, where a
  /// line break was lost. Only words of ``HoursVocabulary`` may occur in remarks: any other could change the hours
  /// ("except", "until", "by appointment"). A range in brackets is a break within a range of each of its days. A
  /// separate break, after a semicolon or a line break, applies to all days before it. A range that ends before it
  /// starts ends on the next day.
  ///
  /// Also not understood: a day named twice, a backward range of days, overlapping times, a break that could also apply
  /// to earlier days, and closed days without any open one.
  ///
  /// A list may be in another country's language. Such a text is accepted if it has a word or a range of days unique to
  /// that language ("suletud", "E-R"), and all possible readings agree.
  ///
  /// - Complexity: O(n) in the bytes of `text`, at most ``maximumTextBytes``.
  package init?(availability text: String, language: HoursLanguage?) {
    guard text.utf8.count <= Self.maximumTextBytes else { return nil }
    let others = HoursLanguage.allCases.filter { $0 != language && $0.vocabulary.isMarked(in: text) }.map(\.vocabulary)
    let readings = ([language?.vocabulary ?? .common] + others).compactMap { words in
      var parser = AvailabilityParser(text, words)
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
  /// Whether a break for all days was read, after which no day may follow.
  private var isComplete = false

  init(_ text: String, _ words: HoursVocabulary) { (self.words, scanner) = (words, AvailabilityScanner(text)) }

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
    while scanner.skip(";") { link = .separate }
    return link
  }

  private mutating func readPiece(after link: Link) throws(Unclear) {
    if scanner.skip("(") { return try readNote(after: link) }
    if let pause = try readPause(needsWord: true) { return try apply(pause, after: link) }
    if let days = try readDays() {
      if !scanner.skip(":") { _ = scanner.skip("-") }
      return try append(days, try readHours())
    }
    var isAlways = readAlways()
    if !isAlways { isAlways = try readWholeDay() }
    if isAlways {
      try name(Array(0...6))
      return try append(Array(0...6), [Self.wholeDay])
    }
    let followsTimes = !parts.isEmpty && scanner.next?.isUppercase ?? false
    guard link != .none || followsTimes, try readRemark() else { throw Unclear() }
  }

  /// Reads a note after its opening bracket.
  private mutating func readNote(after link: Link) throws(Unclear) {
    if let pause = try readPause(needsWord: false) {
      try apply(pause, after: link)
    } else {
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
      guard scanner.skip(",") || scanner.skip(anyOf: words.and), let more = try readItem() else {
        scanner = before
        return days
      }
      days += more
    }
  }

  /// Reads a day, a range of days, every day, or public holidays.
  private mutating func readItem() throws(Unclear) -> [Int]? {
    if scanner.skip(anyOf: words.holidays) {
      try name([WeeklyHours.Stretch.holiday])
      return [WeeklyHours.Stretch.holiday]
    }
    if scanner.skip(anyOf: words.everyDay) {
      try name(Array(0...6))
      return Array(0...6)
    }
    guard let first = try readDay() else { return nil }
    let before = scanner
    guard scanner.skip("-"), let last = try readDay() else {
      scanner = before
      try name([first.day])
      return [first.day]
    }
    guard first.isNumeral == last.isNumeral, first.day < last.day else { throw Unclear() }
    try name(Array(first.day...last.day))
    return Array(first.day...last.day)
  }

  private mutating func readDay() throws(Unclear) -> (day: Int, isNumeral: Bool)? {
    var after = scanner
    guard let word = after.word() else { return nil }
    if let day = HoursVocabulary.numerals[word] {
      scanner = after
      return (day, true)
    }
    guard let day = words.days[word.lowercased()] else { return nil }
    let isFirst = namedDays.isEmpty
    guard isFirst || !words.firstOnly.contains(word.lowercased()) else { throw Unclear() }
    scanner = after
    return (day, false)
  }

  private mutating func name(_ days: [Int]) throws(Unclear) {
    for day in days {
      guard namedDays.insert(day).inserted else { throw Unclear() }
    }
  }

  private mutating func append(_ days: [Int], _ times: [Times]) throws(Unclear) {
    guard !isComplete else { throw Unclear() }
    parts.append(Part(days: days, times: times))
  }
}

// MARK: - Times

extension AvailabilityParser {
  private static let wholeDay = Times(opens: 0, closes: WallClock.minutesPerDay)

  /// Reads the hours of days: ranges, always, or closed.
  private mutating func readHours() throws(Unclear) -> [Times] {
    if scanner.skip(anyOf: words.closed) { return [] }
    return readAlways() ? [Self.wholeDay] : try readRanges(hoursAlone: false)
  }

  /// `24h`, `24 h`, `24/7`, or a phrase.
  private mutating func readAlways() -> Bool {
    if scanner.skip(anyOf: words.always) { return true }
    var after = scanner
    guard after.number(2...2) == 24 else { return false }
    guard after.skip("/") ? after.number(1...1) == 7 : after.skip(anyOf: words.hours) else { return false }
    scanner = after
    return true
  }

  /// Reads `00.00-24.00` without days, which can only mean every day.
  private mutating func readWholeDay() throws(Unclear) -> Bool {
    guard scanner.isAtDigit else { return false }
    guard try readRanges(hoursAlone: false) == [Self.wholeDay] else { throw Unclear() }
    return true
  }

  private mutating func readRanges(hoursAlone: Bool) throws(Unclear) -> [Times] {
    var ranges: [Times] = []
    while true {
      let opens = try readTime(hoursAlone)
      guard opens < WallClock.minutesPerDay, scanner.skip("-") else { throw Unclear() }
      ranges.append(Times(opens: opens, closes: try readTime(hoursAlone)))
      _ = scanner.skip(anyOf: words.hours)
      let before = scanner
      guard scanner.skip(",") || scanner.skip(anyOf: words.and), scanner.isAtDigit else {
        scanner = before
        return ranges
      }
    }
  }

  /// `9.00` or `09:00` in minutes; 24.00 is the end of the day.
  private mutating func readTime(_ hoursAlone: Bool) throws(Unclear) -> Int {
    guard let hours = scanner.number(1...2) else { throw Unclear() }
    guard let minutes = scanner.minutes() ?? (hoursAlone ? 0 : nil) else { throw Unclear() }
    guard minutes < 60, hours < 24 || (hours == 24 && minutes == 0) else { throw Unclear() }
    return 60 * hours + minutes
  }
}

// MARK: - Breaks

extension AvailabilityParser {
  /// Reads a break: its word and ranges, or, in brackets, ranges alone.
  private mutating func readPause(needsWord: Bool) throws(Unclear) -> [Times]? {
    let hasWord = scanner.skip(anyOf: words.pause)
    if hasWord, !scanner.skip(":") { _ = scanner.skip("-") }
    guard hasWord || (!needsWord && scanner.isAtDigit) else { return nil }
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
      guard isName || isHarmless(word) else { throw Unclear() }
      mayBeName = isName || words.beforeNames.contains(word.lowercased())
    }
  }

  /// Whether a word is known not to change hours.
  private func isHarmless(_ word: String) -> Bool {
    let word = word.lowercased()
    return words.remarkWords.contains(word) || words.beforeNames.contains(word) || words.chains.contains(word)
      || words.remarkStems.contains { word.hasPrefix($0) }
  }

  /// Whether a word may be the name of a shopping centre: capitalized, and without a meaning for the hours.
  private func isName(_ word: String) -> Bool {
    let small = word.lowercased()
    let meaningful = [words.closed, words.pause, words.always, words.everyDay].joined()
    return word.count >= 3 && word.first?.isUppercase ?? false && words.days[small] == nil
      && HoursVocabulary.numerals[word] == nil && !meaningful.contains { $0.split(separator: " ").contains(small[...]) }
  }
}

// MARK: - The week

extension AvailabilityParser {
  private func week() throws(Unclear) -> [WeeklyHours.Stretch] {
    var stretches: [WeeklyHours.Stretch] = []
    for part in parts {
      for day in part.days {
        for times in part.times {
          guard let stretch = try? WeeklyHours.Stretch(weekday: day, from: times.opens, to: times.closes) else {
            throw Unclear()
          }
          stretches.append(stretch)
        }
      }
    }
    guard !overlap(stretches) else { throw Unclear() }
    return stretches
  }

  /// Whether any two stretches share a minute, even across the end of a day or of the week.
  private func overlap(_ stretches: [WeeklyHours.Stretch]) -> Bool {
    stretches.indices.contains { index in
      let start = stretches[index].weekday * WallClock.minutesPerDay + stretches[index].opens
      return stretches.indices.contains { $0 != index && stretches[$0].contains(minuteOfWeek: start) }
    }
  }
}
