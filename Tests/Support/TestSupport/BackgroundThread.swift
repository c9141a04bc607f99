import Glibc

/// A thread that runs one closure and can be waited for.
///
/// It is `Sendable` because the thread itself does not use it, and only one test waits for its end.
package final class BackgroundThread: @unchecked Sendable {
  private var thread = pthread_t()
  private var isJoined = false

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts `run`.
  package init(_ run: @escaping @Sendable () -> Void) {
    let body = Unmanaged.passRetained(Body(run))
    let result = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, body.toOpaque())
    precondition(result == 0, "no thread: \(result)")
  }

  /// Waits for its end.
  package func join() {
    guard !isJoined else { return }
    isJoined = true
    pthread_join(thread, nil)
  }
}
