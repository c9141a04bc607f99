/// Conversions between the three float widths of CBOR, by their bits (IEEE 754; RFC 8949 §3.3 and Appendix D).
///
/// `Float16` would do the same, but does not exist on every platform and goes through a library call on some.
@usableFromInline
enum FloatWidths {
  /// The half-precision bits of the single-precision `bits`, if that loses nothing; infinities and NaN give nil.
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

  /// The single-precision bits of `value`, if that loses nothing.
  ///
  /// - Complexity: O(1).
  @inlinable
  static func single(exactly value: Double) -> UInt32? {
    let narrow = Float(value)
    return Double(narrow) == value ? narrow.bitPattern : nil
  }
}
