import CBOR
import CLinux
import CitiesProtocol
import Framing
import Glibc
import System

/// One client: moves bytes between its socket and its ``ConnectionState``, and requests to the service.
///
/// An event is only noted; what follows from it happens in a turn of the connection's, which waits with those of other
/// clients in ``ClientTurns``.
final class Connection: EventSource, ClientTask {
  let service: FramedService
  let peer: Peer
  let account: UserAccount
  /// Its place among the connections of its user; the account's.
  var place = 0
  private let descriptor: Int32
  private let loop: EventLoop
  private let turns: ClientTurns
  private let turnAccount: ClientTurns.Account
  @exclusivity(unchecked) private var registration: Registration?
  @exclusivity(unchecked) private var interest = Interest.usual
  // Used a dozen times per request, by one thread, and never while another use goes on: the checks at run time would
  // cost more than the work. The same goes for what the service shares.
  @exclusivity(unchecked) var state: ConnectionState
  /// What the request at the front waits for; the service's connection keeps it alive.
  @exclusivity(unchecked) var slow = SlowAnswer.none
  /// The number of the loop's turn in which it did something last.
  @exclusivity(unchecked) private(set) var lastTurn: UInt64
  /// Whether it waits for a turn.
  @exclusivity(unchecked) private var isQueued = false
  var subscriptions = 0
  /// Numbers of the handlers' own.
  @exclusivity(unchecked) var marks = SIMD4<UInt64>()

  private enum Interest {
    static let read = linux_readable | linux_input_ended
    static let write = linux_writable
    /// An edge-triggered event spares the kernel a second look at the socket for every request.
    static let always = linux_edge_triggered
    /// The events of a connection that waits for requests.
    static let usual = read | always
  }

  /// Serves `descriptor`, which it closes in the end.
  init(_ service: FramedService, _ descriptor: Int32, peer: Peer, account: UserAccount) {
    self.service = service
    self.descriptor = descriptor
    self.peer = peer
    self.account = account
    loop = service.loop
    turns = service.loop.clients
    turnAccount = account.turns
    lastTurn = service.loop.turnNumber
    state = ConnectionState(maximumRequest: service.limits.requestBytes)
  }

  /// Whether it is in the loop.
  var isOpen: Bool { registration != nil }

  func open() throws(SystemError) { registration = try loop.add(self, descriptor, interest: interest) }

  /// Leaves the loop and closes the socket; what was queued is lost.
  func close() {
    guard let registration else { return }
    self.registration = nil
    state.flags.insert(.closing)
    loop.remove(registration)
    Glibc.close(descriptor)
    countQueued(-state.output.count)
    let abandoned = endWaiting()
    service.forget(self)
    if case .promised(let reply) = abandoned { reply.cancel() }
  }

  // MARK: Turns

  func ready(_ events: UInt32) {
    state.note(events)
    guard turns.isAlone else { return waitForTurn() }
    turns.didServeAlone(turnAccount)
    takeTurn(until: 0)
  }

  /// Lets it have a turn after others had theirs.
  func waitForTurn() {
    guard !isQueued else { return }
    isQueued = true
    // One that has hung up gives back memory, and is not to wait for what its user has begun elsewhere.
    let isStarted = state.flags.contains(.hungUp) || slow.isWork
    turns.add(self, to: turnAccount, isStarted: isStarted)
  }

  /// Does one thing: goes on with a slow request, answers what was kept, or reads once.
  ///
  /// A `deadline` of 0 says that nobody else waits; the clock is not read then unless there are several requests.
  func takeTurn(until deadline: Int64) {
    isQueued = false
    guard isOpen else { return }
    lastTurn = loop.turnNumber
    if state.flags.contains(.mayWrite) {
      writeQueue()
      guard isOpen else { return }
    }
    if slow.isWork, !state.flags.contains(.hungUp) {
      continueWork(until: deadline)
    } else if state.flags.contains(.keptFrames), state.mayServe {
      serve(UnsafeRawBufferPointer(start: nil, count: 0), until: deadline)
    } else if state.mayRead, state.flags.contains(.mayHoldInput) {
      receive(until: deadline)
    } else if state.flags.contains(.hungUp) {
      close()
    }
  }

  /// Reads once; what is left comes in the next turn, after others had theirs.
  private func receive(until deadline: Int64) {
    switch SocketIO.receive(descriptor, into: service.scratch) {
    case .bytes(let count):
      // Less than there was room for: the socket is empty, and an event announces what comes (epoll(7), questions and
      // answers, 9).
      if count < service.scratch.count, !state.flags.contains(.endIsNext) { state.flags.remove(.mayHoldInput) }
      serve(UnsafeRawBufferPointer(start: service.scratch.baseAddress, count: count), until: deadline)
    case .nothing: state.flags.remove(.mayHoldInput)
    case .broken: close()
    case .end:
      state.flags.insert(.inputEnded)
      state.flags.remove(.mayHoldInput)
      settle()
    }
  }

