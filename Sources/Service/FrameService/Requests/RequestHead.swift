import CBOR

/// The three values of a request, as slices of its frame.
struct RequestHead {
  /// Creates a head without values.
  init() {}

  /// The id; 0 until it is read.
  var id: UInt64 = 0
  /// The method's name.
  var method = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The parameters: one whole CBOR map.
  var params = UnsafeRawBufferPointer(start: nil, count: 0)

  /// Reads a request in place; values read before an error are kept, so that the id can be answered.
  ///
  /// - Throws: `.notDeterministic` for a request that may be acceptable after ``canonicalized(_:limits:)``; any other
  ///   error means that it is malformed.
  /// - Complexity: O(*n*) in the frame; allocates nothing unless it throws.
  mutating func read(_ payload: UnsafeRawBufferPointer, limits: CBORLimits) throws(CBORError) {
    var reader = CBORReader(payload, limits: limits.inside)
    var map = try reader.readMap()
    // The map is an item, and so is each key; the sum over all parts counts.
    var items = limits.items - 1
    while let key = try reader.nextKey(of: &map) {
      items -= 1
      if CBORReader.text(key, is: "id") {
        id = try reader.readUnsigned()
        items -= 1
        guard id > 0 else { throw CBORError(.refused("ids start at 1"), offset: reader.offset, path: "id") }
      } else if CBORReader.text(key, is: "method") {
        method = try reader.readText()
        items -= 1
      } else if CBORReader.text(key, is: "params") {
        guard try reader.peek() == .map else { throw reader.unexpected("map", path: "params") }
        let start = reader.offset
        try reader.skip(items: &items)
        params = UnsafeRawBufferPointer(rebasing: payload[start..<reader.offset])
      } else {
        try reader.skip(items: &items)
      }
    }
    guard items >= 0 else { throw CBORError(.limit("items"), offset: reader.offset) }
    try reader.finish()
    try checkComplete(at: reader.offset)
  }

  private func checkComplete(at offset: Int) throws(CBORError) {
    guard id > 0 else { throw CBORError(.missingKey("id"), offset: offset) }
    guard method.baseAddress != nil else { throw CBORError(.missingKey("method"), offset: offset) }
    guard params.baseAddress != nil else { throw CBORError(.missingKey("params"), offset: offset) }
  }
}

// MARK: - The usual request

extension RequestHead {
  /// The size of the shortest payload that is tried.
  private static let shortestUsual = 32

  /// Reads the head of a request with exactly the three keys, in the form that every client of this project sends.
  ///
  /// Only the first byte of the parameters is read: they extend to the end of the payload, and their reader must read
  /// all of them. Any other form is refused, but may still be valid for ``read(_:limits:)``.
  ///
  ///     A3 62 "id" ID 66 "method" METHOD 66 "params" A…
  ///
  /// - Complexity: O(1): about 50 instructions (callgrind); reading it as arbitrary CBOR takes 2,000.
  @inline(__always)
  init?(usual payload: UnsafeRawBufferPointer) {
    guard payload.count >= Self.shortestUsual, let start = payload.baseAddress,
      start.load(bigEndian: UInt64.self) >> 32 == Literal.start
    else { return nil }
    var at = 5
    id = UInt64(start.load(fromByteOffset: 4, as: UInt8.self))
    if id &- 1 >= 23 {
      guard let wide = Self.wideID(start, &at) else { return nil }
      id = wide
    }
    // Eight bytes: the key, and the head of a short text, its length. The text is only compared with ASCII names, so
    // nothing else must be checked.
    let key = start.load(bigEndian: UInt64.self, at: at)
    let length = Int(key & 0xFF) &- 0x60
    at &+= 8
    guard key >> 8 == Literal.method, (0..<24).contains(length), at &+ length &+ 8 <= payload.count else { return nil }
    // Eight bytes: the key, and the first one of the parameters.
    let next = start.load(bigEndian: UInt64.self, at: at + length)
    guard next >> 8 == Literal.params, next >> 5 & 7 == CBORMajorType.map.rawValue else { return nil }
    method = UnsafeRawBufferPointer(start: start + at, count: length)
    at &+= length &+ 7
    params = UnsafeRawBufferPointer(start: start + at, count: payload.count &- at)
  }

  /// Whether the parameters are one map in deterministic encoding that fills its slice; `limits` are those of the
  /// request.
  func hasAcceptableParams(_ limits: CBORLimits) -> Bool {
    var reader = CBORReader(params, limits: limits.inside)
    return (try? reader.skip()) != nil && reader.isAtEnd
  }

  /// Keys with their heads, most significant byte first.
  private enum Literal {
    /// A map of three pairs, and the key "id".
    static var start: UInt64 { 0xA362_6964 }
    /// The key "method".
    static var method: UInt64 { 0x66_6D65_7468_6F64 }
    /// The key "params".
    static var params: UInt64 { 0x66_7061_7261_6D73 }
  }

  /// The id whose head is the fifth byte, with the offset after it; `nil` unless it is in its shortest form.
  private static func wideID(_ start: UnsafeRawPointer, _ offset: inout Int) -> UInt64? {
    let head = start.load(fromByteOffset: 4, as: UInt8.self)
    guard (24..<28).contains(head) else { return nil }
    let width = 1 << Int(head - 24)
    let id = start.load(bigEndian: UInt64.self, at: 5) >> UInt64(64 - 8 * width)
    offset = 5 + width
    let belowWidth = width == 1 ? 23 : (UInt64(1) << UInt64(4 * width)) - 1
    return id > belowWidth ? id : nil
  }
}

extension CBORReader {
  /// The error for a next item that is not of the kind expected at `path`.
  fileprivate func unexpected(_ expected: String, path: String) -> CBORError {
    let found = (try? peek()).map { "\($0)" } ?? "nothing"
    return CBORError(.mismatch(expected: expected, found: found), offset: offset, path: path)
  }
}

extension CBORLimits {
  /// The remaining limits for the parts of a map or an array.
  var inside: CBORLimits { CBORLimits(depth: depth - 1, items: items) }
}
