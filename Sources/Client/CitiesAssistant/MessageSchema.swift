internal import CBOR
internal import CBORTools
internal import CitiesProtocol

/// Converts the rules of `cities.cddl` to JSON Schema (2020-12), for messages in the JSON form of `citiesctl call`.
///
/// It supports as much of CDDL (RFC 8610) as that file uses. Every schema is self-contained, without references.
struct MessageSchema {
  /// The tokens from the equals sign of each rule to the end of the file.
  let rules: [TextKey: ArraySlice<String>]

  /// Parses the schema of this build, and more rules.
  init(with more: String = "") {
    let tokens = Self.tokens(Schema.cddl + more.utf8)
    let starts = tokens.indices.dropFirst().filter { tokens[$0] == "=" }
    rules = Dictionary(starts.map { (TextKey(tokens[$0 - 1]), tokens[($0 + 1)...]) }) { first, _ in first }
  }

  /// The schema of a rule.
  ///
  /// - Parameters:
  ///   - name: The rule.
  ///   - isClosed: Whether objects may have only the keys of the rule: true for requests, because the server would
  ///     ignore unknown keys.
  /// - Returns: The schema; one that allows anything for an unknown rule.
  func schema(of name: String, isClosed: Bool) -> CBORValue {
    var reader = RuleReader(schema: self, isClosed: isClosed, tokens: rules[name] ?? ["any"])
    return reader.type()
  }

  /// Splits CDDL into names, numbers, `..`, `=>`, strings with a leading quotation mark, single characters, and
  /// comments above items with a leading semicolon.
  private static func tokens(_ text: [UInt8]) -> [String] {
    var (tokens, rest, isLineStart) = ([String](), text[...], true)
    while let first = rest.first {
      if first > UInt8(ascii: " "), first != UInt8(ascii: ";") { isLineStart = false }
      if first == UInt8(ascii: ";") {
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest[line.endIndex...]
        let comment = String(decoding: line.dropFirst(2), as: UTF8.self)
        if isLineStart, let last = tokens.last, last.isComment {
          tokens[tokens.count - 1] = "\(last) \(comment)"
        } else if isLineStart {
          tokens.append(";\(comment)")
        }
      } else if first == UInt8(ascii: "\n") {
        (rest, isLineStart) = (rest.dropFirst(), true)
      } else if rest.starts(with: "..".utf8) || rest.starts(with: "=>".utf8) {
        tokens.append(String(decoding: rest.prefix(2), as: UTF8.self))
        rest = rest.dropFirst(2)
      } else if first == UInt8(ascii: "\"") {
        var content = [first]
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != first {
          content.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
        }
        tokens.append(String(decoding: content, as: UTF8.self))
      } else if first <= UInt8(ascii: " ") {
        rest = rest.dropFirst()
      } else {
        let end = rest.indices.first { !isWord(rest[$0]) || rest[$0...].starts(with: "..".utf8) } ?? rest.endIndex
        let word = rest[..<max(end, rest.startIndex + 1)]
        tokens.append(String(decoding: word, as: UTF8.self))
        rest = rest[word.endIndex...]
      }
    }
    return tokens
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || "-_.#".utf8.contains(byte)
  }
}

/// A recursive-descent parser of one rule.
private struct RuleReader {
  let schema: MessageSchema
  let isClosed: Bool
  var tokens: ArraySlice<String>

  /// Reads a choice: types with slashes between them.
  mutating func type() -> CBORValue {
    var choices = [controlled()]
    while take("/") { choices.append(controlled()) }
    choices = choices.flatMap { if case .array(let inner)? = $0["anyOf"] { inner } else { [$0] } }
    guard choices.count > 1 else { return choices[0] }
    let words = choices.compactMap { $0["const"] }
    if words.count == choices.count { return .type("string").adding("enum", .array(words)) }
    var types: [CBORValue] = []
    for type in choices.compactMap({ $0["type"] }) where !types.contains(type) { types.append(type) }
    return CBORValue.object(["type": types.count == 1 ? types[0] : .array(types)]).adding("anyOf", .array(choices))
  }

  /// Reads a type and its control operator, if any.
  private mutating func controlled() -> CBORValue {
    let type = single()
    switch tokens.first {
    case ".regexp": return type.adding("pattern", .text("^(\(argument().dropFirst()))$"))
    case ".ge": return type.adding("minimum", number(argument()))
    case ".size":
      // It counts bytes, which JSON Schema cannot.
      tokens.removeFirst()
      _ = single()
      return type
    default: return type
    }
  }

  private mutating func argument() -> String {
    tokens.removeFirst()
    return tokens.removeFirst()
  }

