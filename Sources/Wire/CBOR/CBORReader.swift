@_exported public import Base

/// A cursor over borrowed bytes that accepts core deterministic encoding only and never allocates.
///
/// ```swift
/// var reader = CBORReader(payload)
/// var map = try reader.readMap()
/// while let key = try reader.nextKey(of: &map) {
///   if CBORReader.text(key, is: "limit") { limit = try reader.readUnsigned() } else { try reader.skip() }
/// }
/// try reader.finish()
/// ```
///
/// It is the servers' fast path. Input refused with `.notDeterministic` may still be acceptable: pass it to
/// ``canonicalized(_:limits:)`` and read the result. No input traps; an error leaves the cursor where it was found.
public struct CBORReader {
  /// The bytes being read; the caller keeps them alive and unchanged.
  public let bytes: UnsafeRawBufferPointer
  /// Offset of the next item.
  public internal(set) var offset: Int {
    get { position }
    set { position = newValue }
  }
  /// The same, for code that is inlined into other modules.
  @usableFromInline
  var position = 0
  /// The limits of ``skip()``.
  public let limits: CBORLimits

  /// Starts at the first of `bytes`.
  public init(_ bytes: UnsafeRawBufferPointer, limits: CBORLimits = .init()) {
    self.bytes = bytes
    self.limits = limits
  }

  /// Calls `body`, which is not inlined, with a copy of the cursor, and continues from that copy.
  ///
  /// Passing the cursor itself to an out-of-line function would force it into memory for every other use too; so the
  /// common items, read inline, stay in registers.
  @inlinable @inline(__always)
  public mutating func apart<Result>(
    _ body: (inout CBORReader) throws(CBORError) -> Result
  ) throws(CBORError) -> Result {
    var copy = self
    defer { position = copy.position }
    return try body(&copy)
  }

  /// Whether everything is read.
  @inlinable @inline(__always)
  public var isAtEnd: Bool { position >= bytes.count }

  /// Checks that everything is read.
  ///
  /// - Throws: `.trailingBytes`.
  @inlinable @inline(__always)
  public func finish() throws(CBORError) {
    guard position >= bytes.count else { throw CBORError(.trailingBytes, offset: offset) }
  }

  /// The kind of the next item, without reading it.
  ///
  /// - Throws: `.truncated` at the end.
  @inlinable
  public func peek() throws(CBORError) -> CBORMajorType {
    guard offset < bytes.count else { throw CBORError(.truncated, offset: offset) }
    return CBORMajorType(initialByte: bytes[offset])
  }

  /// Reads the head of the next item.
  mutating func readHead() throws(CBORError) -> Head {
    let head = try Head(bytes, at: offset)
    guard head.isShortest else { throw CBORError(.notDeterministic, offset: offset) }
    offset += head.size
    return head
  }

  /// Reads the argument of the next item, which must be of `type`.
  @inline(__always)
  mutating func readArgument(of type: CBORMajorType) throws(CBORError) -> UInt64 {
    guard offset < bytes.count, bytes[offset] >> 5 == type.rawValue else { throw mismatch(type.name) }
    let argument = bytes[offset] & 0x1f
    guard argument < 24 else { return try readHead().argument }
    offset += 1
    return UInt64(argument)
  }

  /// The error for a next item other than `expected`; `.notDeterministic` if it may be `expected` in another encoding.
  func mismatch(_ expected: String) -> CBORError {
    guard let found = try? peek() else { return CBORError(.truncated, offset: offset) }
    if found == .tag && isLongBignum { return CBORError(.notDeterministic, offset: offset) }
    let simple = found == .simple ? (try? Head(bytes, at: offset))?.simpleName : nil
    return CBORError(.mismatch(expected: expected, found: simple ?? found.name), offset: offset)
  }

  /// Whether `slice`, a result of ``readText()`` or ``nextKey(of:)``, is the text `expected`.
  @inlinable
  public static func text(_ slice: UnsafeRawBufferPointer, is expected: StaticString) -> Bool {
    expected.withUTF8Buffer { expected in
      guard slice.count == expected.count else { return false }
      for index in 0..<slice.count where slice[index] != expected[index] { return false }
      return true
    }
  }
}

extension CBORReader {
  /// Reads an integer of major type 0.
  ///
  /// - Throws: `.mismatch`, `.truncated`, `.malformed`, `.notDeterministic`; likewise for the other read functions.
  @inlinable @inline(__always)
  public mutating func readUnsigned() throws(CBORError) -> UInt64 {
    // Most numbers are small and their own head.
    guard position < bytes.count, bytes[position] < 24 else {
      return try apart { (reader) throws(CBORError) in try reader.readLongUnsigned() }
    }
    position += 1
    return UInt64(bytes[position - 1])
  }

  @usableFromInline
  mutating func readLongUnsigned() throws(CBORError) -> UInt64 { try readArgument(of: .unsigned) }

  /// Reads a float of any width, or an integer.
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

  /// Reads `null` if that is the next item, and returns whether it was.
  @inlinable @inline(__always)
  public mutating func readNullIfPresent() -> Bool {
    guard position < bytes.count, bytes[position] == InitialByte.null else { return false }
    position += 1
    return true
  }

  /// Reads a text string; the slice points into ``bytes`` and is well-formed UTF-8.
  ///
  /// - Throws: as ``readUnsigned()``.
  @inlinable @inline(__always)
  public mutating func readText() throws(CBORError) -> UnsafeRawBufferPointer {
    if let short = readShortASCII() { return short }
    return try apart { (reader) throws(CBORError) in try reader.readLongText() }
  }

