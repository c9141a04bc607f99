import CSimulatedCalls
import Glibc

/// The kernel that the server's calls go to: descriptors, virtual time, and what fails.
///
/// Everything happens on one thread. The world acts only while the server waits in epoll_wait(2), as other processes do
/// while this one sleeps; time passes with each call, and jumps to the next thing that happens when there is nothing
/// to do.
final class Kernel {
  /// What fails, and how often: in chances of 1,024.
  struct Weather {
    /// Calls that a signal interrupts.
    var interrupted = 0
    /// Connections that cannot be accepted although they wait.
    var unacceptable = 0
    /// Events that come later than what they report.
    var late = 0
    /// Threads that cannot be started.
    var threadless = 0
    /// Files that cannot be opened, looked at or mapped.
    var unreadable = 0
    /// Nothing fails.
    static let calm = Weather()
  }

  /// More descriptors than are ever used.
  static let manyDescriptors = 4_096

  /// Nanoseconds of the monotonic clock.
  var now: Int64 = 1_000_000_000_000
  /// Nanoseconds from the monotonic clock to the time of day.
  var dayOffset: Int64 = 1_795_000_000_000_000_000
  /// Nanoseconds that pass with each look at the clock: the work between two of them.
  var workCost: Int64 = 1_000
  var dice: Dice
  var weather = Weather.calm
  var descriptorLimit = Kernel.manyDescriptors
  let agenda = Agenda()
  private(set) lazy var files = FileTree(self)
  /// Calls so far.
  private(set) var calls: UInt64 = 0
  /// Looks at the clock so far.
  private(set) var looks: Int64 = 0
  private(set) var trace = TraceHash()
  /// Prints each step; nil outside of `--trace`.
  var print: ((String) -> Void)?
  /// Ends the run with a finding.
  let fail: (String) -> Never
  /// Called when the server starts to wait.
  var onWait: () -> Void = {}
  /// Connects a socket of the server's own to another service; the result of connect(2).
  var onConnect: (Socket, String) -> Int32 = { _, _ in -ENOENT }

  /// When the server last came back from waiting; 0 before.
  private(set) var lastReturn: Int64 = 0

  private var objects: [KernelObject?] = []
  private var openCount = 0
  private var lowestFree = 0
  private var unreadSignals: [Int32] = []

  init(dice: Dice, fail: @escaping (String) -> Never) {
    self.dice = dice
    self.fail = fail
  }

  /// Nanoseconds since 1970.
  var timeOfDay: Int64 { now + dayOffset }

  /// Runs `action` after `delay` nanoseconds.
  func after(_ delay: Int64, _ action: @escaping () -> Void) { agenda.add(at: now + delay, action) }

  /// Records a step of the run.
  func note(_ kind: StaticString, _ first: Int64, _ second: Int64 = 0) {
    trace.add(UInt64(kind.utf8Start[0]) << 8 | UInt64(kind.utf8CodeUnitCount))
    trace.add(UInt64(bitPattern: first))
    trace.add(UInt64(bitPattern: second))
    trace.add(UInt64(bitPattern: now))
    if let print { print("\(now - 1_000_000_000_000) \(kind) \(first) \(second)") }
  }

  /// Counts a call that takes `cost` nanoseconds.
  func spend(_ cost: Int64) {
    calls += 1
    now += cost
  }

  /// Counts a look at the clock, before which the server has worked.
  func lookAtClock() {
    looks += 1
    spend(workCost)
  }

  // MARK: Descriptors

  /// The number of open descriptors.
  var descriptorCount: Int { openCount }

  /// The objects that are open.
  var openObjects: [KernelObject] { objects.compactMap(\.self) }

  /// Gives `object` the lowest free descriptor, or -EMFILE.
  func open(_ object: KernelObject) -> Int32 {
    guard openCount < descriptorLimit else { return -EMFILE }
    while lowestFree < objects.count, objects[lowestFree] != nil { lowestFree += 1 }
    if lowestFree == objects.count { objects.append(nil) }
    objects[lowestFree] = object
    openCount += 1
    object.number = SIMULATED_DESCRIPTOR + Int32(lowestFree)
    note("open", Int64(object.number))
    return object.number
  }

