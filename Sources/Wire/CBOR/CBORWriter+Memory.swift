extension CBORWriter {
  /// Bytes written.
  @inlinable @inline(__always)
  public var count: Int { end }
  /// Whether nothing is written.
  @inlinable @inline(__always)
  public var isEmpty: Bool { end == 0 }
  /// Bytes for which there is memory.
  @inlinable
  public var capacity: Int { room }

  /// A copy of what was written.
  ///
  /// - Complexity: O(``count``).
  public var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

  /// Lends what was written.
  @inlinable @inline(__always)
  public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: base, count: end))
  }

  /// Lends what was written, to be changed in place.
  @inlinable @inline(__always)
  public mutating func withUnsafeMutableBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeMutableRawBufferPointer(start: base, count: end))
  }

  /// Forgets what was written and keeps the memory.
  @inlinable @inline(__always)
  public mutating func removeAll() { end = 0 }

  /// Forgets what was written behind the first `length` bytes; nothing if there are no more.
  @inlinable @inline(__always)
  public mutating func truncate(to length: Int) { end = min(end, max(length, 0)) }

  /// Moves what was written from `offset` on by `gap` bytes, which must then be set.
  mutating func openGap(_ gap: Int, at offset: Int) {
    precondition((0...end).contains(offset) && gap >= 0, "a gap outside of what was written")
    reserve(gap)
    (base + offset + gap).copyMemory(from: base + offset, byteCount: end - offset)
    end += gap
  }

  /// Appends one byte.
  @inlinable @inline(__always)
  mutating func writeByte(_ byte: UInt8) {
    reserve(1)
    base.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
    end += 1
  }

  /// Appends bytes for which there is room.
  @inlinable @inline(__always)
  mutating func copy(_ content: UnsafeRawBufferPointer) {
    guard let source = content.baseAddress else { return }
    (base + end).copyMemory(from: source, byteCount: content.count)
    end += content.count
  }

  /// Makes room for `more` bytes.
  @inlinable @inline(__always)
  mutating func reserve(_ more: Int) {
    if room - end < more { grow(more) }
  }

  /// Takes twice the memory, or as much as is needed.
  @usableFromInline @inline(never)
  mutating func grow(_ more: Int) {
    let larger = max(end + more, 2 * room, 64)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 1)
    memory.copyMemory(from: base, byteCount: end)
    base.deallocate()
    (base, room) = (memory, larger)
  }
}
