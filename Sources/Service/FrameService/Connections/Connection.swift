import CBOR
import CLinux
import CitiesProtocol
import Glibc
import Logging

/// One client: moves bytes between its socket and its ``ConnectionState``, and requests to the service.
final class Connection: EventSource {
  let service: FramedService
  let peer: Peer
  private let descriptor: Int32
  @exclusivity(unchecked) private var registration: Registration?
  @exclusivity(unchecked) private var interest = Interest.usual
  // Used a dozen times a request, by one thread, and never while another use goes on: the checks at run time would cost
  // more than the work. The same goes for what the service shares.
  @exclusivity(unchecked) private(set) var state: ConnectionState
  private var pending: PendingReply?
  private var work: (id: UInt64, work: any SlicedWork)?
  private(set) var subscriptions = 0
  /// Numbers of the handlers' own.
  @exclusivity(unchecked) var marks = SIMD4<UInt64>()

  private enum Interest {
    static let read = linux_readable | linux_input_ended
    static let write = linux_writable
    static let end = linux_hung_up | linux_failed
    /// Being told once a change spares the kernel a second look at the socket for every request.
    static let always = linux_edge_triggered
    /// What a connection that waits for requests is watched for.
    static let usual = read | always
  }

  /// Serves `descriptor`, which it closes in the end.
  init(_ service: FramedService, _ descriptor: Int32, peer: Peer) {
    self.service = service
    self.descriptor = descriptor
    self.peer = peer
    state = ConnectionState(maximumRequest: service.limits.requestBytes)
  }

  /// Whether it is in the loop.
  var isOpen: Bool { registration != nil }

  func open() throws(SystemError) { registration = try service.loop.add(self, descriptor, interest: interest) }

  /// Leaves the loop and closes the socket; what was queued is lost.
  func close() {
    guard let registration else { return }
    self.registration = nil
    state.flags.insert(.closing)
    service.loop.remove(registration)
    Glibc.close(descriptor)
    service.queued -= state.output.count
    let abandoned = pending
    pending = nil
    work = nil
    service.forget(self)
    abandoned?.cancel()
  }

  // MARK: Events

  func ready(_ events: UInt32) {
    if events & (Interest.read | Interest.end) != 0 {
      state.flags.insert(.mayHoldInput)
      if events & (linux_input_ended | Interest.end) != 0 { state.flags.insert(.endIsNext) }
    }
    if events & Interest.write != 0 { writeQueue() }
    guard isOpen else { return }
    if work != nil, events & Interest.end == 0 {
      continueWork()
    } else if state.flags.contains(.keptFrames), state.mayServe {
      serve(UnsafeRawBufferPointer(start: nil, count: 0))
    } else if state.mayRead, state.flags.contains(.mayHoldInput) {
      receive()
    } else if events & Interest.end != 0 {
      close()
    }
  }

  /// Reads once; what is left comes in the next turn, after others had theirs.
  private func receive() {
    switch SocketIO.receive(descriptor, into: service.scratch) {
    case .bytes(let count):
      // Less than there was room for: the socket is empty, and what comes is told (epoll(7), questions and answers, 9).
      if count < service.scratch.count, !state.flags.contains(.endIsNext) { state.flags.remove(.mayHoldInput) }
      serve(UnsafeRawBufferPointer(start: service.scratch.baseAddress, count: count))
    case .nothing: state.flags.remove(.mayHoldInput)
    case .broken: close()
    case .end:
      state.flags.insert(.inputEnded)
      state.flags.remove(.mayHoldInput)
      settle()
    }
  }

  /// Answers the whole frames in what was kept and in `chunk`, as far as limits and turn allow, and keeps the rest.
  private func serve(_ chunk: UnsafeRawBufferPointer) {
    var rest = chunk
    var turn = Turn()
    state.flags.remove(.keptFrames)
    answering: while state.mayServe {
      if service.output.count >= service.limits.outputBytes {
        writeOutput()
        continue
      }
      guard !rest.isEmpty || state.input.holdsBytes else {
        return finishTurn(incomplete: false, completed: turn.served)
      }
      if turn.isOver(service.limits) { break }
      switch state.input.next(from: &rest) {
      case .needsMore: return finishTurn(incomplete: state.input.holdsBytes, completed: turn.served)
      case .tooLarge(let declared): loseFraming(declared)
      case .frame(let payload):
        turn.served += 1
        service.answer(payload, for: self)
      }
    }
    state.input.keep(rest)
    if state.input.holdsBytes, !state.flags.contains(.closing) { state.flags.insert(.keptFrames) }
    if state.mayServe, state.flags.contains(.keptFrames) { service.loop.resumeSoon(self) }
    finishTurn(incomplete: false)
  }

  private func finishTurn(incomplete: Bool, completed: Int = 0) {
    noteFrame(incomplete: incomplete, isAnother: completed > 0)
    writeOutput()
    settle()
  }

