/// Handlers by method name: a handful, compared one after the other.
struct HandlerTable: ~Copyable {
  private struct Entry {
    let name: MethodName
    let handler: any RequestHandler
  }

  // In memory of its own: an array would be retained and released for every request.
  private let entries: UnsafeMutableBufferPointer<Entry>
  private let names: UnsafeMutableRawBufferPointer

  /// Takes the handlers; the first of a name wins.
  ///
  /// Frequent ones should come first.
  init(_ handlers: [any RequestHandler]) {
    entries = .allocate(capacity: handlers.count)
    names = .allocate(byteCount: handlers.reduce(0) { $0 + $1.method.utf8.count }, alignment: 1)
    var start = 0
    for (index, handler) in handlers.enumerated() {
      let name = UnsafeMutableRawBufferPointer(rebasing: names[start..<start + handler.method.utf8.count])
      name.copyBytes(from: handler.method.utf8)
      start += name.count
      entries.initializeElement(
        at: index, to: Entry(name: MethodName(UnsafeRawBufferPointer(name)), handler: handler))
    }
  }

  deinit {
    entries.deinitialize()
    entries.deallocate()
    names.deallocate()
  }

  /// The handler for `method`.
  ///
  /// - Complexity: O(handlers), no allocation.
  func find(_ method: UnsafeRawBufferPointer) -> (any RequestHandler)? {
    let method = MethodName(method)
    for index in 0..<entries.count where entries[index].name.isEqual(to: method) { return entries[index].handler }
    return nil
  }
}

/// A method's name in a form that is compared fast: up to 16 bytes are told apart by their first and their last eight.
private struct MethodName {
  private let bytes: UnsafeRawBufferPointer
  private let first: UInt64
  private let last: UInt64

  /// A view of `bytes`.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    if bytes.count >= 8 {
      first = bytes.loadUnaligned(as: UInt64.self)
      last = bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self)
    } else {
      first = bytes.reduce(0) { $0 << 8 | UInt64($1) }
      last = 0
    }
  }

  @inline(__always)
  func isEqual(to other: MethodName) -> Bool {
    guard first == other.first, last == other.last, bytes.count == other.bytes.count else { return false }
    return bytes.count <= 16 || bytes.elementsEqual(other.bytes)
  }
}
