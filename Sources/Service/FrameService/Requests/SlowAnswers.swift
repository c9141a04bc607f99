package import CBOR
package import CitiesProtocol
package import Coroutines
import System

/// A promised answer.
///
/// A handler makes the promise by returning it; if the handler throws instead, there is no promise. Only the loop
/// thread may use it.
package final class PendingReply {
  private enum State {
    /// The handler has not returned yet; it may already have answered.
    case offered(answer: [UInt8]?)
    /// The connection waits for the answer.
    case accepted
    /// It was answered, or the connection is closed.
    case over
  }

  private weak var connection: Connection?
  private let id: UInt64
  private var state = State.offered(answer: nil)
  private var cancellation: (() -> Void)?

  init(_ connection: Connection, id: UInt64) {
    self.connection = connection
    self.id = id
  }

  /// Calls `action` once, on the loop thread, if the connection closes before the answer.
  ///
  /// A handler that keeps the reply in a list removes it there. A later call replaces the action.
  package func onCancel(_ action: @escaping () -> Void) { cancellation = action }

  /// Whether an answer would be sent.
  package var isWanted: Bool {
    switch state {
    case .offered(let answer): answer == nil && connection?.isOpen ?? false
    case .accepted: connection?.isWaiting(for: self) ?? false
    case .over: false
    }
  }

  /// Answers with the item that `write` appends, or with the error it throws.
  ///
  /// A second answer, or an answer to a closed connection, does nothing.
  package func answer(_ write: (inout CBORWriter) throws(WireError) -> Void) {
    guard isWanted, let connection else { return }
    cancellation = nil
    var reply = ReplyBuffer(capacity: 1_024)
    connection.answerer.append(id, to: &reply, write)
    switch state {
    case .offered: state = .offered(answer: reply.writer.bytes)
    case .accepted:
      state = .over
      reply.writer.withUnsafeBytes { connection.keepPromise($0) }
    case .over: break
    }
  }

  /// Answers with a result.
  package func succeed<Value: Encodable>(_ value: Value) {
    answer { (reply: inout CBORWriter) throws(WireError) in try reply.write(value) }
  }

  /// Marks the promise as returned by the handler.
  ///
  /// - Returns: The frame of the answer if there already is one; `nil` if the connection must wait for it.
  func accepted() -> [UInt8]? {
    guard case .offered(let answer?) = state else {
      state = .accepted
      return nil
    }
    state = .over
    return answer
  }

  /// Ends the promise, because the connection has closed.
  func cancel() {
    state = .over
    let action = cancellation
    cancellation = nil
    action?()
  }
}

/// A subscription of a connection to events.
///
/// Only the loop thread may use it.
package final class Subscription {
  private weak var connection: Connection?
  private let id: UInt64

  init(_ connection: Connection, id: UInt64) {
    self.connection = connection
    self.id = id
  }

  /// Whether the connection is open.
  package var isOpen: Bool { connection?.isOpen ?? false }

  /// Sends an event, one encoded CBOR item, in the connection's next turn.
  ///
  /// A connection with too many unread events is dropped and logged.
  package func send(_ event: [UInt8]) {
    guard let connection else { return }
    var frame = ReplyBuffer(capacity: event.count + 32)
    frame.appendEvent(id, event)
    frame.writer.withUnsafeBytes { connection.post(event: $0) }
  }
}

/// Appends a result, one CBOR item.
///
/// It is called again if memory of the result went missing meanwhile.
package typealias ResultWriter = (inout CBORWriter) throws(WireError) -> Void

/// Data from which results are computed.
package protocol ReplySource: AnyObject {
  /// Checks that results of reading the data may be sent.
  ///
  /// - Throws: `unavailable` if the data has changed since it was first read.
  func requireInService() throws(WireError)
}

/// A result that takes longer than a slice of time, computed by one sequential function on the loop thread.
///
/// ```swift
/// Computation(from: [table]) { budget in
///   for row in rows {
///     take(row)
///     try await budget.check()
///   }
///   return { (reply: inout CBORWriter) throws(WireError) in write(into: &reply) }
/// }
/// ```
///
/// The service starts it at once, so that a small request is answered immediately; the rest runs between the turns of
/// other clients, and later requests on the same connection wait. If the connection closes before the end, the
/// computation is released, and its next check throws. The same happens if it is not finished after its first slice
/// while its user has too much work in progress: the handler gets the same request again later.
///
/// Its sources are checked before the result is written: they may have changed between the slices.
package final class Computation {
  /// The number of times that it was continued.
  private(set) var turns = 0
  private let coroutine: Coroutine
  private let output = Output()
  private let sources: [any ReplySource]

  /// The function's result.
  private final class Output {
    var writer: ResultWriter?
  }

  /// Creates a computation of a function whose errors are the answer, and which reads `sources`; a task of `pool` runs
  /// it.
  package init(
    in pool: CoroutinePool = Computation.newPool(), from sources: [any ReplySource],
    _ compute: @escaping (Budget) async throws -> ResultWriter
  ) {
    self.sources = sources
    coroutine = Coroutine(in: pool) { [output] budget in output.writer = try await compute(budget) }
  }

  /// Creates a pool for computations, with the monotonic clock in nanoseconds.
  package static func newPool() -> CoroutinePool { CoroutinePool(clock: { MonotonicClock.nanoseconds() }) }

  /// Continues until about `deadline`, in nanoseconds of the monotonic clock, but at least until the clock is first
  /// read.
  ///
  /// It must not be called again after it has returned `true` or thrown.
  ///
  /// - Returns: Whether the result is complete.
  /// - Throws: The error that is the answer.
  package func resume(until deadline: Int64, stepsPerLook: Int = Budget.stepsPerLook) throws(WireError) -> Bool {
    turns += 1
    do {
      return try coroutine.resume(until: deadline, stepsPerLook: stepsPerLook)
    } catch let error as WireError where error.code == .unavailable {
      throw error
    } catch {
      // Changed data may be the cause of any other error.
      try requireSources()
      throw error as? WireError ?? WireError(.internal, "a computation has failed: \(error)")
    }
  }

  private func requireSources() throws(WireError) {
    for source in sources { try source.requireInService() }
  }

  /// Appends the result, after ``resume(until:stepsPerLook:)`` has returned `true`.
  ///
  /// - Throws: The error that is the answer; everything appended is then removed.
  package func write(into reply: inout CBORWriter) throws(WireError) {
    try requireSources()
    try output.writer?(&reply)
  }
}
