extension CBORWriter {
  /// Tag of a bignum that is not negative (RFC 8949 §3.4.3).
  static let unsignedBignum: UInt64 = 2
  /// Tag of a negative bignum: its content n stands for −1 − n.
  static let negativeBignum: UInt64 = 3

  /// Appends an integer, beyond 64 bits as a bignum of tag 2.
  public mutating func writeInteger(_ value: UInt128) {
    guard let short = UInt64(exactly: value) else { return writeBignum(tag: Self.unsignedBignum, value) }
    writeHead(.unsigned, short)
  }

  /// Appends an integer, beyond 64 bits as a bignum of tag 2 or 3.
  public mutating func writeInteger(_ value: Int128) {
    if value >= 0 { return writeInteger(UInt128(value)) }
    let argument = UInt128(bitPattern: ~value)
    guard let short = UInt64(exactly: argument) else { return writeBignum(tag: Self.negativeBignum, argument) }
    writeHead(.negative, short)
  }

  private mutating func writeBignum(tag: UInt64, _ argument: UInt128) {
    writeTag(tag)
    Swift.withUnsafeBytes(of: argument.bigEndian) { all in
      writeBytes(UnsafeRawBufferPointer(rebasing: all[(argument.leadingZeroBitCount / 8)...]))
    }
  }
}
