/// A JSON array of flat records (RFC 8259), read one by one; numbers are given as they are written.
///
/// FoundationEssentials' decoder gives a number as a binary or a decimal value: the first loses digits, the second the
/// zeros behind them. An amount of money is neither, so its reader asks for the text.
struct JSONRecords {
  private var scanner: JSONTextScanner

  /// An element of the array.
  enum Element: Equatable {
    /// An object, by its keys.
    case record([String: JSONField])
    /// An object that has this key more than once.
    case ambiguous(String)
    /// Something else, such as `a number`.
    case other(String)
  }

  /// Calls `body` with every element of `text` and its position, counted from 1.
  ///
  /// A byte-order mark in front is passed over.
  ///
  /// - Throws: ``JSONFault`` where the text stops being JSON, or if it is none of an array.
  /// - Complexity: O(count of `text`).
  static func read(_ text: [UInt8], _ body: (Int, Element) -> Void) throws(JSONFault) {
    var records = JSONRecords(scanner: JSONTextScanner(text, from: text.count - text.withoutByteOrderMark.count))
    try records.readArray(body)
  }

  private mutating func readArray(_ body: (Int, Element) -> Void) throws(JSONFault) {
    guard try scanner.peek() == UInt8(ascii: "[") else {
      throw scanner.fault("expected an array, found \(try scanner.noun())")
    }
    var position = 0
    try scanner.readElements(until: "]") { (scanner) throws(JSONFault) in
      position += 1
      body(position, try Self.element(&scanner))
    }
    try scanner.requireEnd()
  }

  private static func element(_ scanner: inout JSONTextScanner) throws(JSONFault) -> Element {
    guard try scanner.peek() == UInt8(ascii: "{") else {
      let noun = try scanner.noun()
      try scanner.skipValue()
      return .other(noun)
    }
    var fields: [String: JSONField] = [:]
    var repeated: String?
    try scanner.readElements(until: "}") { (scanner) throws(JSONFault) in
      let key = try scanner.readKey()
      if fields.updateValue(try scanner.readField(), forKey: key) != nil { repeated = key }
    }
    return repeated.map { .ambiguous($0) } ?? .record(fields)
  }
}

/// A value in a record.
enum JSONField: Equatable {
  /// A string, its escapes resolved.
  case text(String)
  /// A number, exactly as it is written.
  case number(String)
  /// Anything else, such as `an object`.
  case other(String)
}
