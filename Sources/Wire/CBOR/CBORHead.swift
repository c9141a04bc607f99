/// The eight kinds of CBOR item (RFC 8949 §3.1): the top three bits of an item's first byte.
@frozen
public enum CBORMajorType: UInt8, Sendable, CaseIterable {
  /// An integer from 0 to 2⁶⁴−1.
  case unsigned = 0
  /// An integer from −2⁶⁴ to −1; the argument n stands for −1 − n.
  case negative = 1
  /// A byte string.
  case bytes = 2
  /// A text string in UTF-8.
  case text = 3
  /// An array; the argument is its number of elements.
  case array = 4
  /// A map; the argument is its number of pairs.
  case map = 5
  /// A tag; the argument is its number, one item follows.
  case tag = 6
  /// A float, `false`, `true`, `null`, or another simple value.
  case simple = 7

  /// The kind of the item whose first byte is `initialByte`.
  @inlinable
  public init(initialByte: UInt8) { self = Self(rawValue: initialByte >> 5) ?? .simple }

  /// Its name in messages.
  public var name: String {
    switch self {
    case .unsigned: "unsigned integer"
    case .negative: "negative integer"
    case .bytes: "byte string"
    case .text: "text"
    case .array: "array"
    case .map: "map"
    case .tag: "tag"
    case .simple: "simple value or float"
    }
  }
}

/// First bytes of items that have no argument of their own.
@usableFromInline
enum InitialByte {
  @usableFromInline static let `false`: UInt8 = 0xf4
  @usableFromInline static let `true`: UInt8 = 0xf5
  @usableFromInline static let null: UInt8 = 0xf6
  @usableFromInline static let half: UInt8 = 0xf9
  @usableFromInline static let single: UInt8 = 0xfa
  @usableFromInline static let double: UInt8 = 0xfb
  @usableFromInline static let `break`: UInt8 = 0xff
}

/// The first byte of an item and its argument (RFC 8949 §3).
@usableFromInline
struct Head {
  /// Bytes of the largest head.
  @usableFromInline static let maximumSize = 9

  let major: CBORMajorType
  /// The low five bits of the first byte: the argument itself, the width of it, or 31 for indefinite length and break.
  let info: UInt8
  /// The argument; 0 where ``info`` is 31.
  let argument: UInt64

  /// Bytes of the head.
  @inline(__always)
  var size: Int { info < 24 || info == 31 ? 1 : 1 + 1 << Int(info - 24) }
  /// Whether the length is indefinite, or the item is the break that ends such an item.
  var isIndefinite: Bool { info == 31 }

  /// Whether no shorter head has this meaning; always true for floats, which are checked by value.
  @inline(__always)
  var isShortest: Bool {
    switch info {
    case 0..<24: true
    case 24: argument >= 24
    case 25: argument > 0xff || major == .simple
    case 26: argument > 0xffff || major == .simple
    case 27: argument > 0xffff_ffff || major == .simple
    default: false
    }
  }

  /// Reads the head at `offset`.
  ///
  /// - Throws: `.truncated`, or `.malformed` for the reserved values 28 to 30, an indefinite length where it is not
  ///   allowed, and a two-byte simple value below 32.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(CBORError) {
    guard offset < bytes.count else { throw CBORError(.truncated, offset: offset) }
    let initialByte = bytes[offset]
    major = CBORMajorType(initialByte: initialByte)
    info = initialByte & 0x1f
    if info < 24 {
      argument = UInt64(info)
    } else if info < 28 {
      argument = try Self.wideArgument(bytes, at: offset, size: 1 << Int(info - 24))
      if info == 24 && major == .simple && argument < 32 {
        throw CBORError(.malformed("a simple value below 32 in two bytes"), offset: offset)
      }
    } else {
      argument = 0
      try Self.checkIndefinite(major, info, offset)
    }
  }

  private static func wideArgument(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, size: Int
  ) throws(CBORError) -> UInt64 {
    guard bytes.count - offset > size else { throw CBORError(.truncated, offset: offset) }
    switch size {
    case 1: return UInt64(bytes[offset + 1])
    case 2: return UInt64(bytes.load(bigEndian: UInt16.self, at: offset + 1))
    case 4: return UInt64(bytes.load(bigEndian: UInt32.self, at: offset + 1))
    default: return bytes.load(bigEndian: UInt64.self, at: offset + 1)
    }
  }

  private static func checkIndefinite(_ major: CBORMajorType, _ info: UInt8, _ offset: Int) throws(CBORError) {
    guard info == 31 else { throw CBORError(.malformed("a reserved first byte"), offset: offset) }
    switch major {
    case .unsigned, .negative, .tag: throw CBORError(.malformed("an indefinite length without one"), offset: offset)
    case .bytes, .text, .array, .map, .simple: return
    }
  }
}

