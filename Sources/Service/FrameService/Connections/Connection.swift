import CBOR
import CLinux
import CitiesProtocol
import Glibc
import System

/// One client: owns the socket, and performs the steps of its ``ConnectionMachine``.
///
/// An event is only recorded; it is handled in a turn of the connection, which queues with those of other clients in
/// ``ClientTurns``. Only a turn sends and receives, and a turn is never interrupted.
final class Connection: EventSource, ClientTask {
  let peer: Peer
  let account: UserAccount
  let loop: EventLoop
  let answerer: Answerer
  /// Its index among the connections of its user, which the account maintains.
  var place = 0
  private unowned let owner: FramedService
  private let descriptor: Int32
  private let turns: ClientTurns
  private let turnAccount: ClientTurns.Account
  @exclusivity(unchecked) private var registration: Registration?
  // Every method of the machine returns before anything else is called, so its uses never overlap: a run-time check of
  // exclusivity, a dozen times per request, would be useless.
  @exclusivity(unchecked) private var machine: ConnectionMachine
  /// The pending answer to the first request.
  private var slow = SlowAnswer.none
  private var subscriptions = 0
  /// The number of bytes charged to its account.
  @exclusivity(unchecked) private var heldBytes = 0
  /// The number of the loop turn in which it was last active.
  @exclusivity(unchecked) private(set) var lastTurn: UInt64
  @exclusivity(unchecked) private var isQueued = false
  /// Whether its last request was long, and it has had work to do ever since.
  @exclusivity(unchecked) private var wasLong = false

  /// The pending answer to the first request of a connection.
  private enum SlowAnswer {
    case none
    case promise(PendingReply)
    case work(Computation, id: UInt64)
  }

  /// Serves `descriptor`, and closes it at the end.
  init(
    _ descriptor: Int32, _ account: UserAccount, _ peer: Peer, _ answerer: Answerer, in loop: EventLoop,
    of owner: FramedService
  ) {
    self.descriptor = descriptor
    self.peer = peer
    self.account = account
    self.answerer = answerer
    self.loop = loop
    self.owner = owner
    turns = loop.clients
    turnAccount = account.turns
    lastTurn = loop.turnNumber
    machine = ConnectionMachine(account.limits)
  }

  /// Identifies it among all connections, past and future.
  var id: ConnectionID { ConnectionID(registration) }

  /// Whether it is registered with the loop.
  var isOpen: Bool { registration != nil }

  func open() throws(SystemError) { registration = try loop.add(self, descriptor, interest: Self.bits(.input)) }

  /// Leaves the loop and closes the socket; bytes queued for the peer are lost.
  func close() {
    guard let registration else { return }
    self.registration = nil
    loop.remove(registration)
    Glibc.close(descriptor)
    machine.closed()
    account.hold(-heldBytes)
    heldBytes = 0
    let abandoned = slow
    slow = .none
    if subscriptions > 0 { account.removeSubscriber() }
    if case .promise = abandoned { account.removePromise() }
    owner.didClose(self)
    if case .promise(let reply) = abandoned { reply.cancel() }
  }

  private func drop(_ reason: String) {
    owner.willDrop(self, reason)
    close()
  }

  // MARK: Turns

  func ready(_ events: UInt32) {
    machine.note(events)
    if turns.isAlone { turns.serveAlone(self, of: turnAccount) } else { waitForTurn() }
  }

  /// Queues a turn after those of other clients.
  private func waitForTurn() {
    guard !isQueued, isOpen else { return }
    isQueued = true
    var kind = machine.turnKind(after: wasLong)
    if kind == .started, case .work(let work, _) = slow, work.turns >= account.limits.turnsBeforeRest {
      kind = .resting
    }
    turns.add(self, to: turnAccount, as: kind)
  }

  /// The time at which its turn should end; 0 if it is not known yet.
  var turnDeadline: Int64 { machine.turnDeadline }

  func takeTurn(until deadline: Int64, at bench: inout Workbench) {
    isQueued = false
    guard isOpen else { return }
    lastTurn = loop.turnNumber
    var isLong = false
    var counts = answerer.counts.answers
    machine.startTurn(until: deadline)
    while true {
      switch machine.next(&bench.replies, now: MonotonicClock.nanoseconds) {
      case .receive: machine.received(SocketIO.receive(descriptor, into: bench.scratch), in: bench.scratch)
      case .answer(let request):
        if !answer(request, into: &bench.replies) { isLong = machine.postpone(request) }
        if answerer.mustAnswerAgain { answerAgain(&bench.replies, counts) }
      case .work:
        wasLong = true
        goOn(until: deadline, into: &bench.replies)
      case .refuse(let error): answerer.refuse(error, into: &bench.replies)
      case .send:
        guard send(&bench.replies) else { return }
        counts = answerer.counts.answers
      case .keep: guard hold(&bench.replies, after: 0) else { return }
      case .sendQueue: guard sendQueue() else { return }
      case .listen(let interest): if let registration { loop.change(registration, interest: Self.bits(interest)) }
      case .watchTime: owner.watchTime()
      case .rest(let again):
        wasLong = again && (machine.hasServed ? isLong : wasLong)
        if again { waitForTurn() }
        if heldBytes != 0 { settleAccount() }
        return
      case .close(let reason):
        if let reason { drop(reason) } else { close() }
        return
      }
    }
  }

