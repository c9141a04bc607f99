import CBOR
import CLinux
package import CitiesProtocol
import System

/// Answers requests: finds the handler, has it write into the replies, and has it write again if memory that it read
/// from has gone away.
///
/// It is given the replies for the time of one answer. While a handler runs no other code can reach them, so that
/// answers never mix.
final class Answerer {
  /// Attempts that one request is worth while the data goes away under it.
  static let maximumAttempts = 4

  let name: String
  @exclusivity(unchecked) var counts = ServiceCounts()
  /// Counts reads of memory that was missing; nil where all memory is the process's own.
  @exclusivity(unchecked) var faults: FaultCounter?
  /// Drops what the missing memory belongs to; see ``FramedService/onFault``.
  var onFault: () -> WireError? = { WireError(.internal, "memory went away") }
  /// Whether a request has met missing memory: the answers of its connection that are not sent yet may come from the
  /// same memory.
  @exclusivity(unchecked) var mustAnswerAgain = false

  @exclusivity(unchecked) private var handlers: HandlerTable
  private let computations = Computation.newPool()
  private let replyBytes: Int
  private let sliceLength: Int64
  private let limits: CBORLimits
  /// The limits that remain inside of the request's map.
  private let limitsInside: CBORLimits

  init(_ name: String, _ handlers: [any MethodHandler], _ limits: ServiceLimits) {
    self.name = name
    self.handlers = HandlerTable(handlers)
    self.limits = CBORLimits(depth: limits.requestDepth, items: limits.requestItems)
    limitsInside = self.limits.inside
    replyBytes = limits.replyBytes
    sliceLength = limits.turn
  }

  func register(_ handlers: [any MethodHandler]) { self.handlers = HandlerTable(handlers) }

  /// The outcome of a request.
  enum Outcome {
    /// Its answer, a result or an error, is appended.
    case answered
    /// A handler has promised the answer.
    case promised(PendingReply)
    /// A first slice of time has not finished the work that answers `id`.
    case unfinished(Computation, id: UInt64)
  }

  // MARK: Requests

  /// Answers the request in `payload`, of `connection`.
  @inline(__always)
  func answer(
    _ payload: UnsafeRawBufferPointer, of connection: Connection, into replies: inout ReplyBuffer
  ) -> Outcome {
    counts.answers.answered &+= 1
    // A request with fewer bytes than items are allowed cannot hold too many.
    if payload.count <= limits.items, let head = RequestHead(usual: payload),
      let entry = handlers.find(head.method), entry.pointee.isStrict
    {
      return answerStrictly(head, entry, payload, connection, &replies)
    }
    return answerAny(payload, connection, &replies)
  }

  /// Has a strict handler answer: good requests are read once.
  @inline(__always)
  private func answerStrictly(
    _ head: RequestHead, _ entry: UnsafePointer<HandlerTable.Entry>, _ payload: UnsafeRawBufferPointer,
    _ connection: Connection, _ replies: inout ReplyBuffer
  ) -> Outcome {
    do throws(WireError) {
      return try respond(to: head, entry, connection, &replies)
    } catch {
      // Bytes that are not CBOR at all look like bad parameters to a handler. Only now it pays to distinguish them.
      guard head.hasAcceptableParams(limits) else { return answerAny(payload, connection, &replies) }
      return fail(head.id, error, &replies)
    }
  }

  /// Answers any request, after a look at all of its bytes.
  @inline(never)
  private func answerAny(
    _ payload: UnsafeRawBufferPointer, _ connection: Connection, _ replies: inout ReplyBuffer
  ) -> Outcome {
    var head = RequestHead()
    do throws(CBORError) {
      try head.read(payload, limits: limits)
    } catch {
      return answerUnusual(payload, error, id: head.id, connection, &replies)
    }
    return dispatch(head, connection, &replies)
  }

  /// Answers a request that the strict reader refused: put into deterministic order if that helps, else as malformed.
  private func answerUnusual(
    _ payload: UnsafeRawBufferPointer, _ error: CBORError, id: UInt64, _ connection: Connection,
    _ replies: inout ReplyBuffer
  ) -> Outcome {
    guard error.kind == .notDeterministic else { return fail(id, .malformed(error, limits), &replies) }
    var head = RequestHead()
    head.id = id
    do throws(CBORError) {
      let bytes = try canonicalized(payload.bytes, limits: limits)
      let outcome = bytes.withUnsafeBytes { bytes in
        Result { () throws(CBORError) in
          try head.read(bytes, limits: limits)
          return dispatch(head, connection, &replies)
        }
      }
      return try outcome.get()
    } catch {
      return fail(head.id, .malformed(error, limits), &replies)
    }
  }