  private mutating func single() -> CBORValue {
    _ = comment()
    let token = tokens.removeFirst()
    switch token {
    case "{": return map()
    case "[": return array()
    case "(":
      defer { _ = take(")") }
      return type()
    case "any": return .map([])
    case "tstr", "bstr": return .type("string")
    case "tdate": return .type("string").adding("format", .text("date-time"))
    case "bool": return .type("boolean")
    case "float": return .type("number")
    case "int", "integer": return .type("integer")
    case "uint": return .type("integer").adding("minimum", .unsigned(0))
    case _ where token.hasPrefix("\""): return .type("string").adding("const", .text(String(token.dropFirst())))
    case _ where token.hasPrefix("#6."):
      _ = single()
      // All other tags in messages are those of typed arrays.
      guard token == "#6.4" else { return .type("array") }
      let type = isClosed ? CBORValue.object(["type": .array([.text("string"), .text("number")])]) : .type("string")
      return type.adding("description", .text("A decimal number, such as 12.50"))
    case _ where take(".."):
      let bounds = (least: number(token), most: number(tokens.removeFirst()))
      let type = token.contains(".") ? "number" : "integer"
      return .type(type).adding("minimum", bounds.least).adding("maximum", bounds.most)
    case _ where token.first?.isNumber == true: return .type("integer").adding("const", number(token))
    // Assistants write a place as its name.
    case "place" where isClosed:
      var text = RuleReader(schema: schema, isClosed: true, tokens: ["tstr", "/"] + (schema.rules["place"] ?? ["any"]))
      return text.type()
    default: return schema.schema(of: token, isClosed: isClosed)
    }
  }

  /// Reads a map after its opening brace.
  private mutating func map() -> CBORValue {
    var properties: [(key: CBORValue, value: CBORValue)] = []
    var (required, others) = ([CBORValue](), isClosed ? CBORValue.bool(false) : nil)
    while !take("}") {
      let comment = comment()
      let isRequired = !take("?")
      let isOpen = take("*")
      let key = CBORValue.text(tokens.removeFirst())
      _ = take(isOpen ? "=>" : ":")
      var value = type()
      if isClosed, let comment, value["description"] == nil { value = value.adding("description", .text(comment)) }
      if isOpen {
        others = value
      } else {
        properties.append((key, value))
        if isRequired { required.append(key) }
      }
      _ = take(",")
    }
    let type = CBORValue.type("object").adding("properties", .map(properties)).adding("required", .array(required))
    return others.map { type.adding("additionalProperties", $0) } ?? type
  }

  /// Reads an array of one type after its opening bracket; the parts of a decimal fraction are read and ignored.
  private mutating func array() -> CBORValue {
    var type = CBORValue.type("array")
    while !take("]") {
      let least = count() ?? (tokens.first == "+" ? 1 : 0)
      let isMany = take("*") || take("+")
      let most = isMany ? count() : nil
      if tokens.dropFirst().first == ":" { tokens.removeFirst(2) }
      type = type.adding("items", self.type())
      if least > 0 { type = type.adding("minItems", .unsigned(least)) }
      if let most { type = type.adding("maxItems", .unsigned(most)) }
      _ = take(",")
    }
    return type
  }

  /// Reads a number of elements, if any.
  private mutating func count() -> UInt64? {
    guard let count = tokens.first.flatMap({ UInt64($0) }) else { return nil }
    tokens.removeFirst()
    return count
  }

  /// Reads the comment before an item, if any, without the clause of the default: a tool may have another one.
  private mutating func comment() -> String? {
    guard let comment = tokens.first, comment.isComment else { return nil }
    tokens.removeFirst()
    var words = comment.dropFirst().split(separator: " ")
    if let absent = words.firstIndex(where: { $0.hasPrefix("absent.") || $0.hasPrefix("absent,") }),
      let end = words[..<absent].lastIndex(where: { $0.hasSuffix(":") || $0.hasSuffix(";") })
    {
      words[end] = words[end].dropLast() + words[absent].dropFirst("absent".utf8.count)
      words.removeSubrange(end + 1...absent)
    }
    return words.joined(separator: " ")
  }

  private func number(_ token: String) -> CBORValue { (try? CBORValue(json: token)) ?? .null }

  private mutating func take(_ token: String) -> Bool {
    guard tokens.first == token else { return false }
    tokens.removeFirst()
    return true
  }
}

extension CBORValue {
  /// The schema of a basic type.
  fileprivate static func type(_ name: String) -> Self { .object(["type": .text(name)]) }

  /// The object with a member added.
  func adding(_ key: String, _ value: CBORValue) -> Self {
    guard case .map(let pairs) = self else { return self }
    return .map(pairs + [(.text(key), value)])
  }
}

extension String {
  /// Whether this token is a comment.
  fileprivate var isComment: Bool { utf8.first == UInt8(ascii: ";") }
}
