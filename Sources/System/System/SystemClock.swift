import CLinux
import Glibc

/// The time of day, which an administrator or a time server may set back.
package enum SystemClock {
  /// Nanoseconds since 1970-01-01T00:00:00Z.
  @inlinable @inline(__always)
  package static func nanoseconds() -> Int64 { linux_realtime() }

  /// Whole seconds since 1970-01-01T00:00:00Z.
  @inlinable
  package static func seconds() -> Int64 { linux_realtime() / 1_000_000_000 }
}

/// A clock that never goes back, for deadlines and durations.
package enum MonotonicClock {
  /// Nanoseconds since some moment before this process started.
  @inlinable @inline(__always)
  package static func nanoseconds() -> Int64 { linux_monotonic() }

  /// Milliseconds since some moment before this process started.
  @inlinable
  package static func milliseconds() -> Int64 { linux_monotonic() / 1_000_000 }

  /// The time since `start`, a value of ``nanoseconds()``.
  package static func time(since start: Int64) -> Duration { .nanoseconds(nanoseconds() - start) }

  /// Sleeps for `milliseconds`, or until a signal arrives.
  package static func pause(milliseconds: Int32) { _ = poll(nil, 0, milliseconds) }
}
