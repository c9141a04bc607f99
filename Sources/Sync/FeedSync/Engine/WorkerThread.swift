import Glibc

/// A thread for one piece of blocking work.
///
/// Feeds are few and rare, so a thread each is simpler than a pool; and Swift's own pool has as many threads as the
/// machine has cores, which downloads would block.
enum WorkerThread {
  /// Runs `body` on a new, detached thread; `false` if the system has none left.
  ///
  /// It never runs on the caller's thread, which may be a service's loop: a download there would hang the service.
  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
        return nil
      }, box.toOpaque())
    guard result == 0 else {
      box.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  private final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}

/// A gate that one thread waits at until another opens it.
final class Gate: @unchecked Sendable {
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() { sem_init(semaphore, 0, 0) }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func open() { sem_post(semaphore) }

  func wait() { while sem_wait(semaphore) != 0, errno == EINTR {} }
}
