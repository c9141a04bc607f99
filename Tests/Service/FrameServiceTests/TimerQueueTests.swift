import Glibc
import Testing

@testable import FrameService

@Suite struct TimerQueueTests {
  private func run(_ queue: inout TimerQueue, now: Int64) {
    while let action = queue.nextDue(now: now) { action() }
  }

  @Test func `timers fire in the order of their deadlines, equal ones as added`() {
    var queue = TimerQueue()
    var fired: [Int] = []
    for (number, deadline) in [30, 10, 20, 10, 30, 5].enumerated() {
      _ = queue.add(deadline: Int64(deadline)) { fired.append(number) }
    }
    #expect(queue.earliest == 5)
    run(&queue, now: 29)
    #expect(fired == [5, 1, 3, 2])
    run(&queue, now: 30)
    #expect(fired == [5, 1, 3, 2, 0, 4])
    #expect(queue.earliest == nil)
  }

  @Test func `a timer taken back does not fire, others do`() {
    var queue = TimerQueue()
    var fired: [Int] = []
    let ids = (0..<5).map { number in queue.add(deadline: 1) { fired.append(number) } }
    queue.remove(ids[2])
    queue.remove(ids[2])
    run(&queue, now: 1)
    #expect(fired == [0, 1, 3, 4])
  }

  @Test func `a timer that another one cancels in the same turn does not fire`() throws {
    let loop = try EventLoop()
    var fired: [Int] = []
    var second: TimerID?
    loop.schedule(after: 0) {
      fired.append(1)
      if let second { loop.cancel(second) }
    }
    second = loop.schedule(after: 0) { fired.append(2) }
    loop.schedule(after: 1_000_000) { loop.stop() }
    // Both are due.
    poll(nil, 0, 1)
    try loop.run()
    #expect(fired == [1])
  }

  @Test func `nothing is due before its time`() {
    var queue = TimerQueue()
    _ = queue.add(deadline: 2) {}
    #expect(queue.nextDue(now: 1) == nil && queue.earliest == 2)
  }

  @Test func `a removed timer's place is used again and its old name removes nothing`() {
    var queue = TimerQueue()
    var fired: [Int] = []
    let first = queue.add(deadline: 1) { fired.append(1) }
    queue.remove(first)
    let second = queue.add(deadline: 1) { fired.append(2) }
    queue.remove(first)
    #expect(first != second)
    run(&queue, now: 1)
    queue.remove(second)
    #expect(fired == [2] && queue.earliest == nil)
  }

  @Test func `many timers are added and removed in no order and fire sorted`() {
    var random = SeededRandom(seed: 11)
    var queue = TimerQueue()
    var fired: [Int64] = []
    var expected: [Int64] = []
    for _ in 0..<20_000 {
      let deadline = Int64(random.below(1_000_000))
      let id = queue.add(deadline: deadline) { fired.append(deadline) }
      if random.below(3) == 0 { queue.remove(id) } else { expected.append(deadline) }
    }
    for now in stride(from: Int64(0), through: 1_000_000, by: 1_000) {
      run(&queue, now: now)
      if let earliest = queue.earliest { #expect(earliest > now) }
    }
    #expect(fired == expected.sorted())
  }
}
