internal import System

/// A deadline on the monotonic clock.
package struct Deadline {
  /// In nanoseconds; `nil` for no deadline.
  private let end: Int64?
  /// The time given, for messages.
  let duration: Duration?

  /// Makes the deadline `duration` from now; `nil` for none.
  package init(_ duration: Duration?) {
    self.duration = duration
    end = duration.map { MonotonicClock.nanoseconds() &+ $0.nanoseconds }
  }

  /// The time left, in milliseconds rounded up; −1 without a deadline, as for poll(2).
  package var milliseconds: Int32 {
    remaining.map { Int32(clamping: ($0.nanoseconds + 999_999) / 1_000_000) } ?? -1
  }

  var isEndless: Bool { end == nil }

  /// Whether it is reached.
  package var isOver: Bool { milliseconds == 0 }

  /// The time left; `nil` without a deadline.
  package var remaining: Duration? { end.map { .nanoseconds(max(0, $0 - MonotonicClock.nanoseconds())) } }
}

extension Duration {
  /// Whole nanoseconds, from 0 to 100 years, so that adding them to a moment does not overflow.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let longest: Int64 = 100 * 366 * 86_400
    return min(seconds, longest) * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
