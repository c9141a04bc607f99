import Glibc

/// Handlers by method name: a handful, compared by their first bytes, then as a whole.
struct HandlerTable: ~Copyable {
  private struct Entry {
    /// The name's first eight bytes, zeros behind a shorter one.
    let start: UInt64
    /// The whole name.
    let name: UnsafeRawBufferPointer
    let handler: any RequestHandler
  }

  // In memory of their own, names too: an array's would be retained and released for every request.
  private let entries: UnsafeMutableBufferPointer<Entry>

  /// Takes the handlers; the first of a name wins.
  ///
  /// Frequent ones should come first.
  init(_ handlers: [any RequestHandler]) {
    entries = .allocate(capacity: handlers.count)
    _ = entries.initialize(
      from: handlers.map { handler in
        let name = UnsafeMutableRawBufferPointer.allocate(byteCount: handler.method.utf8.count, alignment: 1)
        name.copyBytes(from: handler.method.utf8)
        return Entry(
          start: firstBytes(UnsafeRawBufferPointer(name)), name: UnsafeRawBufferPointer(name), handler: handler)
      })
  }

  deinit {
    for entry in entries { entry.name.deallocate() }
    entries.deinitialize()
    entries.deallocate()
  }

  /// The handler for `method`.
  ///
  /// - Complexity: O(handlers), no allocation.
  func find(_ method: UnsafeRawBufferPointer) -> (any RequestHandler)? {
    let start = firstBytes(method)
    for index in 0..<entries.count where entries[index].start == start {
      if hasEqualBytes(entries[index].name, method) { return entries[index].handler }
    }
    return nil
  }
}

/// Up to eight bytes as a number, zeros behind fewer.
private func firstBytes(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
  if bytes.count >= 8 { return bytes.loadUnaligned(as: UInt64.self) }
  var word: UInt64 = 0
  for index in 0..<bytes.count { word |= UInt64(bytes[index]) << UInt64(8 * index) }
  return word
}

private func hasEqualBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  guard let a = left.baseAddress, let b = right.baseAddress else { return left.count == right.count }
  return left.count == right.count && memcmp(a, b, left.count) == 0
}
