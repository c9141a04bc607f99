import CBOR

extension RequestHead {
  /// Reads the head of a request that holds its three keys and no other: what every client of this project sends.
  ///
  /// The first byte of the parameters is looked at and no other: they reach to the end of the payload, and whoever reads
  /// them must read all of them. Whatever looks different is refused, and may still be a request for ``read(_:limits:)``.
  ///
  ///     A3 62 "id" ID 66 "method" METHOD 66 "params" A…
  ///
  /// - Complexity: O(1): about 100 instructions (callgrind), where reading it as any CBOR takes 2,000.
  mutating func readUsual(_ payload: UnsafeRawBufferPointer) -> Bool {
    var at = 4
    guard payload.count >= 32, Self.word(payload, 0) >> 32 == Literal.start, let id = Self.id(payload, &at),
      payload.count - at > 16, Self.word(payload, at) >> 8 == Literal.method
    else { return false }
    at += 7
    // A short text: its head is its length. It is compared with names that are ASCII, so nothing else need be checked.
    let length = Int(payload[at] &- 0x60)
    guard length < 24, payload.count - at > length + 9, Self.word(payload, at + 1 + length) >> 8 == Literal.params
    else { return false }
    method = UnsafeRawBufferPointer(rebasing: payload[at + 1..<at + 1 + length])
    at += 1 + length + 7
    guard payload[at] >> 5 == CBORMajorType.map.rawValue else { return false }
    self.id = id
    params = UnsafeRawBufferPointer(rebasing: payload[at...])
    return true
  }

  /// Whether the parameters are one map in deterministic encoding that fills its slice; `limits` are the request's.
  func hasAcceptableParams(_ limits: CBORLimits) -> Bool {
    var reader = CBORReader(params, limits: limits.inside)
    return (try? reader.skip()) != nil && reader.isAtEnd
  }

  /// Keys with their heads, most significant byte first.
  private enum Literal {
    /// A map of three pairs, and the key "id".
    static let start: UInt64 = 0xA362_6964
    /// The key "method".
    static let method: UInt64 = 0x66_6D65_7468_6F64
    /// The key "params".
    static let params: UInt64 = 0x66_7061_7261_6D73
  }

  /// Eight bytes as a number, most significant first; they must be there.
  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The id at `offset`, which is moved behind it; nil unless it is from 1 up and in its shortest form.
  private static func id(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt64? {
    let first = bytes[offset]
    if first < 24 {
      offset += 1
      return first == 0 ? nil : UInt64(first)
    }
    guard first < 28 else { return nil }
    let width = 1 << Int(first - 24)
    let id = word(bytes, offset + 1) >> UInt64(64 - 8 * width)
    offset += 1 + width
    let belowWidth = width == 1 ? 23 : (UInt64(1) << UInt64(4 * width)) - 1
    return id > belowWidth ? id : nil
  }
}
