/// The shortest decimal that reads back as `number`, never with an exponent: `-33.9`, `0.00001`, `44.0`.
///
/// - Complexity: O(1); at most 329 digits.
package func decimalText(_ number: Double) -> String {
  let text = String(number)
  guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "e")), let exponent = Int(text[text.index(after: mark)...])
  else { return text }
  // Swift writes 1.5e+20, and 1e+16 without a fraction.
  let mantissa = text[..<mark].drop { $0.is("-") }.split(separator: ".")
  let (digits, scale) = (mantissa.joined(), mantissa.dropFirst().reduce(0) { $0 + $1.utf8.count })
  let plain = unlimitedDecimal(digits: digits, exponent - scale)
  return (number < 0 ? "-" : "") + plain + (exponent >= scale ? ".0" : "")
}

/// `digits` · 10^`exponent` as text that is a JSON number as well; with an exponent instead of many zeros.
package func plainDecimal(digits: String, isNegative: Bool, _ exponent: Int) -> String {
  let sign = isNegative ? "-" : ""
  // A few bytes on the wire must not become gigabytes of zeros.
  guard (-100...100).contains(exponent) else { return "\(sign)\(digits)e\(exponent)" }
  return sign + unlimitedDecimal(digits: digits, exponent)
}

package func unlimitedDecimal(digits: String, _ exponent: Int) -> String {
  if exponent >= 0 { return digits == "0" ? digits : digits + String(repeating: "0", count: exponent) }
  let padded = zeroPadded(digits, 1 - exponent)
  return "\(padded.dropLast(-exponent)).\(padded.suffix(-exponent))"
}

/// `count` with a comma between groups of three digits, for people: `9,312,000`.
package func groupedText(_ count: UInt64) -> String {
  var digits = String(count)
  var place = digits.utf8.count - 3
  while place > 0 {
    digits.insert(",", at: digits.utf8.index(digits.startIndex, offsetBy: place))
    place -= 3
  }
  return digits
}

/// `value` in lower-case hexadecimal, padded with zeros to `digits`.
package func hexadecimal(_ value: UInt64, digits: Int) -> String { zeroPadded(String(value, radix: 16), digits) }

/// `digits`, padded with leading zeros to at least `count`.
package func zeroPadded(_ digits: String, _ count: Int) -> String {
  String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
}
