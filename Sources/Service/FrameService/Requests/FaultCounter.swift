import CLinux

/// Says when memory that answers are made from was missing when it was read, such as that of a mapped file that somebody
/// shortened.
///
/// A handler of SIGBUS has put zeros in its place and counted that; what was made from the zeros must not be sent.
package struct FaultCounter {
  private let counter: UnsafePointer<UInt32>
  private var seen: UInt32

  /// Reads the number at `counter`, which is changed by signal handlers and outlives this value.
  package init(_ counter: UnsafePointer<UInt32>) {
    self.counter = counter
    seen = linux_load(counter)
  }

  /// Whether there was a fault since the last call of ``acknowledge()``.
  @inline(__always)
  var isRaised: Bool { linux_load(counter) != seen }

  /// Counts the faults so far as known.
  mutating func acknowledge() { seen = linux_load(counter) }
}
