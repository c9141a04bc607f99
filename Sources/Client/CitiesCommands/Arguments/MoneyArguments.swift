package import CBOR
internal import CitiesProtocol

/// Parses an amount of money exactly: `12.50`, `-3`, `0.1000`.
///
/// Binary floating point is never used; the digits after the point are kept as written.
package enum AmountArgument {
  /// The amount in `text`.
  ///
  /// - Throws: `ValidationError` unless it has no sign but a leading minus, at most one point with digits on both
  ///   sides, no separators, no exponent, and at most 38 digits.
  package static func parse(_ text: String) throws -> CBORDecimal {
    let isNegative = text.hasPrefix("-")
    let parts = text.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }) else {
      throw ValidationError("not an amount: '\(text)' (\(remedy(text)))")
    }
    let digits = parts.joined().drop { $0 == "0" }
    let scale = parts.count == 2 ? parts[1].utf8.count : 0
    guard digits.utf8.count <= maximumDigits, scale <= maximumDigits,
      let magnitude = Int128(digits.isEmpty ? "0" : digits)
    else { throw ValidationError("'\(text)' has too many digits: amounts have at most \(maximumDigits)") }
    return CBORDecimal(mantissa: isNegative ? -magnitude : magnitude, exponent: -scale)
  }

  private static let maximumDigits = 38

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func remedy(_ text: String) -> String {
    if text.contains(",") { return "write a point, not a comma, and no separators, as in 1234.50" }
    if text.contains(where: { $0 == "e" || $0 == "E" }) { return "write all digits, without an exponent" }
    return "write digits with at most one point between them, as in 12.50 or -3"
  }
}

/// The option that determines when converted amounts are rounded.
struct RoundingOption: ArgumentGroup {
  /// The mode; `nil` for the default.
  private(set) var mode: RoundingMode?

  mutating func declare(in table: inout ArgumentTable) throws {
    try table.option(
      &mode, "--rounding", "when", .choice, "When to round: once (default) or step.",
      details: "once rounds after the last conversion, step after every one; both round half to even.")
  }

}