  private func dispatch(_ head: RequestHead, _ connection: Connection, _ replies: inout ReplyBuffer) -> Outcome {
    guard let entry = handlers.find(head.method) else {
      return fail(head.id, .unknownMethod(head.method, server: name), &replies)
    }
    do throws(WireError) {
      return try respond(to: head, entry, connection, &replies)
    } catch {
      return fail(head.id, error, &replies)
    }
  }

  private func fail(_ id: UInt64, _ error: WireError, _ replies: inout ReplyBuffer) -> Outcome {
    counts.answers.failed += 1
    replies.appendError(id, error)
    return .answered
  }

  /// Appends an error that belongs to no request.
  func refuse(_ error: WireError, into replies: inout ReplyBuffer) { _ = fail(0, error, &replies) }

  // MARK: One answer

  /// Has a handler answer; nothing of its answer stays if it throws.
  ///
  /// An answer that was made from missing memory is removed, and the request is answered again from what is left.
  @inline(__always)
  private func respond(
    to head: RequestHead, _ entry: UnsafePointer<HandlerTable.Entry>, _ connection: Connection,
    _ replies: inout ReplyBuffer
  ) throws(WireError) -> Outcome {
    let start = replies.count
    let outcome: Outcome
    do throws(WireError) {
      outcome = try attempt(head, entry, connection, &replies)
    } catch {
      guard hasFault else { throw error }
      return try respondAgain(.failure(error), to: head, entry, connection, &replies, from: start)
    }
    guard hasFault else { return outcome }
    return try respondAgain(.success(outcome), to: head, entry, connection, &replies, from: start)
  }

