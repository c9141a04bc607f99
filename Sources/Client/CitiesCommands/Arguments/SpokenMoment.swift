/// A time as people write it, on the clock of a place.
///
///     SpokenMoment("8:30 pm")     // .text("20:30")
///     SpokenMoment("fri 14:00")   // .day(.weekday(4), "14:00")
enum SpokenMoment: Equatable {
  /// The present time.
  case now
  /// A text that the server reads.
  case text(String)
  /// A time of a day that depends on the present one.
  case day(Day, String)

  /// A day counted from the present one, or the next one with a name, which may be the present one; 0 is Monday.
  enum Day: Equatable {
    case after(Int64)
    case weekday(Int)
  }

  /// The texts that are read, for messages.
  static let forms = """
    a local time such as 2026-03-01T12:00, one with its offset (2026-03-01T12:00:00+02:00), a day (2026-03-01), a time \
    of day (14:30, 9am, 8:30 pm, noon, midnight), one after today, tomorrow, yesterday or a day of the week \
    (friday 9am), or now
    """

  /// The most words of a text: `friday 8:30 pm`.
  private static let mostWords = 3
  /// The most bytes of a text.
  private static let mostBytes = 40

  private static let clocks: [TextKey: String] = ["noon": "12:00", "midnight": "00:00"]
  private static let days: [TextKey: Day] = {
    var days: [TextKey: Day] = ["today": .after(0), "tomorrow": .after(1), "yesterday": .after(-1)]
    for (number, name) in WeekText.days.enumerated() {
      days[name.lowercased()] = .weekday(number)
      days[String(name.lowercased().prefix(3))] = .weekday(number)
    }
    return days
  }()

  /// Reads a text; `nil` if it is none of ``forms``.
  init?(_ text: String) {
    guard text.utf8.count <= Self.mostBytes else { return nil }
    var words = text.lowercased().split(separator: " ").map(String.init)
    if (try? AskedMoment(text)) != nil {
      self = .text(text)
    } else if words.count == 1, words[0] == "now" {
      self = .now
    } else {
      let day = words.first.flatMap { Self.days[$0] }
      if day != nil { words.removeFirst() }
      guard let clock = Self.clock(words.joined()) else { return nil }
      self = day.map { .day($0, clock) } ?? .text(clock)
    }
  }

  /// The server's form of a time of day: `noon`, or hours and minutes, on a clock of 12 hours also hours alone.
  private static func clock(_ text: String) -> String? {
    if let clock = clocks[text] { return clock }
    let half = ["am", "pm"].first { text.hasSuffix($0) }
    let parts = text.dropLast(half == nil ? 0 : 2).split(separator: ":", omittingEmptySubsequences: false)
    guard (half == nil ? 2...3 : 1...3).contains(parts.count), var hours = UInt8(parts[0]),
      parts.allSatisfy({ (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy(isDigit) }),
      parts.dropFirst().allSatisfy({ $0.utf8.count == 2 })
    else { return nil }
    if half != nil {
      guard (1...12).contains(hours) else { return nil }
      hours = hours % 12 + (half.is("pm") ? 12 : 0)
    }
    let rest = parts.count == 1 ? ["00"] : parts.dropFirst().map(String.init)
    let clock = ([zeroPadded(String(hours), 2)] + rest).joined(separator: ":")
    return (try? AskedMoment(clock)) == nil ? nil : clock
  }

  /// The text for the server, `nil` for now.
  ///
  /// `today` is the present local time of the first place, such as `2026-03-27T14:00:00`, and needed for a day only.
  /// Without it, the time is of the present day.
  func text<Failure>(today: () throws(Failure) -> String?) throws(Failure) -> String? {
    switch self {
    case .now: return nil
    case .text(let text): return text
    case .day(let day, let clock):
      guard let today = try today(), let seconds = try? RFC3339.parse(today + "Z") else { return clock }
      let ahead =
        switch day {
        case .after(let days): days
        case .weekday(let number): Int64((number - WeekText.weekday(seconds) + 7) % 7)
        }
      return "\(RFC3339.localText(seconds + ahead * 86_400).prefix(10))T\(clock)"
    }
  }
}

extension SpokenMoment {
  /// The time at the start of `words`, or after `at` at their end, and the other words; `nil` if there is none.
  ///
  /// Letters alone, such as `noon`, are a time only before other words: some cities have such names.
  ///
  /// - Throws: `ValidationError` for a word that can only be a time but is not one.
  static func split(_ words: [String]) throws -> (time: String, rest: [String])? {
    for count in (1..<min(mostWords, words.count) + 1).reversed() {
      let text = words.prefix(count).joined(separator: " ")
      guard SpokenMoment(text) != nil, words.count > count || text.utf8.contains(where: isDigit) else { continue }
      return (text, Array(words.dropFirst(count)))
    }
    if let first = words.first, isMeantAsTime(first) { throw refusal("the time", first) }
    guard let at = words.lastIndex(where: { $0.utf8.count == 2 && $0.lowercased() == "at" }), at + 1 < words.count
    else { return nil }
    let text = words[(at + 1)...].joined(separator: " ")
    if SpokenMoment(text) != nil { return (text, Array(words[..<at])) }
    let isHour = words[at + 1].utf8.count <= 2 && words[at + 1].utf8.allSatisfy(isDigit)
    if isHour || isMeantAsTime(words[at + 1]) { throw refusal("the time after 'at'", text) }
    return nil
  }

  /// No name of a city starts with a digit and contains a colon, or ends as `8.30pm` does.
  private static func isMeantAsTime(_ word: String) -> Bool {
    guard word.first?.isNumber == true else { return false }
    let end = word.suffix(2).lowercased()
    let isHalf = (end == "am" || end == "pm") && word.dropLast(2).allSatisfy { $0.isNumber || $0.is(".") || $0.is(" ") }
    return word.contains(":") || isHalf
  }

  /// The error for a text that is not a time.
  static func refusal(_ what: String, _ word: String) -> ValidationError {
    ValidationError("\(what) must be \(forms), not '\(word)'")
  }
}
