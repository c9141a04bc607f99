import CLinux
import Glibc
import Synchronization
package import System

/// One thread that waits for descriptors, timers and messages from other threads (epoll(7)).
///
/// A turn of the loop takes one `epoll_wait`, notes its events, lets ``clients`` run for a limited time and allocates
/// nothing. All of it belongs to the thread that calls ``run()``; only ``mailbox`` may be used elsewhere.
package final class EventLoop {
  /// Events taken from the kernel at a time.
  private static let batch = 256
  /// How often events are taken in one turn while there are more, so that a timer does not wait for 4,096 clients.
  private static let batchesPerTurn = 32

  private struct Slot {
    var turn: UInt32 = 0
    var source: (any EventSource)?
  }

  private let epoll: Int32
  private let events: UnsafeMutablePointer<epoll_event>
  // Each turn uses them, and none of its uses overlap: the check at run time would only cost.
  @exclusivity(unchecked) private var slots: [Slot] = []
  private var freeSlots: [UInt32] = []
  @exclusivity(unchecked) private var soon: [() -> Void] = []
  private let timers: Timers
  @exclusivity(unchecked) private var stopping = false
  var workers = Workers()

  /// Where other threads leave messages for this loop.
  package let mailbox: Mailbox
  /// What clients have to do.
  let clients: ClientTurns
  /// The number of the current turn, from 1 on.
  @exclusivity(unchecked) private(set) var turnNumber: UInt64 = 0

  /// Makes a loop whose clients get the times that `limits` names.
  ///
  /// - Throws: if the kernel gives no descriptor.
  package init(limits: ServiceLimits = .init()) throws(SystemError) {
    clients = ClientTurns(limits)
    let epoll = linux_epoll_create()
    guard epoll >= 0 else { throw SystemError("epoll_create1", result: epoll) }
    self.epoll = epoll
    events = .allocate(capacity: Self.batch)
    do {
      mailbox = try Mailbox()
      timers = try Timers()
    } catch {
      close(epoll)
      events.deallocate()
      throw error
    }
    let added = linux_epoll_add(epoll, mailbox.descriptor, linux_readable, Self.mailboxToken)
    guard added >= 0 else { throw SystemError("epoll_ctl", result: added) }
    _ = try add(timers, timers.descriptor, interest: linux_readable)
  }

  deinit {
    close(epoll)
    events.deallocate()
  }

  private static let mailboxToken = UInt64.max

  // MARK: Sources

  /// Watches `descriptor` for `interest` on behalf of `source`, which is kept until it is removed.
  package func add(
    _ source: any EventSource, _ descriptor: Int32, interest: UInt32
  ) throws(SystemError) -> Registration {
    let slot = freeSlots.popLast() ?? newSlot()
    let registration = Registration(descriptor: descriptor, slot: slot, turn: slots[Int(slot)].turn)
    let result = linux_epoll_add(epoll, descriptor, interest, registration.token)
    guard result >= 0 else {
      freeSlots.append(slot)
      throw SystemError("epoll_ctl", result: result)
    }
    slots[Int(slot)].source = source
    return registration
  }

  /// Changes what a source is watched for; 0 leaves errors and hang-ups.
  package func change(_ registration: Registration, interest: UInt32) {
    _ = linux_epoll_modify(epoll, registration.descriptor, interest, registration.token)
  }

  /// Forgets a source; events of this turn that were meant for it are dropped.
  package func remove(_ registration: Registration) {
    _ = linux_epoll_remove(epoll, registration.descriptor)
    let slot = Int(registration.slot)
    guard slots[slot].turn == registration.turn else { return }
    slots[slot].source = nil
    slots[slot].turn &+= 1
    freeSlots.append(registration.slot)
  }

  private func newSlot() -> UInt32 {
    slots.append(Slot())
    return UInt32(slots.count - 1)
  }

  // MARK: Later work

  /// Runs `action` at the end of this turn, or of the next one if this one's are running.
  package func soon(_ action: @escaping () -> Void) { soon.append(action) }

  /// Runs `action` once, `nanoseconds` from now.
  @discardableResult
  package func schedule(after nanoseconds: Int64, _ action: @escaping () -> Void) -> TimerID {
    timers.add(deadline: MonotonicClock.nanoseconds() &+ max(0, nanoseconds), action)
  }

  /// Takes a timer back; nothing happens if it has fired.
  package func cancel(_ timer: TimerID) { timers.remove(timer) }

  // MARK: Running

  /// Serves until ``stop()``.
  ///
  /// - Throws: if waiting fails, which only a fault of the program's own can cause.
  package func run() throws(SystemError) {
    stopping = false
    while !stopping { try turn() }
  }

  /// Lets ``run()`` return after the current turn.
  package func stop() { stopping = true }

  private func turn() throws(SystemError) {
    turnNumber &+= 1
    let hasMore = !clients.isEmpty || !soon.isEmpty
    var count = try wait(isBrief: hasMore)
    let isAlone = count == 1 && clients.isEmpty
    clients.isAlone = isAlone
    dispatch(count)
    clients.isAlone = false
    if count == Self.batch {
      var batches = 1
      repeat {
        count = try wait(isBrief: true)
        dispatch(count)
        batches += 1
      } while count == Self.batch && batches < Self.batchesPerTurn
    }
    // A client that was served alone has had its turn: what has come meanwhile is noted before it continues.
    if !clients.isEmpty, !isAlone { clients.run() }
    if !soon.isEmpty { runSoon() }
  }

  /// Waits for events, or only looks whether there are any; their number.
  private func wait(isBrief: Bool) throws(SystemError) -> Int {
    let count = linux_epoll_wait(epoll, events, Int32(Self.batch), isBrief ? 0 : -1)
    if count == -EINTR { return 0 }
    guard count >= 0 else { throw SystemError("epoll_wait", result: count) }
    return Int(count)
  }

  private func dispatch(_ count: Int) {
    for index in 0..<count { dispatch(events + index) }
  }

  private func dispatch(_ event: UnsafePointer<epoll_event>) {
    let token = linux_event_token(event)
    guard token != Self.mailboxToken else { return mailbox.deliver(to: self) }
    let slot = slots[Int(UInt32(truncatingIfNeeded: token))]
    guard slot.turn == UInt32(truncatingIfNeeded: token >> 32), let source = slot.source else { return }
    source.ready(linux_event_flags(event))
  }

  /// Runs what was postponed; what that postpones is for the next turn.
  private func runSoon() {
    let actions = soon
    soon.removeAll()
    for action in actions { action() }
  }
}

