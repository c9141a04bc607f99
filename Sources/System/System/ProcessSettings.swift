import CLinux
import Glibc

/// Process-wide settings, which a program makes before anything else.
///
/// ```swift
/// ProcessSettings.reportFileSizeLimit()
/// exit(Program.perform(arguments).rawValue)
/// ```
package enum ProcessSettings {
  /// The smallest allocation, in bytes, that ``returnLargeMemory()`` affects.
  private static let largeBytes: Int32 = 1 << 20

  /// Makes writes beyond the file size limit (`ulimit -f`) fail with `EFBIG`, much like writes to a full disk.
  ///
  /// Otherwise SIGXFSZ ends the process without a message, and its temporary files stay.
  package static func reportFileSizeLimit() { signal(SIGXFSZ, SIG_IGN) }

  /// Returns arrays of a megabyte and more to the system as soon as they are freed.
  ///
  /// By default malloc(3) keeps such memory, up to 32 MB each, once one of that size has been freed (mallopt(3),
  /// `M_MMAP_THRESHOLD`). An import of five million cities would hold 0.2 GB more. A program that reuses such arrays is
  /// faster without this.
  package static func returnLargeMemory() { linux_return_large_memory(largeBytes) }

  /// Makes this process end with the thread of `parent` that has started it, and limits its private memory.
  ///
  /// - Throws: ``SystemError``, also if `parent` has ended already.
  package static func confine(to parent: Int32, memory: UInt64) throws(SystemError) {
    let result = linux_confine(parent, memory)
    guard result == 0 else { throw SystemError("prctl", result: result) }
  }
}