  /// Reads a text of up to 23 ASCII bytes, like most; on nil the cursor does not move.
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
    // Load the word that ends with the text, and check the text's bytes in it.
    let word = bytes.load(littleEndian: UInt64.self, at: end &- 8)
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

  /// Reads a string and checks its length against the remaining bytes.
  mutating func readString(_ type: CBORMajorType) throws(CBORError) -> UnsafeRawBufferPointer {
    let start = offset
    let length = try readArgument(of: type)
    guard length <= UInt64(bytes.count - offset) else { throw CBORError(.truncated, offset: start) }
    defer { offset += Int(length) }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(length)])
  }

  /// Reads the head of an array and returns its number of elements, each of at least a byte.
  ///
  /// - Throws: as ``readUnsigned()``; `.truncated` if fewer bytes follow than declared elements.
  public mutating func readArray() throws(CBORError) -> Int { try readCount(.array, bytesEach: 1) }

  /// Reads a tag's number; the item it encloses is the next.
  ///
  /// - Throws: as ``readUnsigned()``.
  public mutating func readTag() throws(CBORError) -> UInt64 { try readArgument(of: .tag) }

  /// Reads the head of an array or map and checks its count against the remaining bytes.
  mutating func readCount(_ type: CBORMajorType, bytesEach: Int) throws(CBORError) -> Int {
    let start = offset
    let count = try readArgument(of: type)
    guard count <= UInt64((bytes.count - offset) / bytesEach) else { throw CBORError(.truncated, offset: start) }
    return Int(count)
  }
}

extension Head {
  /// The value of a float head, which must be the shortest for that value.
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

  /// The name of an item of major type 7 in messages.
  var simpleName: String { (25...27).contains(info) ? "float" : CBOR.simpleName(argument) }
}

/// The name of a simple value in messages.
func simpleName(_ value: UInt64) -> String {
  switch value {
  case 20: "false"
  case 21: "true"
  case 22: "null"
  case 23: "undefined"
  default: "simple(\(value))"
  }
}

extension CBORReader {
  /// Skips the next item with its contents, checking all of it.
  ///
  /// - Throws: `.limit` beyond ``limits``, and any error of reading its parts.
  /// - Complexity: O(*n*) in its bytes; recursion goes as deep as ``limits`` allow.
  public mutating func skip() throws(CBORError) {
    var items = limits.items
    try skip(items: &items)
  }

  /// Likewise for an item that may have `items` items, which are taken from that number.
  ///
  /// - Throws: as ``skip()``.
  package mutating func skip(items: inout Int) throws(CBORError) { try skip(depth: limits.depth, items: &items) }

  /// Skips the next item and returns its encoding as a slice of ``bytes``.
  ///
  /// - Throws: as ``skip()``.
  public mutating func readItem() throws(CBORError) -> UnsafeRawBufferPointer {
    let start = offset
    try skip()
    return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
  }

  private mutating func skip(depth: Int, items: inout Int) throws(CBORError) {
    guard items > 0 else { throw CBORError(.limit("items"), offset: offset) }
    items -= 1
    switch try peek() {
    case .unsigned, .negative: _ = try readHead()
    case .bytes: _ = try readBytes()
    case .text: _ = try readText()
    case .simple: try skipSimple()
    case .array, .map, .tag:
      guard depth > 0 else { throw CBORError(.limit("depth"), offset: offset) }
      try skipContainer(depth: depth - 1, items: &items)
    }
  }

  private mutating func skipContainer(depth: Int, items: inout Int) throws(CBORError) {
    switch try peek() {
    case .array:
      let count = try readArray()
      for _ in 0..<count { try skip(depth: depth, items: &items) }
    case .map:
      var map = try readMap()
      while map.left > 0 {
        map.left -= 1
        let start = offset
        try skip(depth: depth, items: &items)
        _ = try advance(&map, over: start)
        try skip(depth: depth, items: &items)
      }
    default:
      let tag = try readTag()
      try checkBignum(tag)
      try skip(depth: depth, items: &items)
    }
  }

  /// Refuses a bignum that has a leading zero or fits a plain integer: not its shortest form (RFC 8949 §3.4.3).
  private func checkBignum(_ tag: UInt64) throws(CBORError) {
    guard tag == CBORWriter.unsignedBignum || tag == CBORWriter.negativeBignum, try peek() == .bytes else { return }
    var ahead = self
    let content = try ahead.readBytes()
    guard content.count > 8, content[0] != 0 else { throw CBORError(.notDeterministic, offset: offset) }
  }

  /// Whether the next item is, or may be, a bignum that is not in its shortest form.
  var isLongBignum: Bool {
    var ahead = self
    do throws(CBORError) {
      let tag = try ahead.readTag()
      try ahead.checkBignum(tag)
      return false
    } catch {
      return error.kind == .notDeterministic
    }
  }

  private mutating func skipSimple() throws(CBORError) {
    let start = offset
    let head = try readHead()
    if (25...27).contains(head.info) { _ = try head.shortestFloat(at: start) }
  }
}

/// The limits on a CBOR item; checked before memory is allocated.
public struct CBORLimits: Sendable, Equatable {
  /// The deepest nesting that limits can allow: readers of trees recurse, and the stack is finite.
  public static let maximumDepth = 128

  /// The nesting of arrays, maps and tags, at most ``maximumDepth``.
  public var depth: Int { didSet { depth = min(depth, Self.maximumDepth) } }
  /// The number of items, counting every key, value, element and chunk.
  public var items: Int

  /// Makes limits; the defaults fit every message of this project.
  public init(depth: Int = 16, items: Int = 1 << 20) {
    self.depth = min(depth, Self.maximumDepth)
    self.items = items
  }
}
