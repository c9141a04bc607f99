import Glibc

/// A regular file in memory, read as far as it is looked at.
///
/// The file must be replaced by rename(2) and never be truncated in place: reading beyond its end would end the
/// process.
///
/// It is `Sendable` because its properties are constants, and the mapping is only read.
package final class MappedFile: @unchecked Sendable {
  /// Its bytes, as long as the object lives.
  package let bytes: UnsafeRawBufferPointer

  /// Maps the file at `path`; `nil` if it is missing, empty, or not a regular file that may be read.
  package init?(path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
      let memory = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0), memory != MAP_FAILED
    else { return nil }
    bytes = UnsafeRawBufferPointer(start: memory, count: Int(status.st_size))
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}
