import Glibc
import Synchronization

/// A value that several threads may use.
package final class Box<Value: Sendable>: Sendable {
  private let storage: Mutex<Value>

  /// Holds `value` at first.
  package init(_ value: Value) { storage = Mutex(value) }

  /// The value.
  package var value: Value {
    get { storage.withLock { $0 } }
    set { storage.withLock { $0 = newValue } }
  }

  /// Changes the value in one step.
  package func change(_ body: (inout sending Value) -> Void) { storage.withLock { body(&$0) } }
}

extension Box {
  /// Waits until there is a value.
  ///
  /// The process ends if none comes within a minute: the test cannot go on, and a wait without end would name no test.
  package func wait<Wrapped: Sendable>() -> Wrapped where Value == Wrapped? {
    _ = eventually { value != nil }
    guard let value else { preconditionFailure("no \(Wrapped.self) within a minute") }
    return value
  }
}

/// Waits until `condition` holds, at most a minute: on a busy machine a thread may not run for seconds.
package func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
  let end = ContinuousClock.now + .seconds(60)
  var pause: UInt32 = 100
  while try !condition() {
    guard ContinuousClock.now < end else { return false }
    usleep(pause)
    pause = min(2 * pause, 10_000)
  }
  return true
}

/// Waits until nobody has the file at `path` open for writing, as a read lease shows (fcntl(2), F_SETLEASE).
///
/// A process that another test starts holds a copy of every descriptor until it executes its program, and so the file
/// may have a writer for a moment after its writer has closed it.
///
/// - Returns: Whether that came true within a minute; true, too, where no lease is given.
@discardableResult
package func waitUntilUnwritten(_ path: String) -> Bool {
  // Glibc declares them for GNU programs only.
  let (setLease, setSignal): (Int32, Int32) = (1_024, 10)
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return true }
  defer { close(descriptor) }
  // The usual signal to the holder of a lease, SIGIO, would end the process.
  _ = fcntl(descriptor, setSignal, SIGURG)
  return eventually {
    guard fcntl(descriptor, setLease, F_RDLCK) == 0 else { return errno != EAGAIN }
    _ = fcntl(descriptor, setLease, F_UNLCK)
    return true
  }
}
