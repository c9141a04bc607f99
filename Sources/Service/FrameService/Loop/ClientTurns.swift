import CLinux

/// Something that runs for one client, a turn at a time.
protocol ClientTask: AnyObject {
  /// Runs until about `deadline` of the monotonic clock, in nanoseconds, and adds itself again if it has more to do.
  func takeTurn(until deadline: Int64)
}

/// The turns of clients: who has something to do waits here, and users share the loop's time equally.
///
/// A turn of the loop has a limited time for clients. Between two of them timers, signals, messages and new events get
/// theirs, however much waits here.
final class ClientTurns {
  typealias Account = FairScheduler<any ClientTask>.Account

  /// Whether the loop has nothing to do in this turn but one event, and nothing waits here: then its client is served at
  /// once, without queue and clock.
  @exclusivity(unchecked) var isAlone = false
  // All calls come from the loop's thread, and none is under way while a task runs.
  @exclusivity(unchecked) private var scheduler = FairScheduler<any ClientTask>()
  @exclusivity(unchecked) private var servedAlone: Account?
  private let timePerLoopTurn: Int64
  private let timePerTask: Int64

  /// Gives clients `timePerLoopTurn` in each turn of the loop and one of them `timePerTask` at a time, in nanoseconds.
  init(timePerLoopTurn: Int64, timePerTask: Int64) {
    self.timePerLoopTurn = timePerLoopTurn
    self.timePerTask = timePerTask
  }

  /// Whether nobody waits.
  var isEmpty: Bool { scheduler.isEmpty }

  /// Opens the account of a user.
  func open(_ user: UInt32) -> Account { scheduler.open(user) }

  /// Closes an account that was opened.
  func close(_ account: Account) {
    if servedAlone == account { servedAlone = nil }
    scheduler.close(account)
  }

  /// Lets `task` wait for a turn; `isStarted` if it has work under way that holds memory.
  func add(_ task: any ClientTask, to account: Account, isStarted: Bool) {
    scheduler.add(task, to: account, isStarted: isStarted)
  }

  /// Charges `account` for `time` beside its turns, in nanoseconds.
  func charge(_ account: Account, time: Int64) { scheduler.charge(account, time: time) }

  /// Notes that a client of `account` was served without waiting.
  ///
  /// Its time is not measured: nobody else waited, so nobody has lost any. But if others have come meanwhile, they are
  /// before it.
  func didServeAlone(_ account: Account) { servedAlone = account }

  /// Runs tasks until nobody waits or the time of this turn of the loop is over.
  func run() {
    if let account = servedAlone {
      servedAlone = nil
      scheduler.charge(account, time: 1)
    }
    var now = linux_monotonic()
    let end = now &+ timePerLoopTurn
    while now < end, let turn = scheduler.next() {
      turn.item.takeTurn(until: now &+ timePerTask)
      let after = linux_monotonic()
      scheduler.finish(turn.account, time: after &- now)
      now = after
    }
  }
}