  /// Removes what was appended from `start` on, and has the handler answer from what is left.
  ///
  /// The first answer stands if the missing memory belongs to none.
  @inline(never)
  private func respondAgain(
    _ first: Result<Outcome, WireError>, to head: RequestHead, _ entry: UnsafePointer<HandlerTable.Entry>,
    _ connection: Connection, _ replies: inout ReplyBuffer, from start: Int
  ) throws(WireError) -> Outcome {
    var (result, attempts) = (first, 1)
    while hasFault {
      guard let refusal = dropFaulty() else { break }
      mustAnswerAgain = true
      // A slow answer is checked when it is finished.
      switch result {
      case .success(.promised), .success(.unfinished): return try result.get()
      case .success(.answered), .failure: replies.writer.truncate(to: start)
      }
      guard attempts < Self.maximumAttempts else { throw refusal }
      attempts += 1
      do throws(WireError) {
        result = .success(try attempt(head, entry, connection, &replies))
      } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }

  private var hasFault: Bool { faults?.isRaised ?? false }

  private func dropFaulty() -> WireError? {
    faults?.acknowledge()
    return onFault()
  }

  @inline(__always)
  private func attempt(
    _ head: RequestHead, _ entry: UnsafePointer<HandlerTable.Entry>, _ connection: Connection,
    _ replies: inout ReplyBuffer
  ) throws(WireError) -> Outcome {
    let mark = replies.startResult(head.id)
    let request = UncheckedRequest(params: head.params, limits: limitsInside, caller: Caller(connection, id: head.id))
    do throws(WireError) {
      switch try entry.pointee.handler.respond(to: request, into: &replies.writer) {
      case .written:
        try checkSize(replies.length(since: mark))
        replies.end(mark)
        return .answered
      case .later(let reply):
        replies.cancel(mark)
        return .promised(reply)
      case .computed(let compute):
        let computation = Computation(in: computations, compute)
        guard try computation.resume(until: endOfFirstSlice(of: connection)) else {
          replies.cancel(mark)
          return .unfinished(computation, id: head.id)
        }
        try computation.write(into: &replies.writer)
        try checkSize(replies.length(since: mark))
        replies.end(mark)
        return .answered
      }
    } catch {
      replies.cancel(mark)
      throw error
    }
  }

  @inline(__always)
  private func checkSize(_ length: Int) throws(WireError) {
    guard length <= replyBytes else { throw .replyTooLarge(length, maximum: replyBytes) }
  }

  // MARK: Slow answers

  /// The end of the turn: a computation does not prolong a turn in which other requests were answered before.
  private func endOfFirstSlice(of connection: Connection) -> Int64 {
    let deadline = connection.turnDeadline
    return deadline == 0 ? MonotonicClock.nanoseconds() &+ sliceLength : deadline
  }

  /// Continues `computation` until about `deadline`, and appends its answer to `id` when it is finished.
  ///
  /// - Returns: whether it is finished.
  func resume(
    _ computation: Computation, id: UInt64, until deadline: Int64, into replies: inout ReplyBuffer
  ) -> Bool {
    var failure: WireError?
    do throws(WireError) {
      guard try computation.resume(until: deadline) else { return false }
    } catch {
      failure = error
    }
    append(id, to: &replies) { (reply: inout CBORWriter) throws(WireError) in
      if let failure { throw failure }
      try computation.write(into: &reply)
    }
    return true
  }

  /// Appends the answer to `id` that `write` makes.
  ///
  /// It is written again if memory went away meanwhile: `write` refuses if the work has read from it.
  func append(_ id: UInt64, to replies: inout ReplyBuffer, _ write: (inout CBORWriter) throws(WireError) -> Void) {
    for attempt in 1... {
      let mark = replies.startResult(id)
      do throws(WireError) {
        try write(&replies.writer)
        if hasFault, let refusal = dropFaulty() {
          guard attempt < Self.maximumAttempts else { throw refusal }
          replies.cancel(mark)
          continue
        }
        try checkSize(replies.length(since: mark))
        return replies.end(mark)
      } catch {
        replies.cancel(mark)
        // Memory that was missing may be the reason of any error.
        let refusal = hasFault ? dropFaulty() : nil
        _ = fail(id, refusal ?? error, &replies)
        return
      }
    }
  }
}

/// What a service has done since its start.
package struct ServiceCounts: Sendable, Equatable {
  /// Requests that were answered.
  struct Answers: Sendable, Equatable {
    var answered: UInt64 = 0
    var failed: UInt64 = 0
  }

  /// Connections accepted.
  package internal(set) var accepted: UInt64 = 0
  /// Connections refused with `busy`.
  package internal(set) var refused: UInt64 = 0
  /// Connections closed because another user needed their places.
  package internal(set) var displaced: UInt64 = 0
  var answers = Answers()
  /// Requests answered, with results and errors alike.
  package var answered: UInt64 { answers.answered }
  /// Answers that were errors, and frames that were not requests.
  package var failed: UInt64 { answers.failed }
}

/// Notices that memory which answers are made from was missing when it was read, such as that of a mapped file that
/// somebody shortened.
///
/// A handler of SIGBUS has put zeros in its place and counted that; an answer made from the zeros must not be sent. Nor
/// must one that was made from memory that others have changed: while they can, every answer is checked
/// (``isDoubtful``).
package struct FaultCounter {
  private let counter: UnsafePointer<UInt32>
  private var seen: UInt32
  /// The number that says that all is well: one that is not reached while the memory is doubtful.
  private var expected: UInt32

  /// Reads the number at `counter`, which is changed by signal handlers and outlives this value.
  package init(_ counter: UnsafePointer<UInt32>) {
    self.counter = counter
    seen = linux_load(counter)
    expected = seen
  }

  /// Whether the memory may change at any moment, so that each answer counts as one with a fault until it is checked.
  package var isDoubtful = false {
    didSet { expect() }
  }

  /// Whether there was a fault since the last call of ``acknowledge()``, or there may have been a change.
  ///
  /// It is asked after every answer: one load and one comparison.
  @inline(__always)
  var isRaised: Bool { linux_load(counter) != expected }

  /// Counts the faults so far as known.
  mutating func acknowledge() {
    seen = linux_load(counter)
    expect()
  }

  private mutating func expect() { expected = isDoubtful ? seen &- 1 : seen }
}

extension WireError {
  /// `frame-too-large` for an answer that has come to `length` bytes.
  package static func replyTooLarge(_ length: Int, maximum: Int) -> WireError {
    WireError(
      .frameTooLarge, "the answer has \(length) bytes, more than \(maximum); ask for less",
      data: ErrorData(limit: LimitName.reply, maximum: UInt64(maximum)))
  }

  /// `malformed` for bytes that are not a request, or for one beyond `limits`.
  fileprivate static func malformed(_ error: CBORError, _ limits: CBORLimits) -> WireError {
    let data: ErrorData
    switch error.kind {
    case .limit("items"): data = ErrorData(limit: LimitName.items, maximum: UInt64(limits.items))
    case .limit("depth"): data = ErrorData(limit: LimitName.depth, maximum: UInt64(limits.depth))
    default: data = ErrorData(offset: UInt64(error.offset))
    }
    return WireError(.malformed, "not a request: \(error)", data: data)
  }

  /// `unknown-method` for a name, shortened to what fits a line.
  fileprivate static func unknownMethod(_ method: UnsafeRawBufferPointer, server: String) -> WireError {
    let name = String(decoding: method.prefix(64), as: UTF8.self)
    return WireError(.unknownMethod, "\(server) has no method \"\(name)\"; introspect lists those it has")
  }
}
