extension CBORReader {
  /// Skips the next item with everything in it, and checks all of that.
  ///
  /// - Throws: `.limit` beyond ``limits``, and what reading its parts would throw.
  /// - Complexity: O(*n*) in its bytes; recursion goes as deep as ``limits`` allow.
  public mutating func skip() throws(CBORError) {
    var items = limits.items
    try skip(depth: limits.depth, items: &items)
  }

  /// Skips the next item and gives its encoding as a slice of ``bytes``.
  ///
  /// - Throws: as ``skip()``.
  public mutating func readItem() throws(CBORError) -> UnsafeRawBufferPointer {
    let start = offset
    try skip()
    return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
  }

  private mutating func skip(depth: Int, items: inout Int) throws(CBORError) {
    guard items > 0 else { throw CBORError(.limit("items"), offset: offset) }
    items -= 1
    switch try peek() {
    case .unsigned, .negative: _ = try readHead()
    case .bytes: _ = try readBytes()
    case .text: _ = try readText()
    case .simple: try skipSimple()
    case .array, .map, .tag:
      guard depth > 0 else { throw CBORError(.limit("depth"), offset: offset) }
      try skipContainer(depth: depth - 1, items: &items)
    }
  }

  private mutating func skipContainer(depth: Int, items: inout Int) throws(CBORError) {
    switch try peek() {
    case .array:
      let count = try readArray()
      for _ in 0..<count { try skip(depth: depth, items: &items) }
    case .map:
      var map = try readMap()
      while map.remaining > 0 {
        map.remaining -= 1
        let start = offset
        try skip(depth: depth, items: &items)
        _ = try advance(&map, over: start)
        try skip(depth: depth, items: &items)
      }
    default:
      let tag = try readTag()
      try checkBignum(tag)
      try skip(depth: depth, items: &items)
    }
  }

  /// Refuses a bignum that has a leading zero or fits a plain integer: not its shortest form (RFC 8949 §3.4.3).
  private func checkBignum(_ tag: UInt64) throws(CBORError) {
    guard tag == CBORWriter.unsignedBignum || tag == CBORWriter.negativeBignum, try peek() == .bytes else { return }
    var ahead = self
    let content = try ahead.readBytes()
    guard content.count > 8, content[0] != 0 else { throw CBORError(.notDeterministic, offset: offset) }
  }

  /// Whether the next item is a tag that is, or may be, a bignum in other than its shortest form.
  var isLongBignum: Bool {
    var ahead = self
    do throws(CBORError) {
      let tag = try ahead.readTag()
      try ahead.checkBignum(tag)
      return false
    } catch {
      return error.kind == .notDeterministic
    }
  }

  private mutating func skipSimple() throws(CBORError) {
    let start = offset
    let head = try readHead()
    if (25...27).contains(head.info) { _ = try head.shortestFloat(at: start) }
  }
}
