import CitiesProtocol
import System

/// The memory of a turn: where requests are read and where answers are gathered.
///
/// There is one for all clients. A turn owns it while it lasts and nothing else can reach it, so that the bytes of two
/// connections never meet.
struct Workbench: ~Copyable {
  /// Where requests are read; holds a whole frame of the largest size.
  let scratch: UnsafeMutableRawBufferPointer
  /// Where answers are gathered.
  var replies = ReplyBuffer()

  /// Makes a bench for requests of up to `requestBytes` bytes.
  init(requestBytes: Int) { scratch = .allocate(byteCount: requestBytes + Frame.headerSize, alignment: 16) }

  deinit { scratch.deallocate() }
}

/// Something that runs for one client, a turn at a time.
protocol ClientTask: AnyObject {
  /// Runs until about `deadline` of the monotonic clock, in nanoseconds, and adds itself again if it has more to do.
  ///
  /// A deadline of 0 means that no other client waits. The replies of `bench` are empty before and after.
  func takeTurn(until deadline: Int64, at bench: inout Workbench)
}

/// The turns of clients: those with something to do wait here, and users share the loop's time equally.
///
/// A turn of the loop has a limited time for clients, shorter than one long turn of a client's. Between two of them
/// timers, signals, messages and new events get theirs, however much waits here: a request is seen about as soon as the
/// turn ends in which it comes.
final class ClientTurns {
  typealias Account = FairScheduler<any ClientTask>.Account
  typealias Kind = FairScheduler<any ClientTask>.Kind

  /// Whether the loop has nothing to do in this turn but one event, and nothing waits here: then its client is served
  /// at once, without queue and clock.
  @exclusivity(unchecked) var isAlone = false
  // All calls come from the loop's thread, and none is in progress while a task runs.
  @exclusivity(unchecked) private var scheduler: FairScheduler<any ClientTask>
  @exclusivity(unchecked) private var servedAlone: Account?
  /// The bench, unless a turn has it.
  @exclusivity(unchecked) private var bench: Workbench?
  private let requestBytes: Int
  private let timePerLoopTurn: Int64
  private let timePerTask: Int64

  /// Gives clients the times that `limits` name, in each turn of the loop and one of them at a time.
  init(_ limits: ServiceLimits) {
    requestBytes = limits.requestBytes
    timePerLoopTurn = limits.clientTime
    timePerTask = limits.turn
    scheduler = FairScheduler(credit: limits.turn)
  }

  /// Whether no client waits.
  var isEmpty: Bool { scheduler.isEmpty }

  /// Opens the account of a user.
  func open(_ user: UInt32) -> Account { scheduler.open(user) }

  /// Closes an account that was opened.
  func close(_ account: Account) {
    if servedAlone == account { servedAlone = nil }
    scheduler.close(account)
  }

  /// Adds `task` to those that wait for a turn.
  func add(_ task: any ClientTask, to account: Account, as kind: Kind) { scheduler.add(task, to: account, as: kind) }

  /// Whether the task of `account` that has its turn may keep work in progress, which holds memory, for its next ones.
  func mayStart(_ account: Account) -> Bool { scheduler.mayStart(account) }

  /// Charges `user`, which may have no account, for `time` beside its turns, in nanoseconds.
  func charge(user: UInt32, time: Int64) {
    let account = scheduler.open(user)
    scheduler.charge(account, time: time)
    scheduler.close(account)
  }

  /// Serves a client of `account` without waiting, in a turn of the loop where it is alone.
  ///
  /// Its time is not measured, because no other client waited. But if others have come meanwhile, they are before it.
  @inline(__always)
  func serveAlone(_ task: some ClientTask, of account: Account) {
    servedAlone = account
    run(task, until: 0)
  }

  /// Runs tasks until no client waits or the time of this turn of the loop is over, which a task that has its turn then
  /// may exceed.
  func run() {
    if let account = servedAlone {
      servedAlone = nil
      scheduler.charge(account, time: 1)
    }
    var now = MonotonicClock.nanoseconds()
    let end = now &+ timePerLoopTurn
    while now < end, let turn = scheduler.next() {
      run(turn.item, until: now &+ timePerTask)
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
    return Workbench(requestBytes: requestBytes)
  }
}
