/// Whether `bytes` are well-formed UTF-8 (Unicode 15, table 3-7): no overlong forms, no surrogates, no truncated
/// sequences.
///
/// Skips ASCII eight bytes at a time, and scalars of two bytes sixteen: keys and names are mostly ASCII.
/// - Complexity: O(*n*), without allocation.
@inlinable
public func isValidUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool { firstInvalidUTF8(bytes) == nil }

/// Offset of the first byte of `bytes` that does not start a well-formed scalar; nil if `bytes` are UTF-8.
///
/// - Complexity: O(*n*), without allocation.
@inlinable
public func firstInvalidUTF8(_ bytes: UnsafeRawBufferPointer) -> Int? {
  var index = 0
  while index < bytes.count {
    if bytes.count - index >= 8,
      bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    {
      index += 8
    } else if bytes[index] < 0x80 {
      index += 1
    } else if bytes.count - index >= 16, isOfPairs(bytes, at: index) {
      let last = bytes.count - 16
      repeat { index &+= 16 } while index <= last && isOfPairs(bytes, at: index)
    } else {
      let length = scalarLength(bytes, at: index)
      if length == 0 { return index }
      index += length
    }
  }
  return nil
}

/// Whether the next sixteen bytes are eight scalars of two bytes: C2 to DF, then 80 to BF.
@inlinable @inline(__always)
func isOfPairs(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Bool {
  let first = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
  let second = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self))
  let others = (first ^ 0x80C0_80C0_80C0_80C0) | (second ^ 0x80C0_80C0_80C0_80C0)
  // C0 and C1 would be overlong: the other four bits of the first byte are not all zero.
  let longer =
    ((first & 0x001E_001E_001E_001E) + 0x007E_007E_007E_007E)
    & ((second & 0x001E_001E_001E_001E) + 0x007E_007E_007E_007E)
  return others & 0xC0E0_C0E0_C0E0_C0E0 == 0 && longer & 0x0080_0080_0080_0080 == 0x0080_0080_0080_0080
}

/// Bytes of the well-formed non-ASCII scalar at `index`, 0 if there is none.
@inlinable
func scalarLength(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
  let first = bytes[index]
  let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
  guard first >= 0xC2, first <= 0xF4, bytes.count - index >= length else { return 0 }
  let second = bytes[index + 1]
  for next in (index + 1)..<(index + length) where bytes[next] & 0xC0 != 0x80 { return 0 }
  let isValid =
    switch first {
    case 0xE0: second >= 0xA0
    case 0xED: second < 0xA0
    case 0xF0: second >= 0x90
    case 0xF4: second < 0x90
    default: true
    }
  return isValid ? length : 0
}

/// Whether all of `bytes` are below 80: words first, then one that overlaps the last of them.
///
/// - Complexity: O(*n*), without allocation.
@inlinable @inline(__always)
public func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
  guard bytes.count >= 8 else {
    var all: UInt8 = 0
    for byte in bytes { all |= byte }
    return all < 0x80
  }
  let last = bytes.count - 8
  var all = bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self)
  for offset in stride(from: 0, to: last, by: 8) { all |= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
  return all & 0x8080_8080_8080_8080 == 0
}
