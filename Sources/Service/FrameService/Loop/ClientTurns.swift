import CitiesProtocol
import System

/// The memory of a turn: the buffers for requests and replies.
///
/// All clients share one. A turn owns it exclusively, so that the bytes of two connections never mix.
struct Workbench: ~Copyable {
  /// The receive buffer; holds a frame of the largest size.
  let scratch: UnsafeMutableRawBufferPointer
  /// The collected replies.
  var replies = ReplyBuffer()

  /// Allocates a bench for requests of up to `requestBytes` bytes.
  init(requestBytes: Int) { scratch = .allocate(byteCount: requestBytes + Frame.headerSize, alignment: 16) }

  deinit { scratch.deallocate() }
}

/// A task that runs for one client, one turn at a time.
protocol ClientTask: AnyObject {
  /// Runs until about `deadline` of the monotonic clock, in nanoseconds, and queues itself again if it has more to do.
  ///
  /// A deadline of 0 means that no other client is waiting. The replies in `bench` are empty before and after.
  func takeTurn(until deadline: Int64, at bench: inout Workbench)
}

/// The queue of clients' turns, in which users share the loop's time equally.
///
/// A turn of the loop has limited time for clients, shorter than one long turn of a client. Timers, signals, messages
/// and new events are handled between two of them, however long this queue is: a request is noticed about as soon as
/// the loop turn in which it arrives has ended.
final class ClientTurns {
  typealias Account = FairScheduler<any ClientTask>.Account
  typealias Kind = FairScheduler<any ClientTask>.Kind

  /// Whether the loop has a single event in this turn, and no client is waiting: then the event's client is served at
  /// once, without queue and clock.
  @exclusivity(unchecked) var isAlone = false
  // All calls come from the loop thread, and none is in progress while a task runs.
  @exclusivity(unchecked) private var scheduler: FairScheduler<any ClientTask>
  @exclusivity(unchecked) private var servedAlone: Account?
  /// The bench, unless a turn owns it.
  @exclusivity(unchecked) private var bench: Workbench?
  private let limits: ServiceLimits

  /// Divides time according to `limits`: per turn of the loop, and per turn of a client.
  init(_ limits: ServiceLimits) {
    self.limits = limits
    scheduler = FairScheduler(credit: limits.turn)
  }

  /// Whether no client is waiting.
  var isEmpty: Bool { scheduler.isEmpty }

  /// Opens the account of a user.
  func open(_ user: UInt32) -> Account { scheduler.open(user) }

  func close(_ account: Account) {
    if servedAlone == account { servedAlone = nil }
    scheduler.close(account)
  }

  /// Queues a turn for `task`.
  func add(_ task: any ClientTask, to account: Account, as kind: Kind) { scheduler.add(task, to: account, as: kind) }

  /// Whether the current task of `account` may keep work in progress, which holds memory, for its next turns.
  func mayStart(_ account: Account) -> Bool { scheduler.mayStart(account) }

  /// Charges `user`, which may have no account, for `time` outside of its turns, in nanoseconds.
  func charge(user: UInt32, time: Int64) {
    let account = scheduler.open(user)
    scheduler.charge(account, time: time)
    scheduler.close(account)
  }

  /// Serves a client of `account` at once, in a turn of the loop in which it is alone.
  ///
  /// Its time is not measured, because no other client was waiting; but others that have arrived meanwhile come before
  /// it.
  @inline(__always)
  func serveAlone(_ task: some ClientTask, of account: Account) {
    servedAlone = account
    run(task, until: 0)
  }

  /// Runs tasks until no client is waiting or the time of this loop turn is over; the current task may exceed that
  /// time.
  func run() {
    if let account = servedAlone {
      servedAlone = nil
      scheduler.charge(account, time: 1)
    }
    var now = MonotonicClock.nanoseconds()
    let end = now &+ limits.clientTime
    while now < end, let turn = scheduler.next() {
      run(turn.item, until: now &+ limits.turn)
      let after = MonotonicClock.nanoseconds()
      scheduler.finish(turn.account, time: after &- now)
      now = after
    }
  }

  /// Moves the bench to the task for its turn, and back.
  @inline(__always)
  private func run(_ task: some ClientTask, until deadline: Int64) {
    var own = takeBench()
    task.takeTurn(until: deadline, at: &own)
    bench = consume own
  }

  @inline(__always)
  private func takeBench() -> Workbench {
    if let bench = bench.take() { return bench }
    return Workbench(requestBytes: limits.requestBytes)
  }
}
