/// Appends CBOR items to a reusable byte buffer, without allocating once it has grown.
///
/// ```swift
/// writer.removeAll()
/// writer.writeArray(count: 2)
/// writer.writeUnsigned(7)
/// writer.writeText(name)
/// ```
///
/// Every head is the shortest and every length definite. The caller writes as many items as it declares, and map keys
/// in the order of their encodings: shorter text first, then bytewise (RFC 8949 §4.2.1). ``CBORMapWriter`` counts the
/// pairs and checks their order; ``CBOREncoder`` does both automatically.
///
/// It manages its own memory instead of an array: a writer is never copied, so no write needs a uniqueness check, and
/// clearing it sets a number. A reply takes a dozen writes, a hundred thousand times per second.
public struct CBORWriter: ~Copyable {
  @usableFromInline var base: UnsafeMutableRawPointer
  /// The capacity in bytes.
  @usableFromInline var room: Int
  @usableFromInline var end = 0

  /// Makes an empty writer with room for `capacity` bytes.
  public init(capacity: Int = 0) {
    room = max(capacity, 0)
    base = .allocate(byteCount: room, alignment: 1)
  }

  deinit { base.deallocate() }

  /// Appends the head of an item of `type` with its `argument`, in the fewest bytes.
  ///
  /// - Complexity: O(1), amortized.
  @inlinable @inline(__always)
  public mutating func writeHead(_ type: CBORMajorType, _ argument: UInt64) {
    reserve(Head.maximumSize)
    end &+= Head.write(type, argument, to: base + end)
  }

  /// Appends an integer of major type 0.
  @inlinable @inline(__always)
  public mutating func writeUnsigned(_ value: UInt64) { writeHead(.unsigned, value) }

  /// Appends an integer of major type 0 or 1.
  @inlinable
  public mutating func writeInteger(_ value: Int64) {
    value >= 0 ? writeHead(.unsigned, UInt64(value)) : writeHead(.negative, UInt64(bitPattern: ~value))
  }

  /// Appends `value` as the shortest float that represents it exactly; −0.0 as 0.0.
  ///
  /// - Throws: `.unencodable` for NaN and infinities; nothing is appended then.
  @inlinable
  public mutating func writeDouble(_ value: Double) throws(CBORError) {
    guard value.isFinite else { throw CBORError(.unencodable("the float \(value)"), offset: count) }
    // −0.0 equals 0.0, and no message uses its sign.
    let value = value == 0 ? 0 : value
    reserve(Head.maximumSize)
    guard let single = FloatWidths.single(exactly: value) else {
      end += Head.write(InitialByte.double, value.bitPattern, size: 8, to: base + end)
      return
    }
    guard let half = FloatWidths.half(exactly: single) else {
      end += Head.write(InitialByte.single, UInt64(single), size: 4, to: base + end)
      return
    }
    end += Head.write(InitialByte.half, UInt64(half), size: 2, to: base + end)
  }

  /// Appends a text string.
  @inlinable
  public mutating func writeText(_ text: String) {
    var text = text
    text.withUTF8 { writeText(utf8: UnsafeRawBufferPointer($0)) }
  }

  /// Appends a text string of bytes that the caller knows to be well-formed UTF-8.
  @inlinable @inline(__always)
  public mutating func writeText(utf8: UnsafeRawBufferPointer) {
    writeString(.text, utf8)
  }

  /// Appends a byte string.
  @inlinable
  public mutating func writeBytes(_ content: UnsafeRawBufferPointer) {
    writeString(.bytes, content)
  }

  /// Appends a string with its head: one check of the buffer for both.
  @inlinable @inline(__always)
  mutating func writeString(_ type: CBORMajorType, _ content: UnsafeRawBufferPointer) {
    reserve(Head.maximumSize &+ content.count)
    end &+= Head.write(type, UInt64(bitPattern: Int64(content.count)), to: base + end)
    copy(content)
  }

  /// Appends a byte string.
  @inlinable
  public mutating func writeBytes(_ content: [UInt8]) { content.withUnsafeBytes { writeBytes($0) } }

  /// Appends the head of an array; `count` items must follow.
  @inlinable @inline(__always)
  public mutating func writeArray(count: Int) { writeHead(.array, UInt64(count.magnitude)) }

  /// Appends the head of a map; `count` pairs must follow, keys in the order of their encodings.
  @inlinable @inline(__always)
  public mutating func writeMap(count: Int) { writeHead(.map, UInt64(count.magnitude)) }