/// Something the loop watches a descriptor for.
package protocol EventSource: AnyObject {
  /// The descriptor is ready as the bits of `events` say (`linux_readable`, …).
  func ready(_ events: UInt32)
}

/// A source's place in the loop.
///
/// It is spent after ``EventLoop/remove(_:)``.
package struct Registration {
  /// The descriptor that is watched.
  package let descriptor: Int32
  let slot: UInt32
  let turn: UInt32

  /// What epoll carries: a stale event, of a descriptor closed in the same batch, has another turn.
  var token: UInt64 { UInt64(turn) << 32 | UInt64(slot) }
}

/// Where other threads leave work for a loop; an eventfd(2) wakes it.
package final class Mailbox: Sendable {
  /// Work that is handed the loop, on the loop's thread.
  package typealias Message = @Sendable (EventLoop) -> Void

  let descriptor: Int32
  private let messages = Mutex<[Message]>([])

  init() throws(SystemError) {
    descriptor = linux_wake_descriptor()
    guard descriptor >= 0 else { throw SystemError("eventfd", result: descriptor) }
  }

  deinit { close(descriptor) }

  /// Leaves `message`; may be called from any thread.
  package func post(_ message: @escaping Message) {
    messages.withLock { $0.append(message) }
    linux_wake(descriptor)
  }

  /// Runs what was left, in the order in which it came.
  func deliver(to loop: EventLoop) {
    // Cleared first: a message that comes after the exchange wakes the loop again.
    linux_clear_wakes(descriptor)
    let waiting = messages.withLock { waiting in
      let taken = waiting
      waiting = []
      return taken
    }
    for message in waiting { message(loop) }
  }
}

/// Work in progress on its own threads, by number, with what is to happen on the loop's thread afterwards.
struct Workers {
  private var issued: UInt64 = 0
  private var finishers: [UInt64: (any Sendable) -> Void] = [:]

  /// Jobs that have not reported.
  var count: Int { finishers.count }

  mutating func begin(_ finisher: @escaping (any Sendable) -> Void) -> UInt64 {
    issued += 1
    finishers[issued] = finisher
    return issued
  }

  mutating func end(_ job: UInt64) -> ((any Sendable) -> Void)? { finishers.removeValue(forKey: job) }
}

extension EventLoop {
  /// Jobs in progress on worker threads.
  package var offloaded: Int { workers.count }

  /// Runs `work` on its own thread and `then` with its result on the loop's thread.
  ///
  /// Such work is rare (opening a new file, an import), so a thread per job is simpler than a pool and just as good. If
  /// no thread can be had, the work is done at once: late answers are better than none.
  package func offload<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result, then: @escaping (Result) -> Void
  ) {
    let job = workers.begin { result in
      if let result = result as? Result { then(result) }
    }
    let mailbox = mailbox
    let body: @Sendable () -> Void = {
      let result = work()
      mailbox.post { loop in loop.workers.end(job)?(result) }
    }
    if !startDetachedThread(body) { body() }
  }
}
