/// When a feed that failed is tried again: soon at first, then later and later, never at the same time as everybody else.
package struct BackOff: Sendable {
  /// Seconds after the first failure.
  package static let first: Int64 = 30
  /// Seconds at most; a feed's own interval, if that is shorter.
  package static let longest: Int64 = 3_600
  /// A delay is up to this part shorter or longer than told.
  package static let jitter = 0.25

  /// A number from 0 up to, but not including, 1.
  package typealias Dice = @Sendable () -> Double

  private let dice: Dice

  /// Throws the system's dice unless given others.
  package init(dice: @escaping Dice = { Double.random(in: 0..<1) }) { self.dice = dice }

  /// Seconds to wait after a failure; `previous` is what was waited before it, `nil` after a success.
  ///
  /// Twice the delay before, jittered; so the count of failures needs no memory of its own.
  package func delay(after previous: Int64?, interval: Int64) -> Int64 {
    let plain = previous.map { max(Self.first, $0 < Self.longest ? $0 * 2 : Self.longest) } ?? Self.first
    let jittered = Double(plain) * (1 + Self.jitter * (2 * dice() - 1))
    return min(Int64(jittered), Self.longest, max(interval, Self.first))
  }
}
