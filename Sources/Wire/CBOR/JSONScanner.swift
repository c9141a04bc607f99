extension CBORValue {
  /// Reads one JSON value (RFC 8259): what a user gives as parameters on a command line.
  ///
  /// Strict: no comments, no trailing commas, no duplicate names, no lone surrogates, nothing behind the value. Integers
  /// are exact up to 38 digits, other numbers are doubles, −0 is 0.
  /// - Throws: `.malformed`, `.truncated`, `.limit` or `.trailingBytes`, with the byte offset in the text.
  /// - Complexity: O(*n*).
  public init(json text: String, limits: CBORLimits = .init()) throws(CBORError) {
    var scanner = JSONScanner(bytes: Array(text.utf8), limits: limits)
    self = try scanner.scanDocument()
  }
}

/// A strict recursive-descent parser of JSON; recursion goes as deep as the limits allow.
private struct JSONScanner {
  let bytes: [UInt8]
  let limits: CBORLimits
  var offset = 0
  var items = 0

  init(bytes: [UInt8], limits: CBORLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  mutating func scanDocument() throws(CBORError) -> CBORValue {
    let value = try scanValue(depth: limits.depth)
    skipBlanks()
    guard offset == bytes.count else { throw CBORError(.trailingBytes, offset: offset) }
    return value
  }

  private mutating func scanValue(depth: Int) throws(CBORError) -> CBORValue {
    skipBlanks()
    guard items < limits.items else { throw CBORError(.limit("items"), offset: offset) }
    items += 1
    switch try peek() {
    case UInt8(ascii: "{"): return try scanObject(depth: depth)
    case UInt8(ascii: "["): return try scanArray(depth: depth)
    case UInt8(ascii: "\""): return .text(try scanString())
    case UInt8(ascii: "t"): return try scanWord("true", .bool(true))
    case UInt8(ascii: "f"): return try scanWord("false", .bool(false))
    case UInt8(ascii: "n"): return try scanWord("null", .null)
    default: return try scanNumber()
    }
  }

  private mutating func scanObject(depth: Int) throws(CBORError) -> CBORValue {
    guard depth > 0 else { throw CBORError(.limit("depth"), offset: offset) }
    offset += 1
    var (pairs, names) = ([(key: CBORValue, value: CBORValue)](), Set<[UInt8]>())
    if takes("}") { return .map([]) }
    repeat {
      skipBlanks()
      let start = offset
      guard try peek() == UInt8(ascii: "\"") else { throw malformed("a name in double quotes is expected") }
      let name = try scanString()
      // Compared by bytes: to Swift, strings in NFC and NFD are equal.
      guard names.insert(Array(name.utf8)).inserted else {
        throw CBORError(.malformed("the name \(quoted(name)) occurs twice"), offset: start)
      }
      guard takes(":") else { throw malformed("\":\" is expected") }
      pairs.append((.text(name), try scanValue(depth: depth - 1)))
    } while takes(",")
    guard takes("}") else { throw malformed("\",\" or \"}\" is expected") }
    return .map(pairs)
  }

  private mutating func scanArray(depth: Int) throws(CBORError) -> CBORValue {
    guard depth > 0 else { throw CBORError(.limit("depth"), offset: offset) }
    offset += 1
    var elements: [CBORValue] = []
    if takes("]") { return .array([]) }
    repeat { elements.append(try scanValue(depth: depth - 1)) } while takes(",")
    guard takes("]") else { throw malformed("\",\" or \"]\" is expected") }
    return .array(elements)
  }

  private mutating func scanWord(_ word: StaticString, _ value: CBORValue) throws(CBORError) -> CBORValue {
    let matches = word.withUTF8Buffer { bytes[offset...].starts(with: $0) }
    guard matches else { throw malformed("a value is expected") }
    offset += word.utf8CodeUnitCount
    return value
  }
}

// MARK: - Numbers

extension JSONScanner {
  private mutating func scanNumber() throws(CBORError) -> CBORValue {
    let start = offset
    _ = take("-")
    let first = offset
    guard scanDigits() > 0 else { throw malformed("a value is expected") }
    guard offset == first + 1 || bytes[first] != UInt8(ascii: "0") else {
      throw CBORError(.malformed("a number with a leading zero"), offset: start)
    }
    var isInteger = true
    if take(".") {
      isInteger = false
      guard scanDigits() > 0 else { throw malformed("a digit is expected") }
    }
    if take("e") || take("E") {
      isInteger = false
      if !take("+") { _ = take("-") }
      guard scanDigits() > 0 else { throw malformed("a digit is expected") }
    }
    return try number(String(decoding: bytes[start..<offset], as: UTF8.self), isInteger, at: start)
  }

  private func number(_ text: String, _ isInteger: Bool, at start: Int) throws(CBORError) -> CBORValue {
    if isInteger {
      guard let value = Int128(text), value.magnitude <= CBORDecimal.maximumMantissa else {
        throw CBORError(.malformed("an integer of more than 38 digits"), offset: start)
      }
      return CBORValue(integer: value)
    }
    guard let value = Double(text), value.isFinite else {
      throw CBORError(.malformed("a number beyond the range of a double"), offset: start)
    }
    return .double(value)
  }

  /// Passes digits and gives their number.
  private mutating func scanDigits() -> Int {
    let start = offset
    while offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) { offset += 1 }
    return offset - start
  }
}

// MARK: - Strings

extension JSONScanner {
  private mutating func scanString() throws(CBORError) -> String {
    offset += 1
    var content: [UInt8] = []
    while true {
      let byte = try peek()
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\"): content += String(Character(try scanEscape())).utf8
      case 0..<0x20: throw malformed("a control character must be escaped")
      default:
        content.append(byte)
        offset += 1
      }
    }
  }

  private mutating func scanEscape() throws(CBORError) -> Unicode.Scalar {
    offset += 1
    let escape = try peek()
    offset += 1
    switch escape {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(escape)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try scanUnicodeEscape()
    default:
      offset -= 1
      throw malformed("no such escape")
    }
  }

  private mutating func scanUnicodeEscape() throws(CBORError) -> Unicode.Scalar {
    let start = offset
    let unit = try scanHexadecimal()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    if (0xd800...0xdbff).contains(unit), take("\\"), take("u") {
      let low = try scanHexadecimal()
      if (0xdc00...0xdfff).contains(low),
        let scalar = Unicode.Scalar(0x1_0000 + (unit - 0xd800) << 10 + (low - 0xdc00))
      {
        return scalar
      }
    }
    throw CBORError(.malformed("half of a surrogate pair"), offset: start)
  }

  private mutating func scanHexadecimal() throws(CBORError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Character(Unicode.Scalar(try peek())).hexDigitValue else {
        throw malformed("four hexadecimal digits are expected")
      }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }
}

// MARK: - Characters

extension JSONScanner {
  private func peek() throws(CBORError) -> UInt8 {
    guard offset < bytes.count else { throw CBORError(.truncated, offset: offset) }
    return bytes[offset]
  }

  private mutating func skipBlanks() {
    while offset < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[offset]) { offset += 1 }
  }

  /// Passes `character` if it is the next.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  /// Passes `character` if it is the next but for blanks.
  private mutating func takes(_ character: Unicode.Scalar) -> Bool {
    skipBlanks()
    return take(character)
  }

  private func malformed(_ detail: String) -> CBORError {
    offset < bytes.count ? CBORError(.malformed(detail), offset: offset) : CBORError(.truncated, offset: offset)
  }
}
