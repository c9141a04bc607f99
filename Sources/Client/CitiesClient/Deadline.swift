internal import Glibc

/// A moment on the monotonic clock up to which something is waited for.
struct Deadline {
  /// Nanoseconds on `CLOCK_MONOTONIC`; `nil` waits without end.
  private let end: UInt64?

  /// `duration` from now, or never.
  init(_ duration: Duration?) {
    end = duration.map { Clock.now &+ $0.nanoseconds }
  }

  /// What is left, in whole milliseconds rounded up, as poll(2) takes it; −1 waits without end.
  var milliseconds: Int32 {
    guard let end else { return -1 }
    let now = Clock.now
    guard now < end else { return 0 }
    return Int32(clamping: (end - now + 999_999) / 1_000_000)
  }

  /// Whether there is none.
  var isEndless: Bool { end == nil }

  /// Whether the moment is over.
  var isOver: Bool { milliseconds == 0 }

  /// What is left; `nil` without end.
  var remaining: Duration? {
    guard let end else { return nil }
    let now = Clock.now
    return .nanoseconds(Int64(clamping: now < end ? end - now : 0))
  }
}

/// How long a whole request may take: the time as it was configured, for messages, and the moment at which it is over.
struct RequestLimit {
  /// The time.
  let timeout: Duration
  /// The moment.
  let deadline: Deadline

  /// Starts to count the time.
  init(_ timeout: Duration) { (self.timeout, deadline) = (timeout, Deadline(timeout)) }

  /// What is left for a step that takes a time of its own.
  var remaining: Duration { deadline.remaining ?? timeout }
}

/// The monotonic clock, in nanoseconds.
enum Clock {
  /// Now.
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Does nothing for `milliseconds`.
  static func pause(milliseconds: Int32) { _ = poll(nil, 0, milliseconds) }
}

extension Duration {
  /// Whole nanoseconds, at least 0 and at most some 292 years.
  var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow || whole > UInt64(Int64.max) ? UInt64(Int64.max) : whole + UInt64(attoseconds / 1_000_000_000)
  }
}
