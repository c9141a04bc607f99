import CBOR

/// The three keys of a request, as slices of its frame.
struct RequestHead {
  /// A head of which nothing is read yet.
  init() {}

  /// The id; 0 until it was read.
  var id: UInt64 = 0
  /// The method's name.
  var method = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The parameters: one whole CBOR map.
  var params = UnsafeRawBufferPointer(start: nil, count: 0)

  /// Reads a request in place; what was read before an error stays, so that the id can be answered.
  ///
  /// - Throws: `.notDeterministic` for what may be acceptable after ``canonicalized(_:limits:)``; anything else is
  ///   malformed.
  /// - Complexity: O(*n*) in the frame; allocates nothing unless it throws.
  mutating func read(_ payload: UnsafeRawBufferPointer, limits: CBORLimits) throws(CBORError) {
    try readKeys(payload, limits.inside)
    // Every item takes a byte at least, so only a large request can hold too many: those of its parts are added up.
    guard payload.count > limits.items else { return }
    var whole = CBORReader(payload, limits: limits)
    try whole.skip()
  }

  private mutating func readKeys(_ payload: UnsafeRawBufferPointer, _ limits: CBORLimits) throws(CBORError) {
    var reader = CBORReader(payload, limits: limits)
    var map = try reader.readMap()
    while let key = try reader.nextKey(of: &map) {
      if CBORReader.text(key, is: "id") {
        id = try reader.readUnsigned()
        guard id > 0 else { throw CBORError(.refused("ids begin at 1"), offset: reader.offset, path: "id") }
      } else if CBORReader.text(key, is: "method") {
        method = try reader.readText()
      } else if CBORReader.text(key, is: "params") {
        guard try reader.peek() == .map else { throw reader.unexpected("map", path: "params") }
        params = try reader.readItem()
      } else {
        try reader.skip()
      }
    }
    try reader.finish()
    try checkComplete(at: reader.offset)
  }

  private func checkComplete(at offset: Int) throws(CBORError) {
    guard id > 0 else { throw CBORError(.missingKey("id"), offset: offset) }
    guard method.baseAddress != nil else { throw CBORError(.missingKey("method"), offset: offset) }
    guard params.baseAddress != nil else { throw CBORError(.missingKey("params"), offset: offset) }
  }
}

extension CBORReader {
  /// The error that the next item is not of the kind that `path` wants.
  fileprivate func unexpected(_ expected: String, path: String) -> CBORError {
    let found = (try? peek()).map { "\($0)" } ?? "nothing"
    return CBORError(.mismatch(expected: expected, found: found), offset: offset, path: path)
  }
}

extension CBORLimits {
  /// What is left of them for the parts of a map or an array.
  var inside: CBORLimits { CBORLimits(depth: depth - 1, items: items) }
}
