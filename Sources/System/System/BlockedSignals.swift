import CLinux
import Glibc

/// Signals that are read from a descriptor instead of interrupting the process (signalfd(2)).
package enum BlockedSignals {
  /// Blocks `signals` for this thread and those it starts.
  package static func block(_ signals: [Int32]) { change(signals, SIG_BLOCK) }

  /// Unblocks `signals` for this thread.
  package static func unblock(_ signals: [Int32]) { change(signals, SIG_UNBLOCK) }

  /// A non-blocking descriptor for reading `signals`, which must be blocked.
  ///
  /// - Throws: ``SystemError``.
  package static func descriptor(of signals: [Int32]) throws(SystemError) -> Int32 {
    var set = set(of: signals)
    let descriptor = linux_signal_descriptor(&set)
    guard descriptor >= 0 else { throw SystemError("signalfd", result: descriptor) }
    return descriptor
  }

  /// The next pending signal; `nil` if there is none.
  package static func next(_ descriptor: Int32) -> Int32? {
    let signal = linux_next_signal(descriptor)
    return signal > 0 ? signal : nil
  }

  private static func change(_ signals: [Int32], _ how: Int32) {
    var set = set(of: signals)
    pthread_sigmask(how, &set, nil)
  }

  private static func set(of signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
