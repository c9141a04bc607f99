package import CBOR
internal import CitiesProtocol

/// Parses an amount of money exactly: `12.50`, `-3`, `0.1000`.
///
/// Binary floating point is never used; the digits after the point are kept as written.
package enum AmountArgument {
  /// The amount in `text`.
  ///
  /// - Throws: `ValidationError` as ``CBORDecimal/init(plain:)`` does.
  package static func parse(_ text: String) throws -> CBORDecimal {
    if let amount = CBORDecimal(plain: text) { return amount }
    throw ValidationError(
      text.utf8.count(where: isDigit) > CBORDecimal.maximumDigits
        ? "'\(text)' has too many digits: amounts have at most \(CBORDecimal.maximumDigits)"
        : "not an amount: '\(text)' (\(remedy(text)))")
  }

  private static func remedy(_ text: String) -> String {
    if text.contains(",") { return "write a point, not a comma, and no separators, as in 1234.50" }
    if text.contains(where: { $0.is("e") || $0.is("E") }) { return "write all digits, without an exponent" }
    return "write digits with at most one point between them, as in 12.50 or -3"
  }
}

/// The option that determines when converted amounts are rounded.
struct RoundingOption: ArgumentGroup {
  /// The mode; `nil` for the default.
  private(set) var mode: RoundingMode?

  mutating func declare(in table: inout ArgumentTable) throws {
    mode = try table.option(
      "--rounding", "when", .choice, "When to round: once (default) or step.",
      details: "once rounds after the last conversion, step after every one; both round half to even.")
  }

}
