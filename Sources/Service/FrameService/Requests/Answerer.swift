import CBOR
import CLinux
package import CitiesProtocol
import System

/// Answers requests: finds the handler, lets it write into the replies, and repeats that if memory was missing when
/// read.
///
/// It borrows the replies for the duration of one answer. While a handler runs no other code can access them, so that
/// answers never mix.
final class Answerer {
  /// The number of attempts for one request while its data disappears.
  static let maximumAttempts = 4

  let name: String
  @exclusivity(unchecked) var counts = ServiceCounts()
  /// Counts reads of missing memory; `nil` if all memory belongs to the process itself.
  @exclusivity(unchecked) var faults: FaultCounter?
  /// Drops the data with missing memory; see ``FramedService/onFault``.
  var onFault: () -> WireError? = { WireError(.internal, "memory went away") }
  /// Whether a request has read missing memory: unsent answers of its connection may come from the same memory.
  @exclusivity(unchecked) var mustAnswerAgain = false

  @exclusivity(unchecked) private var handlers: HandlerTable
  private let computations = Computation.newPool()
  private let replyBytes: Int
  private let sliceLength: Int64
  private let limits: CBORLimits
  /// The remaining limits inside the request's map.
  private let limitsInside: CBORLimits

  init(_ name: String, _ handlers: [any RequestHandler], _ limits: ServiceLimits) {
    self.name = name
    self.handlers = HandlerTable(handlers)
    self.limits = CBORLimits(depth: limits.requestDepth, items: limits.requestItems)
    limitsInside = self.limits.inside
    replyBytes = limits.replyBytes
    sliceLength = limits.turn
  }

  func register(_ handlers: [any RequestHandler]) { self.handlers = HandlerTable(handlers) }

  /// The outcome of a request.
  enum Outcome {
    /// Its answer, a result or an error, was appended.
    case answered
    /// A handler has promised the answer.
    case promised(PendingReply)
    /// The computation of the answer to `id` was not finished in its first slice of time.
    case unfinished(Computation, id: UInt64)
  }

  // MARK: Requests

  /// Answers the request in `payload`, of `connection`.
  @inline(__always)
  func answer(
    _ payload: UnsafeRawBufferPointer, of connection: Connection, into replies: inout ReplyBuffer
  ) -> Outcome {
    counts.answers.answered &+= 1
    // A request with fewer bytes than allowed items cannot have too many.
    if payload.count <= limits.items, let head = RequestHead(usual: payload),
      let entry = handlers.find(head.method)
    {
      return answerUsual(head, entry, payload, connection, &replies)
    }
    return answerAny(payload, connection, &replies)
  }

  /// Lets the handler answer a request with a usual head: valid ones are read once.
  @inline(__always)
  private func answerUsual(
    _ head: RequestHead, _ entry: UnsafePointer<HandlerTable.Entry>, _ payload: UnsafeRawBufferPointer,
    _ connection: Connection, _ replies: inout ReplyBuffer
  ) -> Outcome {
    do throws(WireError) {
      return try respond(to: head, entry, connection, &replies)
    } catch {
      // To a handler, bytes that are not CBOR look like invalid parameters. The difference is determined only now.
      guard head.hasAcceptableParams(limits) else { return answerAny(payload, connection, &replies) }
      return fail(head.id, error, &replies)
    }
  }

  /// Answers any request, after checking all of its bytes.
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

