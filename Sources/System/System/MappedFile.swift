import Glibc

/// A file mapped into memory, so that only accessed pages are read.
///
/// The file must only be replaced by rename(2), never truncated: reading beyond its end would kill the process.
///
/// `Sendable` because its properties are constants, and the mapping is read-only.
package final class MappedFile: @unchecked Sendable {
  /// Its bytes, valid while the object lives.
  package let bytes: UnsafeRawBufferPointer

  /// Maps the file at `path`; `nil` if it is missing, empty, unreadable or not a regular file.
  package convenience init?(path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return nil }
    try? self.init(descriptor, path, size: Int(status.st_size))
  }

  /// Maps the first `size` bytes of an open file, which may be closed afterwards; errors name it `path`.
  ///
  /// - Throws: ``SystemError`` if mmap(2) fails.
  package init(_ descriptor: Int32, _ path: String = "", size: Int) throws(SystemError) {
    let start = size > 0 ? mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0) : nil
    guard start != MAP_FAILED else { throw SystemError("mmap", path) }
    bytes = UnsafeRawBufferPointer(start: start, count: size)
  }

  deinit { if let start = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: start), bytes.count) } }
}
