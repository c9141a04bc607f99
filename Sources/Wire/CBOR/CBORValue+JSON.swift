extension CBORValue {
  /// This item as JSON text (RFC 8949 §6.1), on one line or with two blanks a level.
  ///
  /// - A byte string is base64url text without padding, whatever tag stands around it.
  /// - A decimal fraction (tag 4) is text in plain decimals with its scale kept, `"14.90"`: most readers of JSON, that of
  ///   ``init(json:limits:)`` too, take a number with a fraction for a float, and money must not pass through one.
  /// - A bignum is a number up to 128 bytes, beyond them base64url text, after `~` if it is negative.
  /// - Floats have no exponent and read back equal. What JSON does not know is `null`.
  /// - Other tags, such as 0 for times, give way to their content; keys that are no text to their diagnostic notation.
  /// - In text everything that acts on a terminal is escaped.
  /// - Complexity: O(*n*).
  public func json(indented: Bool = false) -> String {
    var text: [UInt8] = []
    text.appendJSON(self, indented: indented)
    return String(decoding: text, as: UTF8.self)
  }

  /// The number that a decimal fraction with an exponent and a mantissa of at most 128 bytes is.
  fileprivate var decimalFraction: String? {
    guard case .tagged(CBORDecimal.tag, .array(let parts)) = self, parts.count == 2,
      let exponent = parts[0].integer.flatMap(Int.init(exactly:)),
      let mantissa = parts[1].bignumText ?? parts[1].integer.map({ String($0) })
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
}

extension [UInt8] {
  /// Appends what ``CBORValue/json(indented:)`` gives.
  ///
  /// - Complexity: O(*n*).
  package mutating func appendJSON(_ item: CBORValue, indented: Bool = false) {
    appendJSON(item, level: indented ? 0 : nil)
  }

  /// `level` counts the containers around the item where the text is indented.
  private mutating func appendJSON(_ item: CBORValue, level: Int?) {
    switch item {
    case .unsigned(let argument): self += String(argument).utf8
    case .negative(let argument): self += String(-1 - Int128(argument)).utf8
    case .bytes(let content): appendBase64URL(content)
    case .text(let text): appendJSON(text)
    case .array(let elements): appendElements(elements, level)
    case .map(let pairs): appendPairs(pairs, level)
    case .tagged(let tag, let content): appendTagged(item, tag, content, level)
    case .bool(let flag): self += (flag ? "true" : "false").utf8
    case .double(let number): self += (number.isFinite ? decimalText(number) : "null").utf8
    case .null, .simple: self += "null".utf8
    }
  }

  private mutating func appendTagged(_ item: CBORValue, _ tag: UInt64, _ content: CBORValue, _ level: Int?) {
    if let number = item.bignumText {
      self += number.utf8
    } else if let number = item.decimalFraction {
      appendJSON(number)
    } else if case (CBORWriter.negativeBignum, .bytes(let digits)) = (tag, content) {
      appendBase64URL(digits, after: "~")
    } else {
      appendJSON(content, level: level)
    }
  }

  private mutating func appendElements(_ elements: [CBORValue], _ level: Int?) {
    append(UInt8(ascii: "["))
    for (position, element) in elements.enumerated() {
      separate(position, level)
      appendJSON(element, level: level.map { $0 + 1 })
    }
    finish(isEmpty: elements.isEmpty, level)
    append(UInt8(ascii: "]"))
  }

  private mutating func appendPairs(_ pairs: [(key: CBORValue, value: CBORValue)], _ level: Int?) {
    append(UInt8(ascii: "{"))
    for (position, pair) in pairs.enumerated() {
      separate(position, level)
      if case .text(let name) = pair.key { appendJSON(name) } else { appendJSON(pair.key.diagnostic) }
      self += (level == nil ? ":" : ": ").utf8
      appendJSON(pair.value, level: level.map { $0 + 1 })
    }
    finish(isEmpty: pairs.isEmpty, level)
    append(UInt8(ascii: "}"))
  }

  private mutating func separate(_ position: Int, _ level: Int?) {
    if position > 0 { append(UInt8(ascii: ",")) }
    if let level { appendLineBreak(level + 1) }
  }

  private mutating func finish(isEmpty: Bool, _ level: Int?) {
    if let level, !isEmpty { appendLineBreak(level) }
  }

  private mutating func appendLineBreak(_ level: Int) {
    append(UInt8(ascii: "\n"))
    append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
  }

  /// Appends `content` in quotes, in base64url without padding (RFC 4648 §5).
  private mutating func appendBase64URL(_ content: [UInt8], after prefix: StaticString = "") {
    append(UInt8(ascii: "\""))
    prefix.withUTF8Buffer { append(contentsOf: $0) }
    for start in stride(from: 0, to: content.count, by: 3) {
      let group = content[start..<Swift.min(start + 3, content.count)]
      let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for position in 0...group.count { append(base64URLAlphabet[Int(bits >> UInt32(18 - 6 * position) & 0x3f)]) }
    }
    append(UInt8(ascii: "\""))
  }
}

private let base64URLAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
