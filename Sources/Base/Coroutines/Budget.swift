/// The time that a long computation may take before it must yield.
///
/// ```swift
/// for row in rows {
///   take(row)
///   try await budget.check()
/// }
/// ```
///
/// A computation that calls ``check(_:)`` often enough can be written as one sequential function: when its time is up,
/// the call suspends it, and returns in its next turn. Its data may be replaced meanwhile, so it must retain what it
/// still needs.
package final class Budget {
  /// Steps between two readings of the clock, each of some ten nanoseconds.
  package static let stepsPerLook = 512

  /// Steps until the next reading of the clock.
  @usableFromInline var left = Budget.stepsPerLook
  /// Steps between two readings in this turn.
  private var stepsPerLook = Budget.stepsPerLook
  /// The end of this turn, by the clock.
  private var deadline = Int64.max
  /// Whether the computation is cancelled.
  var isStopped = false
  /// The suspended computation.
  var suspended: UnsafeContinuation<Void, Never>?
  private let clock: () -> Int64

  init(clock: @escaping () -> Int64) { self.clock = clock }

  /// Starts a turn.
  func begin(until deadline: Int64, stepsPerLook: Int) {
    (self.deadline, self.stepsPerLook, left) = (deadline, stepsPerLook, stepsPerLook)
  }

  /// Counts steps of some ten nanoseconds each, such as names read; suspends when the time is up.
  ///
  /// - Throws: ``Stopped`` if nobody waits for the result any more.
  /// - Complexity: O(1); one subtraction for most calls.
  @inlinable
  @inline(__always)
  package func check(_ steps: Int = 1) async throws(Stopped) {
    left &-= steps
    if left <= 0 { try await look() }
  }

  /// Reads the clock, and suspends if the time is up.
  @usableFromInline
  @inline(never)
  func look() async throws(Stopped) {
    if isStopped || clock() >= deadline { try await pause() }
    left = stepsPerLook
  }

  /// Suspends until the next turn.
  ///
  /// - Throws: ``Stopped`` if nobody waits for the result any more.
  package func pause() async throws(Stopped) {
    if !isStopped { await withUnsafeContinuation { suspended = $0 } }
    if isStopped { throw Stopped() }
  }
}

/// The computation is cancelled because nobody waits for its result any more.
package struct Stopped: Error {
  @usableFromInline init() {}
}