  /// Answers the whole frames in what was kept and in `chunk`, as far as limits and turn allow, and keeps the rest.
  private func serve(_ chunk: UnsafeRawBufferPointer, until deadline: Int64) {
    var rest = chunk
    var turn = ServingTurn(deadline)
    var unsent = UnsentAnswers(requests: rest, subscriptions, service.counts)
    state.flags.remove(.keptFrames)
    answering: while state.mayServe {
      if service.output.count >= service.limits.outputBytes || subscriptions != unsent.subscriptions {
        writeOutput()
        state.input.release()
        unsent = UnsentAnswers(requests: rest, subscriptions, service.counts)
        continue
      }
      guard !rest.isEmpty || state.input.holdsBytes else {
        state.input.release()
        return finishTurn(incomplete: false, completed: turn.served)
      }
      if turn.isOver(service.limits) { break }
      switch state.input.next(from: &rest) {
      case .needsMore: return finishTurn(incomplete: state.input.holdsBytes, completed: turn.served)
      case .tooLarge(let declared): loseFraming(declared)
      case .frame(let payload):
        turn.served += 1
        service.answer(payload, for: self)
        if service.mustAnswerAgain { answerAgain(&unsent, &rest) }
      }
    }
    state.input.keep(rest)
    if state.input.holdsBytes, !state.flags.contains(.closing) { state.flags.insert(.keptFrames) }
    if state.mayServe, state.flags.contains(.keptFrames) { waitForTurn() }
    finishTurn(incomplete: false)
  }

  /// Discards the answers that are not sent yet, and goes back to the first of their requests.
  ///
  /// A file that was shortened in the middle of a page gives zeros without a fault, so answers from before the fault may
  /// be wrong too. An answer that is promised for later stays: the promise was made, and is checked when it is kept.
  private func answerAgain(_ unsent: inout UnsentAnswers, _ rest: inout UnsafeRawBufferPointer) {
    service.mustAnswerAgain = false
    guard state.mayServe, subscriptions == unsent.subscriptions, unsent.attempts < FramedService.maximumAttempts else {
      return
    }
    unsent.attempts += 1
    (service.counts.answered, service.counts.failed) = (unsent.answered, unsent.failed)
    service.output.removeAll()
    rest = unsent.requests
    state.input.rewind(&rest)
  }

  private func finishTurn(incomplete: Bool, completed: Int = 0) {
    noteFrame(incomplete: incomplete, isAnother: completed > 0)
    writeOutput()
    settle()
  }

  /// Does what follows from the state: closes, waits for a turn, or changes which events it gets.
  func settle() {
    guard !state.isOrdinary || interest != Interest.usual, let registration else { return }
    if state.isSpent(draining: service.isDraining) { return close() }
    if state.flags.contains(.mayHoldInput), state.mayRead { waitForTurn() }
    let wanted = Interest.always | (state.wantsInput ? Interest.read : 0) | (state.mustWrite ? Interest.write : 0)
    guard wanted != interest else { return }
    interest = wanted
    loop.change(registration, interest: wanted)
  }

  /// Notes when the frame started that is incomplete now; one that follows a completed frame starts a new time.
  private func noteFrame(incomplete: Bool, isAnother: Bool) {
    guard incomplete else {
      state.frameBegan = 0
      return
    }
    guard isAnother || state.frameBegan == 0 else { return }
    state.frameBegan = linux_monotonic()
    service.watchTime()
  }

  private func loseFraming(_ declared: UInt32) {
    let maximum = service.limits.requestBytes
    refuse(
      WireError(
        .frameTooLarge, "a frame of \(declared) bytes was announced; at most \(maximum) are taken",
        data: ErrorData(limit: LimitName.request, maximum: UInt64(maximum))))
  }

  /// Reports `error` without an id and ends the connection after that.
  private func refuse(_ error: WireError) {
    service.output.appendError(0, error)
    service.counts.failed += 1
    state.flags.insert(.closing)
  }

  // MARK: Writing

  /// Writes what the service has gathered for this connection, and queues what the peer does not take.
  func writeOutput() {
    guard !service.output.isEmpty else { return }
    defer { service.output.removeAll() }
    service.output.writer.withUnsafeBytes { bytes in
      var taken = 0
      if state.output.isEmpty {
        guard let count = SocketIO.send(descriptor, bytes) else { return close() }
        guard count < bytes.count else { return }
        taken = count
      }
      queue(UnsafeRawBufferPointer(rebasing: bytes[taken...]))
    }
  }

