extension CBORValue {
  /// Diagnostic notation (RFC 8949 §8) on one line, as in the examples of its Appendix A.
  ///
  /// ```
  /// {"id": 7, "result": {"at": 0("2026-03-01T12:00:00Z"), "digest": h'01ff'}}
  /// ```
  /// - Complexity: O(*n*), but for bignums, which are printed as integers up to 128 bytes.
  public var diagnostic: String {
    switch self {
    case .unsigned(let argument): String(argument)
    case .negative(let argument): String(-1 - Int128(argument))
    case .bytes(let content): "h'\(content.map(hexadecimal).joined())'"
    case .text(let text): quoted(text)
    case .array(let elements): "[\(elements.map(\.diagnostic).joined(separator: ", "))]"
    case .map(let pairs): "{\(pairs.map { "\($0.key.diagnostic): \($0.value.diagnostic)" }.joined(separator: ", "))}"
    case .tagged(let tag, let content): bignumText ?? "\(tag)(\(content.diagnostic))"
    case .bool(let flag): String(flag)
    case .null: "null"
    case .simple(23): "undefined"
    case .simple(let number): "simple(\(number))"
    case .double(let number): String(number)
    }
  }

  /// A bignum of at most 128 bytes in decimal digits: the conversion is quadratic.
  var bignumText: String? {
    guard case .tagged(let tag, _) = self, let magnitude = bignumMagnitude, magnitude.count <= 128 else { return nil }
    let isNegative = tag == CBORWriter.negativeBignum
    return (isNegative ? "-" : "") + decimalDigits(magnitude, plus: isNegative ? 1 : 0)
  }
}

/// `text` in double quotes, escaped as in JSON (RFC 8259 §7).
func quoted(_ text: String) -> String {
  var quoted = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": quoted += "\\\""
    case "\\": quoted += "\\\\"
    case "\n": quoted += "\\n"
    case "\r": quoted += "\\r"
    case "\t": quoted += "\\t"
    // DEL and the C1 controls may be escaped, and would otherwise reach a terminal.
    case "\0"..<" ", "\u{7f}"..."\u{9f}": quoted += "\\u00" + hexadecimal(UInt8(truncatingIfNeeded: scalar.value))
    default: quoted.unicodeScalars.append(scalar)
    }
  }
  return quoted + "\""
}

/// Two hexadecimal digits.
func hexadecimal(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

/// The decimal digits of a big-endian number plus a small addend.
private func decimalDigits(_ bigEndian: ArraySlice<UInt8>, plus addend: UInt64) -> String {
  // Limbs of nine digits, least significant first.
  var limbs: [UInt64] = [0]
  func step(times factor: UInt64, plus addend: UInt64) {
    var carry = addend
    for index in limbs.indices {
      (carry, limbs[index]) = (limbs[index] * factor + carry).quotientAndRemainder(dividingBy: 1_000_000_000)
    }
    if carry > 0 { limbs.append(carry) }
  }
  for byte in bigEndian { step(times: 256, plus: UInt64(byte)) }
  step(times: 1, plus: addend)
  let rest = limbs.dropLast().reversed().map { limb in
    String(repeating: "0", count: 9 - String(limb).utf8.count) + String(limb)
  }
  return String(limbs[limbs.count - 1]) + rest.joined()
}
