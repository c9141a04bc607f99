package import CBOR
package import CitiesProtocol
import System

/// An answer that is promised for later.
///
/// A handler makes the promise by returning it; one that throws instead has promised nothing. It belongs to the loop's
/// thread.
package final class PendingReply {
  private enum State {
    /// The handler has not returned yet; it may have answered already.
    case offered(answer: [UInt8]?)
    /// The connection waits for the answer.
    case accepted
    /// It was answered, or the connection is gone.
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

  /// Calls `action` once, on the loop's thread, if the connection closes before the answer; not after an answer.
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

  /// Answers with the one item that `write` appends, or with the error it throws.
  ///
  /// A second answer, or one to a connection that is gone, does nothing.
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

  /// The handler has returned the promise.
  ///
  /// - Returns: the frame of the answer if there is one already; nil if the connection has to wait for it.
  func accepted() -> [UInt8]? {
    guard case .offered(let answer?) = state else {
      state = .accepted
      return nil
    }
    state = .over
    return answer
  }

  /// The connection has closed: no client waits any more.
  func cancel() {
    state = .over
    let action = cancellation
    cancellation = nil
    action?()
  }
}

/// A connection that gets events, as long as it lives.
///
/// It belongs to the loop's thread.
package final class Subscription {
  private weak var connection: Connection?
  private let id: UInt64

  init(_ connection: Connection, id: UInt64) {
    self.connection = connection
    self.id = id
  }

  /// Whether the connection is still there.
  package var isOpen: Bool { connection?.isOpen ?? false }

  /// Sends an event, one encoded CBOR item, in the connection's next turn.
  ///
  /// A connection that has not read too many of them is dropped, with a line in the log.
  package func send(_ event: [UInt8]) {
    guard let connection else { return }
    var frame = ReplyBuffer(capacity: event.count + 32)
    frame.appendEvent(id, event)
    frame.writer.withUnsafeBytes { connection.post(event: $0) }
  }
}

/// A request that takes longer than a slice of time, answered piece by piece on the loop's thread.
///
/// A handler returns one as ``Answer/sliced(_:)``. The service runs the first slice at once, so that a small request is
/// answered in place; the rest runs between the turns of other clients, and requests after it on the same connection
/// wait. If the connection closes before the end, the work is released and never called again. So is work that is not
/// finished after its first slice while its user has too much in progress: the handler gets the same request again
/// later.
package protocol SlicedWork: AnyObject {
  /// Continues until the work is finished or `slice` is over, but by one step at least: a slice may be over from the
  /// start.
  ///
  /// It is not called again after it has returned `true` or has thrown.
  ///
  /// - Returns: whether the work is finished.
  /// - Throws: the error that is the answer.
  func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool

  /// Appends the result, one CBOR item; called once, after ``advance(_:)`` has returned `true`.
  ///
  /// - Throws: the error that is the answer; everything appended is removed then.
  func write(into reply: inout CBORWriter) throws(WireError)
}

/// A short time for work on the loop's thread.
///
/// ```swift
/// func advance(_ slice: inout TimeSlice) throws(WireError) -> Bool {
///   repeat {
///     if next == rows.count { return true }
///     take(rows[next])
///     next += 1
///   } while !slice.isOver()
///   return false
/// }
/// ```
///
/// The steps between two calls of ``isOver()`` should take a few microseconds at most.
package struct TimeSlice {
  /// The length of a slice unless another is given, in nanoseconds.
  ///
  /// A look at the sockets after each one costs less than a hundredth of it.
  package static let usual: Int64 = 250_000
  /// Calls of ``isOver()`` for each look at the clock.
  private static let callsPerLook: Int32 = 8

  private let deadline: Int64
  private var callsLeft = Self.callsPerLook
  private var hasEnded = false

  /// Starts a slice of `nanoseconds`; one of 0 is over from the start.
  package init(nanoseconds: Int64 = Self.usual) {
    deadline = MonotonicClock.nanoseconds() &+ nanoseconds
    hasEnded = nanoseconds <= 0
  }

  /// Starts a slice that ends at `deadline` of the monotonic clock, in nanoseconds.
  init(until deadline: Int64) { self.deadline = deadline }

  /// Whether the work should stop here and continue in its next slice.
  ///
  /// - Complexity: O(1); only every eighth call reads the clock.
  package mutating func isOver() -> Bool { isOver(after: 1) }

  /// The same after a longer step, which counts as `steps` of a few microseconds each.
  ///
  /// - Complexity: O(1).
  package mutating func isOver(after steps: Int) -> Bool {
    if hasEnded { return true }
    callsLeft &-= Int32(clamping: steps)
    guard callsLeft <= 0 else { return false }
    callsLeft = Self.callsPerLook
    hasEnded = MonotonicClock.nanoseconds() >= deadline
    return hasEnded
  }
}
