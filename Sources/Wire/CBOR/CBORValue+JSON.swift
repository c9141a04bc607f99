extension CBORValue {
  /// This item as JSON text (RFC 8949 §6.1), on one line or with two blanks a level.
  ///
  /// Tag 0 is its text, a decimal fraction (tag 4) a number in plain decimals with its scale kept, a bignum a number, a
  /// byte string base64url text; other tags give way to their content. Keys that are no text are named by their
  /// diagnostic notation. What JSON does not know is `null`.
  /// - Complexity: O(*n*).
  public func json(indented: Bool = false) -> String {
    var text = ""
    writeJSON(to: &text, indentation: indented ? 0 : nil)
    return text
  }

  private func writeJSON(to text: inout String, indentation: Int?) {
    switch self {
    case .unsigned(let argument): text += String(argument)
    case .negative(let argument): text += String(-1 - Int128(argument))
    case .bytes(let content): text += "\"\(base64url(content))\""
    case .text(let content): text += quoted(content)
    case .array(let elements): Self.writeArray(elements, to: &text, indentation)
    case .map(let pairs): Self.writeMap(pairs, to: &text, indentation)
    case .tagged(_, let content):
      if let number = bignumText ?? decimalText {
        text += number
      } else {
        writeContent(content, to: &text, indentation)
      }
    case .bool(let flag): text += flag ? "true" : "false"
    case .double(let number): text += number.isFinite ? String(number) : "null"
    case .null, .simple: text += "null"
    }
  }

  /// The content of a tag that has no JSON form of its own; a bignum too long for a number is text (RFC 8949 §6.1).
  private func writeContent(_ content: CBORValue, to text: inout String, _ indentation: Int?) {
    if case .tagged(CBORWriter.negativeBignum, .bytes(let digits)) = self {
      text += "\"~\(base64url(digits))\""
    } else {
      content.writeJSON(to: &text, indentation: indentation)
    }
  }

  /// The number that a decimal fraction with an exponent and a mantissa of at most 128 bytes is.
  private var decimalText: String? {
    guard case .tagged(CBORDecimal.tag, .array(let parts)) = self, parts.count == 2,
      let exponent = parts[0].integer.flatMap(Int.init(exactly:)),
      let mantissa = parts[1].bignumText ?? parts[1].integer.map(String.init)
    else { return nil }
    let isNegative = mantissa.hasPrefix("-")
    return plainDecimal(digits: String(mantissa.drop { $0 == "-" }), isNegative: isNegative, exponent)
  }

  /// The value of a plain integer.
  private var integer: Int128? {
    switch self {
    case .unsigned(let argument): Int128(argument)
    case .negative(let argument): -1 - Int128(argument)
    default: nil
    }
  }

  private static func writeArray(_ elements: [CBORValue], to text: inout String, _ indentation: Int?) {
    text += "["
    for (position, element) in elements.enumerated() {
      separate(&text, position, indentation)
      element.writeJSON(to: &text, indentation: indentation.map { $0 + 1 })
    }
    finish(&text, isEmpty: elements.isEmpty, indentation)
    text += "]"
  }

  private static func writeMap(
    _ pairs: [(key: CBORValue, value: CBORValue)], to text: inout String, _ indentation: Int?
  ) {
    text += "{"
    for (position, pair) in pairs.enumerated() {
      separate(&text, position, indentation)
      if case .text(let name) = pair.key { text += quoted(name) } else { text += quoted(pair.key.diagnostic) }
      text += indentation == nil ? ":" : ": "
      pair.value.writeJSON(to: &text, indentation: indentation.map { $0 + 1 })
    }
    finish(&text, isEmpty: pairs.isEmpty, indentation)
    text += "}"
  }

  private static func separate(_ text: inout String, _ position: Int, _ indentation: Int?) {
    if position > 0 { text += "," }
    if let indentation { text += "\n" + String(repeating: "  ", count: indentation + 1) }
  }

  private static func finish(_ text: inout String, isEmpty: Bool, _ indentation: Int?) {
    if let indentation, !isEmpty { text += "\n" + String(repeating: "  ", count: indentation) }
  }
}

/// `content` in base64url without padding (RFC 4648 §5).
private func base64url(_ content: [UInt8]) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  var text: [UInt8] = []
  text.reserveCapacity((content.count * 4 + 2) / 3)
  for start in stride(from: 0, to: content.count, by: 3) {
    let group = content[start..<min(start + 3, content.count)]
    let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
    for position in 0...group.count { text.append(alphabet[Int(bits >> UInt32(18 - 6 * position) & 0x3f)]) }
  }
  return String(decoding: text, as: UTF8.self)
}
