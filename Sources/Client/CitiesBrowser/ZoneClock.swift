internal import Glibc

/// The offsets of time zones, by the system's rules (tzdata).
///
/// An instance belongs to one thread.
final class ZoneClock {
  /// Seconds for which a cached offset holds: zones change their offsets on quarter-hours.
  private static let quarter: Int64 = 900
  private var offsets: [TextKey: Int64?] = [:]
  private var quarter: Int64?

  /// The offset of a zone in seconds east of UTC at a moment in seconds since 1970; `nil` for a zone that the system
  /// does not have.
  ///
  /// It sets `TZ` temporarily: no other thread may use local time meanwhile.
  func offset(in zone: String, at moment: Int64) -> Int64? {
    if quarter != moment / Self.quarter { (quarter, offsets) = (moment / Self.quarter, [:]) }
    if let known = offsets[zone] { return known }
    let offset = Self.offset(in: zone, at: moment)
    offsets[zone] = .some(offset)
    return offset
  }

  private static func offset(in zone: String, at moment: Int64) -> Int64? {
    guard !zone.isEmpty, !zone.contains(".."), access("/usr/share/zoneinfo/\(zone)", R_OK) == 0 else { return nil }
    let before = getenv("TZ").map { String(cString: $0) }
    setenv("TZ", zone, 1)
    tzset()
    defer {
      if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
      tzset()
    }
    var (time, parts) = (time_t(moment), tm())
    return localtime_r(&time, &parts) == nil ? nil : Int64(parts.tm_gmtoff)
  }
}
