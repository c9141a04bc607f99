import CLinux
import Glibc
package import System

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
    block(service)
  }

  /// Blocks `signals` for this thread and those it starts.
  package static func block(_ signals: [Int32]) {
    var set = set(of: signals)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Calls `action` on the loop's thread with each of `signals` that arrives; they must be blocked.
  package init(
    _ loop: EventLoop, _ signals: [Int32] = Signals.service, _ action: @escaping (Int32) -> Void
  ) throws(SystemError) {
    var set = Self.set(of: signals)
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
