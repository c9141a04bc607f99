import Base

/// A decimal fraction, mantissa · 10^exponent (RFC 8949 §3.4.4, tag 4), exact to 38 digits: what money is on the wire.
///
/// The scale is kept as it was written: 10.00 is 1000 · 10⁻², and is not equal to 1 · 10¹. A mantissa beyond 64 bits
/// becomes a bignum.
public struct CBORDecimal: Codable, Hashable, Sendable {
  /// The power of ten, within ``exponents``.
  public var exponent: Int
  /// The digits, at most 38, and the sign.
  public var mantissa: Int128

  /// The exponents that are accepted: those of decimal128 (IEEE 754).
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
    let tagged = try CBORTagged<Parts>(from: decoder)
    self.init(mantissa: tagged.content.mantissa, exponent: tagged.content.exponent)
    guard tagged.tag == Self.tag else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "expected tag 4, found tag \(tagged.tag)"))
    }
    guard isInRange else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a decimal of more than 38 digits or a larger exponent")
      )
    }
  }

  /// Writes tag 4 around an array of exponent and mantissa.
  public func encode(to encoder: any Encoder) throws {
    guard isInRange else {
      throw EncodingError.invalidValue(
        self,
        .init(codingPath: encoder.codingPath, debugDescription: "a decimal of more than 38 digits or a larger exponent")
      )
    }
    try CBORTagged(tag: Self.tag, content: Parts(exponent: exponent, mantissa: mantissa)).encode(to: encoder)
  }

  private struct Parts: Codable {
    var exponent: Int
    var mantissa: Int128

    init(exponent: Int, mantissa: Int128) {
      self.exponent = exponent
      self.mantissa = mantissa
    }

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      exponent = try container.decode(Int.self)
      mantissa = try container.decode(Int128.self)
      guard container.isAtEnd else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "a decimal fraction of more than two parts"))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(exponent)
      try container.encode(mantissa)
    }
  }
}

extension CBORDecimal: CustomStringConvertible {
  /// Plain decimal notation such as `-10.00`; with an exponent where plain zeros would be more than 100.
  public var description: String {
    plainDecimal(digits: String(mantissa.magnitude), isNegative: mantissa < 0, exponent)
  }
}

// The standard library gives 128-bit integers default implementations that always fail, and prefers them to the
// containers' generic functions; so these are spelled out.

extension ItemEncoder {
  func encode(_ value: Int128) throws { try write { $0.writeInteger(value) } }
}

extension KeyedItemEncoder {
  func encode(_ value: Int128, forKey key: Key) throws {
    try state.output.pointee.beginPair(key.stringValue, in: level)
    state.output.pointee.writer.writeInteger(value)
  }

}

extension UnkeyedItemEncoder {
  func encode(_ value: Int128) throws {
    try state.output.pointee.beginElement(in: level)
    state.output.pointee.writer.writeInteger(value)
  }

}

extension ItemDecoder {
  func decode(_ type: Int128.Type) throws -> Int128 { try .read(from: tape, at: index) }
}

extension KeyedItemDecoder {
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try .read(from: tape, at: value(key)) }
}

extension UnkeyedItemDecoder {
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try read(type) }
}
