import FeedSync
import Testing

@Suite("Back-off")
struct BackOffTests {
  @Test func `a delay doubles from half a minute to an hour`() {
    let backOff = BackOff { 0.5 }
    var (delay, delays): (Int64?, [Int64]) = (nil, [])
    for _ in 0..<9 {
      let next = backOff.delay(after: delay, interval: 86_400)
      delays.append(next)
      delay = next
    }
    #expect(delays == [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600])
  }

  @Test func `it is a quarter shorter or longer by chance, within its bounds`() {
    #expect(BackOff { 0 }.delay(after: 100, interval: 3_600) == 150)
    #expect(BackOff { 0.999_999 }.delay(after: 100, interval: 3_600) == 249)
    #expect(BackOff { 0.999_999 }.delay(after: 3_600, interval: 86_400) == 3_600)
    for _ in 0..<1_000 { #expect((22...37).contains(BackOff().delay(after: nil, interval: 3_600))) }
  }

  @Test func `no feed waits longer than its interval, and no odd report makes it wait for ever`() {
    #expect(BackOff { 0.5 }.delay(after: 1_000, interval: 60) == 60)
    #expect(BackOff { 0.5 }.delay(after: .max, interval: .max) == 3_600)
    #expect(BackOff { 0.5 }.delay(after: 0, interval: 3_600) == 30)
  }
}
