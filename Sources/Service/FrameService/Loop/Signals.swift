import CLinux
import Glibc
import System

/// Signals as events of the loop (signalfd(2)).
package final class Signals: EventSource {
  private let descriptor: Int32
  private let action: (Int32) -> Void

  /// The signals a service answers: stop, stop, reload.
  package static let service: [Int32] = [SIGTERM, SIGINT, SIGHUP]

  /// Blocks the service's signals for this thread and those it starts, and ignores SIGPIPE.
  ///
  /// To be called before the first thread exists: a signal must find no thread that takes it the old way.
  package static func block() {
    linux_ignore_broken_pipes()
    var set = set(of: service)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Calls `action` on the loop's thread with each signal that arrives.
  init(_ loop: EventLoop, _ action: @escaping (Int32) -> Void) throws(SystemError) {
    var set = Self.set(of: Self.service)
    descriptor = linux_signal_descriptor(&set)
    self.action = action
    guard descriptor >= 0 else { throw SystemError("signalfd", result: descriptor) }
    _ = try loop.add(self, descriptor, interest: linux_readable)
  }

  deinit { close(descriptor) }

  package func ready(_ events: UInt32) {
    while case let signal = linux_next_signal(descriptor), signal > 0 { action(signal) }
  }

  private static func set(of signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
