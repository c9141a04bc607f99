import CBOR
import CLinux
import CitiesProtocol
import Framing
import System

/// The protocol of one connection as a value: events, bytes and time go in, steps come out.
///
/// It uses no socket and no clock.
///
/// ```
///            received           answer             sent
///   peer ------------> input ----------> replies ---------> peer
///                                           |
///         posted, between turns ------------+---> queue: bytes that the peer has not taken yet
/// ```
///
/// In each turn its owner asks for the ``next(_:now:)`` step, performs it and reports the result, until the step is to
/// rest. It reads only if nothing is waiting downstream (back-pressure): not from a peer that does not read, and not
/// past a request that waits for its answer.
///
/// ```swift
/// machine.startTurn(until: deadline)
/// while true {
///   switch machine.next(&replies, now: clock) {
///   case .receive: machine.received(socket.receive(into: memory), in: memory)
///   case .answer(let request): handle(request, &replies)
///   case .send: machine.sent(socket.send(replies), of: &replies, now: clock)
///   ...
/// ```
///
/// Replies are collected in a buffer that all connections share, one turn after the other. Frames from between turns,
/// events and promised answers, are posted here and also sent in a turn: this alone keeps frames in order.
struct ConnectionMachine: ~Copyable {
  /// An action for the owner.
  enum Step {
    /// Read once, and report the result to ``received(_:in:)``.
    case receive
    /// Append the answer to this request to the replies; the bytes are valid until the next step.
    case answer(UnsafeRawBufferPointer)
    /// Continue the work that was reported to ``wait(for:)``.
    case work
    /// Append this error, which has no request id, to the replies.
    case refuse(WireError)
    /// Send the replies once, and report the result to ``sent(_:of:now:)``.
    case send
    /// Send none of the replies, because earlier ones are queued. Report 0 bytes to ``sent(_:of:now:)``.
    case keep
    /// Send the queue once, and report the result to ``sentQueue(_:now:)``.
    case sendQueue
    /// Wait for these events from now on.
    case listen(Interest)
    /// Call ``tick(_:)`` regularly.
    case watchTime
    /// The turn is over; `again` requests another one, after those of other clients.
    case rest(again: Bool)
    /// Close the connection; `reason` is logged.
    case close(reason: String?)
  }

  /// The events to wait for, besides errors and the end.
  struct Interest: OptionSet {
    let rawValue: UInt8
    static let input = Interest(rawValue: 1)
    static let output = Interest(rawValue: 2)
  }

  /// The reason why the first request of the connection has no answer yet.
  enum Wait {
    /// A handler has promised an answer.
    case promise
    /// A computation continues in the turns of the connection.
    case work
  }

  private enum Phase { case queue, choose, serve, settle }

  /// The limits that concern a single connection; see ``ServiceLimits``.
  private struct Limits {
    let requestBytes, outputBytes, subscriberBytes, pipelined: Int
    let turn, frameTime, stallTime: Int64
  }

  private let limits: Limits
  private(set) var flags: Flags = []
  private var phase = Phase.settle
  private var interest = Interest.input
  private var input: FrameAssembler
  /// The unused part of the chunk read last; valid within a turn.
  private var rest = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The same, from the first request whose answer is not sent.
  private var unsent = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The number of times that the requests from `unsent` on were answered.
  private var attempts = 1
  private var posted = ByteBuffer()
  private var queue = ByteBuffer()
  private var turn = ServingTurn(until: 0)
  /// The start time of the incomplete frame, in nanoseconds of the monotonic clock; 0 if there is none.
  private var frameStart: Int64 = 0
  /// The last time that the peer read from the queue, in nanoseconds of the monotonic clock.
  private var lastTaken: Int64 = 0