  /// The object at `descriptor`.
  func object<Object: KernelObject>(_ descriptor: Int32, _ call: StaticString) -> Object {
    let index = Int(descriptor - SIMULATED_DESCRIPTOR)
    guard objects.indices.contains(index), let object = objects[index] else {
      fail("\(call): the descriptor \(index) is not open")
    }
    guard let wanted = object as? Object else { fail("\(call): the descriptor \(index) is of another kind") }
    return wanted
  }

  /// Gives the descriptor of one object to another.
  func replace(_ object: KernelObject, by other: KernelObject) {
    objects[Int(object.number - SIMULATED_DESCRIPTOR)] = other
    (object.number, other.number) = (-1, object.number)
  }

  func close(_ descriptor: Int32) -> Int32 {
    spend(400)
    let object: KernelObject = object(descriptor, "close")
    note("close", Int64(descriptor))
    let index = Int(descriptor - SIMULATED_DESCRIPTOR)
    objects[index] = nil
    openCount -= 1
    lowestFree = min(lowestFree, index)
    for item in object.items { item.remove() }
    object.items = []
    object.closed()
    object.number = -1
    return 0
  }

  // MARK: Waiting

  func wait(_ epoll: Epoll, into events: UnsafeMutablePointer<simulated_event>, capacity: Int, isBrief: Bool) -> Int32 {
    spend(700)
    onWait()
    runDue()
    if dice.hits(weather.interrupted) {
      // The turn of the loop is over in any case.
      lastReturn = now
      return -EINTR
    }
    while true {
      let count = epoll.collect(into: events, capacity: capacity)
      if count > 0 || isBrief {
        note("wait", Int64(count))
        lastReturn = now
        return Int32(count)
      }
      guard let next = agenda.nextTime else { fail("the loop waits, and nothing will ever wake it") }
      now = max(now, next)
      runDue()
    }
  }

  private func runDue() {
    let limit = now
    while let action = agenda.takeFirst(until: limit) { action() }
  }

  // MARK: Signals

  /// Sends a signal to the process.
  func raise(_ signal: Int32) {
    note("signal", Int64(signal))
    for case let reader as SignalReader in openObjects where reader.takes(signal) { return reader.add(signal) }
    if !unreadSignals.contains(signal) { unreadSignals.append(signal) }
  }

  /// The signals that came before they could be read.
  func takeUnread(_ reader: SignalReader) {
    for signal in unreadSignals where reader.takes(signal) { reader.add(signal) }
    unreadSignals.removeAll { reader.takes($0) }
  }

  // MARK: Threads

  /// Runs the body of a thread some time later, while the loop waits.
  func start(_ body: @escaping () -> Void) -> Int32 {
    spend(20_000)
    if dice.hits(weather.threadless) { return EAGAIN }
    after(dice.delay(upTo: 30_000_000)) { [unowned self] in
      note("thread", 0)
      body()
    }
    return 0
  }
}

/// A hash of all steps of a run: equal runs have equal ones (FNV-1a over words).
struct TraceHash {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Adds a word.
  mutating func add(_ word: UInt64) { value = (value ^ word) &* 0x0000_0100_0000_01B3 }
}

/// What a descriptor stands for.
class KernelObject {
  unowned let kernel: Kernel
  /// Its descriptor; -1 if it has none.
  var number: Int32 = -1
  /// Where it is watched.
  var items: [EpollItem] = []

  init(_ kernel: Kernel) { self.kernel = kernel }

  /// What it is ready for: the bits of epoll(7).
  var readiness: UInt32 { 0 }

  /// Its descriptor is closed.
  func closed() {}

  /// Something has happened that waiters are to see.
  final func stimulate() {
    for item in items {
      if kernel.dice.hits(kernel.weather.late) {
        kernel.after(kernel.dice.delay(upTo: 3_000_000)) { item.enqueue() }
      } else {
        item.enqueue()
      }
    }
  }
}
