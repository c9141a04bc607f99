import CivilTime
import TestSupport

/// Time zone files, and the rules at their end.
final class ZoneTarget: FuzzTarget {
  static let name = "zones"
  private static let moments = [Int64.min, -(1 << 40), -1, 0, 1_774_774_800, 4_102_444_800, 1 << 40, .max]

  static var seeds: [[UInt8]] {
    get throws {
      let zones = ["Europe/Tallinn", "America/New_York", "Asia/Tokyo", "Africa/Casablanca", "Antarctica/Troll"]
      let files = zones.map { "/usr/share/zoneinfo/\($0)" }.filter { Repository.exists($0) }
      let rules = ["EET-2EEST,M3.5.0/3,M10.5.0/4", "<+0330>-3:30<+0430>,J79/24,J263/-24:00:01", "UTC0", "A1B,0,365/2"]
      return try files.map { try Repository.bytes($0) } + rules.map { Array($0.utf8) }
    }
  }

  init() {}

  func run(_ input: [UInt8]) throws {
    if let rules = try? ZoneRules(tzif: input) { try ask(rules) }
    _ = try? PosixZone(String(decoding: input, as: UTF8.self))
    let text = String(decoding: input, as: UTF8.self)
    if let rules = ZoneRules(offset: text) { try ask(rules) }
    _ = ZoneRules.isName(text)
  }

  private func ask(_ rules: ZoneRules) throws {
    for moment in Self.moments {
      let offset = rules.offset(at: moment)
      guard abs(Int(offset.seconds)) < 100_000 else { throw FuzzFinding("\(offset.seconds) s from UTC") }
      let clock = WallClock(localSeconds: rules.localSeconds(at: moment))
      guard (0..<7).contains(clock.weekday), (0..<WallClock.minutesPerDay).contains(clock.minuteOfDay) else {
        throw FuzzFinding("\(clock) at \(moment)")
      }
    }
  }
}
