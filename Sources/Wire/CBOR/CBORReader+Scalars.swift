extension CBORReader {
  /// Reads an integer of major type 0.
  ///
  /// - Throws: `.mismatch`, `.truncated`, `.malformed`, `.notDeterministic`; so do the other readers.
  @inlinable
  public mutating func readUnsigned() throws(CBORError) -> UInt64 {
    // Most numbers are small and their own head.
    guard position < bytes.count, bytes[position] < 24 else { return try readLongUnsigned() }
    position += 1
    return UInt64(bytes[position - 1])
  }

  @usableFromInline
  mutating func readLongUnsigned() throws(CBORError) -> UInt64 { try readArgument(of: .unsigned) }

  /// Reads an integer of major type 0 or 1.
  ///
  /// - Throws: as ``readUnsigned()``, and `.mismatch` beyond 64 bits.
  public mutating func readInteger() throws(CBORError) -> Int64 {
    let (start, type) = (offset, try peek())
    guard type == .unsigned || type == .negative else { throw mismatch("integer") }
    let argument = try readArgument(of: type)
    guard let magnitude = Int64(exactly: argument) else {
      throw CBORError(.mismatch(expected: "integer of 64 bits", found: "a larger one"), offset: start)
    }
    return type == .unsigned ? magnitude : ~magnitude
  }

  /// Reads a float of any width, or an integer in its place.
  ///
  /// - Throws: as ``readUnsigned()``; `.malformed` for NaN and infinities.
  public mutating func readDouble() throws(CBORError) -> Double {
    let start = offset
    switch try peek() {
    case .unsigned: return Double(try readArgument(of: .unsigned))
    case .negative: return -1 - Double(try readArgument(of: .negative))
    case .simple:
      let head = try readHead()
      guard head.info >= 25 else {
        throw CBORError(.mismatch(expected: "float", found: head.simpleName), offset: start)
      }
      return try head.shortestFloat(at: start)
    default: throw mismatch("float")
    }
  }

  /// Reads `false` or `true`.
  ///
  /// - Throws: as ``readUnsigned()``.
  public mutating func readBool() throws(CBORError) -> Bool {
    guard offset < bytes.count else { throw CBORError(.truncated, offset: offset) }
    let byte = bytes[offset]
    guard byte == InitialByte.false || byte == InitialByte.true else { throw mismatch("bool") }
    offset += 1
    return byte == InitialByte.true
  }

  /// Reads `null` if that is the next item, and says whether it was.
  @inlinable @inline(__always)
  public mutating func readNullIfPresent() -> Bool {
    guard position < bytes.count, bytes[position] == InitialByte.null else { return false }
    position += 1
    return true
  }

  /// Reads a text string; the slice points into ``bytes`` and is well-formed UTF-8.
  ///
  /// - Throws: as ``readUnsigned()``.
  @inlinable
  public mutating func readText() throws(CBORError) -> UnsafeRawBufferPointer {
    if let short = readShortASCII() { return short }
    return try readLongText()
  }

  /// Reads a text of up to 23 ASCII bytes, which most are; nil leaves the cursor where it is.
  @inlinable
  @inline(__always)
  mutating func readShortASCII() -> UnsafeRawBufferPointer? {
    guard position < bytes.count else { return nil }
    let length = Int(bytes[position] &- 0x60)
    let end = position &+ 1 &+ length
    guard length < 24, end <= bytes.count else { return nil }
    let start = bytes.baseAddress.unsafelyUnwrapped + (position &+ 1)
    let text = UnsafeRawBufferPointer(start: start, count: length)
    guard length < 8, length > 0, end >= 8 else {
      guard isASCII(text) else { return nil }
      position = end
      return text
    }
    // The word that ends with the text, and of it what the text takes.
    let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: end &- 8, as: UInt64.self))
    guard (word >> UInt64(64 &- 8 &* length)) & 0x80_8080_8080_8080 == 0 else { return nil }
    position = end
    return text
  }

  @usableFromInline
  mutating func readLongText() throws(CBORError) -> UnsafeRawBufferPointer {
    let text = try readString(.text)
    guard isValidUTF8(text) else {
      throw CBORError(.malformed("text that is not UTF-8"), offset: offset - text.count)
    }
    return text
  }

  /// Reads a byte string; the slice points into ``bytes``.
  ///
  /// - Throws: as ``readUnsigned()``.
  public mutating func readBytes() throws(CBORError) -> UnsafeRawBufferPointer { try readString(.bytes) }

  /// Reads a string and checks its length against what is there.
  mutating func readString(_ type: CBORMajorType) throws(CBORError) -> UnsafeRawBufferPointer {
    let start = offset
    let length = try readArgument(of: type)
    guard length <= UInt64(bytes.count - offset) else { throw CBORError(.truncated, offset: start) }
    defer { offset += Int(length) }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(length)])
  }

  /// Reads the head of an array and gives its number of elements, each of which takes a byte at least.
  ///
  /// - Throws: as ``readUnsigned()``; `.truncated` if fewer bytes follow than elements are announced.
  public mutating func readArray() throws(CBORError) -> Int { try readCount(.array, bytesEach: 1) }

  /// Reads a tag's number; the item it encloses is the next.
  ///
  /// - Throws: as ``readUnsigned()``.
  public mutating func readTag() throws(CBORError) -> UInt64 { try readArgument(of: .tag) }

  /// Reads the head of an array or map and checks its count against what is there.
  mutating func readCount(_ type: CBORMajorType, bytesEach: Int) throws(CBORError) -> Int {
    let start = offset
    let count = try readArgument(of: type)
    guard count <= UInt64((bytes.count - offset) / bytesEach) else { throw CBORError(.truncated, offset: start) }
    return Int(count)
  }
}

extension Head {
  /// The value of a float head, which must be the shortest for it.
  func shortestFloat(at offset: Int) throws(CBORError) -> Double {
    let value = try float(at: offset)
    // −0.0 is refused here because this profile writes it as 0.0.
    if value == 0 && value.sign == .minus { throw CBORError(.notDeterministic, offset: offset) }
    guard info > 25, let single = FloatWidths.single(exactly: value) else { return value }
    guard info == 26, FloatWidths.half(exactly: single) == nil else {
      throw CBORError(.notDeterministic, offset: offset)
    }
    return value
  }

  /// The value of a float head (`info` 25, 26 or 27).
  func float(at offset: Int) throws(CBORError) -> Double {
    let value: Double
    switch info {
    case 25: value = FloatWidths.double(half: UInt16(truncatingIfNeeded: argument))
    case 26: value = Double(Float(bitPattern: UInt32(truncatingIfNeeded: argument)))
    default: value = Double(bitPattern: argument)
    }
    guard value.isFinite else { throw CBORError(.malformed("the float \(value) is not allowed"), offset: offset) }
    return value
  }

  /// What a message calls an item of major type 7.
  var simpleName: String {
    switch (info, argument) {
    case (25...27, _): "float"
    case (_, 20): "false"
    case (_, 21): "true"
    case (_, 22): "null"
    case (_, 23): "undefined"
    default: "simple(\(argument))"
    }
  }
}
