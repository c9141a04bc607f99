@_exported public import Base
public import CBOR

extension CBORValue {
  /// Reads a JSON value (RFC 8259), such as the parameters on a command line.
  ///
  /// Strict: no comments, no trailing commas, no duplicate keys, no lone surrogates, nothing after the value. Integers
  /// are exact up to 38 digits, other numbers are doubles, −0 is 0.
  /// - Parameters:
  ///   - text: The value; white space around it is allowed.
  ///   - limits: The limits of nested arrays and objects and of values, without keys.
  /// - Throws: ``JSONError`` with the reason and its offset.
  /// - Complexity: O(*n*).
  public init(json text: String, limits: CBORLimits = .init()) throws(JSONError) {
    do throws(JSONFault) {
      self = try JSONScanner.scan(Array(text.utf8), maximumDepth: limits.depth) { (scanner) throws(JSONFault) in
        var reader = ValueReader(maximumValues: limits.items)
        return try reader.read(&scanner)
      }
    } catch {
      throw JSONError(error.problem, offset: error.offset)
    }
  }
}

/// Reads JSON values as CBOR items, and counts them.
private struct ValueReader {
  let maximumValues: Int
  var values = 0

  mutating func read(_ scanner: inout JSONScanner) throws(JSONFault) -> CBORValue {
    guard values < maximumValues else { throw scanner.fault("more than \(maximumValues) values") }
    values += 1
    switch try scanner.peek() {
    case .object: return try readObject(&scanner)
    case .array:
      var elements: [CBORValue] = []
      try scanner.readArray { (scanner) throws(JSONFault) in elements.append(try read(&scanner)) }
      return .array(elements)
    case .string: return .text(try scanner.readString().text)
    case .number: return try readNumber(&scanner)
    case .bool: return .bool(try scanner.readBool())
    case .null:
      _ = try scanner.readNull()
      return .null
    }
  }

  private mutating func readObject(_ scanner: inout JSONScanner) throws(JSONFault) -> CBORValue {
    var (pairs, keys) = ([(key: CBORValue, value: CBORValue)](), Set<[UInt8]>())
    try scanner.readObject { (scanner, key) throws(JSONFault) in
      let name = key.text
      // Compared by bytes: to Swift, strings in NFC and NFD are equal.
      guard keys.insert(Array(name.utf8)).inserted else {
        throw scanner.fault("the key \(quotedJSON(name)) occurs twice", at: key.offset)
      }
      pairs.append((.text(name), try read(&scanner)))
    }
    return .map(pairs)
  }

  private func readNumber(_ scanner: inout JSONScanner) throws(JSONFault) -> CBORValue {
    let start = scanner.offset
    let number = try scanner.readNumber()
    if number.isInteger {
      guard let value = number.integer(Int128.self), value.magnitude <= CBORDecimal.maximumMantissa else {
        throw scanner.fault("an integer must not have more than 38 digits", at: start)
      }
      return CBORValue(integer: value)
    }
    guard let value = number.double else {
      throw scanner.fault("the number is beyond the range of a double", at: start)
    }
    return .double(value)
  }
}

/// The reason why a text is not JSON, or is JSON that is not accepted.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The reason, in one clause.
  public var reason: String
  /// Offset of the offending byte in the text's UTF-8, from 0; the length of the text if it ends too early.
  public var offset: Int

  /// Makes an error.
  public init(_ reason: String, offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// The reason and the place: `expected "," or "]", found "x" (byte 4)`.
  public var description: String { "\(reason) (byte \(offset))" }
}

extension CBORValue {
  /// A JSON object.
  package static func object(_ members: KeyValuePairs<String, CBORValue>) -> Self {
    .map(members.map { (.text($0), $1) })
  }

  /// The value of a key; `nil` if the key is missing or the item is not a map.
  package subscript(key: String) -> CBORValue? {
    guard case .map(let pairs) = self else { return nil }
    return pairs.first { if case .text(key) = $0.key { true } else { false } }?.value
  }