  /// Creates the state of a new connection.
  init(_ limits: ServiceLimits) {
    self.limits = Limits(
      requestBytes: limits.requestBytes, outputBytes: limits.outputBytes, subscriberBytes: limits.subscriberBytes,
      pipelined: limits.pipelined, turn: limits.turn, frameTime: limits.frameTime, stallTime: limits.stallTime)
    input = FrameAssembler(maximum: limits.requestBytes)
  }

  // MARK: Between turns

  /// Records an event, in the bits of epoll(7).
  mutating func note(_ events: UInt32) {
    if events & linux_readable != 0 { flags.insert(.mayHoldInput) }
    // The readable bytes come before the end, so both must be read.
    if events & linux_input_ended != 0 { flags.formUnion([.mayHoldInput, .endIsNext]) }
    if events & (linux_hung_up | linux_failed) != 0 { flags.formUnion([.mayHoldInput, .endIsNext, .hungUp]) }
    if events & linux_writable != 0 { flags.insert(.mayWrite) }
  }

  /// Posts an event's frame for the next turn; a peer that does not read its events is dropped there.
  ///
  /// Unless the frame `mayWait`, it is posted only if nothing is queued for the peer: one that reads is not dropped for
  /// the unread bytes of others.
  mutating func post(event frame: UnsafeRawBufferPointer, mayWait: Bool) {
    guard !flags.contains(.overflown) else { return }
    let fits = heldBytes == 0 || heldBytes + frame.count <= limits.subscriberBytes
    if fits, mayWait || queue.isEmpty { post(frame) } else { flags.insert(.overflown) }
  }

  /// Posts the frame of a promised answer for the next turn; later requests are served again.
  mutating func keepPromise(_ frame: UnsafeRawBufferPointer) {
    flags.remove(.waiting)
    post(frame)
  }

  private mutating func post(_ frame: UnsafeRawBufferPointer) {
    posted.append(frame)
    flags.insert(.posted)
  }

  /// Treats the bytes already sent by the peer as the last ones: the service is stopping.
  mutating func drain() { flags.formUnion([.mayHoldInput, .endIsNext, .draining]) }

  /// The result of checking the time limits.
  enum Tick {
    /// No time limit applies any more.
    case idle
    /// All limits are met.
    case inTime
    /// A limit is exceeded; the next turn handles it.
    case overdue
  }

  /// Checks the time limits at `now`, in nanoseconds of the monotonic clock.
  mutating func tick(_ now: Int64) -> Tick {
    if frameStart != 0, mayRead, now - frameStart >= limits.frameTime {
      flags.insert(.lateFrame)
      return .overdue
    }
    if flags.contains(.queued), now - lastTaken >= limits.stallTime {
      // It may have read a little: a Unix socket reports room only when most of it is free.
      flags.formUnion([.stalled, .mayWrite])
      return .overdue
    }
    return frameStart != 0 || flags.contains(.queued) ? .inTime : .idle
  }

  // MARK: A turn

  /// Starts a turn that lasts until about `deadline`, in nanoseconds of the monotonic clock.
  ///
  /// A deadline of 0 means that no other client is waiting: the clock is then read only if there are several requests.
  mutating func startTurn(until deadline: Int64) {
    turn = ServingTurn(until: deadline)
    phase = flags.isDisjoint(with: .outOfTheOrdinary) ? .choose : .queue
  }

  /// The next step; `now` reads the monotonic clock, and is called only if time matters.
  @inline(__always)
  mutating func next(_ replies: inout ReplyBuffer, now: () -> Int64) -> Step {
    while true {
      switch phase {
      case .serve: if let step = serve(replies.count, now) { return step }
      case .settle: if let step = settle(replies.isEmpty) { return step }
      case .choose: if let step = choose() { return step }
      case .queue: if let step = startUnusually(&replies) { return step }
      }
    }
  }

