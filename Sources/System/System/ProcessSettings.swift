import CLinux
import Glibc

/// What a program sets for its whole process before it does anything else.
///
/// ```swift
/// ProcessSettings.reportFileSizeLimit()
/// exit(Program.perform(arguments).rawValue)
/// ```
package enum ProcessSettings {
  /// Bytes of memory that are mapped on their own by ``returnLargeMemory()``, and more.
  private static let largeBytes: Int32 = 1 << 20

  /// Has writes beyond the limit on the size of files (`ulimit -f`) fail with `EFBIG`, as writes to a full disk fail.
  ///
  /// Unless SIGXFSZ is ignored, it ends the process before that reports anything, and its temporary files stay.
  package static func reportFileSizeLimit() { signal(SIGXFSZ, SIG_IGN) }

  /// Has arrays of a megabyte and more given back to the system as soon as they are freed.
  ///
  /// By default malloc(3) keeps them, up to 32 MB each, once one of that size was freed (mallopt(3),
  /// `M_MMAP_THRESHOLD`). An import, which makes and frees many, would hold 0.2 GB more for five million cities. A
  /// program that uses such arrays again and again is quicker without this.
  package static func returnLargeMemory() { linux_return_large_memory(largeBytes) }
}
