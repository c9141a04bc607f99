extension CBORValue {
  /// Reads one JSON value (RFC 8259): what a user gives as parameters on a command line.
  ///
  /// Strict: no comments, no trailing commas, no duplicate names, no lone surrogates, nothing behind the value. Integers
  /// are exact up to 38 digits, other numbers are doubles, −0 is 0.
  /// - Parameters:
  ///   - text: One value, with blanks around it.
  ///   - limits: Arrays and objects inside each other, and values in all; names do not count.
  /// - Throws: What is wrong, and where.
  /// - Complexity: O(*n*).
  public init(json text: String, limits: CBORLimits = .init()) throws(JSONError) {
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

  mutating func scanDocument() throws(JSONError) -> CBORValue {
    let value = try scanValue(depth: limits.depth)
    skipBlanks()
    guard offset == bytes.count else { throw failure("nothing more is expected behind the value") }
    return value
  }

  private mutating func scanValue(depth: Int) throws(JSONError) -> CBORValue {
    skipBlanks()
    guard items < limits.items else { throw failure("more than \(limits.items) values are not allowed") }
    items += 1
    switch try peek("a value") {
    case UInt8(ascii: "{"): return try scanObject(depth: depth)
    case UInt8(ascii: "["): return try scanArray(depth: depth)
    case UInt8(ascii: "\""): return .text(try scanString())
    case UInt8(ascii: "t"): return try scanWord("true", .bool(true))
    case UInt8(ascii: "f"): return try scanWord("false", .bool(false))
    case UInt8(ascii: "n"): return try scanWord("null", .null)
    default: return try scanNumber()
    }
  }

  private mutating func scanObject(depth: Int) throws(JSONError) -> CBORValue {
    try enter(depth)
    var (pairs, names) = ([(key: CBORValue, value: CBORValue)](), Set<[UInt8]>())
    if takes("}") { return .map([]) }
    repeat {
      skipBlanks()
      let start = offset
      guard try peek("a name in double quotes") == UInt8(ascii: "\"") else {
        throw expected("a name in double quotes")
      }
      let name = try scanString()
      // Compared by bytes: to Swift, strings in NFC and NFD are equal.
      guard names.insert(Array(name.utf8)).inserted else {
        throw JSONError("the name \(quoted(name)) occurs twice", offset: start)
      }
      guard takes(":") else { throw expected("\":\"") }
      pairs.append((.text(name), try scanValue(depth: depth - 1)))
    } while takes(",")
    guard takes("}") else { throw expected("\",\" or \"}\"") }
    return .map(pairs)
  }

  private mutating func scanArray(depth: Int) throws(JSONError) -> CBORValue {
    try enter(depth)
    var elements: [CBORValue] = []
    if takes("]") { return .array([]) }
    repeat { elements.append(try scanValue(depth: depth - 1)) } while takes(",")
    guard takes("]") else { throw expected("\",\" or \"]\"") }
    return .array(elements)
  }

  private mutating func scanWord(_ word: StaticString, _ value: CBORValue) throws(JSONError) -> CBORValue {
    let matches = word.withUTF8Buffer { bytes[offset...].starts(with: $0) }
    guard matches else { throw expected("a value") }
    offset += word.utf8CodeUnitCount
    return value
  }
}

// MARK: - Numbers

extension JSONScanner {
  private mutating func scanNumber() throws(JSONError) -> CBORValue {
    let start = offset
    _ = take("-")
    let first = offset
    guard scanDigits() > 0 else { throw expected("a value") }
    guard offset == first + 1 || bytes[first] != UInt8(ascii: "0") else {
      throw JSONError("a number must not begin with a zero", offset: start)
    }
    var isInteger = true
    if take(".") {
      isInteger = false
      guard scanDigits() > 0 else { throw expected("a digit") }
    }
    if take("e") || take("E") {
      isInteger = false
      if !take("+") { _ = take("-") }
      guard scanDigits() > 0 else { throw expected("a digit") }
    }
    return try number(String(decoding: bytes[start..<offset], as: UTF8.self), isInteger, at: start)
  }

  private func number(_ text: String, _ isInteger: Bool, at start: Int) throws(JSONError) -> CBORValue {
    if isInteger {
      guard let value = Int128(text), value.magnitude <= CBORDecimal.maximumMantissa else {
        throw JSONError("an integer must not have more than 38 digits", offset: start)
      }
      return CBORValue(integer: value)
    }
    guard let value = Double(text), value.isFinite else {
      throw JSONError("the number is beyond the range of a double", offset: start)
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
  private mutating func scanString() throws(JSONError) -> String {
    offset += 1
    var content: [UInt8] = []
    while true {
      let byte = try peek("the closing quote")
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\"): content += try scanEscape().utf8
      case 0..<0x20: throw failure("a control character must be escaped")
      default:
        content.append(byte)
        offset += 1
      }
    }
  }

  private mutating func scanEscape() throws(JSONError) -> Unicode.Scalar {
    offset += 1
    let escape = try peek("the rest of an escape")
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
      throw JSONError("there is no such escape", offset: offset - 1)
    }
  }

  private mutating func scanUnicodeEscape() throws(JSONError) -> Unicode.Scalar {
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
    throw JSONError("this is half of a surrogate pair", offset: start)
  }

  private mutating func scanHexadecimal() throws(JSONError) -> UInt32 {
    let digits = "a hexadecimal digit"
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Character(Unicode.Scalar(try peek(digits))).hexDigitValue else { throw expected(digits) }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }
}

// MARK: - Characters

extension JSONScanner {
  /// The next byte, where `element` is expected.
  private func peek(_ element: String) throws(JSONError) -> UInt8 {
    guard offset < bytes.count else { throw expected(element) }
    return bytes[offset]
  }

  /// Passes the bracket that opens an array or object.
  private mutating func enter(_ depth: Int) throws(JSONError) {
    guard depth > 0 else {
      throw failure("more than \(limits.depth) arrays and objects inside each other are not allowed")
    }
    offset += 1
  }

  private mutating func skipBlanks() {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x09, 0x0a, 0x0d: offset += 1
      default: return
      }
    }
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

  private func expected(_ element: String) -> JSONError {
    failure(offset < bytes.count ? "\(element) is expected" : "the text ends where \(element) is expected")
  }

  private func failure(_ reason: String) -> JSONError { JSONError(reason, offset: offset) }
}
