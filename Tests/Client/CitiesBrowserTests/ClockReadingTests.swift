import Glibc
import Testing

@testable import CitiesBrowser

@Suite("The clock of the screen")
struct ClockReadingTests {
  private func reading(_ seconds: Int64, _ nanoseconds: Int64) -> ClockReading {
    ClockReading(nanoseconds: seconds * 1_000_000_000 + nanoseconds)
  }

  @Test(arguments: [0, 1, 59] as [Int64], [0, 1, 999_999_999] as [Int64])
  func `a wait for the next minute ends in it`(second: Int64, nanosecond: Int64) {
    let start = reading(29_400_000 * 60 + second, nanosecond)
    let wait = start.untilNextMinute
    #expect(start.minute == 60 * 29_400_000 && wait > .zero && wait <= .seconds(60))
    let end = Duration.nanoseconds(start.nanoseconds) + wait
    #expect(end == .seconds(29_400_001 * 60))
    #expect(reading(end.components.seconds, 0).minute == start.minute + 60)
  }

  @Test func `the time now is not older than the call`() {
    for _ in 0..<100 {
      var before = timespec()
      clock_gettime(CLOCK_REALTIME, &before)
      #expect(ClockReading().nanoseconds >= reading(Int64(before.tv_sec), Int64(before.tv_nsec)).nanoseconds)
    }
  }
}
