internal import CBOR

/// Reads JSON (RFC 8259) into an item of the wire: whole numbers as integers, others as floats.
struct JSONParser {
  /// What is wrong, and where.
  struct Failure: Error, Equatable, CustomStringConvertible {
    /// What was expected.
    var reason: String
    /// The byte, from 0.
    var offset: Int

    var description: String { "\(reason) at byte \(offset)" }
  }

  /// Arrays and objects that may stand inside each other, as on the wire.
  private static let maximumDepth = 16

  private let bytes: [UInt8]
  private var offset = 0

  /// The value that `text` is.
  ///
  /// - Complexity: O(n).
  static func parse(_ text: String) throws(Failure) -> CBORValue {
    var parser = JSONParser(bytes: Array(text.utf8))
    let value = try parser.value(depth: 0)
    parser.skipBlanks()
    guard parser.next == nil else { throw parser.failure("nothing more is expected") }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private func failure(_ reason: String) -> Failure { Failure(reason: reason, offset: offset) }

  private mutating func skipBlanks() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
  }

  private mutating func consume(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  private mutating func value(depth: Int) throws(Failure) -> CBORValue {
    skipBlanks()
    guard depth < Self.maximumDepth else { throw failure("no more than \(Self.maximumDepth) levels are allowed") }
    switch next {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try array(depth)
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(_ word: String, _ value: CBORValue) throws(Failure) -> CBORValue {
    guard bytes[offset...].starts(with: word.utf8) else { throw failure("a value is expected") }
    offset += word.utf8.count
    return value
  }

  private mutating func object(_ depth: Int) throws(Failure) -> CBORValue {
    offset += 1
    var pairs: [(key: CBORValue, value: CBORValue)] = []
    var names: Set<String> = []
    skipBlanks()
    if consume("}") { return .map(pairs) }
    while true {
      skipBlanks()
      guard next == UInt8(ascii: "\"") else { throw failure("a name in quotes is expected") }
      let name = try string()
      guard names.insert(name).inserted else { throw failure("the name \"\(name)\" occurs twice") }
      skipBlanks()
      guard consume(":") else { throw failure("':' is expected") }
      pairs.append((.text(name), try value(depth: depth + 1)))
      skipBlanks()
      if consume("}") { return .map(pairs) }
      guard consume(",") else { throw failure("',' or '}' is expected") }
    }
  }

  private mutating func array(_ depth: Int) throws(Failure) -> CBORValue {
    offset += 1
    var elements: [CBORValue] = []
    skipBlanks()
    if consume("]") { return .array(elements) }
    while true {
      elements.append(try value(depth: depth + 1))
      skipBlanks()
      if consume("]") { return .array(elements) }
      guard consume(",") else { throw failure("',' or ']' is expected") }
    }
  }

  /// A number by RFC 8259 §6; one without fraction and exponent is an integer if 64 bits hold it.
  private mutating func number() throws(Failure) -> CBORValue {
    let start = offset
    _ = consume("-")
    let hasLeadingZero = next == UInt8(ascii: "0")
    let whole = digits()
    guard whole > 0, !(hasLeadingZero && whole > 1) else {
      offset = start
      throw failure("a value is expected")
    }
    var isInteger = true
    if consume(".") {
      isInteger = false
      guard digits() > 0 else { throw failure("a digit is expected") }
    }
    if consume("e") || consume("E") {
      isInteger = false
      if !consume("+") { _ = consume("-") }
      guard digits() > 0 else { throw failure("a digit is expected") }
    }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    if isInteger, let number = UInt64(text) { return .unsigned(number) }
    if isInteger, let number = Int64(text) { return .negative(UInt64(-1 - number)) }
    guard let number = Double(text), number.isFinite else { throw failure("the number is too large") }
    return .double(number)
  }

  private mutating func digits() -> Int {
    let start = offset
    while let byte = next, (0x30...0x39).contains(byte) { offset += 1 }
    return offset - start
  }

  private mutating func string() throws(Failure) -> String {
    offset += 1
    var content: [UInt8] = []
    while let byte = next {
      offset += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\"): content += String(try escape()).utf8
      case 0..<0x20: throw Failure(reason: "a control character must be escaped", offset: offset - 1)
      default: content.append(byte)
      }
    }
    throw failure("the closing quote is missing")
  }

  private mutating func escape() throws(Failure) -> Unicode.Scalar {
    guard let byte = next else { throw failure("the closing quote is missing") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try unicodeEscape()
    default: throw Failure(reason: "there is no such escape", offset: offset - 1)
    }
  }

  /// `\uXXXX`, or two of them for what lies beyond U+FFFF (RFC 8259 §7).
  private mutating func unicodeEscape() throws(Failure) -> Unicode.Scalar {
    let unit = try hexadecimalDigits()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard (0xD800..<0xDC00).contains(unit), consume("\\"), consume("u") else { throw failure("half a surrogate pair") }
    let second = try hexadecimalDigits()
    guard (0xDC00..<0xE000).contains(second),
      let scalar = Unicode.Scalar(0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00))
    else { throw failure("half a surrogate pair") }
    return scalar
  }

  private mutating func hexadecimalDigits() throws(Failure) -> UInt32 {
    let digits = bytes[offset...].prefix(4)
    let text = String(decoding: digits, as: UTF8.self)
    // The radix parser takes a sign, too, which is no digit.
    guard digits.count == 4, text.first?.isHexDigit == true, let value = UInt32(text, radix: 16) else {
      throw failure("four hexadecimal digits are expected")
    }
    offset += 4
    return value
  }
}
