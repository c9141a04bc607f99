package import CBOR
import CLinux
package import CitiesProtocol

/// A request that takes longer than a slice of time, answered piece by piece on the loop's thread.
///
/// A handler returns one as ``Answer/sliced(_:)``. The service runs the first slice at once, so that a small request is
/// answered in place; the rest runs between the turns of other clients, and requests after it on the same connection
/// wait. If the connection closes before the end, the work is released and never called again.
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
  /// - Throws: the error that is the answer; what was appended is removed then.
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
  package static let usual: Int64 = 500_000
  /// Calls of ``isOver()`` for each look at the clock.
  private static let callsPerLook: Int32 = 8

  private let deadline: Int64
  private var callsLeft = Self.callsPerLook
  private var hasEnded = false

  /// Starts a slice of `nanoseconds`; one of 0 is over from the start.
  package init(nanoseconds: Int64 = Self.usual) {
    deadline = linux_monotonic() &+ nanoseconds
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
    hasEnded = linux_monotonic() >= deadline
    return hasEnded
  }
}