  /// Appends a tag's number; the item it encloses must follow.
  @inlinable
  public mutating func writeTag(_ number: UInt64) { writeHead(.tag, number) }

  /// Appends `false` or `true`.
  @inlinable
  public mutating func writeBool(_ value: Bool) { writeByte(value ? InitialByte.true : InitialByte.false) }

  /// Appends `null`.
  @inlinable
  public mutating func writeNull() { writeByte(InitialByte.null) }

  /// Appends encoded items, such as a slice of stored rows.
  @inlinable @inline(__always)
  public mutating func writeEncoded(_ items: UnsafeRawBufferPointer) {
    reserve(items.count)
    copy(items)
  }

  /// Appends up to eight bytes of encoded items: the first `count` of `word`, most significant first.
  ///
  /// A short constant becomes a single store.
  @inlinable @inline(__always)
  public mutating func writeEncoded(_ word: UInt64, count: Int) {
    reserve(8)
    base.store(bigEndian: word, at: end)
    end += count
  }

  /// Appends items that are encoded already.
  @inlinable
  public mutating func writeEncoded(_ items: [UInt8]) { items.withUnsafeBytes { writeEncoded($0) } }

  /// Appends the output of `body`, at most `bytes` bytes, with a single check of the capacity.
  ///
  /// ```swift
  /// writer.write(atMost: CBORCursor.headBytes + 6 + rows.count) { cursor in
  ///   cursor.writeEncoded("drows")
  ///   cursor.writeHead(.array, 20)
  ///   cursor.writeEncoded(rows)
  /// }
  /// ```
  ///
  /// - Precondition: `body` writes no more than `bytes` bytes.
  @inlinable @inline(__always)
  public mutating func write(atMost bytes: Int, _ body: (inout CBORCursor) -> Void) {
    reserve(bytes)
    let start = base + end
    var cursor = CBORCursor(start)
    body(&cursor)
    let written = cursor.next - start
    precondition(written <= bytes, "more bytes were written than announced")
    end &+= written
  }
}

/// Writes items into reserved memory, without checks.
///
/// Each write of a ``CBORWriter`` loads and stores its address and its length. A cursor is one address in a register.
public struct CBORCursor {
  /// Bytes that the largest head takes.
  public static let headBytes = 9

  /// Where the next byte goes.
  @usableFromInline var next: UnsafeMutableRawPointer

  @inlinable @inline(__always)
  init(_ start: UnsafeMutableRawPointer) { next = start }

  /// Writes the head of an item of `type` with its `argument`, in the fewest bytes.
  @inlinable @inline(__always)
  public mutating func writeHead(_ type: CBORMajorType, _ argument: UInt64) {
    next += Head.write(type, argument, to: next)
  }

  /// Writes encoded items.
  @inlinable @inline(__always)
  public mutating func writeEncoded(_ items: UnsafeRawBufferPointer) {
    guard let source = items.baseAddress else { return }
    next.copyMemory(from: source, byteCount: items.count)
    next += items.count
  }

  /// Writes items whose encoding is a static ASCII string: a key of 5 bytes is "e" and the key.
  @inlinable @inline(__always)
  public mutating func writeEncoded(_ items: StaticString) {
    next.copyMemory(from: items.utf8Start, byteCount: items.utf8CodeUnitCount)
    next += items.utf8CodeUnitCount
  }

  /// Writes 16 bytes of encoded items.
  @inlinable @inline(__always)
  public mutating func writeEncoded(_ items: SIMD16<UInt8>) {
    next.storeBytes(of: items, as: SIMD16<UInt8>.self)
    next += 16
  }

  /// Writes up to eight bytes of encoded items: the first `count` of `word`, most significant first.
  ///
  /// There must be room for eight.
  @inlinable @inline(__always)
  public mutating func writeEncoded(_ word: UInt64, count: Int) {
    next.storeBytes(of: word.bigEndian, as: UInt64.self)
    next += count
  }

  /// Writes a text of bytes that the caller knows to be well-formed UTF-8.
  @inlinable @inline(__always)
  public mutating func writeText(utf8 text: UnsafeRawBufferPointer) {
    writeHead(.text, UInt64(bitPattern: Int64(text.count)))
    guard let source = text.baseAddress else { return }
    // A call of memcpy costs more than these few bytes.
    if text.count <= 16 {
      copyShort(source, text.count)
    } else {
      next.copyMemory(from: source, byteCount: text.count)
    }
    next += text.count
  }

