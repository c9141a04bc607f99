package import Folders
import Glibc
import Resident
import System

/// An external file, read whole: never mapped, because another user may change it, and limited in size.
package struct SourceFile: Sendable {
  /// Most bytes of a source, packed or unpacked: about five million cities.
  package static let maximumBytes = 512 << 20

  /// The bytes of the file.
  package var bytes: [UInt8]
  /// XXH64 of ``bytes``: sources with equal digests count as equal.
  package var digest: UInt64

  /// Wraps bytes in memory.
  package init(bytes: [UInt8]) {
    self.bytes = bytes
    digest = bytes.withUnsafeBytes { XXH64.hash(of: $0) }
  }

  /// Reads the file at `path`, `-` for standard input.
  ///
  /// A service requires a regular file, because a pipe could block it forever; a shell command does not.
  ///
  /// - Throws: ``FeedError`` with the path, also above `limit` bytes.
  package init(path: String, regularOnly: Bool, limit: Int = Self.maximumBytes) throws(FeedError) {
    let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (regularOnly ? O_NONBLOCK : 0)
    let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, flags)
    guard descriptor >= 0 else { throw FeedError(SystemError("open", path)) }
    try self.init(Descriptor(taking: descriptor), path: path, regularOnly: regularOnly, limit: limit)
  }

  /// The fault of a path that is not a regular file.
  static func notRegular(_ path: String) -> String {
    "\(path): expected a regular file, found a folder, pipe, socket or device"
  }

  /// Reads an open file from its start; errors name it `path`.
  ///
  /// - Throws: as ``init(path:regularOnly:limit:)``.
  package init(
    _ file: Descriptor, path: String, regularOnly: Bool = true, limit: Int = Self.maximumBytes
  ) throws(FeedError) {
    let descriptor = file.number
    defer { withExtendedLifetime(file) {} }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FeedError(SystemError("fstat", path)) }
    guard !regularOnly || status.st_mode & S_IFMT == S_IFREG else {
      throw FeedError(.badData, Self.notRegular(path))
    }
    let size = Int(status.st_size)
    let bytes = try FeedError.converting { () throws(SystemError) in
      try readAll(descriptor, path, limit: limit, expecting: size)
    }
    guard bytes.count <= limit else {
      throw FeedError(.badData, "\(path): larger than the \(limit) bytes that are accepted")
    }
    self.init(bytes: bytes)
  }
}