  /// Answers a request that the strict reader refused: after conversion to deterministic encoding if possible, or as
  /// malformed.
  private func answerUnusual(
    _ payload: UnsafeRawBufferPointer, _ error: CBORError, id: UInt64, _ connection: Connection,
    _ replies: inout ReplyBuffer
  ) -> Outcome {
    guard error.kind == .notDeterministic else { return fail(id, .malformed(error, limits), &replies) }
    var head = RequestHead()
    head.id = id
    do throws(CBORError) {
      let bytes = try canonicalized(payload.bytes, limits: limits)
      return try bytes.span.bytes.withUnsafeBytes { (bytes) throws(CBORError) in
        try head.read(bytes, limits: limits)
        return dispatch(head, connection, &replies)
      }
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

  /// Appends an error that has no request id.
  func refuse(_ error: WireError, into replies: inout ReplyBuffer) { _ = fail(0, error, &replies) }

  // MARK: One answer

  /// Lets a handler answer; removes its output if it throws.
  ///
  /// An answer from missing memory is removed, and the request is answered again from the remaining data.
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

  /// Removes the output from `start` on, and lets the handler answer from the remaining data.
  ///
  /// The first answer stands if the missing memory belongs to no data.
  @inline(never)
  private func respondAgain(
    _ first: Result<Outcome, WireError>, to head: RequestHead, _ entry: UnsafePointer<HandlerTable.Entry>,
    _ connection: Connection, _ replies: inout ReplyBuffer, from start: Int
  ) throws(WireError) -> Outcome {
    var (result, attempts) = (first, 1)
    while hasFault {
      guard let refusal = dropFaulty() else { break }
      mustAnswerAgain = true
      // A slow answer is checked at its end.
      switch result {
      case .success(.promised), .success(.unfinished): return try result.get()
      // A second answer would subscribe once more; the event about the file follows the first one.
      case .success(.answered) where connection.hasJustSubscribed: return .answered
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
      case .written: break
      case .later(let reply):
        replies.cancel(mark)
        return .promised(reply)
      case .computed(let sources, let compute):
        let computation = Computation(in: computations, from: sources, compute)
        guard try computation.resume(until: endOfFirstSlice(of: connection)) else {
          replies.cancel(mark)
          return .unfinished(computation, id: head.id)
        }
        try computation.write(into: &replies.writer)
      }
      try checkSize(replies.length(since: mark))
      replies.end(mark)
      return .answered
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

  /// The end of the first slice: a computation does not prolong a turn in which other requests were answered before.
  private func endOfFirstSlice(of connection: Connection) -> Int64 {
    let deadline = connection.turnDeadline
    return deadline == 0 ? MonotonicClock.nanoseconds() &+ sliceLength : deadline
  }

  /// Continues `computation` until about `deadline`, and appends its answer to `id` when finished.
  ///
  /// - Returns: Whether it is finished.
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

  /// Appends the answer to `id` that `write` writes.
  ///
  /// `write` is called again if memory went missing meanwhile: it throws if the computation has read from it.
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
        // Missing memory may be the cause of any error.
        let refusal = hasFault ? dropFaulty() : nil
        _ = fail(id, refusal ?? error, &replies)
        return
      }
    }
  }
}

/// The counters of a service since its start.
package struct ServiceCounts: Sendable, Equatable {
  /// The number of answered requests.
  struct Answers: Sendable, Equatable {
    var answered: UInt64 = 0
    var failed: UInt64 = 0
  }

  /// Connections accepted.
  package internal(set) var accepted: UInt64 = 0
  /// Connections refused with `busy`.
  package internal(set) var refused: UInt64 = 0
  /// Connections closed to make room for another user.
  package internal(set) var displaced: UInt64 = 0
  var answers = Answers()
  /// Requests answered, with a result or an error.
  package var answered: UInt64 { answers.answered }
  /// Answers that were errors, including those to frames that were not requests.
  package var failed: UInt64 { answers.failed }
}

/// Detects that memory used for answers was missing when read, such as that of a mapped file that was truncated.
///
/// A handler of SIGBUS has replaced it with zeros and counted that; an answer from the zeros must not be sent. Neither
/// must an answer from memory that others have changed: while that is possible, every answer is checked
/// (``isDoubtful``).
package struct FaultCounter {
  private let counter: UnsafePointer<UInt32>
  private var seen: UInt32
  /// The counter's value without new faults; one that it never reaches while the memory is doubtful.
  private var expected: UInt32

  /// Reads the number at `counter`, which is incremented by signal handlers and outlives this value.
  package init(_ counter: UnsafePointer<UInt32>) {
    self.counter = counter
    seen = linux_load(counter)
    expected = seen
  }

  /// Whether the memory may change at any moment, so that each answer counts as faulty until it is checked.
  package var isDoubtful = false {
    didSet { expect() }
  }

  /// Whether there was a fault since the last call of ``acknowledge()``, or may have been a change.
  ///
  /// It is used after every answer: one load and one comparison.
  @inline(__always)
  var isRaised: Bool { linux_load(counter) != expected }

  /// Marks the faults so far as handled.
  mutating func acknowledge() {
    seen = linux_load(counter)
    expect()
  }

  private mutating func expect() { expected = isDoubtful ? seen &- 1 : seen }
}

extension WireError {
  /// `frame-too-large` for an answer of `length` bytes.
  package static func replyTooLarge(_ length: Int, maximum: Int) -> WireError {
    WireError(
      .frameTooLarge, "the answer has \(length) bytes, more than \(maximum); ask for less",
      data: ErrorData(limit: LimitName.reply, maximum: UInt64(maximum)))
  }

  /// `malformed` for bytes that are not a request, or for a request that exceeds `limits`.
  fileprivate static func malformed(_ error: CBORError, _ limits: CBORLimits) -> WireError {
    let data: ErrorData
    switch error.kind {
    case .limit("items"): data = ErrorData(limit: LimitName.items, maximum: UInt64(limits.items))
    case .limit("depth"): data = ErrorData(limit: LimitName.depth, maximum: UInt64(limits.depth))
    default: data = ErrorData(offset: UInt64(error.offset))
    }
    return WireError(.malformed, "not a request: \(error)", data: data)
  }

  /// `unknown-method` for a name, truncated to fit a line.
  fileprivate static func unknownMethod(_ method: UnsafeRawBufferPointer, server: String) -> WireError {
    let name = String(decoding: method.prefix(64), as: UTF8.self)
    return WireError(.unknownMethod, "\(server) has no method \"\(name)\"; introspect lists those it has")
  }
}
