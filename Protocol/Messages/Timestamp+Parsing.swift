extension Timestamp {
  /// Whole seconds since 1970-01-01T00:00:00Z; nil if the text is no date and time of RFC 3339, section 5.6.
  ///
  /// Any offset and fraction is taken; a fraction is cut off, and a leap second is the first second of the next minute.
  /// - Complexity: O(1), but for the length of the fraction.
  public var secondsSince1970: Int64? {
    var scanner = DateTimeScanner(rest: Array(text.utf8)[...])
    return scanner.scan()
  }
}

/// Reads `2026-03-01T12:00:00.5+01:00` from the left.
private struct DateTimeScanner {
  var rest: ArraySlice<UInt8>

  mutating func scan() -> Int64? {
    guard let year = number(digits: 4), take("-"), let month = number(digits: 2), take("-"),
      let day = number(digits: 2), take("T") || take("t"), let time = time(), let offset = offset(), rest.isEmpty,
      (1...12).contains(month), (1...daysIn(month, of: year)).contains(day)
    else { return nil }
    return daysSince1970(year, month, day) * 86_400 + time - offset
  }

  private mutating func time() -> Int64? {
    guard let hour = number(digits: 2), take(":"), let minute = number(digits: 2), take(":"),
      let second = number(digits: 2), hour < 24, minute < 60, second <= 60
    else { return nil }
    if take(".") {
      guard number(digits: 1) != nil else { return nil }
      while number(digits: 1) != nil {}
    }
    return hour * 3_600 + minute * 60 + second
  }

  /// Seconds that the clock is ahead of UTC.
  private mutating func offset() -> Int64? {
    if take("Z") || take("z") { return 0 }
    let isAhead = take("+")
    guard isAhead || take("-"), let hours = number(digits: 2), take(":"), let minutes = number(digits: 2), hours < 24,
      minutes < 60
    else { return nil }
    return (isAhead ? 1 : -1) * (hours * 3_600 + minutes * 60)
  }

  /// Takes exactly so many digits.
  private mutating func number(digits count: Int) -> Int64? {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    rest = rest.dropFirst(count)
    return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }
}

private func daysIn(_ month: Int64, of year: Int64) -> Int64 {
  switch month {
  case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
  case 4, 6, 9, 11: 30
  default: 31
  }
}

/// The day number of a date, in closed form.
///
/// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
private func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
  // Years begin in March, so that the leap day is the last.
  let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooredDivision(by: 400)
  let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
  return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}
