import Synchronization
import System

/// The turns of children, a few at a time.
///
/// If none has become free for too long, one child must end for those that wait: the one that has run longest. While a
/// child holds the lock of the journal, no other one must end, as it may only be waiting for that lock.
final class ImportTurns: Sendable {
  /// Milliseconds for which a child may hold the lock while others wait for a turn; most need a few.
  private static let storing: Int64 = 1_000

  private struct State {
    var free: Int
    var waiting = 0
    /// When a turn was last given to a child that waited, or the first of them arrived, in monotonic milliseconds.
    var since: Int64 = 0
    /// The turns in progress, in the order of their start.
    var turns: [Int] = []
    /// The number of the last turn.
    var last = 0
    /// The turn of the child that holds the lock of the journal.
    var holder: Int?
  }

  private let state: Mutex<State>
  private let turn = Semaphore()

  /// `maximum` turns at a time.
  init(_ maximum: Int) { state = Mutex(State(free: maximum)) }

  /// Waits for a turn, and returns its number.
  func wait() -> Int {
    let isFree = state.withLock { state in
      guard state.free == 0 else {
        state.free -= 1
        return true
      }
      if state.waiting == 0 { state.since = MonotonicClock.milliseconds() }
      state.waiting += 1
      return false
    }
    if !isFree { turn.wait() }
    return state.withLock { state in
      state.last += 1
      state.turns.append(state.last)
      return state.last
    }
  }

  /// Ends a turn.
  func end(_ number: Int) {
    let isGiven = state.withLock { state in
      state.turns.removeAll { $0 == number }
      if state.holder == number { state.holder = nil }
      state.since = MonotonicClock.milliseconds()
      guard state.waiting > 0 else {
        state.free += 1
        return false
      }
      state.waiting -= 1
      return true
    }
    if isGiven { turn.signal() }
  }

  /// Whether a turn must end, because no child that waits has had one for `milliseconds`; its child has held the lock
  /// of the journal for `storing`, or does not hold it.
  func mustEnd(_ number: Int, after milliseconds: Int64, storing: Int64?) -> Bool {
    state.withLock { state in
      if storing != nil { state.holder = number } else if state.holder == number { state.holder = nil }
      guard state.waiting > 0, MonotonicClock.milliseconds() - state.since >= milliseconds else { return false }
      guard state.holder == nil else { return storing.map { $0 >= Self.storing } ?? false }
      return number == state.turns.first
    }
  }
}
