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
/// It is the servers' fast path. What it refuses with `.notDeterministic` may still be acceptable: give it to
/// ``canonicalized(_:limits:)`` and read the result. No input traps; an error leaves the cursor where it was found.
public struct CBORReader {
  /// The bytes being read; the caller keeps them alive and unchanged.
  public let bytes: UnsafeRawBufferPointer
  /// Offset of the next item.
  public internal(set) var offset: Int {
    get { position }
    set { position = newValue }
  }
  /// The same, for code that is compiled into other modules.
  @usableFromInline
  var position = 0
  /// What ``skip()`` may meet.
  public let limits: CBORLimits

  /// Starts at the first of `bytes`.
  public init(_ bytes: UnsafeRawBufferPointer, limits: CBORLimits = .init()) {
    self.bytes = bytes
    self.limits = limits
  }

  /// Whether everything is read.
  public var isAtEnd: Bool { offset >= bytes.count }

  /// Checks that everything is read.
  ///
  /// - Throws: `.trailingBytes`.
  @inlinable @inline(__always)
  public func finish() throws(CBORError) {
    guard position >= bytes.count else { throw CBORError(.trailingBytes, offset: offset) }
  }

  /// The kind of the next item, which stays the next.
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

  /// The error that the next item is not what was `expected`; `.notDeterministic` if it may be that in another encoding.
  func mismatch(_ expected: String) -> CBORError {
    guard let found = try? peek() else { return CBORError(.truncated, offset: offset) }
    if found == .tag && isLongBignum { return CBORError(.notDeterministic, offset: offset) }
    return CBORError(.mismatch(expected: expected, found: found.name), offset: offset)
  }

  /// Whether `slice`, as ``readText()`` and ``nextKey(of:)`` give it, is the text `expected`.
  @inlinable
  public static func text(_ slice: UnsafeRawBufferPointer, is expected: StaticString) -> Bool {
    expected.withUTF8Buffer { expected in
      guard slice.count == expected.count else { return false }
      for index in 0..<slice.count where slice[index] != expected[index] { return false }
      return true
    }
  }
}
