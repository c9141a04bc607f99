import CivilTime

extension WeeklyHours {
  /// Bytes of a text that can be hours; longer ones are prose.
  private static let maximumTextBytes = 256

  /// Reads the free text of a finder file where it is `24h` or Estonian hours; `nil` for everything else, never a guess.
  ///
  ///     WeeklyHours(availability: "E-R 9.00-18.00; L 10.00-15.00")
  ///
  /// The days are E T K N R L P, Monday to Sunday, as ranges and lists (`E-K,R`); times have minutes behind `.` or `:`,
  /// and a day may have several (`9.00-12.00, 13.00-18.00`). Parts are divided by semicolons, commas, lines or blanks; the
  /// dash may be `–`. A time range that ends before it begins ends on the next day. A text is not read if it names a day twice, a
  /// range of days that runs backwards, times that overlap, or anything else at all.
  ///
  /// - Complexity: O(n) in the bytes of `text`.
  package init?(availability text: String) {
    guard text.utf8.count <= Self.maximumTextBytes else { return nil }
    var scan = AvailabilityScan(text)
    guard let stretches = scan.isAlways ? Self.always.stretches : scan.stretches() else { return nil }
    self.init(stretches)
  }
}

/// The unread rest of a text that may be Estonian hours; blanks may stand before a day, a time and a sign.
private struct AvailabilityScan {
  private static let days = ["E", "T", "K", "N", "R", "L", "P"]
  private var rest: ArraySlice<Character>
  private var named: Set<Int> = []

  init(_ text: String) {
    let start = text.drop(while: \.isWhitespace)
    let end = start.lastIndex { !$0.isWhitespace }
    rest = (end.map { start[...$0] } ?? "").map { $0.isNewline ? ";" : $0 == "–" ? "-" : $0 }[...]
  }

  var isAlways: Bool { String(rest).lowercased() == "24h" }

  /// All parts, or `nil` if anything does not fit.
  mutating func stretches() -> [WeeklyHours.Stretch]? {
    var stretches: [WeeklyHours.Stretch] = []
    while !rest.isEmpty {
      guard let days = readDays(), let times = readTimes() else { return nil }
      for day in days {
        guard named.insert(day).inserted else { return nil }
        for time in times {
          guard let stretch = try? WeeklyHours.Stretch(weekday: day, from: time.opens, to: time.closes) else {
            return nil
          }
          stretches.append(stretch)
        }
      }
      while skip(";") {}
    }
    return stretches.isEmpty || overlap(stretches) ? nil : stretches
  }

  /// `E`, `E-R`, `E,K`, `E-K,R`.
  private mutating func readDays() -> [Int]? {
    var days: [Int] = []
    repeat {
      guard let first = readDay() else { return nil }
      guard skip("-") else {
        days.append(first)
        continue
      }
      guard let last = readDay(), first < last else { return nil }
      days += first...last
    } while skip(",")
    return days
  }

  private mutating func readDay() -> Int? {
    skipBlanks()
    guard let letter = rest.first?.uppercased(), let day = Self.days.firstIndex(of: letter) else { return nil }
    rest = rest.dropFirst()
    return day
  }

  /// `9.00-12.00,13.00-18.00`; a comma before a day belongs to the next part.
  private mutating func readTimes() -> [(opens: Int, closes: Int)]? {
    var times: [(opens: Int, closes: Int)] = []
    repeat {
      guard let opens = readTime(), opens < WallClock.minutesPerDay, skip("-"), let closes = readTime() else {
        return nil
      }
      times.append((opens, closes))
    } while skip(",") && isAtDigit
    return times
  }

  /// `9.00` or `09:00` in minutes; 24.00 is the end of the day.
  private mutating func readTime() -> Int? {
    skipBlanks()
    guard let hours = readNumber(1...2), rest.first == "." || rest.first == ":" else { return nil }
    rest = rest.dropFirst()
    guard let minutes = readNumber(2...2) else { return nil }
    guard minutes < 60, hours < 24 || (hours == 24 && minutes == 0) else { return nil }
    return 60 * hours + minutes
  }

  private mutating func readNumber(_ length: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard length.contains(digits.count) else { return nil }
    rest = rest[digits.endIndex...]
    return Int(String(digits))
  }

  private var isAtDigit: Bool {
    mutating get {
      skipBlanks()
      return rest.first?.isNumber ?? false
    }
  }

  private mutating func skipBlanks() { rest = rest.drop(while: \.isWhitespace) }

  private mutating func skip(_ character: Character) -> Bool {
    skipBlanks()
    guard rest.first == character else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Whether any two stretches share a minute, over the end of a day and of the week too.
  private func overlap(_ stretches: [WeeklyHours.Stretch]) -> Bool {
    stretches.indices.contains { index in
      let start = stretches[index].weekday * WallClock.minutesPerDay + stretches[index].opens
      return stretches.indices.contains { $0 != index && stretches[$0].contains(minuteOfWeek: start) }
    }
  }
}