  /// Handles the conditions that come before requests: queued bytes, faults of the peer, posted frames.
  private mutating func startUnusually(_ replies: inout ReplyBuffer) -> Step? {
    if flags.contains(.overflown) { return .close(reason: "it reads no events") }
    if flags.contains(.mayWrite) {
      flags.remove(.mayWrite)
      if flags.contains(.queued) { return .sendQueue }
    }
    if flags.contains(.stalled) {
      return .close(reason: "it read nothing for \(limits.stallTime / 1_000_000_000) s")
    }
    if flags.contains(.posted), !flags.contains(.queued) {
      replies.append(frames: posted.bytes)
      posted.consume(posted.count)
      flags.remove(.posted)
      return .send
    }
    phase = .choose
    guard flags.contains(.lateFrame) else { return nil }
    flags.remove(.lateFrame)
    // After this process was suspended, the rest may have arrived long ago.
    guard !flags.contains(.mayHoldInput) else { return nil }
    return refuse(.frameTooLate(maximum: limits.frameTime))
  }

  /// Chooses one action per turn: continuing a slow request, serving stored frames, or reading once.
  @inline(__always)
  private mutating func choose() -> Step? {
    phase = .settle
    if flags.contains(.mayHoldInput), mayRead { return .receive }
    if flags.contains(.working), !flags.contains(.hungUp) { return .work }
    if flags.contains(.keptFrames), mayServe {
      flags.remove(.keptFrames)
      startServing(from: UnsafeRawBufferPointer(start: nil, count: 0))
      return nil
    }
    return flags.contains(.hungUp) ? .close(reason: nil) : nil
  }

  /// Starts a turn: the requests that `chunk` completes are next.
  private mutating func startServing(from chunk: UnsafeRawBufferPointer) {
    (rest, unsent, attempts) = (chunk, chunk, 1)
    phase = .serve
  }

  /// The next request of the turn; `nil` at its end.
  @inline(__always)
  private mutating func serve(_ gathered: Int, _ now: () -> Int64) -> Step? {
    guard flags.isDisjoint(with: .stopServing) else {
      if gathered > 0, flags.contains(.mustSend) { return .send }
      flags.remove(.mustSend)
      return flags.isDisjoint(with: .stopServing) ? nil : suspend()
    }
    if gathered >= limits.outputBytes { return .send }
    guard !rest.isEmpty || input.holdsBytes else { return endServing(isIncomplete: false, now) }
    if turn.served >= turn.nextLook, turn.isOver(limits.pipelined, limits.turn, now) { return suspend() }
    switch input.next(from: &rest) {
    case .frame(let payload):
      turn.served &+= 1
      return .answer(payload)
    case .needsMore: return endServing(isIncomplete: input.holdsBytes, now)
    case .tooLarge(let declared):
      let error = WireError.requestTooLarge(declared, maximum: limits.requestBytes)
      _ = suspend()
      return refuse(error)
    }
  }

  /// Stores the remaining input for a later turn.
  private mutating func suspend() -> Step? {
    input.keep(rest)
    rest = UnsafeRawBufferPointer(start: nil, count: 0)
    if input.holdsBytes { flags.insert(.keptFrames) }
    flags.remove(.postponed)
    frameStart = 0
    phase = .settle
    return nil
  }

  /// Ends a turn after all complete frames; records the start time of an incomplete one.
  private mutating func endServing(isIncomplete: Bool, _ now: () -> Int64) -> Step? {
    phase = .settle
    if !isIncomplete {
      input.release()
      frameStart = 0
    } else if turn.served > 0 || frameStart == 0 {
      // A frame that follows a complete one has a new start time.
      frameStart = now()
      flags.insert(.needsClock)
    }
    return nil
  }

  private mutating func refuse(_ error: WireError) -> Step {
    flags.insert(.closing)
    flags.remove(.keptFrames)
    phase = .settle
    return .refuse(error)
  }

  /// Completes the turn: bytes to send, an end, other events to wait for, another turn.
  @inline(__always)
  private mutating func settle(_ nothingGathered: Bool) -> Step? {
    guard nothingGathered else { return flags.contains(.queued) ? .keep : .send }
    if flags.isEmpty, interest == .input { return .rest(again: false) }
    return settleUnusually()
  }

