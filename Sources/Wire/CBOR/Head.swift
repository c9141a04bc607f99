/// The first byte of an item and its argument (RFC 8949 §3).
struct Head {
  /// The item's kind.
  let major: CBORMajorType
  /// The low five bits of the first byte: the argument itself, the width of it, or 31 for indefinite length and break.
  let info: UInt8
  /// The argument; 0 where ``info`` is 31.
  let argument: UInt64

  /// Bytes of the head.
  var size: Int { info < 24 || info == 31 ? 1 : 1 + 1 << Int(info - 24) }
  /// Whether the length is indefinite, or the item the break that ends such an item.
  var isIndefinite: Bool { info == 31 }

  /// Whether no shorter head means the same; for floats, which are checked by value, always true.
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