  /// Copies up to 16 bytes as two possibly overlapping halves.
  @inlinable @inline(__always)
  func copyShort(_ source: UnsafeRawPointer, _ count: Int) {
    if count >= 8 {
      copyWord(UInt64.self, source, at: 0)
      copyWord(UInt64.self, source, at: count &- 8)
    } else if count >= 4 {
      copyWord(UInt32.self, source, at: 0)
      copyWord(UInt32.self, source, at: count &- 4)
    } else if count > 0 {
      copyWord(UInt8.self, source, at: 0)
      copyWord(UInt8.self, source, at: count >> 1)
      copyWord(UInt8.self, source, at: count &- 1)
    }
  }

  @inlinable @inline(__always)
  func copyWord<Word: BitwiseCopyable>(_ type: Word.Type, _ source: UnsafeRawPointer, at offset: Int) {
    next.storeBytes(of: source.loadUnaligned(fromByteOffset: offset, as: type), toByteOffset: offset, as: type)
  }
}

extension CBORWriter {
  /// Bytes written.
  @inlinable @inline(__always)
  public var count: Int { end }
  /// Whether it is empty.
  @inlinable @inline(__always)
  public var isEmpty: Bool { end == 0 }
  /// The capacity in bytes.
  @inlinable
  public var capacity: Int { room }

  /// A copy of the bytes written.
  ///
  /// - Complexity: O(``count``).
  public var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }

  /// Calls `body` with the bytes written.
  @inlinable @inline(__always)
  public func withUnsafeBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(start: base, count: end))
  }

  /// Calls `body` with the bytes written, which it may change in place.
  @inlinable @inline(__always)
  public mutating func withUnsafeMutableBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeMutableRawBufferPointer(start: base, count: end))
  }

  /// Discards the bytes written but keeps the memory.
  @inlinable @inline(__always)
  public mutating func removeAll() { end = 0 }

  /// Discards all but the first `length` bytes written.
  @inlinable @inline(__always)
  public mutating func truncate(to length: Int) { end = min(end, max(length, 0)) }

  /// Moves the bytes written from `offset` on by `gap` bytes; the caller must then fill the gap.
  mutating func openGap(_ gap: Int, at offset: Int) {
    precondition((0...end).contains(offset) && gap >= 0, "a gap outside of the bytes written")
    reserve(gap)
    (base + offset + gap).copyMemory(from: base + offset, byteCount: end - offset)
    end += gap
  }

  @inlinable @inline(__always)
  mutating func writeByte(_ byte: UInt8) {
    reserve(1)
    base.storeBytes(of: byte, toByteOffset: end, as: UInt8.self)
    end &+= 1
  }

  /// Appends bytes; the room must be reserved.
  @inlinable @inline(__always)
  mutating func copy(_ content: UnsafeRawBufferPointer) {
    guard let source = content.baseAddress else { return }
    (base + end).copyMemory(from: source, byteCount: content.count)
    end &+= content.count
  }

  /// Makes room for `more` bytes.
  @inlinable @inline(__always)
  mutating func reserve(_ more: Int) {
    // Cannot overflow: both the bytes written and those to come are already in memory.
    if room &- end < more { grow(more) }
  }

  /// Doubles the memory, or more if needed.
  @usableFromInline @inline(never)
  mutating func grow(_ more: Int) {
    let larger = max(end + more, 2 * room, 64)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 1)
    memory.copyMemory(from: base, byteCount: end)
    base.deallocate()
    (base, room) = (memory, larger)
  }
}

extension CBORWriter {
  /// Tag of a bignum that is not negative (RFC 8949 §3.4.3).
  package static let unsignedBignum: UInt64 = 2
  /// Tag of a negative bignum: its content n means −1 − n.
  package static let negativeBignum: UInt64 = 3

  /// Appends an integer; a bignum of tag 2 or 3 beyond 64 bits.
  public mutating func writeInteger(_ value: Int128) {
    let argument = value >= 0 ? UInt128(value) : UInt128(bitPattern: ~value)
    guard let short = UInt64(exactly: argument) else {
      return writeBignum(tag: value >= 0 ? Self.unsignedBignum : Self.negativeBignum, argument)
    }
    writeHead(value >= 0 ? .unsigned : .negative, short)
  }

  private mutating func writeBignum(tag: UInt64, _ argument: UInt128) {
    writeTag(tag)
    Swift.withUnsafeBytes(of: argument.bigEndian) { all in
      writeBytes(UnsafeRawBufferPointer(rebasing: all[(argument.leadingZeroBitCount / 8)...]))
    }
  }
}
