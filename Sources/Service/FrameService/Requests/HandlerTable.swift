import Glibc

/// Handlers by method name: a handful, compared by length and bytes.
struct HandlerTable {
  private struct Entry {
    let name: [UInt8]
    let handler: any RequestHandler
  }

  private let entries: [Entry]

  /// Takes the handlers; the first of a name wins.
  ///
  /// Frequent ones should come first.
  init(_ handlers: [any RequestHandler]) {
    entries = handlers.map { Entry(name: Array($0.method.utf8), handler: $0) }
  }

  /// The handler for `method`.
  ///
  /// - Complexity: O(handlers), no allocation.
  func find(_ method: UnsafeRawBufferPointer) -> (any RequestHandler)? {
    for index in entries.indices where entries[index].name.count == method.count {
      if entries[index].name.withUnsafeBytes({ hasEqualBytes($0, method) }) { return entries[index].handler }
    }
    return nil
  }
}

private func hasEqualBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  guard let a = left.baseAddress, let b = right.baseAddress else { return left.count == right.count }
  return left.count == right.count && memcmp(a, b, left.count) == 0
}
