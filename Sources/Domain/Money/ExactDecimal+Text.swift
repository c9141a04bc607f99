extension ExactDecimal {
  /// The digits after the point that are read.
  package static let maximumWrittenScale = 38

  /// Reads plain decimal notation: an optional minus sign, digits, and at most one point with digits on both sides.
  ///
  /// It is what a JSON number without exponent looks like (RFC 8259 §6), or a JSON string that holds one; zeros in
  /// front are allowed, as in `007.50`. Blanks, a plus sign, separators, a decimal comma and an exponent are refused.
  ///
  /// - Throws: ``MoneyError/malformedNumber(_:reason:)``, which says what was found and what is expected.
  /// - Complexity: O(bytes of the text).
  package init(parsing text: some StringProtocol) throws(MoneyError) {
    var reader = DecimalReader()
    for byte in text.utf8 {
      guard reader.accept(byte) else { break }
    }
    do {
      self = try reader.finish()
    } catch {
      throw .malformedNumber(MoneyError.excerpt(of: text), reason: error.reason)
    }
  }
}

/// Reads a decimal byte by byte, and remembers what is wrong with it.
private struct DecimalReader {
  struct Refusal: Error { let reason: String }

  private var magnitude: UInt128 = 0
  private var places = 0
  private var digitsOfPart = 0
  private var isNegative = false
  private var hasPoint = false
  private var isBegun = false
  private var refusal: Refusal?

  /// Takes the next byte; `false` if nothing more needs to be read.
  mutating func accept(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): append(digit: UInt128(byte - UInt8(ascii: "0")))
    case UInt8(ascii: ".") where !hasPoint && digitsOfPart > 0: (hasPoint, digitsOfPart) = (true, 0)
    case UInt8(ascii: "-") where !isBegun: isNegative = true
    default: refusal = Refusal(reason: Self.reason(against: byte, hasPoint))
    }
    isBegun = true
    return refusal == nil
  }

  private mutating func append(digit: UInt128) {
    digitsOfPart += 1
    places += hasPoint ? 1 : 0
    guard places <= ExactDecimal.maximumWrittenScale, magnitude <= (ExactDecimal.maximumMagnitude - digit) / 10 else {
      refusal = Refusal(reason: "at most 38 digits are kept")
      return
    }
    magnitude = magnitude * 10 + digit
  }

  func finish() throws(Refusal) -> ExactDecimal {
    if let refusal { throw refusal }
    guard isBegun else { throw Refusal(reason: "it is empty") }
    guard digitsOfPart > 0 else { throw Refusal(reason: "a digit is missing at its end") }
    return ExactDecimal(magnitude: magnitude, scale: places, isNegative: isNegative)
  }

  private static func reason(against byte: UInt8, _ hasPoint: Bool) -> String {
    switch byte {
    case UInt8(ascii: ","): "write a point, not a comma, and no separators"
    case UInt8(ascii: "."): hasPoint ? "it has a second point" : "a digit is missing before the point"
    case UInt8(ascii: "e"), UInt8(ascii: "E"): "an exponent is not read; write all digits"
    case UInt8(ascii: "+"): "write no plus sign"
    case UInt8(ascii: "-"): "a minus sign may only stand first"
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): "it contains a blank"
    default: "only digits, one point and a minus sign in front are read"
    }
  }
}

extension ExactDecimal: CustomStringConvertible {
  /// Plain decimal notation with the digits after the point that ``scale`` says, such as `-10.00`; never an exponent.
  ///
  /// - Complexity: O(digits written), at most 6,182.
  package var description: String {
    let digits = String(magnitude)
    let sign = isNegative ? "-" : ""
    guard scale > 0 else { return sign + (isZero ? digits : digits + String(repeating: "0", count: -scale)) }
    let padded = String(repeating: "0", count: max(0, scale + 1 - digits.utf8.count)) + digits
    return "\(sign)\(padded.dropLast(scale)).\(padded.suffix(scale))"
  }
}
