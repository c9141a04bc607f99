import Glibc
import Resident

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
  /// Microseconds between two tries.
  private static let pause: UInt32 = 20_000

  /// Waits until nobody else holds the lock that lies on the file `name`.
  ///
  /// - Throws: ``FileError`` also if that takes too long: its holder hangs, or was stopped.
  init(_ state: OpenFolder, name: String) throws(FileError) {
    file = try state.lockFile(name)
    let deadline = monotonicMilliseconds() + Int64(Self.patience) * 1_000
    while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw FileError(path: "\(state.path)/\(name)", call: "flock")
      }
      guard monotonicMilliseconds() < deadline else {
        throw FileError(path: "\(state.path)/\(name)", call: "flock", code: EWOULDBLOCK)
      }
      usleep(Self.pause)
    }
  }
}
