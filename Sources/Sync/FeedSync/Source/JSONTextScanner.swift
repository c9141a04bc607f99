/// Goes through a JSON text (RFC 8259) value by value; strict, as deep as ``JSONFault/maximumDepth``.
struct JSONTextScanner {
  private let text: [UInt8]
  /// The offset of the next byte.
  private(set) var offset: Int

  /// Begins at `offset` of `text`.
  init(_ text: [UInt8], from offset: Int) { (self.text, self.offset) = (text, offset) }

  /// What is wrong at the place that is reached.
  func fault(_ problem: String) -> JSONFault { JSONFault(problem, at: offset, of: text) }

  /// The first byte of the next value or mark.
  mutating func peek() throws(JSONFault) -> UInt8 {
    guard let byte = next() else { throw fault("the text ends too early") }
    return byte
  }

  /// Requires that nothing follows.
  mutating func requireEnd() throws(JSONFault) {
    if let byte = next() { throw unexpected(byte) }
  }

  /// Passes an array's or object's opening mark, its elements, each read by `body`, and the closing mark.
  mutating func readElements(
    until closing: Unicode.Scalar, _ body: (inout JSONTextScanner) throws(JSONFault) -> Void
  ) throws(JSONFault) {
    offset += 1
    let closing = UInt8(ascii: closing)
    if try peek() == closing {
      offset += 1
      return
    }
    while true {
      try body(&self)
      let byte = try peek()
      guard byte == closing || byte == UInt8(ascii: ",") else { throw unexpected(byte) }
      offset += 1
      if byte == closing { return }
    }
  }

  /// Passes an object's key and the colon behind it.
  mutating func readKey() throws(JSONFault) -> String {
    let first = try peek()
    guard first == UInt8(ascii: "\"") else { throw unexpected(first) }
    let key = try readText().get()
    let colon = try peek()
    guard colon == UInt8(ascii: ":") else { throw unexpected(colon) }
    offset += 1
    return key
  }

  /// Passes one value.
  mutating func readField() throws(JSONFault) -> JSONField {
    switch try peek() {
    case UInt8(ascii: "\""):
      switch try readText() {
      case .success(let text): return .text(text)
      // One bad text makes its record bad, not the whole list.
      case .failure(let fault): return .other("text that is not UTF-8 \(fault.place)")
      }
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try readNumber())
    default:
      let noun = try noun()
      try skipValue()
      return .other(noun)
    }
  }

  /// What kind of value comes next.
  mutating func noun() throws(JSONFault) -> String {
    switch try peek() {
    case UInt8(ascii: "["): "an array"
    case UInt8(ascii: "{"): "an object"
    case UInt8(ascii: "\""): "text"
    case UInt8(ascii: "t"), UInt8(ascii: "f"): "a truth value"
    case UInt8(ascii: "n"): "null"
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): "a number"
    default: "no JSON"
    }
  }

  /// Passes one value of any kind and checks its grammar.
  mutating func skipValue(depth: Int = 1) throws(JSONFault) {
    guard depth < JSONFault.maximumDepth else {
      throw fault("more than \(JSONFault.maximumDepth) arrays and objects inside each other")
    }
    let first = try peek()
    switch first {
    case UInt8(ascii: "["):
      try readElements(until: "]") { (scanner) throws(JSONFault) in try scanner.skipValue(depth: depth + 1) }
    case UInt8(ascii: "{"):
      try readElements(until: "}") { (scanner) throws(JSONFault) in
        _ = try scanner.readKey()
        try scanner.skipValue(depth: depth + 1)
      }
    case UInt8(ascii: "\""): _ = try readText()
    case UInt8(ascii: "t"): try passWord("true")
    case UInt8(ascii: "f"): try passWord("false")
    case UInt8(ascii: "n"): try passWord("null")
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): _ = try readNumber()
    default: throw unexpected(first)
    }
  }

  // MARK: Bytes

  /// The next byte that is no blank.
  private mutating func next() -> UInt8? {
    while let byte = current, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { offset += 1 }
    return current
  }

  private var current: UInt8? { offset < text.count ? text[offset] : nil }

  private func unexpected(_ byte: UInt8) -> JSONFault {
    let isPrintable = (0x20..<0x7f).contains(byte)
    return fault(isPrintable ? "unexpected \"\(UnicodeScalar(byte))\"" : "unexpected byte \(byte)")
  }

  private mutating func passWord(_ word: String) throws(JSONFault) {
    for expected in word.utf8 {
      guard let byte = current else { throw fault("the text ends within a word") }
      guard byte == expected else { throw unexpected(byte) }
      offset += 1
    }
  }
}

// MARK: - Numbers

extension JSONTextScanner {
  /// Passes a number and gives its text (RFC 8259 §6).
  private mutating func readNumber() throws(JSONFault) -> String {
    let start = offset
    pass("-")
    let first = offset
    try passDigits()
    guard text[first] != UInt8(ascii: "0") || offset == first + 1 else {
      throw JSONFault("a number begins with a zero", at: first, of: text)
    }
    if pass(".") { try passDigits() }
    if pass("e") || pass("E") {
      if !pass("+") { pass("-") }
      try passDigits()
    }
    return String(decoding: text[start..<offset], as: UTF8.self)
  }

  @discardableResult
  private mutating func pass(_ mark: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: mark) else { return false }
    offset += 1
    return true
  }

  private mutating func passDigits() throws(JSONFault) {
    let start = offset
    while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
    guard offset == start else { return }
    guard let byte = current else { throw fault("the text ends within a number") }
    throw unexpected(byte)
  }
}

// MARK: - Strings

extension JSONTextScanner {
  /// Passes a string and gives what it says (RFC 8259 §7), or the place where it is not UTF-8.
  private mutating func readText() throws(JSONFault) -> Result<String, JSONFault> {
    let start = offset
    offset += 1
    var content: [UInt8] = []
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        if let string = String(validating: content, as: UTF8.self) { return .success(string) }
        // Escapes are valid, so the fault is among the bytes as they stand there.
        let invalid = text[start..<offset].firstInvalidUTF8 ?? start
        return .failure(JSONFault("the string is not UTF-8", at: invalid, of: text))
      case UInt8(ascii: "\\"): content += try readEscape().utf8
      case 0..<0x20: throw unexpected(byte)
      default:
        content.append(byte)
        offset += 1
      }
    }
    throw fault("the text ends within a string")
  }

  private mutating func readEscape() throws(JSONFault) -> Unicode.Scalar {
    let start = offset
    offset += 1
    guard let byte = current else { throw fault("the text ends within a string") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try readUnicodeEscape(from: start)
    default: throw JSONFault("there is no such escape", at: start, of: text)
    }
  }

  private mutating func readUnicodeEscape(from start: Int) throws(JSONFault) -> Unicode.Scalar {
    let unit = try readHexadecimal()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    if unit < 0xdc00, pass("\\"), pass("u") {
      let low = try readHexadecimal()
      if (0xdc00...0xdfff).contains(low),
        let scalar = Unicode.Scalar(0x1_0000 + (unit - 0xd800) << 10 + (low - 0xdc00))
      {
        return scalar
      }
    }
    throw JSONFault("half of a surrogate pair", at: start, of: text)
  }

  private mutating func readHexadecimal() throws(JSONFault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current else { throw fault("the text ends within a string") }
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw unexpected(byte) }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }
}
