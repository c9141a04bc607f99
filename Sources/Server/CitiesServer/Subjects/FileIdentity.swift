import Glibc

/// Which file stands at a path: another inode, time or size is another file, as resident files are replaced and never
/// changed.
struct FileIdentity: Equatable, Sendable {
  private let device: dev_t
  private let inode: ino_t
  private let size: off_t
  private let seconds: Int
  private let nanoseconds: Int
  private let changed: Int

  /// Looks at `path`; nil if nothing is there, or it cannot be seen.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
    (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    // The status change time too: a file that was unreadable and no longer is deserves another look.
    changed = status.st_ctim.tv_sec &* 1_000_000_000 &+ status.st_ctim.tv_nsec
  }
}