  /// Edge-triggered events spare the kernel a second check of the socket for every request.
  private static func bits(_ interest: ConnectionMachine.Interest) -> UInt32 {
    linux_edge_triggered | (interest.contains(.input) ? linux_readable | linux_input_ended : 0)
      | (interest.contains(.output) ? linux_writable : 0)
  }

  // MARK: Answering

  /// Answers a request, or starts to.
  ///
  /// - Returns: Whether it did; if not, the request must be repeated when its user has less work in progress.
  @inline(__always)
  private func answer(_ request: UnsafeRawBufferPointer, into replies: inout ReplyBuffer) -> Bool {
    switch answerer.answer(request, of: self, into: &replies) {
    case .answered: return true
    case .promised(let reply): wait(for: reply, &replies)
    case .unfinished(let work, let id):
      guard turns.mayStart(turnAccount) else {
        answerer.counts.answers.answered &-= 1
        return false
      }
      slow = .work(work, id: id)
      machine.wait(for: .work)
    }
    return true
  }

  private func wait(for reply: PendingReply, _ replies: inout ReplyBuffer) {
    if let frame = reply.accepted() { return frame.withUnsafeBytes { replies.append(frames: $0) } }
    account.addPromise()
    slow = .promise(reply)
    machine.wait(for: .promise)
  }

  /// Discards the answers that are not sent yet, and goes back to the first of their requests.
  ///
  /// A file that was truncated in the middle of a page gives zeros without a fault, so answers from before the fault
  /// may be wrong, too. A promised answer stays: it is checked when it is given.
  @inline(never)
  private func answerAgain(_ replies: inout ReplyBuffer, _ counts: ServiceCounts.Answers) {
    answerer.mustAnswerAgain = false
    if machine.answerAgain(&replies) { answerer.counts.answers = counts }
  }

  private func goOn(until deadline: Int64, into replies: inout ReplyBuffer) {
    guard case .work(let work, let id) = slow, answerer.resume(work, id: id, until: deadline, into: &replies) else {
      return
    }
    slow = .none
    machine.finishedWork()
  }

  // MARK: Sending

  /// Sends the replies once; `false` if that ends the connection.
  @inline(__always)
  private func send(_ replies: inout ReplyBuffer) -> Bool {
    guard let count = replies.writer.withUnsafeBytes({ SocketIO.send(descriptor, $0) }) else {
      replies.removeAll()
      close()
      return false
    }
    guard count == replies.count else { return hold(&replies, after: count) }
    machine.sent(count, of: &replies, now: MonotonicClock.nanoseconds)
    return true
  }

  /// Queues the replies after the first `count` bytes; `false` if that ends the connection.
  private func hold(_ replies: inout ReplyBuffer, after count: Int) -> Bool {
    // Posted and queued bytes that have moved into `replies` no longer count.
    settleAccount()
    if let reason = account.reasonNotToHold(replies.count - count) {
      replies.removeAll()
      drop(reason)
      return false
    }
    machine.sent(count, of: &replies, now: MonotonicClock.nanoseconds)
    settleAccount()
    return true
  }

  private func sendQueue() -> Bool {
    guard let count = SocketIO.send(descriptor, machine.queuedBytes) else {
      close()
      return false
    }
    machine.sentQueue(count, now: MonotonicClock.nanoseconds)
    return true
  }

  private func settleAccount() {
    account.hold(machine.heldBytes - heldBytes)
    heldBytes = machine.heldBytes
  }

  // MARK: Between turns

  /// Whether the current request has subscribed it.
  var hasJustSubscribed: Bool { machine.mustSend }

  /// Whether it waits for `reply`.
  func isWaiting(for reply: PendingReply) -> Bool {
    if case .promise(let promised) = slow { promised === reply } else { false }
  }

  /// Posts the frame that answers the first request.
  func keepPromise(_ frame: UnsafeRawBufferPointer) {
    slow = .none
    account.removePromise()
    machine.keepPromise(frame)
    settleAccount()
    waitForTurn()
  }

  func subscribe(id: UInt64) throws(WireError) -> Subscription {
    let maximum = account.limits.subscriptionsPerConnection
    guard subscriptions < maximum else { throw .busy(LimitName.subscriptionsPerConnection, maximum: maximum) }
    if subscriptions == 0 { try account.addSubscriber() }
    subscriptions += 1
    machine.subscribed()
    return Subscription(self, id: id)
  }

  func post(event frame: UnsafeRawBufferPointer) {
    guard isOpen else { return }
    machine.post(event: frame, mayWait: account.reasonNotToHold(frame.count) == nil)
    settleAccount()
    waitForTurn()
  }

  /// Checks its time limits; `now` is the monotonic clock.
  ///
  /// - Returns: Whether time limits still apply.
  func checkTime(now: Int64) -> Bool {
    switch machine.tick(now) {
    case .idle: return false
    case .inTime: break
    case .overdue: waitForTurn()
    }
    return true
  }

  /// Receives only what the peer has already sent: its next write fails, so it knows what was not received.
  func drain() {
    _ = linux_stop_receiving(descriptor)
    machine.drain()
    waitForTurn()
  }

  /// The cost of closing it to make room; `nil` if it is subscribed or waits for an answer.
  var disposal: Disposal? { isOpen ? machine.disposal(isQueued: isQueued) : nil }

  /// Whether the socket has bytes to read.
  var hasUnreadInput: Bool { linux_holds_input(descriptor) }
}
