import Base
import CivilTime

/// Hours as the bytes of an index.
enum PackedHours {
  private static let known: UInt8 = 1

  /// Nothing for unknown hours; else the byte 1 and two numbers a stretch.
  static func encode(_ hours: WeeklyHours?) -> [UInt8] {
    guard let hours else { return [] }
    return [known]
      + [UInt8](
        column: hours.stretches.flatMap {
          [UInt32($0.weekday * WallClock.minutesPerDay + $0.opens), UInt32($0.closes - $0.opens)]
        })
  }

  /// The hours, or `nil` if they are unknown; what is no stretch is left out.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> WeeklyHours? {
    guard let numbers = numbers(bytes) else { return nil }
    return WeeklyHours(
      (0..<numbers.count / 2).compactMap { index in
        let (day, opens) = numbers[2 * index].quotientAndRemainder(dividingBy: WallClock.minutesPerDay)
        return WeeklyHours.Stretch(weekday: day, opens: opens, closes: opens + numbers[2 * index + 1])
      })
  }

  /// What ``WeeklyHours`` would say of a minute, without making one.
  static func openState(_ bytes: UnsafeRawBufferPointer, minuteOfWeek minute: Int) -> OpenState {
    guard let numbers = numbers(bytes) else { return .unknown }
    for index in 0..<numbers.count / 2 {
      let since = minute - numbers[2 * index]
      if (since < 0 ? since + WallClock.minutesPerWeek : since) < numbers[2 * index + 1] { return .yes }
    }
    return .no
  }

  private static func numbers(_ bytes: UnsafeRawBufferPointer) -> Column? {
    bytes.first == known ? Column(UnsafeRawBufferPointer(rebasing: bytes[1...])) : nil
  }
}
