import Glibc

/// Reports which mutations were being tried when a process traps or hangs, on standard error.
///
/// Without it a trap would leave a stack, and no way to try that mutation again among millions.
enum LastMutation {
  private static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGXCPU]
  private static let slots = Mutations.Target.allCases.count * Mutations.partCount
  /// The index of the mutation that each part is at, or -1.
  nonisolated(unsafe) private static let current: UnsafeMutablePointer<Int> = {
    let current = UnsafeMutablePointer<Int>.allocate(capacity: slots)
    current.initialize(repeating: -1, count: slots)
    return current
  }()
  /// What handled the signals before.
  nonisolated(unsafe) private static let earlier: UnsafeMutablePointer<sigaction> = {
    let earlier = UnsafeMutablePointer<sigaction>.allocate(capacity: signals.count)
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { signal in LastMutation.report(signal) }
    for (index, signal) in signals.enumerated() { sigaction(signal, &action, earlier + index) }
    return earlier
  }()

  /// Begins to watch over the process; more than once is as good as once.
  static func watch() { _ = (current, earlier) }

  /// Notes what a part is at.
  static func note(_ part: Mutations, _ index: Int?) {
    let target = Mutations.Target.allCases.firstIndex(of: part.target) ?? 0
    current[target * Mutations.partCount + part.part] = index ?? -1
  }

  /// Writes a line for every part that is at work, then leaves the signal to who had it before.
  ///
  /// The process is lost already, so this may allocate, which a signal's handler otherwise must not.
  private static func report(_ signal: Int32) {
    if let index = signals.firstIndex(of: signal) { sigaction(signal, earlier + index, nil) }
    for slot in 0..<slots where current[slot] >= 0 {
      let target = Mutations.Target.allCases[slot / Mutations.partCount]
      let line = "died at CITIES_MUTATION=\(target)/\(slot % Mutations.partCount)/\(current[slot]), or another told\n"
      _ = line.utf8.withContiguousStorageIfAvailable { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
  }
}
