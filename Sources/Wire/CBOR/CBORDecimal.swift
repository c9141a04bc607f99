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
  /// The most digits of a mantissa.
  package static let maximumDigits = 38
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

  /// Reads tag 4 around an array of exponent and mantissa, or the text of ``init(plain:)``, the natural form in JSON.
  public init(from decoder: any Decoder) throws {
    let tagged: CBORTagged<[Int128]>
    do {
      tagged = try CBORTagged<[Int128]>(from: decoder)
    } catch {
      guard let text = try? String(from: decoder), let number = Self(plain: text) else { throw error }
      self = number
      return
    }
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

extension CBORDecimal {
  /// Reads plain decimal notation such as `-10.00`; `nil` unless it has no sign but a leading minus, at most one point
  /// with digits on both sides, no separators, no exponent, and at most 38 digits, also after the point.
  package init?(plain text: String) {
    let isNegative = text.hasPrefix("-")
    let parts = text.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
    let digits = parts.joined().drop { $0.is("0") }
    let scale = parts.count == 2 ? parts[1].utf8.count : 0
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }),
      max(digits.utf8.count, scale) <= Self.maximumDigits
    else { return nil }
    let magnitude = Int128(digits) ?? 0
    self.init(mantissa: isNegative ? -magnitude : magnitude, exponent: -scale)
  }
}

extension CBORDecimal: CustomStringConvertible {
  /// Plain decimal notation such as `-10.00`; with an exponent instead of more than 100 zeros.
  public var description: String {
    plainDecimal(digits: String(mantissa.magnitude), isNegative: mantissa < 0, exponent)
  }
}
