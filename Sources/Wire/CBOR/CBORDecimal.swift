import Base

/// A decimal fraction, mantissa · 10^exponent (RFC 8949 §3.4.4, tag 4), exact to 38 digits: the wire form of money.
///
/// The scale is kept as written: 10.00 is 1000 · 10⁻², and is not equal to 1 · 10¹. A mantissa beyond 64 bits becomes a
/// bignum.
public struct CBORDecimal: Codable, Hashable, Sendable {
  /// The power of ten, within ``exponents``.
  public var exponent: Int
  /// The digits, at most 38, and the sign.
  public var mantissa: Int128

  /// The valid exponents: those of decimal128 (IEEE 754).
  public static let exponents = -6176...6144
  /// The largest magnitude of a mantissa: 38 nines.
  public static let maximumMantissa = UInt128(99_999_999_999_999_999_999_999_999_999_999_999_999)

  package static let tag: UInt64 = 4

  /// Makes a decimal fraction.
  public init(mantissa: Int128, exponent: Int) {
    self.mantissa = mantissa
    self.exponent = exponent
  }

  private var isInRange: Bool {
    Self.exponents.contains(exponent) && mantissa.magnitude <= Self.maximumMantissa
  }

  /// Reads tag 4 around an array of exponent and mantissa.
  public init(from decoder: any Decoder) throws {
    let tagged = try CBORTagged<[Int128]>(from: decoder)
    guard tagged.tag == Self.tag else { throw Self.corrupted("expected tag 4, found tag \(tagged.tag)", decoder) }
    guard tagged.content.count == 2 else {
      throw Self.corrupted("a decimal fraction of \(tagged.content.count) parts, not of two", decoder)
    }
    self.init(mantissa: tagged.content[1], exponent: Int(clamping: tagged.content[0]))
    guard isInRange else { throw Self.corrupted(Self.outOfRange, decoder) }
  }

  private static let outOfRange = "a decimal of more than 38 digits or a larger exponent"

  private static func corrupted(_ problem: String, _ decoder: any Decoder) -> DecodingError {
    .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
  }

  /// Writes tag 4 around an array of exponent and mantissa.
  public func encode(to encoder: any Encoder) throws {
    guard isInRange else {
      throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: Self.outOfRange))
    }
    try CBORTagged(tag: Self.tag, content: [Int128(exponent), mantissa]).encode(to: encoder)
  }
}

extension CBORDecimal: CustomStringConvertible {
  /// Plain decimal notation such as `-10.00`; with an exponent instead of more than 100 zeros.
  public var description: String {
    plainDecimal(digits: String(mantissa.magnitude), isNegative: mantissa < 0, exponent)
  }
}
