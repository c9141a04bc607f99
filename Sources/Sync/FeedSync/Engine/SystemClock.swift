import Glibc

/// The system's clock, in whole seconds since 1970-01-01T00:00:00Z.
package func systemClock() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return Int64(now.tv_sec)
}

/// Milliseconds of a clock that never goes back, for measuring.
package func monotonicMilliseconds() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
}
