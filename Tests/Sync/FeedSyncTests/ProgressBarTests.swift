import CitiesProtocol
import FeedSync
import Glibc
import Synchronization
import Testing

@Suite("Progress bar")
struct ProgressBarTests {
  /// A bar over a pipe, with a clock that the test sets, and what it has drawn.
  private final class Drawing: Sendable {
    let bar: ProgressBar
    private let ends: (read: Int32, write: Int32)
    private let time: Time

    final class Time: Sendable {
      let now = Mutex<Int64>(1_000)
    }

    init(isEnabled: Bool?) {
      var ends: [Int32] = [0, 0]
      pipe(&ends)
      let time = Time()
      self.ends = (ends[0], ends[1])
      self.time = time
      bar = ProgressBar(descriptor: ends[1], isEnabled: isEnabled) { time.now.withLock { $0 } }
    }

    func take(at milliseconds: Int64, _ done: Double) {
      time.now.withLock { $0 = 1_000 + milliseconds }
      bar.take(.cities, Progress("checking", done: done))
    }

    /// Everything drawn; nothing may be drawn afterwards.
    func drawn() -> String {
      close(ends.write)
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(ends.read, &bytes, bytes.count)
      close(ends.read)
      return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
  }

  @Test func `nothing is drawn before 500 ms, then at most every 50 ms`() {
    let drawing = Drawing(isEnabled: true)
    for (milliseconds, done) in [(0, 0.1), (499, 0.2), (500, 0.5), (549, 0.6), (550, 0.7)] as [(Int64, Double)] {
      drawing.take(at: milliseconds, done)
    }
    drawing.bar.clear()
    drawing.bar.clear()
    #expect(
      drawing.drawn() == "\rcities [##########··········] 50 % checking\u{1b}[K"
        + "\rcities [##############······] 70 % checking\u{1b}[K" + "\r\u{1b}[K")
  }

  @Test func `anything but a terminal sees nothing`() {
    let drawing = Drawing(isEnabled: nil)
    drawing.take(at: 5_000, 0.5)
    drawing.bar.clear()
    #expect(drawing.drawn() == "")
  }

  @Test(
    arguments: [(-1.0, 0), (0.0, 0), (0.999, 99), (1.0, 100), (7.0, 100)])
  func `the bar keeps its bounds, for any values`(done: Double, percent: Int) {
    let line = ProgressBar.line([.cities: Progress("x", done: done)])
    #expect(line.hasSuffix("] \(percent) % x"))
    #expect(line.count == "cities [] \(percent) % x".count + 20)
  }
}
