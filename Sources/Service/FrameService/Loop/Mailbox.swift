import CLinux
import Glibc
import Synchronization
import System

/// Where other threads leave work for a loop; an eventfd(2) wakes it.
package final class Mailbox: Sendable {
  /// Work that is handed the loop, on the loop's thread.
  package typealias Message = @Sendable (EventLoop) -> Void

  let descriptor: Int32
  private let messages = Mutex<[Message]>([])

  init() throws(SystemError) {
    descriptor = linux_wake_descriptor()
    guard descriptor >= 0 else { throw SystemError("eventfd", result: descriptor) }
  }

  deinit { close(descriptor) }

  /// Leaves `message`; may be called from any thread.
  package func post(_ message: @escaping Message) {
    messages.withLock { $0.append(message) }
    linux_wake(descriptor)
  }

  /// Runs what was left, in the order in which it came.
  func deliver(to loop: EventLoop) {
    // Cleared first: a message that comes after the exchange wakes the loop again.
    linux_clear_wakes(descriptor)
    let waiting = messages.withLock { waiting in
      let taken = waiting
      waiting = []
      return taken
    }
    for message in waiting { message(loop) }
  }
}
