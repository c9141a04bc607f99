import Glibc

/// Runs `body` on a new, detached thread; `false` if the system cannot create one.
///
/// Blocking work is rare, so one thread per job is simpler than a pool; downloads would block Swift's own pool, which
/// has one thread per core.
package func startDetachedThread(_ body: @escaping @Sendable () -> Void) -> Bool {
  let box = Unmanaged.passRetained(ThreadBody(body))
  var thread = pthread_t()
  let result = pthread_create(
    &thread, nil,
    { context in
      if let context { Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run() }
      return nil
    }, box.toOpaque())
  guard result == 0 else {
    box.release()
    return false
  }
  pthread_detach(thread)
  return true
}

private final class ThreadBody {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// A counting semaphore (sem_overview(7)): one thread waits until another signals.
///
/// `Sendable` because its only property is the address of a semaphore, whose functions are thread-safe.
package final class Semaphore: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  /// A semaphore on which `value` waits end at once, and every other one at a signal.
  package init(_ value: Int = 0) { sem_init(semaphore, 0, UInt32(value)) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Lets one waiting thread continue, or the next one that waits.
  package func signal() { sem_post(semaphore) }

  /// Waits for a signal.
  package func wait() { while sem_wait(semaphore) != 0, errno == EINTR {} }
}