  /// This item as JSON text (RFC 8949 §6.1), on one line or indented by two spaces per level.
  ///
  /// - A byte string becomes base64url text without padding, whatever its tag.
  /// - A typed array (RFC 8746) of the kinds that messages use, ``TypedArray``, becomes an array of numbers.
  /// - A decimal fraction (tag 4) becomes decimal text of the same scale, such as `"14.90"`: most JSON readers, also
  ///   ``init(json:limits:)``, read a number with a fraction as a float, which is unfit for money.
  /// - A bignum becomes a number up to 128 bytes, otherwise base64url text, with `~` before it if negative.
  /// - Floats have no exponent and read back equal. Values that JSON does not have become `null`.
  /// - Other tags, such as 0 for times, are dropped; keys that are not text become text in diagnostic notation.
  /// - Control characters in text are escaped, so that they do not act on a terminal.
  /// - Complexity: O(*n*).
  public func json(indented: Bool = false) -> String {
    var text: [UInt8] = []
    text.appendJSON(self, indented: indented)
    return String(decoding: text, as: UTF8.self)
  }

  /// A decimal fraction in decimal; `nil` for anything else and for a mantissa of more than 128 bytes.
  fileprivate var decimalFraction: String? {
    guard case .tagged(CBORDecimal.tag, .array(let parts)) = self, parts.count == 2,
      let exponent = parts[0].integer.flatMap(Int.init(exactly:)),
      let mantissa = parts[1].bignumText ?? parts[1].integer.map({ String($0) })
    else { return nil }
    let isNegative = mantissa.hasPrefix("-")
    return plainDecimal(digits: String(mantissa.drop { $0.is("-") }), isNegative: isNegative, exponent)
  }

  /// The numbers of a typed array of the kinds that messages use.
  fileprivate var typedArray: [CBORValue]? {
    guard case .tagged(let tag, .bytes(let bytes)) = self else { return nil }
    func numbers<Element: TypedArrayElement>(_: Element.Type, _ value: (Element) -> CBORValue) -> [CBORValue]? {
      TypedArray<Element>(littleEndian: bytes)?.elements.map(value)
    }
    switch tag {
    case UInt8.typedArrayTag: return numbers(UInt8.self) { .unsigned(UInt64($0)) }
    case UInt32.typedArrayTag: return numbers(UInt32.self) { .unsigned(UInt64($0)) }
    case UInt64.typedArrayTag: return numbers(UInt64.self) { .unsigned($0) }
    case Float.typedArrayTag: return numbers(Float.self) { .double(Double($0)) }
    case Double.typedArrayTag: return numbers(Double.self) { .double($0) }
    default: return nil
    }
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
  /// Appends ``CBORValue/json(indented:)``.
  ///
  /// - Complexity: O(*n*).
  package mutating func appendJSON(_ item: CBORValue, indented: Bool = false) {
    appendJSON(item, level: indented ? 0 : nil)
  }

  /// `level` is the nesting depth, or `nil` without indentation.
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
    } else if let numbers = item.typedArray {
      appendElements(numbers, level)
    } else if case (CBORWriter.negativeBignum, .bytes(let digits)) = (tag, content) {
      appendBase64URL(digits, after: "~")
    } else {
      appendJSON(content, level: level)
    }
  }

  private mutating func appendElements(_ elements: [CBORValue], _ level: Int?) {
    appendList(elements, in: "[]", separator: ",", level) { $0.appendJSON($1, level: level.map { $0 + 1 }) }
  }

  private mutating func appendPairs(_ pairs: [(key: CBORValue, value: CBORValue)], _ level: Int?) {
    appendList(pairs, in: "{}", separator: ",", level) { text, pair in
      if case .text(let name) = pair.key { text.appendJSON(name) } else { text.appendJSON(pair.key.diagnostic) }
      text += (level == nil ? ":" : ": ").utf8
      text.appendJSON(pair.value, level: level.map { $0 + 1 })
    }
  }

  /// Appends `elements` in brackets with separators, each on its own line if there is a level.
  mutating func appendList<Item>(
    _ elements: [Item], in brackets: String, separator: String, _ level: Int? = nil,
    _ write: (inout [UInt8], Item) -> Void
  ) {
    self += brackets.utf8.prefix(1)
    for (position, element) in elements.enumerated() {
      if position > 0 { self += separator.utf8 }
      if let level { appendLineBreak(level + 1) }
      write(&self, element)
    }
    if let level, !elements.isEmpty { appendLineBreak(level) }
    self += brackets.utf8.suffix(1)
  }

  private mutating func appendLineBreak(_ level: Int) {
    append(UInt8(ascii: "\n"))
    append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
  }

  /// Appends `content` as quoted base64url without padding (RFC 4648 §5).
  private mutating func appendBase64URL(_ content: [UInt8], after prefix: StaticString = "") {
    append(UInt8(ascii: "\""))
    prefix.withUTF8Buffer { unsafe append(contentsOf: $0) }
    appendBase64(content, forURL: true)
    append(UInt8(ascii: "\""))
  }
}
