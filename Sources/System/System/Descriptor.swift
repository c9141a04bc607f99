package import Glibc

/// A descriptor that is closed with its object.
package final class Descriptor: Sendable {
  /// The number; valid as long as the object lives.
  package let number: Int32

  /// Opens `path`, relative to the folder `base`.
  init(_ path: String, at base: Int32, _ flags: Int32, mode: mode_t = 0) throws(SystemError) {
    number = openat(base, path, flags | O_CLOEXEC, mode)
    guard number >= 0 else { throw SystemError("open", path) }
  }

  /// Takes over an open descriptor.
  package init(taking number: Int32) { self.number = number }

  deinit { close(number) }

  /// The state of the file (fstat(2)); `path` is for the error.
  package func status(_ path: String) throws(SystemError) -> stat {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw SystemError("fstat", path) }
    return status
  }

  /// The names in a folder, without order; none if it cannot be read.
  ///
  /// - Complexity: O(n) in the entries of the folder.
  var names: [String] {
    // A stream of its own, as it closes its descriptor and moves the place to read from.
    let own = openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0, let stream = fdopendir(own) else {
      if own >= 0 { close(own) }
      return []
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
        })
    }
    return names
  }
}

/// Writes all of `bytes`, however often the system takes only a part.
///
/// Interrupted calls are repeated, and a terminal or pipe that another program has made non-blocking is waited for.
///
/// - Returns: 0, or the error number of the call that failed, such as `ENOSPC` on a full disk.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
    if count > 0 {
      rest = rest.dropFirst(count)
    } else if count == 0 {
      return EIO
    } else if errno == EAGAIN {
      waitUntilReady(descriptor, for: POLLOUT)
    } else if errno != EINTR {
      return errno
    }
  }
  return 0
}

/// Writes all of `bytes`; see ``writeAll(_:to:)-(UnsafeRawBufferPointer,_)``.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
  bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
}

/// Writes `text` by one write(2), so that lines of several threads or programs do not mix; what is not taken is lost.
///
/// For logs and progress on standard error, where there is no better place to report a failure.
package func writeOnce(_ text: String, to descriptor: Int32) {
  var text = text
  text.withUTF8 { bytes in
    while write(descriptor, bytes.baseAddress, bytes.count) < 0, errno == EINTR {}
  }
}

/// Reads from `descriptor` to its end, but no more than `limit` bytes and one, which shows that there are more.
///
/// - Parameters:
///   - descriptor: Where to read.
///   - path: The name in errors.
///   - limit: Bytes that are accepted; a longer result means that there are more.
///   - size: Bytes that are expected, 0 if that is unknown, as for a pipe.
/// - Returns: the bytes, at most one more than `limit`.
/// - Throws: ``SystemError`` if read(2) fails.
/// - Complexity: O(n) in the bytes read, and no more memory than twice that and 256 KB.
package func readAll(
  _ descriptor: Int32, _ path: String, limit: Int, expecting size: Int = 0
) throws(SystemError) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(min(size, limit) + 1)
  // Memory that is not filled with zeros before, as an array would be.
  let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: min(256 << 10, limit + 1), alignment: 16)
  defer { chunk.deallocate() }
  while bytes.count <= limit {
    let count = read(descriptor, chunk.baseAddress, min(chunk.count, limit + 1 - bytes.count))
    if count == 0 { break }
    if count > 0 {
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[..<count]))
    } else if errno != EINTR {
      throw SystemError("read", path)
    }
  }
  return bytes
}

/// Waits until `descriptor` is ready for `events` of poll(2).
package func waitUntilReady(_ descriptor: Int32, for events: Int32) {
  var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
  _ = poll(&entry, 1, -1)
}
