import CLinux
import Glibc
import System

/// The loop's timers, with one descriptor for all (timerfd_create(2)).
///
/// A timeout in epoll_wait(2) would work as well, but costs two readings of the clock per request and a kernel timer
/// that is set and cancelled: a third of its latency.
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
    // Setting the timer again clears its expiration, so it need not be read.
    armed = 0
    let now = MonotonicClock.nanoseconds()
    while let action = queue.nextDue(now: now) { action() }
    arm()
  }

  private func arm() {
    let deadline = queue.earliest ?? 0
    guard deadline != armed || deadline == 0 else { return }
    armed = deadline
    linux_timer_arm(descriptor, deadline)
  }
}

/// Identifies a timer.
package struct TimerID: Hashable, Sendable {
  let slot: UInt32
  /// Distinguishes the timer from others with the same slot.
  let generation: UInt32
}

/// A queue of actions, ordered by deadline.
struct TimerQueue {
  private struct Slot {
    var generation: UInt32 = 0
    var action: (() -> Void)?
  }

  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var deadlines = SlotHeap()

  /// The earliest deadline, in nanoseconds of the monotonic clock; `nil` without timers.
  var earliest: Int64? { deadlines.first?.value }

  /// Adds an action; those with equal deadlines fire in the order of insertion.
  ///
  /// - Complexity: O(log *n*) in the timers, amortized.
  mutating func add(deadline: Int64, _ action: @escaping () -> Void) -> TimerID {
    let slot = freeSlots.popLast() ?? newSlot()
    slots[slot].action = action
    deadlines.insert(slot, deadline)
    return TimerID(slot: UInt32(slot), generation: slots[slot].generation)
  }

  /// Removes a timer; does nothing if it has fired or was removed before.
  ///
  /// - Complexity: O(log *n*) in the timers.
  mutating func remove(_ id: TimerID) {
    let slot = Int(id.slot)
    guard slot < slots.count, slots[slot].generation == id.generation, slots[slot].action != nil else { return }
    deadlines.remove(slot)
    _ = release(slot)
  }

  /// Removes and returns the earliest action, if it is due.
  ///
  /// One at a time, because an action may cancel timers that are due together with it.
  mutating func nextDue(now: Int64) -> (() -> Void)? {
    guard let (slot, deadline) = deadlines.first, deadline <= now else { return nil }
    deadlines.remove(slot)
    return release(slot)
  }

  private mutating func newSlot() -> Int {
    slots.append(Slot())
    return slots.count - 1
  }

  private mutating func release(_ slot: Int) -> (() -> Void)? {
    let action = slots[slot].action
    slots[slot].action = nil
    slots[slot].generation &+= 1
    freeSlots.append(slot)
    return action
  }
}
