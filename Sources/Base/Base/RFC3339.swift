/// Times as RFC 3339 text, and as POSIX time: seconds since 1970-01-01T00:00:00Z without leap seconds.
///
/// ```swift
/// try RFC3339.parse("2026-03-29T03:00:00+03:00")   // 1774742400
/// RFC3339.text(secondsSince1970: 1_774_742_400)    // "2026-03-29T00:00:00Z"
/// ```
package enum RFC3339 {
  /// The time in `text` (RFC 3339, section 5.6), in seconds since 1970-01-01T00:00:00Z; a fraction is dropped.
  ///
  /// `T` and `Z` may be in lower case, and a space may replace `T`, as that section allows. The offset is required;
  /// `-00:00` is UTC. Second 60 is refused: POSIX time has no number for a leap second, and the nearest one belongs to
  /// another minute.
  ///
  /// - Throws: ``RFC3339Error`` with what was expected and found.
  /// - Complexity: O(n) in the bytes of `text`.
  package static func parse(_ text: some StringProtocol) throws(RFC3339Error) -> Int64 {
    var scan = RFC3339Scanner(text)
    let date = try scan.date()
    try scan.skip(oneOf: "Tt ")
    let time = try scan.timeOfDay(mayLackSeconds: false)
    try scan.skipFraction()
    let offset = try scan.offset()
    try scan.end()
    return date.daysSince1970 * 86_400 + time - offset
  }

  /// The day in `text`: the full date of RFC 3339, section 5.6.
  ///
  /// - Throws: ``RFC3339Error`` with what was expected and found.
  package static func parseDate(_ text: some StringProtocol) throws(RFC3339Error) -> CivilDate {
    var scan = RFC3339Scanner(text)
    let date = try scan.date()
    try scan.end()
    return date
  }

  /// The time of day in `text`, in seconds from midnight: the partial time of RFC 3339, section 5.6, without a
  /// fraction; the seconds are optional.
  ///
  /// - Throws: ``RFC3339Error`` with what was expected and found.
  package static func parseTimeOfDay(_ text: some StringProtocol) throws(RFC3339Error) -> Int64 {
    var scan = RFC3339Scanner(text)
    let time = try scan.timeOfDay(mayLackSeconds: true)
    try scan.end()
    return time
  }

  /// The time `seconds` after 1970-01-01T00:00:00Z, in UTC with whole seconds: `2026-03-01T12:00:00Z`.
  ///
  /// Years below 1000 are padded to four digits. Years beyond 9999 and before 0 are outside RFC 3339; they are written
  /// with all their digits, and ``parse(_:)`` refuses them.
  ///
  /// - Complexity: O(1).
  package static func text(secondsSince1970 seconds: Int64) -> String {
    let (days, second) = seconds.flooredDivision(by: 86_400)
    let date = CivilDate(daysSince1970: days)
    return """
      \(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))\
      T\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))Z
      """
  }

  /// The local time `seconds` after 1970-01-01 00:00, in the same form without a zone.
  package static func localText(_ seconds: Int64) -> String { String(text(secondsSince1970: seconds).dropLast()) }

  private static func padded(_ value: Int64, _ width: Int) -> String {
    (value < 0 ? "-" : "") + zeroPadded(String(value.magnitude), width)
  }
}

/// Why a text is not an RFC 3339 time.
package struct RFC3339Error: Error, Equatable, Sendable, CustomStringConvertible {
  /// The fault, with the text and an example.
  package let description: String
}

/// The unread rest of an RFC 3339 text.
private struct RFC3339Scanner {
  /// Code points of the text that an error message quotes.
  private static let shown = 40
  private let text: String
  private var rest: ArraySlice<UInt8>

  init(_ text: some StringProtocol) {
    self.text = text.excerpt(Self.shown)
    rest = Array(text.utf8)[...]
  }

  /// `count` digits with a value in `range`.
  mutating func number(_ count: Int, _ range: ClosedRange<Int64>, _ what: String) throws(RFC3339Error) -> Int64 {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy(isDigit) else {
      throw problem("expected \(what) of \(count) digits")
    }
    let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    guard range.contains(value) else {
      throw problem("\(what) is from \(range.lowerBound) to \(range.upperBound), found \(value)")
    }
    rest = rest.dropFirst(count)
    return value
  }

  /// Reads a date, whose day must exist in its month.
  mutating func date() throws(RFC3339Error) -> CivilDate {
    let date = CivilDate(
      year: try number(4, 0...9999, "a year"), month: try next("-", 1...12, "a month"),
      day: try next("-", 1...31, "a day"))
    guard date.day <= CivilDate.days(inMonth: date.month, of: date.year) else {
      throw problem("that month has no day \(date.day)")
    }
    return date
  }

  /// Seconds from midnight.
  mutating func timeOfDay(mayLackSeconds: Bool) throws(RFC3339Error) -> Int64 {
    let hour = try number(2, 0...23, "an hour")
    let minute = try next(":", 0...59, "a minute")
    let second = mayLackSeconds && rest.isEmpty ? 0 : try next(":", 0...60, "a second")
    if second == 60 { throw problem("leap seconds have no number in POSIX time; use second 59") }
    return hour * 3_600 + minute * 60 + second
  }

  /// A separator and two digits.
  mutating func next(
    _ separator: Unicode.Scalar, _ range: ClosedRange<Int64>, _ what: String
  ) throws(RFC3339Error) -> Int64 {
    try skip(oneOf: [separator])
    return try number(2, range, what)
  }

  mutating func skip(oneOf scalars: String) throws(RFC3339Error) { try skip(oneOf: Array(scalars.unicodeScalars)) }

  private mutating func skip(oneOf scalars: [Unicode.Scalar]) throws(RFC3339Error) {
    guard let byte = rest.first, scalars.contains(Unicode.Scalar(byte)) else {
      throw problem("expected \"\(scalars[0])\" at byte \(rest.startIndex + 1)")
    }
    rest = rest.dropFirst()
  }

  mutating func skipFraction() throws(RFC3339Error) {
    guard rest.first == UInt8(ascii: ".") else { return }
    let digits = rest.dropFirst().prefix(while: isDigit)
    guard !digits.isEmpty else { throw problem("expected digits after the full stop") }
    rest = rest[digits.endIndex...]
  }

  /// Reads the zone, in seconds east of UTC.
  mutating func offset() throws(RFC3339Error) -> Int64 {
    switch rest.first {
    case UInt8(ascii: "Z"), UInt8(ascii: "z"):
      rest = rest.dropFirst()
      return 0
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      let sign: Int64 = rest.first == UInt8(ascii: "-") ? -1 : 1
      rest = rest.dropFirst()
      let hours = try number(2, 0...23, "an offset's hour")
      return sign * (hours * 3_600 + (try next(":", 0...59, "an offset's minute")) * 60)
    default: throw problem("expected \"Z\" or an offset at the end")
    }
  }

  func end() throws(RFC3339Error) {
    guard rest.isEmpty else { throw problem("unexpected text after byte \(rest.startIndex)") }
  }

  func problem(_ reason: String) -> RFC3339Error {
    RFC3339Error(
      description:
        "not an RFC 3339 time: \"\(text)\": \(reason); write 2026-03-29T14:30:00Z or 2026-03-29T16:30:00+02:00"
    )
  }
}

/// Whether `byte` is an ASCII digit.
package func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
