import CLinux
import Glibc
import Synchronization
package import System

/// A single-threaded event loop for descriptors, timers and messages from other threads (epoll(7)).
///
/// A turn of the loop calls `epoll_wait`, records its events, lets ``clients`` run for a limited time, and allocates
/// nothing. Only the thread that calls ``run()`` may use it, except for ``mailbox``.
package final class EventLoop {
  /// The maximum number of events per call of `epoll_wait`.
  private static let batch = 256
  /// The maximum number of calls in one turn while there are more events, so that a timer does not wait for 4,096
  /// clients.
  private static let batchesPerTurn = 32

  private struct Slot {
    var turn: UInt32 = 0
    var source: (any EventSource)?
  }

  private let epoll: Int32
  private let events: UnsafeMutablePointer<epoll_event>
  // Used in each turn without overlap: a run-time check of exclusivity would only cost time.
  @exclusivity(unchecked) private var slots: [Slot] = []
  private var freeSlots: [UInt32] = []
  @exclusivity(unchecked) private var soon: [() -> Void] = []
  private let timers: Timers
  @exclusivity(unchecked) private var stopping = false
  var workers = Workers()

  /// The mailbox in which other threads leave messages.
  package let mailbox: Mailbox
  /// The turns of clients.
  let clients: ClientTurns
  /// Ticks of the longest step, and the ticks and the time at the start, from which their unit follows.
  @exclusivity(unchecked) private var longest: Int64 = 0
  private let start = (ticks: linux_ticks(), time: MonotonicClock.nanoseconds())
  /// The number of the current turn, from 1.
  @exclusivity(unchecked) private(set) var turnNumber: UInt64 = 0

  /// Creates a loop whose clients share time according to `limits`.
  ///
  /// - Throws: ``SystemError`` if no descriptor is available.
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

  /// Watches `descriptor` for the events `interest` and notifies `source`, which is retained until it is removed.
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

  /// Changes the events of a source; 0 leaves errors and hang-ups.
  package func change(_ registration: Registration, interest: UInt32) {
    _ = linux_epoll_modify(epoll, registration.descriptor, interest, registration.token)
  }

  /// Removes a source; its remaining events in this turn are dropped.
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

  // MARK: Deferred work

  /// Runs `action` at the end of this turn, or of the next one if those of this turn are already running.
  package func soon(_ action: @escaping () -> Void) { soon.append(action) }

  /// Runs `action` once, `nanoseconds` from now.
  @discardableResult
  package func schedule(after nanoseconds: Int64, _ action: @escaping () -> Void) -> TimerID {
    timers.add(deadline: MonotonicClock.nanoseconds() &+ max(0, nanoseconds), action)
  }

  /// Cancels a timer; does nothing if it has fired.
  package func cancel(_ timer: TimerID) { timers.remove(timer) }

  // MARK: Running

  /// Runs until ``stop()``.
  ///
  /// - Throws: ``SystemError`` if waiting fails, which only a programming error can cause.
  package func run() throws(SystemError) {
    stopping = false
    while !stopping { try turn() }
  }

  /// The longest step so far, in nanoseconds: a step is the work between two waits, during which nobody is served.
  package var longestStep: Int64 {
    let (ticks, time) = (linux_ticks() &- start.ticks, MonotonicClock.nanoseconds() &- start.time)
    return ticks > 0 ? Int64(Double(longest) / Double(ticks) * Double(time)) : 0
  }

  /// Lets ``run()`` return after the current turn.
  package func stop() { stopping = true }

  private func turn() throws(SystemError) {
    turnNumber &+= 1
    let hasMore = !clients.isEmpty || !soon.isEmpty
    var count = try wait(isBrief: hasMore)
    let start = linux_ticks()
    defer { longest = max(longest, linux_ticks() &- start) }
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
    // A client that was served alone has had its turn: new events are recorded before it continues.
    if !clients.isEmpty, !isAlone { clients.run() }
    if !soon.isEmpty { runSoon() }
  }

  /// Waits for events, or polls if `isBrief`; returns their number.
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

  /// Runs the deferred actions; those that they defer run in the next turn.
  private func runSoon() {
    let actions = soon
    soon.removeAll()
    for action in actions { action() }
  }
}

/// A source of events on a descriptor.
package protocol EventSource: AnyObject {
  /// Handles the `events` of the descriptor (`linux_readable`, …).
  func ready(_ events: UInt32)
}

/// The registration of a source with the loop.
///
/// It is invalid after ``EventLoop/remove(_:)``.
package struct Registration {
  /// The watched descriptor.
  package let descriptor: Int32
  let slot: UInt32
  let turn: UInt32

  /// The value stored in epoll: a stale event, of a descriptor closed in the same batch, has another turn.
  var token: UInt64 { UInt64(turn) << 32 | UInt64(slot) }
}

/// A mailbox of work from other threads for a loop, which is woken by an eventfd(2).
package final class Mailbox: Sendable {
  /// Work to run on the loop thread, with the loop as argument.
  package typealias Message = @Sendable (EventLoop) -> Void

  let descriptor: Int32
  private let messages = Mutex<[Message]>([])

  init() throws(SystemError) {
    descriptor = linux_wake_descriptor()
    guard descriptor >= 0 else { throw SystemError("eventfd", result: descriptor) }
  }

  deinit { close(descriptor) }

  /// Posts `message`; may be called from any thread.
  package func post(_ message: @escaping Message) {
    messages.withLock { $0.append(message) }
    linux_wake(descriptor)
  }

  /// Runs the messages in the order in which they were posted.
  func deliver(to loop: EventLoop) {
    // Cleared first: a message posted after the exchange wakes the loop again.
    linux_clear_wakes(descriptor)
    let waiting = messages.withLock { waiting in
      let taken = waiting
      waiting = []
      return taken
    }
    for message in waiting { message(loop) }
  }
}

/// Jobs on worker threads, by number, with their completions on the loop thread.
struct Workers {
  private var issued: UInt64 = 0
  private var finishers: [UInt64: (any Sendable) -> Void] = [:]

  /// The number of unfinished jobs.
  var count: Int { finishers.count }

  mutating func begin(_ finisher: @escaping (any Sendable) -> Void) -> UInt64 {
    issued += 1
    finishers[issued] = finisher
    return issued
  }

  mutating func end(_ job: UInt64) -> ((any Sendable) -> Void)? { finishers.removeValue(forKey: job) }
}

extension EventLoop {
  /// The number of unfinished jobs on worker threads.
  package var offloaded: Int { workers.count }

  /// Runs `work` on a thread of its own and `then` with its result on the loop thread.
  ///
  /// Such work is rare (opening a new file, an import), so one thread per job is simpler than a pool and as good. If no
  /// thread can be created, the work runs at once: late answers are better than none.
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
