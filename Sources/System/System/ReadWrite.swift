import Glibc

/// Writes all of `bytes`, despite partial writes.
///
/// Repeats interrupted calls, and waits for a terminal or pipe that another program has made non-blocking.
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

/// Writes `text` with a single write(2), so that lines of several threads or programs do not mix; an unwritten rest is
/// lost.
///
/// For logs and progress on standard error, where there is no better place to report a failure.
package func writeOnce(_ text: String, to descriptor: Int32) {
  var text = text
  text.withUTF8 { bytes in
    while write(descriptor, bytes.baseAddress, bytes.count) < 0, errno == EINTR {}
  }
}

/// Reads from `descriptor` to its end, but at most `limit` + 1 bytes: the extra byte shows that there are more.
///
/// - Parameters:
///   - descriptor: Where to read.
///   - path: The name in errors.
///   - limit: The most bytes accepted; a longer result means that there are more.
///   - size: The expected number of bytes; 0 if unknown, such as for a pipe.
/// - Returns: the bytes, at most one more than `limit`.
/// - Throws: ``SystemError`` if read(2) fails.
/// - Complexity: O(n) in the bytes read; memory at most twice that plus 256 KB.
package func readAll(
  _ descriptor: Int32, _ path: String, limit: Int, expecting size: Int = 0
) throws(SystemError) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(min(size, limit) + 1)
  // Uninitialized memory; an array would be filled with zeros first.
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
///
/// - Parameters:
///   - descriptor: A file, a pipe, a terminal or a socket.
///   - events: `POLLIN` or `POLLOUT`, or both.
///   - milliseconds: The longest wait: 0 only polls, and a negative number waits forever.
/// - Returns: whether it is ready; a signal may end the wait early.
@discardableResult
package func waitUntilReady(_ descriptor: Int32, for events: Int32, milliseconds: Int32 = -1) -> Bool {
  var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
  return poll(&entry, 1, milliseconds) > 0
}