  private mutating func settleUnusually() -> Step {
    if isSpent { return .close(reason: nil) }
    if flags.contains(.needsClock) {
      flags.remove(.needsClock)
      return .watchTime
    }
    var wanted: Interest = wantsInput ? .input : []
    if flags.contains(.queued) { wanted.insert(.output) }
    guard wanted == interest else {
      interest = wanted
      return .listen(wanted)
    }
    return .rest(again: hasMore)
  }

  // MARK: Results of steps

  /// Handles the result of a read into the start of `memory`.
  @inline(__always)
  mutating func received(_ received: SocketIO.Received, in memory: UnsafeMutableRawBufferPointer) {
    switch received {
    case .bytes(let count):
      // Less than there was room for: the socket is empty, and an event announces more (epoll(7), questions and
      // answers, 9).
      if count < memory.count, !flags.contains(.endIsNext) { flags.remove(.mayHoldInput) }
      startServing(from: UnsafeRawBufferPointer(start: memory.baseAddress, count: count))
    case .nothing: flags.remove(.mayHoldInput)
    case .end:
      flags.insert(.inputEnded)
      flags.remove(.mayHoldInput)
    case .broken: flags.formUnion([.inputEnded, .hungUp])
    }
  }

  /// The last request has no answer yet: later ones wait.
  mutating func wait(for wait: Wait) {
    switch wait {
    case .promise: flags.insert(.waiting)
    case .work: flags.insert(.working)
    }
  }

  /// Puts back `request`, which is being answered, for a later turn.
  ///
  /// - Returns: Whether it has had a whole turn, and so is a long one.
  mutating func postpone(_ request: UnsafeRawBufferPointer) -> Bool {
    input.putBack(request, before: &rest)
    flags.insert(.postponed)
    return turn.served == 1
  }

  /// Whether complete requests were served in this turn.
  var hasServed: Bool { turn.served > 0 }

  /// The time at which the turn should end, in nanoseconds of the monotonic clock; 0 if it is not known yet.
  var turnDeadline: Int64 { turn.deadline }

  /// The computation is finished and its answer is in the replies.
  mutating func finishedWork() { flags.remove(.working) }

  /// The current request subscribes to events: it must not be answered twice.
  mutating func subscribed() { flags.formUnion([.subscribed, .mustSend]) }

  var mustSend: Bool { flags.contains(.mustSend) }

  /// Discards the unsent replies, and goes back to the first of their requests.
  ///
  /// - Returns: Whether it did; it does not go back past a request that waits or subscribes, or too many times.
  mutating func answerAgain(_ replies: inout ReplyBuffer) -> Bool {
    guard flags.isDisjoint(with: .finalAnswers), attempts < Answerer.maximumAttempts else { return false }
    attempts += 1
    flags.remove(.postponed)
    replies.removeAll()
    rest = unsent
    input.rewind(&rest)
    return true
  }

  /// The peer has received the first `count` bytes of the replies; the rest is queued, and the buffer is empty again.
  @inline(__always)
  mutating func sent(_ count: Int, of replies: inout ReplyBuffer, now: () -> Int64) {
    if count < replies.count { enqueue(replies, from: count, now) }
    replies.removeAll()
    input.release()
    unsent = rest
    attempts = 1
    flags.remove(.mustSend)
  }

  private mutating func enqueue(_ replies: borrowing ReplyBuffer, from count: Int, _ now: () -> Int64) {
    if !flags.contains(.queued) {
      lastTaken = now()
      flags.formUnion([.queued, .needsClock])
    }
    replies.writer.withUnsafeBytes { queue.append(UnsafeRawBufferPointer(rebasing: $0[count...])) }
  }

  /// The bytes queued for the peer; valid until the next call that changes them.
  var queuedBytes: UnsafeRawBufferPointer { queue.bytes }

