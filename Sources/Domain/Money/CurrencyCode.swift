/// A currency's code in upper case, such as `EUR`.
///
/// ISO 4217 codes have three letters; feeds may have others (`USDT`), so up to eight ASCII letters and digits are
/// accepted, starting with a letter. Codes are ordered alphabetically.
package struct CurrencyCode: Hashable, Sendable {
  /// The characters from the most significant byte down, then zeros, so that integers sort like the codes.
  package let packed: UInt64

  /// The most characters of a code.
  package static let maximumLength = 8
  /// The euro: the default currency of totals.
  package static let euro = CurrencyCode(unchecked: [0x45, 0x55, 0x52])

  /// Reads a code in any case; spaces are refused.
  ///
  /// - Throws: ``MoneyError/malformedCurrency(_:)``.
  package init(_ text: String) throws(MoneyError) {
    let bytes = text.utf8.prefix(Self.maximumLength + 1).map(Self.upperCased)
    guard Self.isCode(bytes) else { throw .malformedCurrency(MoneyError.excerpt(of: text)) }
    self.init(unchecked: bytes)
  }

  /// Whether it has three letters, like all codes of ISO 4217.
  package var isThreeLetters: Bool {
    let bytes = Self.bytes(packed)
    return bytes.count == 3 && bytes.allSatisfy(Self.isLetter)
  }

  /// Makes a code from ``packed``, also from untrusted bytes.
  ///
  /// - Throws: ``MoneyError/malformedCurrency(_:)``.
  package init(packed: UInt64) throws(MoneyError) {
    self.packed = packed
    let bytes = Self.bytes(packed)
    guard Self.isCode(bytes), bytes.count * 8 + packed.trailingZeroBitCount >= 64 else {
      throw .malformedCurrency("packed \(packed)")
    }
  }

  private init(unchecked bytes: [UInt8]) {
    packed = bytes.reduce(0) { $0 << 8 | UInt64($1) } << UInt64((Self.maximumLength - bytes.count) * 8)
  }

  static func upperCased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 0x20 : byte
  }

  private static func isCode(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first, bytes.count <= maximumLength else { return false }
    return isLetter(first) && bytes.allSatisfy { isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

  private static func bytes(_ packed: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: packed >> UInt64($0)) }
      .prefix { $0 != 0 }
      .map { $0 }
  }
}

extension CurrencyCode: Comparable, CustomStringConvertible {
  /// Alphabetical order, digits before letters.
  package static func < (left: CurrencyCode, right: CurrencyCode) -> Bool { left.packed < right.packed }

  /// The code itself.
  package var description: String { String(decoding: Self.bytes(packed), as: UTF8.self) }
}
