import Glibc
import Testing

@testable import CitiesBrowser

@Suite("The clock of the screen")
struct ClockReadingTests {
  private func reading(_ seconds: Int, _ nanoseconds: Int) -> ClockReading {
    ClockReading(time: timespec(tv_sec: seconds, tv_nsec: nanoseconds))
  }

  @Test(arguments: [0, 1, 59], [0, 1, 999_999_999])
  func `a wait for the next minute ends in it`(second: Int, nanosecond: Int) {
    let start = reading(29_400_000 * 60 + second, nanosecond)
    let wait = start.untilNextMinute
    #expect(start.minute == 60 * 29_400_000 && wait > .zero && wait <= .seconds(60))
    let end = Duration.seconds(start.time.tv_sec) + .nanoseconds(nanosecond) + wait
    #expect(end == .seconds(29_400_001 * 60))
    #expect(reading(Int(end.components.seconds), 0).minute == start.minute + 60)
  }

  @Test func `the time now is not older than the call`() {
    func nanoseconds(_ time: timespec) -> Int { time.tv_sec * 1_000_000_000 + time.tv_nsec }
    for _ in 0..<100 {
      var before = timespec()
      clock_gettime(CLOCK_REALTIME, &before)
      #expect(nanoseconds(ClockReading.now.time) >= nanoseconds(before))
    }
  }
}
