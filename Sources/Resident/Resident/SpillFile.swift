import Glibc
import System

/// An unnamed temporary file for bytes that would otherwise fill memory; it disappears with the object or the process.
///
/// In `$TMPDIR` or /var/tmp, which is for larger temporary files (file-hierarchy(7)); /tmp is often in memory.
///
/// Its mapping is read only after the last byte is written.
///
/// `Sendable` because one thread writes it, and shares it only after the last byte.
final class SpillFile: @unchecked Sendable {
  /// Bytes per piece, after which their memory is released; a multiple of the page size.
  private static let pieceBytes = 4 << 20

  private let descriptor: Int32
  private var mapped: MappedFile?
  /// Bytes written.
  private var count = 0

  /// Makes an empty file; `nil` if there is no folder for it.
  init?() {
    let folder = ProcessEnvironment.variables["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/var/tmp"
    var path = Array("\(folder)/cities-XXXXXX".utf8CString)
    descriptor = mkstemp(&path)
    guard descriptor >= 0 else { return nil }
    unlink(path)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit { close(descriptor) }

  /// Appends `bytes` and returns their place; `nil` if the disk is full, after which nothing more can be appended.
  func append(_ bytes: [UInt8]) -> Range<Int>? {
    guard writeAll(bytes, to: descriptor) == 0 else { return nil }
    count += bytes.count
    return count - bytes.count..<count
  }

  /// Ends writing and maps the bytes.
  ///
  /// - Throws: ``SystemError`` if mmap(2) fails.
  func finish() throws(SystemError) { mapped = try MappedFile(descriptor, "a temporary file", size: count) }

  /// Calls `body` with the bytes of `range`, piece by piece.
  func forEachPiece<Failure: Error>(
    of range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    guard let bytes = mapped?.bytes else { return }
    var start = range.lowerBound
    while start < range.upperBound {
      // Pieces end at page boundaries, where memory can be released.
      let end = min((start / Self.pieceBytes + 1) * Self.pieceBytes, range.upperBound)
      try body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      let first = start / Self.pieceBytes * Self.pieceBytes
      madvise(UnsafeMutableRawPointer(mutating: bytes.baseAddress.map { $0 + first }), end - first, MADV_DONTNEED)
      start = end
    }
  }
}
