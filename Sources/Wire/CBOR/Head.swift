/// The first byte of an item and its argument (RFC 8949 §3).
@usableFromInline
struct Head {
  /// Bytes of the largest head.
  @usableFromInline static let maximumSize = 9

  /// The item's kind.
  let major: CBORMajorType
  /// The low five bits of the first byte: the argument itself, the width of it, or 31 for indefinite length and break.
  let info: UInt8
  /// The argument; 0 where ``info`` is 31.
  let argument: UInt64

  /// Bytes of the head.
  @inline(__always)
  var size: Int { info < 24 || info == 31 ? 1 : 1 + 1 << Int(info - 24) }
  /// Whether the length is indefinite, or the item the break that ends such an item.
  var isIndefinite: Bool { info == 31 }

  /// Whether no shorter head means the same; for floats, which are checked by value, always true.
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
  /// - Throws: `.truncated`, or `.malformed` for the reserved values 28 to 30, an indefinite length where there is none
  ///   and a two-byte simple value below 32.
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
    case 2: return UInt64(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt16.self)))
    case 4: return UInt64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt32.self)))
    default: return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt64.self))
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
  /// - Returns: the bytes it takes.
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

  /// Writes a head whose argument stands behind its first byte.
  @usableFromInline
  static func writeLong(_ top: UInt8, _ argument: UInt64, to start: UnsafeMutableRawPointer) -> Int {
    switch argument {
    case 0...0xff: write(top | 24, argument, size: 1, to: start)
    case 0x100...0xffff: write(top | 25, argument, size: 2, to: start)
    case 0x1_0000...0xffff_ffff: write(top | 26, argument, size: 4, to: start)
    default: write(top | 27, argument, size: 8, to: start)
    }
  }

  /// Writes `initialByte` and the lower `size` bytes of `argument`, most significant first; gives the bytes they take.
  @inlinable @inline(__always)
  static func write(
    _ initialByte: UInt8, _ argument: UInt64, size: Int, to start: UnsafeMutableRawPointer
  ) -> Int {
    start.storeBytes(of: initialByte, as: UInt8.self)
    switch size {
    case 1: start.storeBytes(of: UInt8(truncatingIfNeeded: argument), toByteOffset: 1, as: UInt8.self)
    case 2: start.storeBytes(of: UInt16(truncatingIfNeeded: argument).bigEndian, toByteOffset: 1, as: UInt16.self)
    case 4: start.storeBytes(of: UInt32(truncatingIfNeeded: argument).bigEndian, toByteOffset: 1, as: UInt32.self)
    default: start.storeBytes(of: argument.bigEndian, toByteOffset: 1, as: UInt64.self)
    }
    return 1 + size
  }
}
