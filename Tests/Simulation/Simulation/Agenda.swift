/// What happens when, in virtual time: a heap of actions by time; of equal times the first added comes first.
final class Agenda {
  private struct Entry {
    let time: Int64
    let order: UInt64
    let action: () -> Void

    func precedes(_ other: Entry) -> Bool { time != other.time ? time < other.time : order < other.order }
  }

  private var entries: [Entry] = []
  private var added: UInt64 = 0

  /// The time of the first action; nil if there is none.
  var nextTime: Int64? { entries.first?.time }

  /// Adds an action at `time`.
  func add(at time: Int64, _ action: @escaping () -> Void) {
    added += 1
    entries.append(Entry(time: time, order: added, action: action))
    var place = entries.count - 1
    while place > 0, entries[place].precedes(entries[(place - 1) / 2]) {
      entries.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Takes the first action if its time is not after `time`.
  func takeFirst(until time: Int64) -> (() -> Void)? {
    guard let first = entries.first, first.time <= time else { return nil }
    let last = entries.removeLast()
    if !entries.isEmpty {
      entries[0] = last
      siftDown()
    }
    return first.action
  }

  private func siftDown() {
    var place = 0
    while true {
      var least = 2 * place + 1
      guard least < entries.count else { return }
      if least + 1 < entries.count, entries[least + 1].precedes(entries[least]) { least += 1 }
      guard entries[least].precedes(entries[place]) else { return }
      entries.swapAt(place, least)
      place = least
    }
  }
}
