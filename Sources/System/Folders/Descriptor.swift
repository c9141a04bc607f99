package import Glibc
package import System

/// A descriptor that is closed with its object.
package final class Descriptor: Sendable {
  /// The number; valid as long as the object lives.
  package let number: Int32

  /// Opens `path`, relative to the folder `base`.
  init(_ path: String, at base: Int32, _ flags: Int32, mode: mode_t = 0) throws(SystemError) {
    number = unsafe openat(base, path, flags | O_CLOEXEC, mode)
    guard number >= 0 else { throw SystemError("open", path) }
  }

  /// Takes over an open descriptor.
  package init(taking number: Int32) { self.number = number }

  deinit { close(number) }

  /// The state of the file (fstat(2)); `path` is for the error.
  package func status(_ path: String) throws(SystemError) -> stat {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { throw SystemError("fstat", path) }
    return status
  }

  /// The names in the folder at `path`, unsorted.
  ///
  /// - Throws: ``SystemError`` if it cannot be opened.
  /// - Complexity: O(n) in the entries of the folder.
  package static func names(in path: String) throws(SystemError) -> [String] {
    try Descriptor(path, at: AT_FDCWD, O_RDONLY | O_DIRECTORY).names
  }

  /// The names in a folder, unsorted; none if it cannot be read.
  ///
  /// - Complexity: O(n) in the entries of the folder.
  var names: [String] {
    // Needs its own descriptor: the stream closes it and moves its position.
    let own = unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0, let stream = unsafe fdopendir(own) else {
      if own >= 0 { close(own) }
      return []
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      unsafe names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          unsafe $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { unsafe String(cString: $0) }
        })
    }
    return names
  }
}
