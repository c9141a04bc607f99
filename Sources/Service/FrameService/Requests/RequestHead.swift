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
    // The request is the outermost of its maps.
    let inner = CBORLimits(depth: limits.depth - 1, items: limits.items)
    if let usual = try? RequestHead(usual: payload, inner) {
      self = usual
    } else {
      try readAny(payload, inner)
    }
    // Every item takes a byte at least, so only a large request can hold too many: those of its parts are added up.
    guard payload.count > limits.items else { return }
    var whole = CBORReader(payload, limits: limits)
    try whole.skip()
  }

  /// Reads a request that holds its three keys and no other: what every client of this project sends, at half the cost.
  ///
  /// - Throws: for anything else, which may still be a request.
  private init(usual payload: UnsafeRawBufferPointer, _ limits: CBORLimits) throws(CBORError) {
    var rest = payload
    // A map of three pairs; then each key behind its head, of which the first is "b" and the others are "f" in ASCII.
    try Self.take("\u{62}id", from: &rest, skipping: 1)
    guard payload[0] == 0xA3 else { throw CBORError(.notDeterministic, offset: 0) }
    var reader = CBORReader(rest, limits: limits)
    id = try reader.readUnsigned()
    rest = UnsafeRawBufferPointer(rebasing: rest[reader.offset...])
    try Self.take("\u{66}method", from: &rest)
    reader = CBORReader(rest, limits: limits)
    method = try reader.readText()
    rest = UnsafeRawBufferPointer(rebasing: rest[reader.offset...])
    try Self.take("\u{66}params", from: &rest)
    reader = CBORReader(rest, limits: limits)
    params = try reader.readItem()
    try reader.finish()
    guard id > 0, rest[0] >> 5 == CBORMajorType.map.rawValue else { throw CBORError(.notDeterministic, offset: 0) }
  }

  /// Takes `expected` from the front of `rest`, behind `skipped` bytes.
  private static func take(
    _ expected: StaticString, from rest: inout UnsafeRawBufferPointer, skipping skipped: Int = 0
  ) throws(CBORError) {
    let end = skipped + expected.utf8CodeUnitCount
    guard rest.count > end,
      CBORReader.text(UnsafeRawBufferPointer(rebasing: rest[skipped..<end]), is: expected)
    else { throw CBORError(.notDeterministic, offset: 0) }
    rest = UnsafeRawBufferPointer(rebasing: rest[end...])
  }

  /// Reads a request of any shape.
  private mutating func readAny(_ payload: UnsafeRawBufferPointer, _ limits: CBORLimits) throws(CBORError) {
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
