import Glibc
import Resident

/// A lock on the state folder that ends with its object or its process (flock(2)).
///
/// The journal's is held for the moment in which it is changed, a subject's while its resident file is made. The file it
/// lies on stays there, empty; root hands it to the folder's owner, as everything else.
final class FolderLock {
  /// The name of the journal's lock in the state folder.
  static let journal = ".feeds.lock"

  private let descriptor: Int32

  /// Waits until nobody else holds the lock that lies on the file `name`.
  init(_ state: StateFolder, name: String) throws(FileError) {
    let path = "\(state.path)/\(name)"
    descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError(path: path, call: "open") }
    try handToOwner(of: state.path, path)
    var result: Int32 = 0
    repeat { result = flock(descriptor, LOCK_EX) } while result != 0 && errno == EINTR
    guard result == 0 else { throw FileError(path: path, call: "flock") }
  }

  deinit { close(descriptor) }

  private func handToOwner(of folder: String, _ path: String) throws(FileError) {
    var status = stat()
    guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return }
    guard fchown(descriptor, status.st_uid, status.st_gid) == 0 else { throw FileError(path: path, call: "fchown") }
  }
}
