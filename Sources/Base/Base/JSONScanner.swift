/// Reads JSON text (RFC 8259) from left to right, strictly, without building unused values.
///
/// ```swift
/// let total = try JSONScanner.scan(bytes) { (scanner) throws(JSONFault) in
///   var total = 0
///   try scanner.readArray { (scanner) throws(JSONFault) in
///     try scanner.readObject { (scanner, key) throws(JSONFault) in
///       guard key == "amount" else { return try scanner.skipValue() }
///       total += try scanner.readNumber().integer(Int.self) ?? 0
///     }
///   }
///   return total
/// }
/// ```
///
/// One scanner reads all JSON: single values (``readValue()``), and long lists with one record in memory at a time.
/// Every error names its place. Numbers keep their text, because binary floating point would lose digits of amounts of
/// money. All strings and skipped values are checked in full: escapes, surrogate pairs, UTF-8.
///
/// - Complexity: O(*n*) in the bytes; skipped values, keys and plain strings allocate nothing.
package struct JSONScanner {
  /// The default limit on the nesting of arrays and objects.
  package static let defaultMaximumDepth = 512

  /// Offset of the next byte.
  package private(set) var offset: Int
  /// The limit on the nesting of arrays and objects.
  package let maximumDepth: Int
  private let text: UnsafeRawBufferPointer
  private let keepsInvalidText: Bool
  /// The number of arrays and objects around ``offset``.
  private var depth = 0
  /// The innermost container.
  private var container = JSONFault.Part.text

  /// Reads one JSON text: `body` reads its value, and nothing but white space may follow.
  ///
  /// A byte-order mark at the start is skipped, as RFC 8259 §8.1 allows. With `keepsInvalidText`, for long lists that
  /// must not fail because of one record, a string that is not UTF-8, or has half of a surrogate pair, is a fault only
  /// if it is a key; see ``JSONString/invalidOffset``.
  ///
  /// - Throws: ``JSONFault`` where the bytes stop being JSON, or any error of `body`.
  package static func scan<Result>(
    _ bytes: some Collection<UInt8>, maximumDepth: Int = defaultMaximumDepth, keepsInvalidText: Bool = false,
    _ body: (inout JSONScanner) throws(JSONFault) -> Result
  ) throws(JSONFault) -> Result {
    func scanned(_ text: UnsafeRawBufferPointer) -> Swift.Result<Result, JSONFault> {
      JSONScanner(text, maximumDepth, keepsInvalidText).scanned(body)
    }
    let outcome = bytes.withContiguousStorageIfAvailable { scanned(UnsafeRawBufferPointer($0)) }
    return try (outcome ?? Array(bytes).withUnsafeBytes { scanned($0) }).get()
  }

  private func scanned<Result>(
    _ body: (inout JSONScanner) throws(JSONFault) -> Result
  ) -> Swift.Result<Result, JSONFault> {
    var scanner = self
    return Swift.Result { () throws(JSONFault) in
      let result = try body(&scanner)
      try scanner.finish()
      return result
    }
  }

  private init(_ text: UnsafeRawBufferPointer, _ maximumDepth: Int, _ keepsInvalidText: Bool) {
    self.text = text
    self.maximumDepth = maximumDepth
    self.keepsInvalidText = keepsInvalidText
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    offset = text.starts(with: mark) ? mark.count : 0
  }

  private mutating func finish() throws(JSONFault) {
    skipSpace()
    guard offset == text.count else { throw unexpected("nothing more") }
  }

  // MARK: Errors

  /// A fault at the next byte.
  package func fault(_ problem: String) -> JSONFault { fault(problem, at: offset) }

  /// A fault at `offset`.
  package func fault(
    _ problem: String, at offset: Int, _ cause: JSONFault.Cause = .rule, exactly position: Int? = nil
  ) -> JSONFault {
    let line = 1 + text.prefix(offset).count { $0 == UInt8(ascii: "\n") }
    return JSONFault(problem, offset: offset, line: line, cause, exactly: position)
  }

  /// The fault of a missing `expected` at the next byte, within `part`.
  private func unexpected(_ expected: String, within part: JSONFault.Part? = nil) -> JSONFault {
    guard let byte = current else {
      return fault("expected \(expected), found the end of the text", at: offset, .end(within: part ?? container))
    }
    let isPrintable = (0x20..<0x7f).contains(byte)
    let found = isPrintable ? "\"\(UnicodeScalar(byte))\"" : "byte \(byte)"
    return fault("expected \(expected), found \(found)", at: offset, .unexpected(byte))
  }

  // MARK: Values

  /// The kind of the next value, without reading it.
  ///
  /// - Throws: ``JSONFault`` if no value can start here.
  package mutating func peek() throws(JSONFault) -> JSONKind {
    skipSpace()
    guard let byte = current else { throw unexpected("a value") }
    switch byte {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw unexpected("a value")
    }
  }

  /// Reads an array; `element` must read or skip exactly one value each time.
  ///
  /// - Throws: ``JSONFault``, also if the next value is not an array or is nested too deeply.
  package mutating func readArray(
    _ element: (inout JSONScanner) throws(JSONFault) -> Void
  ) throws(JSONFault) {
    let outer = container
    try open(UInt8(ascii: "["), "an array")
    defer { container = outer }
    try readElements(to: UInt8(ascii: "]"), element)
  }

  /// Reads an object; `member` gets each key and must read or skip exactly one value each time.
  ///
  /// Keys may repeat (RFC 8259 §4 leaves that open); callers check for duplicates if it matters.
  ///
  /// - Throws: ``JSONFault``, also if the next value is not an object or is nested too deeply.
  package mutating func readObject(
    _ member: (inout JSONScanner, JSONString) throws(JSONFault) -> Void
  ) throws(JSONFault) {
    let outer = container
    try open(UInt8(ascii: "{"), "an object")
    defer { container = outer }
    try readElements(to: UInt8(ascii: "}")) { (scanner) throws(JSONFault) in
      let key = try scanner.readKey()
      try member(&scanner, key)
    }
  }

  /// Reads what is separated by commas, to the end of an array or object.
  @inline(__always)
  private mutating func readElements(
    to end: UInt8, _ element: (inout JSONScanner) throws(JSONFault) -> Void
  ) throws(JSONFault) {
    if try close(end) { return }
    while true {
      try element(&self)
      if try close(end) { return }
      try passComma(or: end)
    }
  }

  /// Reads a string.
  ///
  /// - Throws: ``JSONFault``.
  package mutating func readString() throws(JSONFault) -> JSONString {
    skipSpace()
    guard current == UInt8(ascii: "\"") else { throw unexpected("a string") }
    return try passString()
  }

  /// Reads a number.
  ///
  /// - Throws: ``JSONFault``.
  package mutating func readNumber() throws(JSONFault) -> JSONNumber {
    skipSpace()
    return try passNumber()
  }

  /// Reads `true` or `false`.
  ///
  /// - Throws: ``JSONFault``.
  package mutating func readBool() throws(JSONFault) -> Bool {
    skipSpace()
    if current == UInt8(ascii: "t") {
      try pass("true")
      return true
    }
    guard current == UInt8(ascii: "f") else { throw unexpected("true or false") }
    try pass("false")
    return false
  }

  /// Reads `null` if that is the next value, and returns whether it was.
  ///
  /// - Throws: ``JSONFault`` for a misspelt `null`.
  package mutating func readNull() throws(JSONFault) -> Bool {
    skipSpace()
    guard current == UInt8(ascii: "n") else { return false }
    try pass("null")
    return true
  }

  /// Reads one value of any kind as a tree: for single records, not for long lists.
  ///
  /// - Throws: ``JSONFault``.
  package mutating func readValue() throws(JSONFault) -> JSONValue {
    switch try peek() {
    case .object:
      var members: [(key: String, value: JSONValue)] = []
      try readObject { (scanner, key) throws(JSONFault) in members.append((key.text, try scanner.readValue())) }
      return .object(members)
    case .array:
      var elements: [JSONValue] = []
      try readArray { (scanner) throws(JSONFault) in elements.append(try scanner.readValue()) }
      return .array(elements)
    case .string:
      let string = try passString()
      return string.invalidOffset.map(JSONValue.invalidText) ?? .string(string.text)
    case .number: return .number(try passNumber())
    case .bool: return .bool(try readBool())
    case .null:
      try pass("null")
      return .null
    }
  }

  /// Skips one value of any kind, checking it in full; the use of stack does not grow with the nesting.
  ///
  /// - Throws: ``JSONFault``.
  package mutating func skipValue() throws(JSONFault) {
    let outer = container
    defer { container = outer }
    var brackets: [UInt8] = []
    while true {
      skipSpace()
      if let byte = current, byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") {
        try open(byte, "a value")
        brackets.append(byte)
        if try !close(closing(byte)) {
          if byte == UInt8(ascii: "{") { _ = try readKey() }
          continue
        }
        brackets.removeLast()
        container = brackets.last.map(part(of:)) ?? outer
      } else {
        try skipScalar()
      }
      // A value has ended: close the containers that end with it, or continue after the comma.
      while let bracket = brackets.last, try close(closing(bracket)) {
        brackets.removeLast()
        container = brackets.last.map(part(of:)) ?? outer
      }
      guard let bracket = brackets.last else { return }
      try passComma(or: closing(bracket))
      if bracket == UInt8(ascii: "{") { _ = try readKey() }
    }
  }

  private mutating func skipScalar() throws(JSONFault) {
    switch try peek() {
    case .string: _ = try passString()
    case .number: _ = try passNumber()
    case .bool: _ = try readBool()
    case .null: try pass("null")
    case .array, .object: throw unexpected("a value")
    }
  }

  private func closing(_ bracket: UInt8) -> UInt8 { bracket + 2 }

  private func part(of bracket: UInt8) -> JSONFault.Part { bracket == UInt8(ascii: "[") ? .array : .object }

  // MARK: Punctuation

  private var current: UInt8? { offset < text.count ? text[offset] : nil }

  private mutating func skipSpace() {
    while offset < text.count {
      switch text[offset] {
      case 0x20, 0x0a, 0x0d, 0x09: offset += 1
      default: return
      }
    }
  }

  private mutating func open(_ bracket: UInt8, _ noun: String) throws(JSONFault) {
    skipSpace()
    guard current == bracket else { throw unexpected(noun) }
    guard depth < maximumDepth else {
      throw fault("more than \(maximumDepth) nested arrays and objects", at: offset, .tooDeep(maximumDepth))
    }
    depth += 1
    offset += 1
    container = part(of: bracket)
  }

  /// Passes `bracket` if it is next, and returns whether it was.
  private mutating func close(_ bracket: UInt8) throws(JSONFault) -> Bool {
    skipSpace()
    guard current == bracket else { return false }
    depth -= 1
    offset += 1
    return true
  }

  private mutating func passComma(or end: UInt8) throws(JSONFault) {
    guard current == UInt8(ascii: ",") else { throw unexpected("\",\" or \"\(Unicode.Scalar(end))\"") }
    offset += 1
  }

  private mutating func readKey() throws(JSONFault) -> JSONString {
    skipSpace()
    guard current == UInt8(ascii: "\"") else { throw unexpected("a key in double quotes") }
    let key = try passString()
    if let invalid = key.invalidOffset { throw notUTF8(at: invalid) }
    skipSpace()
    guard current == UInt8(ascii: ":") else { throw unexpected("\":\"") }
    offset += 1
    return key
  }

  private mutating func pass(_ word: StaticString) throws(JSONFault) {
    let end = offset + word.utf8CodeUnitCount
    guard end <= text.count, text[offset..<end].elementsEqual(UnsafeRawBufferPointer(word)) else {
      throw misspelt(UnsafeRawBufferPointer(word))
    }
    offset = end
  }

  /// The fault of a misspelt `word`.
  private func misspelt(_ word: UnsafeRawBufferPointer) -> JSONFault {
    let wrong = offset + zip(text[offset...], word).prefix { $0 == $1 }.count
    let cause = wrong < text.count ? JSONFault.Cause.unexpected(text[wrong]) : .end(within: .word)
    return fault(unexpected("a value").problem, at: offset, cause, exactly: wrong)
  }

  // MARK: Numbers

  /// Passes a number (RFC 8259 §6).
  private mutating func passNumber() throws(JSONFault) -> JSONNumber {
    let start = offset
    passMark("-")
    let first = offset
    try passDigits("a number")
    guard text[first] != UInt8(ascii: "0") || offset == first + 1 else {
      throw fault("a number must not start with a zero", at: start, .leadingZero, exactly: first)
    }
    var isInteger = true
    if passMark(".") {
      isInteger = false
      try passDigits("a digit")
    }
    if passMark("e") || passMark("E") {
      isInteger = false
      if !passMark("+") { passMark("-") }
      try passDigits("a digit")
    }
    return JSONNumber(text: String(decoding: text[start..<offset], as: UTF8.self), isInteger: isInteger)
  }

  @discardableResult
  private mutating func passMark(_ mark: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: mark) else { return false }
    offset += 1
    return true
  }

  private mutating func passDigits(_ expected: String) throws(JSONFault) {
    let start = offset
    while let byte = current, isDigit(byte) { offset += 1 }
    guard offset > start else { throw unexpected(expected, within: .number) }
  }

  // MARK: Strings

  /// Passes a string (RFC 8259 §7) and checks it: escapes, surrogate pairs, UTF-8.
  private mutating func passString() throws(JSONFault) -> JSONString {
    let opening = offset
    offset += 1
    var (isPlain, isASCII) = (true, true)
    var half: Int?
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        let content = UnsafeRawBufferPointer(rebasing: text[opening + 1..<offset])
        var invalid = isASCII ? nil : firstInvalidUTF8(content).map { opening + 1 + $0 }
        if let invalid, !keepsInvalidText { throw notUTF8(at: invalid) }
        if let half { invalid = min(half, invalid ?? half) }
        offset += 1
        return JSONString(offset: opening, content: content, isPlain: isPlain, invalidOffset: invalid)
      case UInt8(ascii: "\\"):
        isPlain = false
        let start = offset
        if try !passEscape(), half == nil { half = start }
      case 0..<0x20:
        let problem = "a control character in a string must be escaped, found byte \(byte)"
        throw fault(problem, at: offset, .unexpected(byte))
      default: passPlain(&isASCII)
      }
    }
    throw unexpected("the closing quote of a string", within: .string)
  }

  /// Passes the bytes that stand for themselves; `isASCII` becomes false if one is not ASCII.
  private mutating func passPlain(_ isASCII: inout Bool) {
    var (end, all) = (offset, UInt8(0))
    while end < text.count, case let byte = text[end], byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"),
      byte >= 0x20
    {
      all |= byte
      end += 1
    }
    offset = end
    if all >= 0x80 { isASCII = false }
  }

  private func notUTF8(at offset: Int) -> JSONFault { fault("the string is not UTF-8", at: offset) }

  /// Passes an escape, and returns whether it is valid text: half of a surrogate pair is not.
  private mutating func passEscape() throws(JSONFault) -> Bool {
    let start = offset
    offset += 1
    guard let byte = current else { throw unexpected("the rest of an escape", within: .string) }
    offset += 1
    guard byte == UInt8(ascii: "u") else {
      guard JSONString.escapes.contains(byte) else { throw fault("no such escape in JSON", at: start, .unknownEscape) }
      return true
    }
    let unit = try passHexadecimal()
    guard (0xd800...0xdfff).contains(unit) else { return true }
    let end = offset
    if unit < 0xdc00, passMark("\\"), passMark("u"), (0xdc00...0xdfff).contains(try passHexadecimal()) { return true }
    guard keepsInvalidText else { throw fault("half of a surrogate pair", at: start) }
    // Written by programs that cut text between the halves of a pair; the string continues after it.
    offset = end
    return false
  }

  private mutating func passHexadecimal() throws(JSONFault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = JSONString.hexadecimalDigit(byte) else {
        throw unexpected("a hexadecimal digit", within: .string)
      }
      value = value << 4 | digit
      offset += 1
    }
    return value
  }
}

extension UnsafeRawBufferPointer {
  fileprivate init(_ text: StaticString) { self.init(start: text.utf8Start, count: text.utf8CodeUnitCount) }
}
