/// Whether `bytes` are well-formed UTF-8 (Unicode 15, table 3-7): no overlong forms, no surrogates, no truncated
/// sequences.
///
/// Skips ASCII eight bytes at a time: keys and names are mostly ASCII.
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
    } else {
      let length = scalarLength(bytes, at: index)
      if length == 0 { return index }
      index += length
    }
  }
  return nil
}

/// Bytes of the well-formed non-ASCII scalar at `index`, 0 if there is none.
@usableFromInline
func scalarLength(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
  let length: Int
  let second: ClosedRange<UInt8>
  switch bytes[index] {
  case 0xc2...0xdf: (length, second) = (2, 0x80...0xbf)
  case 0xe0: (length, second) = (3, 0xa0...0xbf)
  case 0xed: (length, second) = (3, 0x80...0x9f)
  case 0xe1...0xef: (length, second) = (3, 0x80...0xbf)
  case 0xf0: (length, second) = (4, 0x90...0xbf)
  case 0xf1...0xf3: (length, second) = (4, 0x80...0xbf)
  case 0xf4: (length, second) = (4, 0x80...0x8f)
  default: return 0
  }
  guard bytes.count - index >= length, second.contains(bytes[index + 1]) else { return 0 }
  for next in (index + 2)..<(index + length) where bytes[next] & 0xc0 != 0x80 { return 0 }
  return length
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
