internal import System

/// The moment on the monotonic clock at which waiting ends.
package struct Deadline {
  /// Nanoseconds; `nil` waits without end.
  private let end: Int64?

  /// `duration` from now, or never.
  package init(_ duration: Duration?) {
    end = duration.map { MonotonicClock.nanoseconds() &+ $0.nanoseconds }
  }

  /// The time left, in whole milliseconds rounded up, as poll(2) takes it; −1 waits without end.
  package var milliseconds: Int32 {
    remaining.map { Int32(clamping: ($0.nanoseconds + 999_999) / 1_000_000) } ?? -1
  }

  var isEndless: Bool { end == nil }

  var isOver: Bool { milliseconds == 0 }

  /// The time left; `nil` without end.
  var remaining: Duration? { end.map { .nanoseconds(max(0, $0 - MonotonicClock.nanoseconds())) } }
}

/// The time that a request may take: as it was configured, for messages, and as the moment at which it ends.
struct RequestLimit {
  let timeout: Duration
  let deadline: Deadline

  /// Starts to count the time.
  init(_ timeout: Duration) { (self.timeout, deadline) = (timeout, Deadline(timeout)) }

  /// The time left for a step that takes its own time.
  var remaining: Duration { deadline.remaining ?? timeout }
}

extension Duration {
  /// Whole nanoseconds, at least 0 and at most 100 years, which leaves room to add them to a moment.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let longest: Int64 = 100 * 366 * 86_400
    return min(seconds, longest) * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
