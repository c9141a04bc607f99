import Base
public import CBOR

extension CBORValue {
  /// Reads one JSON value (RFC 8259): the parameters that a user gives on a command line.
  ///
  /// Strict: no comments, no trailing commas, no duplicate keys, no lone surrogates, nothing after the value. Integers
  /// are exact up to 38 digits, other numbers are doubles, −0 is 0.
  /// - Parameters:
  ///   - text: One value; white space around it is allowed.
  ///   - limits: How deep arrays and objects may be nested, and how many values there may be; keys do not count.
  /// - Throws: ``JSONError`` that says what is wrong, and where.
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

/// Builds items from JSON values, and counts them.
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

/// Why a text is not JSON, or not JSON that is accepted.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The fault, in one clause.
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
  /// An object of JSON.
  package static func object(_ members: KeyValuePairs<String, CBORValue>) -> Self {
    .map(members.map { (.text($0), $1) })
  }

  /// The value of a key; `nil` without it, and for an item that is not a map.
  package subscript(key: String) -> CBORValue? {
    guard case .map(let pairs) = self else { return nil }
    return pairs.first { if case .text(key) = $0.key { true } else { false } }?.value
  }
}

extension CBORValue {
  /// This item as JSON text (RFC 8949 §6.1), on one line or with two spaces a level.
  ///
  /// - A byte string is base64url text without padding, whatever tag stands around it.
  /// - A typed array (RFC 8746) of the kinds that messages have, ``TypedArray``, is an array of numbers.
  /// - A decimal fraction (tag 4) is text in plain decimals with its scale kept, `"14.90"`: most readers of JSON, that
  ///   of ``init(json:limits:)`` too, take a number with a fraction for a float, and money must not pass through one.
  /// - A bignum is a number up to 128 bytes, beyond them base64url text, after `~` if it is negative.
  /// - Floats have no exponent and read back equal. What JSON does not know is `null`.
  /// - Other tags, such as 0 for times, give way to their content; other keys than texts to their diagnostic notation.
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

  /// The numbers of a typed array of the kinds that messages have.
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

  /// Appends `elements` with a separator between them in a pair of brackets, each on a line of its own at a level.
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

  /// Appends `content` in quotes, in base64url without padding (RFC 4648 §5).
  private mutating func appendBase64URL(_ content: [UInt8], after prefix: StaticString = "") {
    append(UInt8(ascii: "\""))
    prefix.withUTF8Buffer { unsafe append(contentsOf: $0) }
    appendBase64(content, forURL: true)
    append(UInt8(ascii: "\""))
  }
}
