import Testing

@testable import FrameService

@Suite struct TimerQueueTests {
  @Test func `timers fire in the order of their deadlines, equal ones as added`() {
    var queue = TimerQueue()
    var fired: [Int] = []
    for (number, deadline) in [30, 10, 20, 10, 30, 5].enumerated() {
      _ = queue.add(deadline: Int64(deadline)) { fired.append(number) }
    }
    #expect(queue.earliest == 5)
    for action in queue.due(now: 29) { action() }
    #expect(fired == [5, 1, 3, 2])
    for action in queue.due(now: 30) { action() }
    #expect(fired == [5, 1, 3, 2, 0, 4])
    #expect(queue.isEmpty && queue.earliest == nil)
  }

  @Test func `a timer taken back does not fire, others do`() {
    var queue = TimerQueue()
    var fired: [Int] = []
    let ids = (0..<5).map { number in queue.add(deadline: 1) { fired.append(number) } }
    queue.remove(ids[2])
    queue.remove(ids[2])
    for action in queue.due(now: 1) { action() }
    #expect(fired == [0, 1, 3, 4])
  }

  @Test func `nothing is due before its time`() {
    var queue = TimerQueue()
    _ = queue.add(deadline: 2) {}
    #expect(queue.due(now: 1).isEmpty)
  }
}
