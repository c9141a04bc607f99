extension UnsafeRawBufferPointer {
  /// The number whose bytes start at `offset`, least significant first; any alignment.
  ///
  /// - Precondition: the bytes are within the buffer; callers check the size of untrusted input first.
  @inlinable @inline(__always)
  public func load<Number: FixedWidthInteger>(
    littleEndian type: Number.Type = Number.self, at offset: Int
  ) -> Number {
    Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// The number whose bytes start at `offset`, most significant first (network byte order); any alignment.
  ///
  /// - Precondition: the bytes lie within the buffer.
  @inlinable @inline(__always)
  public func load<Number: FixedWidthInteger>(
    bigEndian type: Number.Type = Number.self, at offset: Int
  ) -> Number {
    Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
  }
}

extension UnsafeRawPointer {
  /// The number whose bytes start at `offset`, least significant first; any alignment.
  ///
  /// - Precondition: the bytes are there.
  @inlinable @inline(__always)
  public func load<Number: FixedWidthInteger>(
    littleEndian type: Number.Type = Number.self, at offset: Int = 0
  ) -> Number {
    Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// The number whose bytes start at `offset`, most significant first (network byte order); any alignment.
  ///
  /// - Precondition: the bytes are there.
  @inlinable @inline(__always)
  public func load<Number: FixedWidthInteger>(
    bigEndian type: Number.Type = Number.self, at offset: Int = 0
  ) -> Number {
    Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
  }
}

extension UnsafeMutableRawPointer {
  /// Stores `number` at `offset`, most significant byte first (network byte order); any alignment.
  @inlinable @inline(__always)
  public func store(bigEndian number: some FixedWidthInteger, at offset: Int = 0) {
    storeBytes(of: number.bigEndian, toByteOffset: offset, as: type(of: number))
  }
}

extension [UInt8] {
  /// Appends the bytes of `number`, least significant first.
  @inlinable
  public mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Stores `number` at `offset`, most significant byte first (network byte order); any alignment.
  ///
  /// - Precondition: the bytes lie within the buffer.
  @inlinable @inline(__always)
  public func store(bigEndian number: some FixedWidthInteger, at offset: Int) {
    storeBytes(of: number.bigEndian, toByteOffset: offset, as: type(of: number))
  }
}
