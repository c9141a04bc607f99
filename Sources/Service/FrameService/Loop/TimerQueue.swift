/// Names one timer.
package struct TimerID: Hashable, Sendable {
  let number: UInt64
}

/// Actions by deadline.
///
/// A service has a handful, so a sorted array is the whole structure.
struct TimerQueue {
  private struct Entry {
    let deadline: Int64
    let id: TimerID
    let action: () -> Void
  }

  /// Latest first, so that the next to fire is the last.
  private var entries: [Entry] = []
  private var issued: UInt64 = 0

  /// Whether no timer waits.
  var isEmpty: Bool { entries.isEmpty }
  /// When the next one fires, in nanoseconds of the monotonic clock.
  var earliest: Int64? { entries.last?.deadline }

  /// Adds an action; of equal deadlines the first added fires first.
  ///
  /// - Complexity: O(timers).
  mutating func add(deadline: Int64, _ action: @escaping () -> Void) -> TimerID {
    issued += 1
    let id = TimerID(number: issued)
    let place = entries.firstIndex { $0.deadline <= deadline } ?? entries.endIndex
    entries.insert(Entry(deadline: deadline, id: id, action: action), at: place)
    return id
  }

  /// Takes a timer back.
  mutating func remove(_ id: TimerID) { entries.removeAll { $0.id == id } }

  /// The actions whose time has come, earliest first; they are no longer in the queue.
  mutating func due(now: Int64) -> [() -> Void] {
    var actions: [() -> Void] = []
    while let entry = entries.last, entry.deadline <= now {
      actions.append(entry.action)
      entries.removeLast()
    }
    return actions
  }
}
