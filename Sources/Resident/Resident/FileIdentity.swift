import Base
import Glibc

/// Which file is at a path, and in which state: another inode, size, time of modification or of status is another one.
package struct FileIdentity: Equatable, Sendable {
  /// Nanoseconds within which two changes may have the same time: Linux counts file times in ticks of 10 ms at most.
  package static let tick: Int64 = 20_000_000
  /// Nanoseconds for which a file that is open for writing must be unchanged: one write(2) may last this long.
  package static let writeTime: Int64 = 1_000_000_000

  private let device: dev_t
  private let inode: ino_t
  private let links: nlink_t
  private let size: off_t
  private let modified: Int
  /// The status change time too: it changes with every write, also where the time of modification is set back
  /// afterwards.
  private let changed: Int

  /// Looks at `path`; nil if nothing is there, or it cannot be seen.
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

  /// When the content was last written, in seconds since 1970-01-01T00:00:00Z.
  package var secondsModified: Int64 { Int64(modified).flooredDivision(by: 1_000_000_000).quotient }

  /// Whether size and time of modification are those of `earlier`, a state of the same file.
  ///
  /// Both change before the first byte does. A program can set the time back, which changes the status change time.
  package func hasContent(of earlier: FileIdentity) -> Bool { size == earlier.size && modified == earlier.modified }

  /// Whether all that happened to the file since `earlier` is that it lost or got a name, as by rename(2) over it.
  package func differsInNames(from earlier: FileIdentity) -> Bool {
    hasContent(of: earlier) && links != earlier.links
  }

  /// Whether the file has changed less than `nanoseconds` before `now`, seconds since 1970 in nanoseconds, or after it.
  ///
  /// File times advance in steps of a few milliseconds: a second change within a step leaves them as they are. A time
  /// that is farther ahead was made before the clock was set back, and differs from that of any change now.
  package func isFresh(at now: Int64, within nanoseconds: Int64) -> Bool {
    (now - Int64(changed)).magnitude < nanoseconds
  }
}

private func nanoseconds(_ time: timespec) -> Int { time.tv_sec &* 1_000_000_000 &+ time.tv_nsec }