  /// The peer has received the first `count` bytes of the queue.
  mutating func sentQueue(_ count: Int, now: () -> Int64) {
    guard count > 0 else { return }
    lastTaken = now()
    flags.remove(.stalled)
    queue.consume(count)
    if queue.isEmpty { flags.remove(.queued) }
  }

  /// Frees the queues of a closed connection.
  mutating func closed() {
    queue.consume(queue.count)
    posted.consume(posted.count)
    flags = .closing
  }
}

// MARK: - State

extension ConnectionMachine {
  private var mayServe: Bool { flags.isDisjoint(with: .stopServing) }
  /// Whether to wait for more input.
  ///
  /// Frames stored for the next turn do not matter: changing the events back and forth would cost two system calls.
  private var wantsInput: Bool { flags.isDisjoint(with: [.waiting, .working, .closing, .inputEnded, .queued]) }
  private var mayRead: Bool {
    flags.isDisjoint(with: [.waiting, .working, .closing, .inputEnded, .queued, .keptFrames])
  }

  private var hasMore: Bool {
    flags.contains(.working) || flags.contains(.mayHoldInput) && mayRead || flags.contains(.keptFrames) && mayServe
      || flags.contains(.posted) && !flags.contains(.queued) || !flags.isDisjoint(with: [.overflown, .stalled])
  }

  /// Whether the connection can be closed; a subscribed one has more to receive, unless the service is stopping.
  private var isSpent: Bool {
    if flags.isSuperset(of: [.hungUp, .inputEnded]) { return true }
    guard flags.isDisjoint(with: [.queued, .posted, .waiting, .working]) else { return false }
    if flags.contains(.closing) { return true }
    return flags.contains(.inputEnded) && !flags.contains(.keptFrames)
      && (flags.contains(.draining) || !flags.contains(.subscribed))
  }

  /// The number of bytes queued for the peer.
  var heldBytes: Int { queue.count + posted.count }

  /// The kind of its next turn; `wasLong` if the previous one was for a long request.
  ///
  /// A connection that has hung up releases memory, so it does not wait for its user's work on other connections.
  /// Neither does one that has an event to send or an end to read.
  func turnKind(after wasLong: Bool) -> ClientTurns.Kind {
    if flags.contains(.hungUp) { return .fresh }
    if flags.contains(.working) { return .started }
    guard flags.isDisjoint(with: .outOfTheOrdinary) else { return .fresh }
    if flags.contains(.keptFrames) { return wasLong ? .long : .continued }
    return wasLong && !flags.contains(.endIsNext) ? .long : .fresh
  }

  /// The cost of closing it to make room, `isQueued` if it waits for a turn; `nil` if it is subscribed or waits for an
  /// answer.
  func disposal(isQueued: Bool) -> Disposal? {
    guard flags.isDisjoint(with: [.waiting, .working, .subscribed]) else { return nil }
    if isQueued || !flags.isDisjoint(with: [.mayHoldInput, .keptFrames]) { return .unreadRequest }
    if flags.contains(.queued) { return .unreadAnswer }
    return input.holdsBytes ? .partialRequest : .idle
  }
}

extension WireError {
  /// `frame-too-large` for a request with a declared length of `declared` bytes.
  fileprivate static func requestTooLarge(_ declared: UInt32, maximum: Int) -> WireError {
    WireError(
      .frameTooLarge, "a frame of \(declared) bytes was announced; at most \(maximum) are accepted",
      data: ErrorData(limit: LimitName.request, maximum: UInt64(maximum)))
  }

  /// `malformed` for a frame that is still incomplete after `maximum` nanoseconds.
  fileprivate static func frameTooLate(maximum: Int64) -> WireError {
    let milliseconds = maximum / 1_000_000
    return WireError(
      .malformed, "a frame was not complete after \(milliseconds) ms",
      data: ErrorData(limit: LimitName.frameTime, maximum: UInt64(milliseconds)))
  }
}
