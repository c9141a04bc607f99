/// The time that a long computation may take before it has to wait.
///
/// ```swift
/// for row in rows {
///   take(row)
///   try await budget.check()
/// }
/// ```
///
/// A computation that calls ``check(_:)`` often enough can be written as one straight function: where its time is over,
/// the call suspends it, and returns in its next turn. What it reads may be replaced meanwhile, so it must hold what it
/// goes on with.
package final class Budget {
  /// Steps between two looks at the clock, of some ten nanoseconds each.
  package static let stepsPerLook = 512

  /// Steps until the next look at the clock.
  @usableFromInline var left = Budget.stepsPerLook
  /// Steps from one look to the next.
  private var stepsPerLook = Budget.stepsPerLook
  /// When the time is over, by the clock.
  private var deadline = Int64.max
  /// Whether the computation is given up.
  var isStopped = false
  /// The computation, where it waits.
  var suspended: UnsafeContinuation<Void, Never>?
  private let clock: () -> Int64

  init(clock: @escaping () -> Int64) { self.clock = clock }

  /// Starts a turn.
  func begin(until deadline: Int64, stepsPerLook: Int) {
    (self.deadline, self.stepsPerLook, left) = (deadline, stepsPerLook, stepsPerLook)
  }

  /// Counts steps of some ten nanoseconds, such as names of a list that were looked at; waits where the time is over.
  ///
  /// - Throws: ``Stopped`` if nobody waits for the result any more.
  /// - Complexity: O(1); one subtraction for most calls.
  @inlinable
  @inline(__always)
  package func check(_ steps: Int = 1) async throws(Stopped) {
    left &-= steps
    if left <= 0 { try await look() }
  }

  /// Looks at the clock.
  @usableFromInline
  @inline(never)
  func look() async throws(Stopped) {
    if isStopped || clock() >= deadline { try await pause() }
    left = stepsPerLook
  }

  /// Waits for the next turn.
  ///
  /// - Throws: ``Stopped`` if nobody waits for the result any more.
  package func pause() async throws(Stopped) {
    if !isStopped { await withUnsafeContinuation { suspended = $0 } }
    if isStopped { throw Stopped() }
  }
}

/// A computation is given up, because nobody waits for its result any more.
package struct Stopped: Error {
  @usableFromInline init() {}
}
