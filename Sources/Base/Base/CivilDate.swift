/// A day of the proleptic Gregorian calendar.
///
/// Days are numbered from 1970-01-01. Both directions are closed formulas in eras of 400 years, with years that start
/// in March so that the leap day is the last ("chrono-Compatible Low-Level Date Algorithms", H. Hinnant).
package struct CivilDate: Equatable, Sendable {
  /// The year; 0 is 1 BC.
  package var year: Int64
  /// The month, 1 to 12.
  package var month: Int64
  /// The day of the month, 1 to 31.
  package var day: Int64

  /// Makes a date without checking it; a day beyond the end of its month carries over into the next.
  package init(year: Int64, month: Int64, day: Int64) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// The day `days` after 1970-01-01; `days` must lie between −2⁵⁰ and 2⁵⁰.
  package init(daysSince1970 days: Int64) {
    let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
  }

  /// Days from 1970-01-01 to this day.
  package var daysSince1970: Int64 {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooredDivision(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Whether a year has a 29th of February.
  package static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  /// Days of a month, 1 to 12.
  package static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }
}

extension Int64 {
  /// The quotient rounded down and the remainder, which lies in `0..<divisor`; `divisor` is positive.
  package func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
