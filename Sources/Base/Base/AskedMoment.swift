/// A moment as people write it: an instant, a local time, a day, or a time of day.
///
/// All but an instant are local, in a zone that the text does not name.
///
///     try AskedMoment("2026-03-29T14:30:00+02:00")   // .instant(1774787400)
///     try AskedMoment("2026-03-29T14:30")            // .local(1774794600)
///     try AskedMoment("2026-03-29")                  // .date, whose noon is meant
///     try AskedMoment("14:30", now: now)             // .time(52200, now: now), of today
package enum AskedMoment: Equatable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z.
  case instant(Int64)
  /// A time of a day, in seconds from 1970-01-01 00:00 local time.
  case local(Int64)
  /// Noon of a day.
  case date(CivilDate)
  /// A time of the current day, in seconds from midnight; `now`, in seconds since 1970-01-01T00:00:00Z, determines the
  /// day.
  case time(Int64, now: Int64)

  /// Reads RFC 3339 text, also without its offset or without its offset and seconds, `YYYY-MM-DD`, `HH:MM` or
  /// `HH:MM:SS`; `now` is the current time, for a time of day.
  ///
  /// - Throws: ``RFC3339Error`` with what was expected and found.
  /// - Complexity: O(n) in the bytes of `text`.
  package init(_ text: some StringProtocol, now: Int64 = 0) throws(RFC3339Error) {
    let bytes = Array(text.utf8.prefix(Self.localBytes[1] + 1))
    if Self.localBytes.contains(bytes.count), ["T", "t", " "].contains(Unicode.Scalar(bytes[Self.dateBytes])) {
      let date = try RFC3339.parseDate(text.prefix(Self.dateBytes))
      self = .local(
        try date.daysSince1970 * 86_400 + RFC3339.parseTimeOfDay(text.dropFirst(Self.dateBytes + 1)))
    } else if bytes.count == Self.dateBytes {
      self = .date(try RFC3339.parseDate(text))
    } else if bytes.count > 2, bytes[2] == UInt8(ascii: ":") {
      self = .time(try RFC3339.parseTimeOfDay(text), now: now)
    } else {
      self = .instant(try RFC3339.parse(text))
    }
  }

  /// Bytes of `YYYY-MM-DD`.
  private static let dateBytes = 10
  /// Bytes of `YYYY-MM-DDTHH:MM` and `YYYY-MM-DDTHH:MM:SS`.
  private static let localBytes = [16, 19]
}
