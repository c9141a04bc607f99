extension CBORWriter {
  /// Appends several items with one look at the buffer, for replies that are written a hundred thousand times a second.
  ///
  /// ```swift
  /// writer.writeTogether(atMost: 16) { items in
  ///   items.writeEncoded("etotal")
  ///   items.writeUnsigned(total)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - room: bytes that the items take at most; what goes beyond is cut off, so it must be right.
  ///   - write: appends the items; a head takes up to 9 bytes.
  /// - Complexity: O(`room`), amortized.
  @inlinable
  @inline(__always)
  public mutating func writeTogether(atMost room: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
    bytes.append(addingCapacity: room, initializingWith: write)
  }
}

extension OutputSpan<UInt8> {
  /// Appends an integer of major type 0.
  @inlinable
  public mutating func writeUnsigned(_ value: UInt64) { Head.write(.unsigned, value, to: &self) }

  /// Appends the head of an array; `count` items must follow.
  @inlinable
  public mutating func writeArray(count: Int) { Head.write(.array, UInt64(count.magnitude), to: &self) }

  /// Appends a text string of bytes that the caller knows to be well-formed UTF-8.
  @inlinable
  public mutating func writeText(utf8: UnsafeRawBufferPointer) {
    Head.write(.text, UInt64(utf8.count), to: &self)
    Head.copy(utf8, to: &self)
  }

  /// Appends items that are encoded already.
  @inlinable
  public mutating func writeEncoded(_ items: UnsafeRawBufferPointer) { Head.copy(items, to: &self) }

  /// Appends items whose encoding is ASCII and stands in the program: a key of 5 bytes is "e" and the key.
  @inlinable
  public mutating func writeEncoded(_ items: StaticString) {
    Head.copy(UnsafeRawBufferPointer(start: items.utf8Start, count: items.utf8CodeUnitCount), to: &self)
  }
}