  /// What follows from the state: closing, or what to be told of next.
  private func settle() {
    guard !state.isOrdinary || interest != Interest.usual, let registration else { return }
    if state.isSpent(draining: service.isDraining) { return close() }
    if state.flags.contains(.mayHoldInput), state.mayRead { service.loop.resumeSoon(self) }
    let wanted = Interest.always | (state.wantsInput ? Interest.read : 0) | (state.mustWrite ? Interest.write : 0)
    guard wanted != interest else { return }
    interest = wanted
    service.loop.change(registration, interest: wanted)
  }

  /// Notes when the frame began that is incomplete now; one that follows a completed frame begins anew.
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

  /// Tells `error` without an id and ends the connection after that.
  private func refuse(_ error: WireError) {
    service.output.appendError(0, error)
    service.counts.failed += 1
    state.flags.insert(.closing)
  }

  // MARK: Writing

  /// Writes what the service has gathered for this connection, and queues what the peer does not take.
  private func writeOutput() {
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
    guard service.queued + rest.count <= service.limits.queuedBytes else {
      return drop("answers for slow readers take \(service.limits.queuedBytes) bytes")
    }
    if state.output.isEmpty {
      state.lastTaken = linux_monotonic()
      service.watchTime()
    }
    service.queued += rest.count
    state.output.append(rest)
  }

  /// Writes once from the queue; when it is empty, goes on with what had to wait for it.
  private func writeQueue() {
    guard state.mustWrite else { return }
    guard let count = SocketIO.send(descriptor, state.output.bytes) else { return close() }
    guard count > 0 else { return }
    service.queued -= count
    state.lastTaken = linux_monotonic()
    state.output.consume(count)
    settle()
  }

  private func drop(_ reason: String) {
    service.log.warning("dropped a connection of user \(peer.uid): \(reason)")
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

  // MARK: Slow answers and events

  func beginWaiting(id: UInt64) throws(WireError) -> PendingReply {
    let reply = PendingReply(self, id: id)
    pending = reply
    state.flags.insert(.waiting)
    return reply
  }

  func isWaiting(for reply: PendingReply) -> Bool { pending === reply }

  func cancelWaiting() {
    pending = nil
    state.flags.remove(.waiting)
  }

  /// Answers the request that was waited for, and goes on with those behind it.
  func finishWaiting(id: UInt64, _ write: (inout CBORWriter) throws(WireError) -> Void) {
    guard !service.isAnswering else {
      // Another connection's answers are being gathered: this one is encoded now and sent in the next turn.
      var buffer = ReplyBuffer()
      service.encode(id: id, into: &buffer, write)
      pending = nil
      let encoded = buffer.writer.bytes
      return service.loop.soon { [self] in resume(with: encoded) }
    }
    service.encode(id: id, into: &service.output, write)
    pending = nil
    resume(with: [])
  }

  private func resume(with encoded: [UInt8]) {
    guard isOpen else { return }
    service.output.writer.writeEncoded(encoded)
    state.flags.remove(.waiting)
    serve(UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// Goes on with `work`, whose first slice has not finished it, in the turns that follow.
  func beginWork(_ work: any SlicedWork, id: UInt64) {
    self.work = (id, work)
    state.flags.insert(.waiting)
    service.loop.resumeSoon(self)
  }

  private func continueWork() {
    guard let (id, work) = work else { return }
    var slice = TimeSlice()
    var failure: WireError?
    do throws(WireError) {
      guard try work.advance(&slice) else { return service.loop.resumeSoon(self) }
    } catch {
      failure = error
    }
    self.work = nil
    service.encode(id: id, into: &service.output) { (reply: inout CBORWriter) throws(WireError) in
      if let failure { throw failure }
      try work.write(into: &reply)
    }
    resume(with: [])
  }

  func subscribe(id: UInt64) throws(WireError) -> Subscription {
    guard subscriptions < service.limits.subscriptionsPerConnection else {
      throw .busy(LimitName.subscriptionsPerConnection, maximum: service.limits.subscriptionsPerConnection)
    }
    if !state.flags.contains(.subscribed) { try service.countSubscriber() }
    state.flags.insert(.subscribed)
    subscriptions += 1
    return Subscription(self, id: id)
  }

  func sendEvent(id: UInt64, _ event: [UInt8]) {
    guard isOpen else { return }
    guard !service.isAnswering else { return service.loop.soon { [self] in sendEvent(id: id, event) } }
    guard state.output.count + event.count <= service.limits.subscriberBytes else {
      return drop("it reads no events")
    }
    service.output.appendEvent(id, event)
    writeOutput()
    settle()
  }

  /// Takes no more than what was sent already: the peer's next write fails, so it knows what was not received.
  func stopReceiving() {
    _ = linux_stop_receiving(descriptor)
    state.flags.insert(.mayHoldInput)
    state.flags.insert(.endIsNext)
    settle()
  }
}

/// How long one connection has been served without a break.
private struct Turn {
  var served = 0
  private var began: Int64 = 0

  /// Whether others should come first.
  ///
  /// The clock is read only from the second request on: a single one never is.
  mutating func isOver(_ limits: ServiceLimits) -> Bool {
    guard served > 0 else { return false }
    if served >= limits.pipelined { return true }
    guard began != 0 else {
      began = linux_monotonic()
      return false
    }
    return linux_monotonic() - began >= limits.turn
  }

  init() {}
}
