/// A rule for all years, in the form of POSIX `TZ` and the footer of TZif files: `EET-2EEST,M3.5.0/3,M10.5.0/4`.
///
/// (POSIX.1-2017, Base Definitions, section 8.3; RFC 9636, section 3.3.1, which allows times of day from −167 to 167
/// hours.)
package struct PosixZone: Equatable, Sendable {
  /// Standard time.
  var standard: ZoneOffset
  /// Daylight-saving time, if any.
  var daylight: Daylight?

  /// Daylight-saving time, with its yearly start and end.
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
    return changes(around: moment).last { $0.moment <= moment }?.begins ?? false ? daylight.offset : standard
  }
}

extension PosixZone {
  /// The moments at which daylight-saving time begins and ends in the years around `moment`, ascending, at least one of
  /// each after it.
  ///
  /// A change may be up to a week outside its year, and in the south daylight-saving time spans the new year. If it
  /// begins when that of another year ends, the beginning comes last: it never ended.
  func changes(around moment: Int64) -> [(moment: Int64, begins: Bool)] {
    guard let daylight else { return [] }
    let year = CivilDate(daysSince1970: (moment + Int64(standard.seconds)).flooredDivision(by: 86_400).quotient).year
    return (year - 1...year + 2).flatMap { year in
      [
        (moment: daylight.start.localSeconds(in: year) - Int64(standard.seconds), begins: true),
        (moment: daylight.end.localSeconds(in: year) - Int64(daylight.offset.seconds), begins: false),
      ]
    }.sorted { $0.moment != $1.moment ? $0.moment < $1.moment : !$0.begins && $1.begins }
  }
}

/// A day of the year and a time of day.
struct YearlyChange: Equatable, Sendable {
  /// The day.
  enum Day: Equatable, Sendable {
    /// `Jn`: 1 to 365, 29 February is never counted.
    case withoutLeapDay(Int64)
    /// `n`: 0 to 365, 29 February is counted.
    case ofYear(Int64)
    /// `Mm.w.d`: the w-th weekday d (0 is Sunday) of month m; w 5 is the last.
    case ofMonth(Int64, week: Int64, weekday: Int64)
  }

  var day: Day
  /// Seconds from the day's midnight, −167 to 167 hours.
  var seconds: Int64 = 7_200

  /// The local time of the change, in seconds from 1970-01-01 00:00.
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

extension PosixZone {
  /// Reads a rule; daylight-saving time needs a start and an end.
  ///
  /// - Throws: ``ZoneProblem`` with the text and the byte.
  /// - Complexity: O(n) in the bytes of `text`.
  package init(_ text: String) throws(ZoneProblem) {
    var scan = PosixScan(text)
    let name = try scan.name()
    standard = ZoneOffset(seconds: try scan.offset(), isDaylight: false, abbreviation: name)
    if !scan.isAtEnd { daylight = try Self.daylight(&scan, standard: standard.seconds) }
    guard scan.isAtEnd else { throw scan.problem("nothing more") }
  }

  private static func daylight(_ scan: inout PosixScan, standard: Int32) throws(ZoneProblem) -> Daylight {
    let name = try scan.name()
    let seconds = scan.isAt(",") ? standard + 3_600 : try scan.offset()
    guard ZoneRules.offsetRange.contains(seconds) else { throw scan.problem("an offset of about a day at most") }
    let offset = ZoneOffset(seconds: seconds, isDaylight: true, abbreviation: name)
    return Daylight(offset: offset, start: try scan.change(), end: try scan.change())
  }
}

/// The unread rest of a rule.
private struct PosixScan {
  /// Most code points of a rule in a message.
  private static let shown = 80
  private let text: String
  private var rest: ArraySlice<UInt8>

  init(_ text: String) {
    self.text = text.excerpt(Self.shown)
    rest = Array(text.utf8)[...]
  }

  var isAtEnd: Bool { rest.isEmpty }

  func isAt(_ scalar: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: scalar) }

  func problem(_ expected: String) -> ZoneProblem {
    ZoneProblem("the rule \"\(text)\": expected \(expected) after byte \(rest.startIndex)")
  }

  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard isAt(scalar) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func require(_ scalar: Unicode.Scalar) throws(ZoneProblem) {
    guard skip(scalar) else { throw problem("\"\(scalar)\"") }
  }

  /// Reads a name: three letters or more, or letters, digits and signs within angle brackets.
  mutating func name() throws(ZoneProblem) -> String {
    let isQuoted = skip("<")
    let name = rest.prefix { isLetter($0) || (isQuoted && (isDigit($0) || [0x2B, 0x2D].contains($0))) }
    guard name.count >= 3 else { throw problem("a name of three letters or more") }
    rest = rest[name.endIndex...]
    if isQuoted { try require(">") }
    return String(decoding: name, as: UTF8.self)
  }

  /// Reads an offset, written west of UTC, as seconds east.
  mutating func offset() throws(ZoneProblem) -> Int32 { -Int32(try time(maximumHours: 24)) }

  /// Reads `[+-]hh[:mm[:ss]]` in seconds.
  private mutating func time(maximumHours: Int64) throws(ZoneProblem) -> Int64 {
    let sign: Int64 = skip("-") ? -1 : 1
    if sign == 1 { _ = skip("+") }
    var seconds = try number(0...maximumHours) * 3_600
    for unit: Int64 in [60, 1] where skip(":") { seconds += try number(0...59) * unit }
    return sign * seconds
  }

  mutating func change() throws(ZoneProblem) -> YearlyChange {
    try require(",")
    var change = YearlyChange(day: try day())
    if skip("/") { change.seconds = try time(maximumHours: 167) }
    return change
  }

  private mutating func day() throws(ZoneProblem) -> YearlyChange.Day {
    if skip("J") { return .withoutLeapDay(try number(1...365)) }
    guard skip("M") else { return .ofYear(try number(0...365)) }
    let month = try number(1...12)
    try require(".")
    let week = try number(1...5)
    try require(".")
    return .ofMonth(month, week: week, weekday: try number(0...6))
  }

  private mutating func number(_ range: ClosedRange<Int64>) throws(ZoneProblem) -> Int64 {
    let digits = rest.prefix(while: isDigit)
    guard (1...3).contains(digits.count) else { throw problem("a number of 1 to 3 digits") }
    let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    guard range.contains(value) else { throw problem("a number from \(range.lowerBound) to \(range.upperBound)") }
    rest = rest[digits.endIndex...]
    return value
  }
}

func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
