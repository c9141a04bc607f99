import Glibc
import Resident
import System

/// A lock on the state folder that ends with its object or its process (flock(2)).
///
/// The journal's is held for the moment in which it is changed, a subject's while its resident file is made. The file it
/// lies on stays there, empty.
final class FolderLock {
  /// The name of the journal's lock in the state folder.
  static let journal = ".feeds.lock"

  private let file: Descriptor

  /// Seconds that another process may hold a lock; making a resident file takes a few.
  private static let patience = 60
  /// Milliseconds between two tries.
  private static let pause: Int32 = 20

  /// Waits until nobody else holds the lock that lies on the file `name`.
  ///
  /// - Throws: ``SystemError`` also if that takes too long: its holder hangs, or was stopped.
  init(_ state: OpenFolder, name: String) throws(SystemError) {
    file = try state.lockFile(name)
    let deadline = MonotonicClock.milliseconds() + Int64(Self.patience) * 1_000
    while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw SystemError("flock", "\(state.path)/\(name)")
      }
      guard MonotonicClock.milliseconds() < deadline else {
        throw SystemError("flock", "\(state.path)/\(name)", code: EWOULDBLOCK)
      }
      MonotonicClock.pause(milliseconds: Self.pause)
    }
  }
}
