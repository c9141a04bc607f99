import CBOR
import CLinux
import CitiesProtocol
import Glibc
import System

/// The service, as far as its connections need it: for what happens once in a connection's life, or when it misbehaves.
protocol ConnectionOwner: AnyObject {
  /// The connection has left the loop.
  func didClose(_ connection: Connection)
  /// The connection is about to be closed for a fault of its peer's; the reason is for the log.
  func willDrop(_ connection: Connection, _ reason: String)
  /// ``Connection/checkTime(now:)`` should be called from now on.
  func watchTime()
}

/// One client: owns the socket, and performs the steps of its ``ConnectionMachine``.
///
/// An event is only noted; what follows from it happens in a turn of the connection's, which waits with those of other
/// clients in ``ClientTurns``. Only a turn sends and receives, and a turn is never interrupted.
final class Connection: EventSource, ClientTask {
  let peer: Peer
  let account: UserAccount
  let loop: EventLoop
  let answerer: Answerer
  /// Its place among the connections of its user; the account's.
  var place = 0
  private unowned let owner: any ConnectionOwner
  private let descriptor: Int32
  private let turns: ClientTurns
  private let turnAccount: ClientTurns.Account
  @exclusivity(unchecked) private var registration: Registration?
  // Every method of the machine returns before anything else is called, so no two uses of it overlap: a check at run
  // time, a dozen times per request, would find nothing.
  @exclusivity(unchecked) private var machine: ConnectionMachine
  /// What the request at the front waits for.
  private var slow = SlowAnswer.none
  private var subscriptions = 0
  /// Bytes that its account is charged for.
  @exclusivity(unchecked) private var heldBytes = 0
  /// The number of the loop's turn in which it did something last.
  @exclusivity(unchecked) private(set) var lastTurn: UInt64
  @exclusivity(unchecked) private var isQueued = false
  /// Whether its last request was long, and it has had more to do ever since.
  @exclusivity(unchecked) private var wasLong = false

  /// What the request at the front of a connection waits for.
  private enum SlowAnswer {
    case none
    case promise(PendingReply)
    case work(Computation, id: UInt64)
  }

  /// Serves `descriptor`, which it closes in the end.
  init(
    _ descriptor: Int32, _ account: UserAccount, _ peer: Peer, _ answerer: Answerer, in loop: EventLoop,
    of owner: any ConnectionOwner
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

  /// Names it among all connections, earlier and later ones too.
  var id: ConnectionID { ConnectionID(registration) }

  /// Whether it is in the loop.
  var isOpen: Bool { registration != nil }

  func open() throws(SystemError) { registration = try loop.add(self, descriptor, interest: Self.bits(.input)) }

  /// Leaves the loop and closes the socket; bytes that were held for the peer are lost.
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

  /// Lets it have a turn after others had theirs.
  private func waitForTurn() {
    guard !isQueued, isOpen else { return }
    isQueued = true
    turns.add(self, to: turnAccount, as: machine.turnKind(after: wasLong))
  }

  /// The time at which its turn should end; 0 if that is not known yet.
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

  /// An edge-triggered event spares the kernel a second look at the socket for every request.
  private static func bits(_ interest: ConnectionMachine.Interest) -> UInt32 {
    linux_edge_triggered | (interest.contains(.input) ? linux_readable | linux_input_ended : 0)
      | (interest.contains(.output) ? linux_writable : 0)
  }

  // MARK: Answering

  /// Answers a request, or starts to.
  ///
  /// - Returns: whether it did; if not, the request must come again when its user has less work in progress.
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
  /// A file that was shortened in the middle of a page gives zeros without a fault, so answers from before the fault
  /// may be wrong too. An answer that is promised for later stays: the promise was made, and is checked when it is
  /// kept.
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

  /// Sends the replies once; false if that ends the connection.
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

  /// Queues the replies after the first `count` bytes; false if that ends the connection.
  private func hold(_ replies: inout ReplyBuffer, after count: Int) -> Bool {
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

  /// Whether it waits for `reply`.
  func isWaiting(for reply: PendingReply) -> Bool {
    if case .promise(let promised) = slow { promised === reply } else { false }
  }

  /// Takes the frame that answers the request at the front.
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
  /// - Returns: whether time must be watched further.
  func checkTime(now: Int64) -> Bool {
    switch machine.tick(now) {
    case .idle: return false
    case .inTime: break
    case .overdue: waitForTurn()
    }
    return true
  }

  /// Takes no more than the peer has sent already: its next write fails, so it knows what was not received.
  func drain() {
    _ = linux_stop_receiving(descriptor)
    machine.drain()
    waitForTurn()
  }

  /// How little is lost if it is closed to make room; nil if it watches or waits for an answer.
  var disposal: Disposal? { isOpen ? machine.disposal(isQueued: isQueued) : nil }

  /// Whether the socket holds bytes.
  var hasUnreadInput: Bool { linux_holds_input(descriptor) }
}
