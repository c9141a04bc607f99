import Glibc

/// A file in memory, read as far as it is looked at.
///
/// The file must be replaced by rename(2) and never be truncated in place: reading beyond its end would end the
/// process.
///
/// It is `Sendable` because its properties are constants, and the mapping is only read.
package final class MappedFile: @unchecked Sendable {
  /// Its bytes, as long as the object lives.
  package let bytes: UnsafeRawBufferPointer

  /// Maps the file at `path`; `nil` if it is missing, empty, or not a regular file that may be read.
  package convenience init?(path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return nil }
    try? self.init(descriptor, path, size: Int(status.st_size))
  }

  /// Maps the first `size` bytes of a file that is open, and may be closed then; `path` is its name in errors.
  ///
  /// - Throws: ``SystemError`` if mmap(2) fails.
  package init(_ descriptor: Int32, _ path: String = "", size: Int) throws(SystemError) {
    let start = size > 0 ? mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0) : nil
    guard start != MAP_FAILED else { throw SystemError("mmap", path) }
    bytes = UnsafeRawBufferPointer(start: start, count: size)
  }

  deinit { if let start = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: start), bytes.count) } }
}
