import CBOR
import CitiesProtocol
import Framing

/// What the request at the front of a connection waits for.
enum SlowAnswer {
  /// Nothing.
  case none
  /// An answer that a handler has promised.
  case promised(PendingReply)
  /// Work that goes on in the connection's turns.
  case work(any SlicedWork, id: UInt64)

  /// Whether it is work.
  var isWork: Bool { if case .work = self { true } else { false } }
}

extension Connection {
  // MARK: Promised answers

  func beginWaiting(id: UInt64) throws(WireError) -> PendingReply {
    guard account.pending < service.limits.pendingPerUser else {
      throw .busy(LimitName.pendingPerUser, maximum: service.limits.pendingPerUser)
    }
    account.pending += 1
    let reply = PendingReply(self, id: id)
    slow = .promised(reply)
    state.flags.insert(.waiting)
    return reply
  }

  func isWaiting(for reply: PendingReply) -> Bool {
    if case .promised(let promised) = slow { promised === reply } else { false }
  }

  /// Forgets what was waited for, which is returned.
  @discardableResult
  func endWaiting() -> SlowAnswer {
    let ended = slow
    if case .promised = ended { account.pending -= 1 }
    slow = .none
    return ended
  }

  /// Takes a promise back: the request is answered with an error at once.
  func cancelWaiting() {
    guard case .promised = endWaiting() else { return }
    state.flags.remove(.waiting)
  }

  /// Answers the request that was waited for; those after it get their turn.
  func finishWaiting(id: UInt64, _ write: (inout CBORWriter) throws(WireError) -> Void) {
    endWaiting()
    guard !service.isAnswering else {
      // Another connection's answers are being gathered: this one is encoded now and sent at the end of the turn.
      var buffer = ReplyBuffer()
      service.encode(id: id, into: &buffer, write)
      let encoded = buffer.writer.bytes
      return service.loop.soon { [self] in
        guard isOpen else { return }
        service.output.writer.writeEncoded(encoded)
        resume()
      }
    }
    service.encode(id: id, into: &service.output, write)
    resume()
  }

  /// Sends the answer that is gathered and goes on with the requests after it.
  private func resume() {
    state.flags.remove(.waiting)
    writeOutput()
    guard isOpen else { return }
    if state.mayServe, state.flags.contains(.keptFrames) { waitForTurn() }
    settle()
  }

  // MARK: Work in slices

  /// Goes on with `work`, whose first slice has not finished it, in the turns that follow.
  func beginWork(_ work: any SlicedWork, id: UInt64) {
    slow = .work(work, id: id)
    state.flags.insert(.waiting)
    waitForTurn()
  }

  func continueWork(until deadline: Int64) {
    guard case .work(let work, let id) = slow else { return }
    guard service.advance(work, id: id, until: deadline) else { return waitForTurn() }
    endWaiting()
    resume()
  }

  // MARK: Events

  func subscribe(id: UInt64) throws(WireError) -> Subscription {
    guard subscriptions < service.limits.subscriptionsPerConnection else {
      throw .busy(LimitName.subscriptionsPerConnection, maximum: service.limits.subscriptionsPerConnection)
    }
    if !state.flags.contains(.subscribed) { try service.countSubscriber(account) }
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
}
