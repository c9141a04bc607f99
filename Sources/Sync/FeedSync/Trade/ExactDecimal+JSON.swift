import Money

extension ExactDecimal {
  /// Reads a JSON number as it is written (RFC 8259 §6): `10.00` keeps its two places.
  ///
  /// An exponent, which programs write that print binary floating point, moves the point: `1.50e-3` is 0.00150, and
  /// `1e2` is 100 with no places. Text in quotes is not read this way: a person wrote it, and means plain decimals.
  ///
  /// - Throws: ``MoneyError/malformedNumber(_:reason:)`` or ``MoneyError/overflow`` if more than 38 digits stand before
  ///   or behind the point.
  /// - Complexity: O(bytes of the text).
  init(jsonNumber text: String) throws(MoneyError) {
    guard let mark = text.utf8.firstIndex(where: { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }) else {
      self = try ExactDecimal(parsing: text)
      return
    }
    let written = try ExactDecimal(parsing: text[..<mark])
    // A number that needs more than three digits of exponent is out of range, unless it is zero: that is refused too.
    guard let exponent = Int(text[text.index(after: mark)...]), abs(exponent) < 1_000 else { throw .overflow }
    let scale = written.scale - exponent
    guard scale <= Self.maximumWrittenScale else { throw .overflow }
    let moved = try ExactDecimal(mantissa: written.mantissa, scale: scale)
    // The sum with a zero of no places writes the zeros before the point out.
    self = scale < 0 ? try moved.adding(.zero) : moved
  }
}
