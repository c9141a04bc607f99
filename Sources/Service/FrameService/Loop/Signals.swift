import CLinux
import Glibc
package import System

/// Signals as events of the loop (signalfd(2)).
package final class Signals: EventSource {
  private let descriptor: Int32
  private let action: (Int32) -> Void

  /// The signals that a service handles: stop, stop, reload.
  package static let service: [Int32] = [SIGTERM, SIGINT, SIGHUP]

  /// Blocks the service's signals for this thread and those it starts, and ignores SIGPIPE.
  ///
  /// Must be called before the first thread starts: a signal must not find a thread that does not block it.
  package static func block() {
    linux_ignore_broken_pipes()
    BlockedSignals.block(service)
  }

  /// Calls `action` on the loop thread for each of `signals` that arrives; they must be blocked.
  package init(
    _ loop: EventLoop, _ signals: [Int32] = Signals.service, _ action: @escaping (Int32) -> Void
  ) throws(SystemError) {
    descriptor = try BlockedSignals.descriptor(of: signals)
    self.action = action
    _ = try loop.add(self, descriptor, interest: linux_readable)
  }

  deinit { close(descriptor) }

  package func ready(_ events: UInt32) {
    while let signal = BlockedSignals.next(descriptor) { action(signal) }
  }
}
