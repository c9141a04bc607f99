import Glibc

/// Identifies a file and its state by device, inode, link count, size, modification time and status change time.
package struct FileIdentity: Equatable, Sendable {
  /// Nanoseconds within which two changes may have the same time: Linux advances file times in ticks of at most 10 ms.
  package static let tick: Int64 = 20_000_000
  /// Nanoseconds for which a file open for writing must be unchanged: a write(2) may last this long.
  package static let writeTime: Int64 = 1_000_000_000

  private let device: dev_t
  private let inode: ino_t
  private let links: nlink_t
  private let size: off_t
  private let modified: Int
  /// The status change time, which changes with every write, even if a program restores the modification time.
  private let changed: Int

  /// The identity of the file at `path`; nil if stat(2) fails.
  package init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The identity of an open file; nil if fstat(2) fails.
  package init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  init(_ status: stat) {
    (device, inode, links, size) = (status.st_dev, status.st_ino, status.st_nlink, status.st_size)
    modified = nanoseconds(status.st_mtim)
    changed = nanoseconds(status.st_ctim)
  }

  /// The modification time, in seconds since 1970-01-01T00:00:00Z.
  package var secondsModified: Int64 { Int64(modified).flooredDivision(by: 1_000_000_000).quotient }

  /// Whether size and modification time equal those of `earlier`, a state of the same file.
  ///
  /// The time changes before the first byte does. A program can restore it, but that changes the status change time.
  package func hasContent(of earlier: FileIdentity) -> Bool { size == earlier.size && modified == earlier.modified }

  /// Whether the file has only lost or gained a name since `earlier`, such as by a rename(2) over it.
  package func differsInNames(from earlier: FileIdentity) -> Bool {
    hasContent(of: earlier) && links != earlier.links
  }

  /// Whether the file has changed within `nanoseconds` before or after `now` (nanoseconds since 1970).
  ///
  /// File times advance in steps of a few milliseconds: a second change within a step does not alter them. A time
  /// further ahead predates a setting-back of the clock, so any new change will differ from it.
  package func isFresh(at now: Int64, within nanoseconds: Int64) -> Bool {
    (now - Int64(changed)).magnitude < nanoseconds
  }
}

private func nanoseconds(_ time: timespec) -> Int { time.tv_sec &* 1_000_000_000 &+ time.tv_nsec }