// MARK: - Writing

extension Head {
  /// Writes the shortest head of `type` with `argument` to `start`, where there is room for ``maximumSize`` bytes.
  ///
  /// - Returns: its number of bytes.
  @inlinable @inline(__always)
  static func write(_ type: CBORMajorType, _ argument: UInt64, to start: UnsafeMutableRawPointer) -> Int {
    let top = type.rawValue << 5
    guard argument >= 24 else {
      start.storeBytes(of: top | UInt8(truncatingIfNeeded: argument), as: UInt8.self)
      return 1
    }
    return writeLong(top, argument, to: start)
  }

  /// Bytes of the shortest head with `argument`.
  static func size(of argument: UInt64) -> Int {
    switch argument {
    case 0..<24: 1
    case 24...0xff: 2
    case 0x100...0xffff: 3
    case 0x1_0000...0xffff_ffff: 5
    default: 9
    }
  }

  /// Writes a head whose argument follows its first byte.
  @usableFromInline
  static func writeLong(_ top: UInt8, _ argument: UInt64, to start: UnsafeMutableRawPointer) -> Int {
    switch argument {
    case 0...0xff: write(top | 24, argument, size: 1, to: start)
    case 0x100...0xffff: write(top | 25, argument, size: 2, to: start)
    case 0x1_0000...0xffff_ffff: write(top | 26, argument, size: 4, to: start)
    default: write(top | 27, argument, size: 8, to: start)
    }
  }

  /// Writes `initialByte` and the lower `size` bytes of `argument`, most significant first; returns the number of
  /// bytes.
  @inlinable @inline(__always)
  static func write(
    _ initialByte: UInt8, _ argument: UInt64, size: Int, to start: UnsafeMutableRawPointer
  ) -> Int {
    start.storeBytes(of: initialByte, as: UInt8.self)
    switch size {
    case 1: start.storeBytes(of: UInt8(truncatingIfNeeded: argument), toByteOffset: 1, as: UInt8.self)
    case 2: start.store(bigEndian: UInt16(truncatingIfNeeded: argument), at: 1)
    case 4: start.store(bigEndian: UInt32(truncatingIfNeeded: argument), at: 1)
    default: start.store(bigEndian: argument, at: 1)
    }
    return 1 + size
  }
}

/// Conversions between the three float widths of CBOR, by their bits (IEEE 754; RFC 8949 §3.3 and Appendix D).
///
/// `Float16` does not exist on every platform, and needs a library call on some.
@usableFromInline
enum FloatWidths {
  /// The half-precision bits of the single-precision `bits`, if that is exact; nil for infinities and NaN.
  ///
  /// - Complexity: O(1).
  @inlinable
  static func half(exactly bits: UInt32) -> UInt16? {
    let sign = UInt16(truncatingIfNeeded: bits >> 16) & 0x8000
    let fraction = bits & 0x7f_ffff
    if bits & 0x7fff_ffff == 0 { return sign }
    let exponent = Int32(truncatingIfNeeded: bits >> 23 & 0xff) - 127
    if exponent >= -14 && exponent <= 15 {
      guard fraction & 0x1fff == 0 else { return nil }
      return sign | UInt16(truncatingIfNeeded: exponent + 15) << 10 | UInt16(truncatingIfNeeded: fraction >> 13)
    }
    guard exponent >= -24 && exponent < -14 else { return nil }
    // A subnormal half counts units of 2⁻²⁴: the implicit bit becomes explicit and moves down.
    let (significand, shift) = (fraction | 0x80_0000, UInt32(truncatingIfNeeded: -1 - exponent))
    guard significand & (1 << shift - 1) == 0 else { return nil }
    return sign | UInt16(truncatingIfNeeded: significand >> shift)
  }

  /// The value of half-precision `bits`.
  ///
  /// - Complexity: O(1).
  @inlinable
  static func double(half bits: UInt16) -> Double {
    let (exponent, fraction) = (UInt64(bits >> 10 & 0x1f), UInt64(bits & 0x3ff))
    let sign = UInt64(bits & 0x8000) << 48
    switch exponent {
    case 0:
      let magnitude = Double(fraction) * 0x1p-24
      return sign == 0 ? magnitude : -magnitude
    case 31: return Double(bitPattern: sign | 0x7ff0_0000_0000_0000 | fraction << 42)
    default: return Double(bitPattern: sign | (exponent + 1008) << 52 | fraction << 42)
    }
  }

  /// The single-precision bits of `value`, if that is exact.
  ///
  /// - Complexity: O(1).
  @inlinable
  static func single(exactly value: Double) -> UInt32? {
    let narrow = Float(value)
    return Double(narrow) == value ? narrow.bitPattern : nil
  }
}