  private func queue(_ rest: UnsafeRawBufferPointer) {
    let (inAll, perUser) = (service.limits.queuedBytes, service.limits.queuedBytesPerUser)
    guard service.queued + rest.count <= inAll else { return drop("answers for slow readers take \(inAll) bytes") }
    guard account.queued + rest.count <= perUser else {
      return drop("answers for slow readers of this user take \(perUser) bytes")
    }
    if state.output.isEmpty {
      state.lastTaken = linux_monotonic()
      service.watchTime()
    }
    countQueued(rest.count)
    state.output.append(rest)
  }

  private func countQueued(_ bytes: Int) {
    service.queued += bytes
    account.queued += bytes
  }

  /// Writes once from the queue; when it is empty, goes on with what had to wait for it.
  private func writeQueue() {
    state.flags.remove(.mayWrite)
    guard state.mustWrite else { return }
    guard let count = SocketIO.send(descriptor, state.output.bytes) else { return close() }
    guard count > 0 else { return }
    countQueued(-count)
    state.lastTaken = linux_monotonic()
    state.output.consume(count)
    settle()
  }

  /// Closes it, with a line in the log.
  func drop(_ reason: String) {
    service.report(.dropped, peer, reason)
    close()
  }

  /// Ends it if it has taken too long; `now` is the monotonic clock.
  ///
  /// - Returns: whether time must go on being watched.
  func checkTime(now: Int64) -> Bool {
    let (frameTime, stallTime) = (service.limits.frameTime, service.limits.stallTime)
    switch state.isOverdue(now: now, frameTime: frameTime, stallTime: stallTime) {
    case .reader: drop("it took nothing for \(stallTime / 1_000_000_000) s")
    case .frame:
      refuse(
        WireError(
          .malformed, "a frame that began was not complete after \(frameTime / 1_000_000) ms",
          data: ErrorData(limit: LimitName.frameTime, maximum: UInt64(frameTime / 1_000_000))))
      finishTurn(incomplete: false)
    case nil: return state.frameBegan != 0 || state.mustWrite
    }
    return isOpen
  }

  // MARK: Leaving

  /// Takes no more than what was sent already: the peer's next write fails, so it knows what was not received.
  func stopReceiving() {
    _ = linux_stop_receiving(descriptor)
    state.flags.insert(.mayHoldInput)
    state.flags.insert(.endIsNext)
    settle()
  }

  /// How little is lost if it is closed to make room; nil if it watches or waits for an answer.
  var disposal: Disposal? {
    guard isOpen, state.flags.isDisjoint(with: [.waiting, .subscribed]) else { return nil }
    if isQueued || !state.flags.isDisjoint(with: [.mayHoldInput, .keptFrames]) { return .unreadRequest }
    if state.mustWrite { return .unreadAnswer }
    return state.input.holdsBytes ? .partialRequest : .idle
  }

  /// Whether the socket holds bytes.
  var hasUnreadInput: Bool { linux_holds_input(descriptor) }
}

/// Where the requests start whose answers are gathered and not sent.
private struct UnsentAnswers {
  /// What was left of the chunk before the first of them.
  let requests: UnsafeRawBufferPointer
  /// Subscriptions before the first of them: a request that subscribes must not be answered twice.
  let subscriptions: Int
  /// What the service had counted before the first of them.
  let answered, failed: UInt64
  /// How often they were answered.
  var attempts = 1

  /// Starts with the request at the front of `requests`.
  init(requests: UnsafeRawBufferPointer, _ subscriptions: Int, _ counts: borrowing ServiceCounts) {
    (self.requests, self.subscriptions) = (requests, subscriptions)
    (answered, failed) = (counts.answered, counts.failed)
  }
}

/// How long one connection has been served without a break.
private struct ServingTurn {
  var served = 0
  private var deadline: Int64

  /// Starts a turn until `deadline` of the monotonic clock; one of 0 starts with the second request.
  init(_ deadline: Int64) { self.deadline = deadline }

  /// Whether others should come first.
  ///
  /// The clock is read only from the second request on: a single one never is.
  mutating func isOver(_ limits: ServiceLimits) -> Bool {
    guard served > 0 else { return false }
    if served >= limits.pipelined { return true }
    let now = linux_monotonic()
    guard deadline != 0 else {
      deadline = now &+ limits.turn
      return false
    }
    return now >= deadline
  }
}
