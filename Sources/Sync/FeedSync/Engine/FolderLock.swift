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

  /// Waits until nobody else holds the lock that lies on the file `name`.
  init(_ state: OpenFolder, name: String) throws(FileError) {
    file = try state.lockFile(name)
    var result: Int32 = 0
    repeat { result = flock(file.number, LOCK_EX) } while result != 0 && errno == EINTR
    guard result == 0 else { throw FileError(path: "\(state.path)/\(name)", call: "flock") }
  }
}
