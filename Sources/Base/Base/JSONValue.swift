/// The kinds of JSON value (RFC 8259 §3), with the noun that messages use.
package enum JSONKind: String, Sendable, CustomStringConvertible {
  /// `{…}`.
  case object
  /// `[…]`.
  case array
  /// `"…"`.
  case string
  /// `-1.5e3`.
  case number
  /// `true` or `false`.
  case bool
  /// `null`.
  case null

  /// The kind with its article: `an object`, `text`.
  package var description: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string: "text"
    case .number: "a number"
    case .bool: "true or false"
    case .null: "null"
    }
  }
}

/// A JSON value as a tree; numbers keep their text.
package enum JSONValue: Sendable {
  /// The members in their order; keys may repeat.
  case object([(key: String, value: JSONValue)])
  /// The elements.
  case array([JSONValue])
  /// A string, its escapes resolved.
  case string(String)
  /// A string with invalid text at this offset, if the scanner keeps such strings.
  case invalidText(offset: Int)
  /// A number, exactly as written.
  case number(JSONNumber)
  /// `true` or `false`.
  case bool(Bool)
  /// `null`.
  case null
}

/// A number as written in JSON text.
package struct JSONNumber: Equatable, Sendable {
  /// Its text, which is valid by RFC 8259 §6.
  package let text: String
  /// Whether it has neither a fraction nor an exponent.
  package let isInteger: Bool

  /// Its value as an integer; nil if it has a fraction or an exponent, or does not fit `type`.
  package func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    isInteger ? Integer(text) : nil
  }

  /// Its value as an integer in any notation, such as `1.0` and `1e3`; nil if it is not an integer or does not fit
  /// `type`.
  package func wholeValue<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? {
    isInteger ? Integer(text) : double.flatMap(Integer.init(exactly:))
  }

  /// The nearest double; nil beyond the range of doubles.
  package var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }
}

/// A string in place in JSON text: checked, but its escapes not yet resolved.
///
/// It borrows the text, so it is valid only during the call that receives it.
package struct JSONString {
  /// Offset of the opening quote in the text.
  package let offset: Int
  /// The bytes between the quotes.
  let content: UnsafeRawBufferPointer
  /// Whether it has no escapes.
  let isPlain: Bool
  /// Offset in the text of the first byte that is not UTF-8, or of an escape for half of a surrogate pair; nil if there
  /// is none.
  ///
  /// Set only if the scanner keeps such strings.
  package let invalidOffset: Int?

  /// The characters that may follow a backslash, other than `u`.
  static let escapes: [UInt8] = Array(#""\/bfnrt"#.utf8)

  /// The string, its escapes resolved.
  package var text: String { isPlain ? String(decoding: content, as: UTF8.self) : unescaped }

  /// Whether the string is `name`.
  ///
  /// - Complexity: O(*n*); allocates nothing unless the string has escapes.
  package static func == (string: JSONString, name: StaticString) -> Bool {
    guard string.isPlain else { return string.text == name.description }
    guard string.content.count == name.utf8CodeUnitCount else { return false }
    for (index, byte) in string.content.enumerated() where byte != name.utf8Start[index] { return false }
    return true
  }

  private var unescaped: String {
    var (result, index) = ([UInt8](), 0)
    result.reserveCapacity(content.count)
    while index < content.count {
      guard content[index] == UInt8(ascii: "\\") else {
        result.append(content[index])
        index += 1
        continue
      }
      let (scalar, length) = escape(at: index)
      result.append(contentsOf: scalar.utf8)
      index += length
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The scalar of the escape at `index`, and the escape's length in bytes; the scanner has checked it.
  private func escape(at index: Int) -> (scalar: Unicode.Scalar, length: Int) {
    switch content[index + 1] {
    case UInt8(ascii: "b"): return ("\u{8}", 2)
    case UInt8(ascii: "f"): return ("\u{c}", 2)
    case UInt8(ascii: "n"): return ("\n", 2)
    case UInt8(ascii: "r"): return ("\r", 2)
    case UInt8(ascii: "t"): return ("\t", 2)
    case UInt8(ascii: "u"):
      let unit = codeUnit(at: index + 2)
      if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
      // Half of a pair, which the scanner may keep.
      guard unit < 0xdc00, index + 12 <= content.count, content[index + 6] == UInt8(ascii: "\\"),
        content[index + 7] == UInt8(ascii: "u"), (0xdc00...0xdfff).contains(codeUnit(at: index + 8))
      else { return ("\u{fffd}", 6) }
      let value = 0x1_0000 + (unit - 0xd800) << 10 + (codeUnit(at: index + 8) - 0xdc00)
      return (Unicode.Scalar(value) ?? "\u{fffd}", 12)
    case let byte: return (Unicode.Scalar(byte), 2)
    }
  }

  private func codeUnit(at index: Int) -> UInt32 {
    content[index..<index + 4].reduce(0) { $0 << 4 | (Self.hexadecimalDigit($1) ?? 0) }
  }

  /// The value of a hexadecimal digit in ASCII; nil for any other byte.
  static func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}

/// Where and why bytes are not the expected JSON text.
package struct JSONFault: Error, Equatable, CustomStringConvertible {
  /// The explanation, in one clause.
  package let problem: String
  /// Offset of the invalid byte; the number of bytes if the text ends too early.
  package let offset: Int
  /// The line of that byte, from 1.
  package let line: Int
  /// The kind of the fault, for callers with their own messages.
  package let cause: Cause
  /// Offset of the exact byte; for a literal or a number, ``offset`` is its start.
  package let position: Int

  /// The part of the text within which it ends.
  package enum Part: Sendable {
    /// Outside of all values.
    case text
    /// Between the elements of an array.
    case array
    /// Between the members of an object.
    case object
    /// Within a string.
    case string
    /// Within `true`, `false` or `null`.
    case word
    /// Within a number.
    case number
  }

  /// Kinds of faults.
  package enum Cause: Sendable {
    /// This byte is invalid here.
    case unexpected(UInt8)
    /// The text ends too early.
    case end(within: Part)
    /// A number starts with a zero.
    case leadingZero
    /// There are more nested arrays and objects than this.
    case tooDeep(Int)
    /// There is no such escape.
    case unknownEscape
    /// Another rule is broken, and the problem says which.
    case rule
  }

  /// Records a fault.
  package init(_ problem: String, offset: Int, line: Int, _ cause: Cause = .rule, exactly position: Int? = nil) {
    (self.problem, self.offset, self.line, self.cause) = (problem, offset, line, cause)
    self.position = position ?? offset
  }

  /// Whether both have the same problem at the same place, from which the cause follows.
  package static func == (one: JSONFault, other: JSONFault) -> Bool {
    one.problem == other.problem && (one.offset, one.line) == (other.offset, other.line)
  }

  /// The place and the problem: `at byte 17 (line 2): expected a value, found "x"`.
  package var description: String { "at byte \(offset) (line \(line)): \(problem)" }
}
