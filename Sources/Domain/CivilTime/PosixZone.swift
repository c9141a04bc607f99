import Base

/// A rule for all years, as POSIX writes it in `TZ` and TZif files in their footer: `EET-2EEST,M3.5.0/3,M10.5.0/4`.
///
/// (POSIX.1-2017, Base Definitions, section 8.3; RFC 9636, section 3.3.1, which lets times of a day run from −167 to 167
/// hours.)
package struct PosixZone: Equatable, Sendable {
  /// Standard time.
  var standard: ZoneOffset
  /// Daylight-saving time, where there is one.
  var daylight: Daylight?

  /// Daylight-saving time and the days on which it begins and ends.
  struct Daylight: Equatable, Sendable {
    var offset: ZoneOffset
    /// In standard time.
    var start: YearlyChange
    /// In daylight-saving time.
    var end: YearlyChange
  }

  /// The offset at a moment between −2⁵² and 2⁵².
  func offset(at moment: Int64) -> ZoneOffset {
    guard let daylight else { return standard }
    let year = CivilDate(daysSince1970: (moment + Int64(standard.seconds)).flooredDivision(by: 86_400).quotient).year
    // A change may lie up to a week outside its year, and in the south daylight-saving time spans the new year: the last
    // change of three years decides. Where one begins as another ends, it never ended.
    var last: (moment: Int64, begins: Bool)?
    for year in year - 1...year + 1 {
      let start = daylight.start.localSeconds(in: year) - Int64(standard.seconds)
      let end = daylight.end.localSeconds(in: year) - Int64(daylight.offset.seconds)
      for change in [(moment: end, begins: false), (moment: start, begins: true)] where change.moment <= moment {
        if last.map({ $0.moment < change.moment || ($0.moment == change.moment && change.begins) }) ?? true {
          last = change
        }
      }
    }
    return last?.begins ?? false ? daylight.offset : standard
  }
}

/// A day of every year and a time on it.
struct YearlyChange: Equatable, Sendable {
  /// Which day.
  enum Day: Equatable, Sendable {
    /// `Jn`: 1 to 365, the 29th of February is never counted.
    case withoutLeapDay(Int64)
    /// `n`: 0 to 365, the 29th of February is counted.
    case ofYear(Int64)
    /// `Mm.w.d`: the w-th weekday d (0 is Sunday) of month m; w 5 is the last.
    case ofMonth(Int64, week: Int64, weekday: Int64)
  }

  var day: Day
  /// Seconds from the day's midnight, −167 to 167 hours.
  var seconds: Int64 = 7_200

  /// Seconds of local time from 1970-01-01 00:00.
  func localSeconds(in year: Int64) -> Int64 { (days(in: year)) * 86_400 + seconds }

  private func days(in year: Int64) -> Int64 {
    let newYear = CivilDate(year: year, month: 1, day: 1).daysSince1970
    switch day {
    case .withoutLeapDay(let day): return newYear + day - 1 + (day >= 60 && CivilDate.isLeap(year) ? 1 : 0)
    case .ofYear(let day): return newYear + day
    case .ofMonth(let month, let week, let weekday):
      let first = CivilDate(year: year, month: month, day: 1).daysSince1970
      // 1970-01-01 was a Thursday, 4 with Sunday as 0.
      let firstWeekday = (first + 4).flooredDivision(by: 7).remainder
      let offset = (weekday - firstWeekday).flooredDivision(by: 7).remainder + 7 * (week - 1)
      return first + (offset < CivilDate.days(inMonth: month, of: year) ? offset : offset - 7)
    }
  }
}
