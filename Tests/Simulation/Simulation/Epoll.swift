import CSimulatedCalls
import Glibc

/// The bits of epoll(7), by number: C macros of an enumeration do not reach Swift.
enum EpollBits {
  static let input: UInt32 = 0x1
  static let output: UInt32 = 0x4
  static let failed: UInt32 = 0x8
  static let hungUp: UInt32 = 0x10
  static let inputEnded: UInt32 = 0x2000
  static let edge: UInt32 = 1 << 31
}

/// One descriptor that an epoll watches.
final class EpollItem {
  private unowned let epoll: Epoll
  unowned let object: KernelObject
  var interest: UInt32
  let token: UInt64
  fileprivate var isQueued = false
  fileprivate var isRemoved = false

  init(_ epoll: Epoll, _ object: KernelObject, interest: UInt32, token: UInt64) {
    (self.epoll, self.object, self.interest, self.token) = (epoll, object, interest, token)
  }

  /// What it would report now.
  var events: UInt32 {
    isRemoved ? 0 : object.readiness & (interest | EpollBits.failed | EpollBits.hungUp) & ~EpollBits.edge
  }

  /// Lets the next wait look at it.
  func enqueue() { epoll.enqueue(self) }

  /// Forgets it.
  func remove() { isRemoved = true }
}

/// A simulated epoll(7), level-triggered and edge-triggered.
final class Epoll: KernelObject {
  /// The operations of epoll_ctl(2); the third one removes.
  private enum Operation {
    static let add: Int32 = 1
    static let modify: Int32 = 3
  }

  private var queue: [EpollItem] = []

  fileprivate func enqueue(_ item: EpollItem) {
    guard !item.isQueued, !item.isRemoved else { return }
    item.isQueued = true
    queue.append(item)
  }

  /// Adds, changes or removes the watch of `object`.
  func change(_ operation: Int32, _ object: KernelObject, interest: UInt32, token: UInt64) -> Int32 {
    let place = object.items.firstIndex { $0.isWatched(by: self) }
    switch (operation, place) {
    case (Operation.add, nil):
      let item = EpollItem(self, object, interest: interest, token: token)
      object.items.append(item)
      if item.events != 0 { enqueue(item) }
    case (Operation.add, _?): return -EEXIST
    case (Operation.modify, let place?):
      let item = object.items[place]
      item.interest = interest
      if item.events != 0 { enqueue(item) }
    case (_, let place?): object.items.remove(at: place).remove()
    case (_, nil): return -ENOENT
    }
    return 0
  }

  /// Reports what is ready, as far as there is room.
  func collect(into events: UnsafeMutablePointer<simulated_event>, capacity: Int) -> Int {
    var count = 0
    var kept: [EpollItem] = []
    var looked = 0
    for item in queue {
      if count == capacity { break }
      looked += 1
      let found = item.events
      guard found != 0 else {
        item.isQueued = false
        continue
      }
      events[count] = simulated_event(events: found, token: item.token)
      count += 1
      if item.interest & EpollBits.edge != 0 { item.isQueued = false } else { kept.append(item) }
    }
    queue.removeFirst(looked)
    queue.append(contentsOf: kept)
    return count
  }
}

extension EpollItem {
  fileprivate func isWatched(by other: Epoll) -> Bool { epoll === other }
}

/// eventfd(2).
final class EventCounter: KernelObject {
  private var value: UInt64 = 0

  override var readiness: UInt32 { value > 0 ? EpollBits.input : 0 }

  /// Adds one.
  func add() {
    value += 1
    stimulate()
  }

  /// The value, which is 0 from then on.
  func take() -> UInt64 {
    let taken = value
    value = 0
    return taken
  }
}

/// timerfd_create(2).
final class Timer: KernelObject {
  private var deadline: Int64 = 0

  override var readiness: UInt32 { deadline != 0 && kernel.now >= deadline ? EpollBits.input : 0 }

  /// Becomes ready at `deadline`; never for 0.
  func arm(_ deadline: Int64) {
    self.deadline = deadline
    guard deadline != 0 else { return }
    guard deadline > kernel.now else { return stimulate() }
    kernel.agenda.add(at: deadline) { [self] in if self.deadline == deadline { stimulate() } }
  }
}

/// signalfd(2).
final class SignalReader: KernelObject {
  private let mask: UInt64
  private var pending: [Int32] = []

  init(_ kernel: Kernel, mask: UInt64) {
    self.mask = mask
    super.init(kernel)
  }

  override var readiness: UInt32 { pending.isEmpty ? 0 : EpollBits.input }

  /// Whether it reads `signal`.
  func takes(_ signal: Int32) -> Bool { mask & 1 << UInt64(signal) != 0 }

  /// Makes `signal` pending; one that is pending already stays one.
  func add(_ signal: Int32) {
    if !pending.contains(signal) { pending.append(signal) }
    stimulate()
  }

  /// Takes the first pending signal.
  func take() -> Int32? { pending.isEmpty ? nil : pending.removeFirst() }
}
