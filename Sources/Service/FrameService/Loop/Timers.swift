import CLinux
import Glibc
import System

/// The loop's timers, as one descriptor of its own (timerfd_create(2)).
///
/// A time limit in epoll_wait(2) would do as well, but costs every request two looks at the clock and a kernel timer that
/// is set and taken back: a third of its latency.
final class Timers: EventSource {
  let descriptor: Int32
  private var queue = TimerQueue()
  private var armed: Int64 = 0

  init() throws(SystemError) {
    descriptor = linux_timer_descriptor()
    guard descriptor >= 0 else { throw SystemError("timerfd_create", result: descriptor) }
  }

  deinit { close(descriptor) }

  func add(deadline: Int64, _ action: @escaping () -> Void) -> TimerID {
    let id = queue.add(deadline: deadline, action)
    arm()
    return id
  }

  func remove(_ timer: TimerID) {
    queue.remove(timer)
    arm()
  }

  func ready(_ events: UInt32) {
    // Setting the timer anew takes back that it has expired, so it need not be read.
    armed = 0
    for action in queue.due(now: linux_monotonic()) { action() }
    arm()
  }

  private func arm() {
    let deadline = queue.earliest ?? 0
    guard deadline != armed || deadline == 0 else { return }
    armed = deadline
    linux_timer_arm(descriptor, deadline)
  }
}
