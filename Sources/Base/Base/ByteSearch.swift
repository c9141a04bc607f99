/// Searching for one byte, eight at a time.
extension UnsafeRawBufferPointer {
  /// How many of the bytes are `byte`.
  ///
  /// - Complexity: O(*n*), without allocation.
  package func count(of byte: UInt8) -> Int {
    let wanted = Self.repeated(byte)
    let whole = count & ~7
    var found = 0
    for offset in stride(from: 0, to: whole, by: 8) {
      // The product sums the bytes: an instruction, where not every processor has one that counts bits.
      found += Int((places(of: wanted, at: offset) >> 7 &* 0x0101_0101_0101_0101) >> 56)
    }
    return self[whole...].reduce(found) { $0 + ($1 == byte ? 1 : 0) }
  }

  /// Where the first `byte` at or after `start` stands; `nil` if there is none.
  ///
  /// - Complexity: O(*n*), without allocation.
  package func firstOffset(of byte: UInt8, from start: Int) -> Int? {
    let wanted = Self.repeated(byte)
    var offset = start
    while count - offset >= 8 {
      let places = places(of: wanted, at: offset)
      if places != 0 { return offset + places.trailingZeroBitCount / 8 }
      offset += 8
    }
    return self[Swift.min(offset, count)...].firstIndex(of: byte)
  }

  /// The highest bit of each of the eight bytes at `offset` that is the byte in `wanted`.
  ///
  /// A byte differs if its seven lower bits carry into the highest one, or if that differs itself.
  private func places(of wanted: UInt64, at offset: Int) -> UInt64 {
    let differing = UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ wanted
    let carried = (differing & 0x7F7F_7F7F_7F7F_7F7F) + 0x7F7F_7F7F_7F7F_7F7F
    return ~(carried | differing) & 0x8080_8080_8080_8080
  }

  private static func repeated(_ byte: UInt8) -> UInt64 { UInt64(byte) * 0x0101_0101_0101_0101 }
}
