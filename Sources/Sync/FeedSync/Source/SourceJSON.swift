/// The JSON text of a source (RFC 8259): a list of records, read one after the other, or a single object.
///
/// A string that is not UTF-8 is a fault of its record, because one bad record must not end a list; other invalid JSON
/// fails the whole text.
enum SourceJSON {
  /// Reads the value of `text` with `body`.
  ///
  /// - Throws: ``JSONFault`` where the text stops being JSON.
  /// - Complexity: O(count of `text`).
  static func scan<Result>(
    _ text: [UInt8], _ body: (inout JSONScanner) throws(JSONFault) -> Result
  ) throws(JSONFault) -> Result {
    try JSONScanner.scan(text, keepsInvalidText: true, body)
  }

  /// Reads a list of records with `body`, which must read exactly one value each time; positions count from 1.
  ///
  /// - Throws: ``FeedError`` of reason `badData` where the text stops being JSON.
  /// - Complexity: O(count of `text`).
  static func readRecords(
    _ text: [UInt8], _ body: (inout JSONScanner, Int) throws(JSONFault) -> Void
  ) throws(FeedError) {
    var position = 0
    try read(text) { (scanner) throws(JSONFault) in
      try scanner.readArray { (scanner) throws(JSONFault) in
        position += 1
        try body(&scanner, position)
      }
    }
  }

  /// Reads a single object, keeping only the members whose keys are wanted.
  ///
  /// - Throws: as ``read(_:_:)``.
  static func object(_ text: [UInt8], _ isWanted: (String) -> Bool) throws -> LenientObject {
    var members: [(key: String, value: JSONValue)] = []
    try read(text) { (scanner) throws(JSONFault) in
      try scanner.readObject { (scanner, key) throws(JSONFault) in
        let key = key.text
        guard isWanted(key) else { return try scanner.skipValue() }
        members.append((key, try scanner.readValue()))
      }
    }
    return try LenientObject(.object(members))
  }

  /// Reads the value of `text` with `body`.
  ///
  /// - Throws: ``FeedError`` of reason `badData`, with the place where the text stops being JSON.
  static func read(_ text: [UInt8], _ body: (inout JSONScanner) throws(JSONFault) -> Void) throws(FeedError) {
    do throws(JSONFault) { try scan(text, body) } catch {
      throw FeedError(.badData, "the JSON is broken \(error.place): \(error.clause)")
    }
  }
}

extension JSONFault {
  /// The place, such as `at byte 17 (line 2)`.
  var place: String { "at byte \(position) (line \(line))" }

  /// The problem in the importers' traditional wording, which scripts and people know.
  var clause: String {
    switch cause {
    case .unexpected(let byte):
      (0x20..<0x7f).contains(byte) ? "unexpected \"\(UnicodeScalar(byte))\"" : "unexpected byte \(byte)"
    case .end(.text): "the text ends without a value"
    case .end(.array): "the text ends within an array"
    case .end(.object): "the text ends within an object"
    case .end(.string): "the text ends within a string"
    case .end(.word): "the text ends within a word"
    case .end(.number): "the text ends within a number"
    case .leadingZero: "a number starts with a zero"
    case .tooDeep(let maximum): "more than \(maximum) arrays and objects inside each other"
    case .unknownEscape: "there is no such escape"
    case .rule: problem
    }
  }
}

/// Finds the lines of ascending offsets in one pass over the text.
struct LineCounter {
  private let text: [UInt8]
  private var (offset, line, column) = (0, 1, 1)

  /// Starts at the first byte of `text`.
  init(_ text: [UInt8]) { self.text = text }

  /// The line of an offset and the code point in it, both from 1; an offset before the previous one restarts at the
  /// first byte.
  mutating func position(at target: Int) -> (line: Int, column: Int) {
    if target < offset { (offset, line, column) = (0, 1, 1) }
    let end = max(offset, min(target, text.count))
    for byte in text[offset..<end] {
      if byte == UInt8(ascii: "\n") { (line, column) = (line + 1, 1) } else if byte & 0xC0 != 0x80 { column += 1 }
    }
    offset = end
    return (line, column)
  }

  /// The place, such as `at byte 17 (line 2)`.
  mutating func place(at target: Int) -> String { "at byte \(target) (line \(position(at: target).line))" }
}

/// One value of a flat record; arrays and objects are skipped.
enum JSONField: Equatable {
  /// There is no such member.
  case missing
  /// A string, its escapes resolved.
  case text(String)
  /// A string with invalid UTF-8 at this offset.
  case invalidText(offset: Int)
  /// A number, exactly as written.
  case number(JSONNumber)
  /// `null`.
  case null
  /// Anything else.
  case other(JSONKind)
}

extension JSONScanner {
  /// Reads one value as a field.
  mutating func readField() throws(JSONFault) -> JSONField {
    let kind = try peek()
    switch kind {
    case .string:
      let string = try readString()
      return string.invalidOffset.map(JSONField.invalidText) ?? .text(string.text)
    case .number: return .number(try readNumber())
    case .null:
      _ = try readNull()
      return .null
    case .array, .object, .bool:
      try skipValue()
      return .other(kind)
    }
  }

  /// Reads one value into `field`, unless an earlier member has set it.
  mutating func readField(into field: inout JSONField) throws(JSONFault) {
    guard field == .missing else { return try skipValue() }
    field = try readField()
  }
}

extension [UInt8] {
  /// Checks the first character of JSON text, for a clearer message than the scanner's.
  ///
  /// - Throws: ``FeedError`` with the expected and the actual shape.
  func requireJSON(_ shape: JSONKind, of contents: String) throws(FeedError) {
    let first = dropFirst(starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0).first { !" \t\r\n".utf8.contains($0) }
    guard first != UInt8(ascii: shape == .array ? "[" : "{") else { return }
    let found =
      switch first {
      case nil: "nothing"
      case UInt8(ascii: "["): "an array"
      case UInt8(ascii: "{"): "an object"
      case UInt8(ascii: "\""): "text"
      case UInt8(ascii: "<"): "a page of HTML or XML"
      default: "no JSON"
      }
    throw FeedError(.badData, "expected a JSON \(shape.rawValue) of \(contents), found \(found)")
  }

  /// Refuses JSON text with more than `maximum` values before it is parsed.
  ///
  /// Kept records take hundreds of bytes per value, while `{},` has three. Counts the delimiters before values, outside
  /// of strings.
  ///
  /// - Throws: ``FeedError`` with the limit.
  /// - Complexity: O(count), without memory.
  func requireJSONValues(atMost maximum: Int) throws(FeedError) {
    var count = 0
    var (isInString, isEscaped) = (false, false)
    for byte in self {
      if isInString {
        if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): count += 1
      default: continue
      }
      guard count <= maximum else { throw FeedError(.badData, "more than the \(maximum) values that are accepted") }
    }
  }
}
