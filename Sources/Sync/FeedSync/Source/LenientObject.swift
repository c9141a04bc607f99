import Geodesy

/// A JSON object that is read key by key, with any white space around its keys.
///
/// Real files have `"end_minutes "`. An exact key wins over one with white space, and the first of equal keys counts.
/// If a value has another type than requested, the error names the key, as in `location.lat is not a number`.
struct LenientObject {
  private let members: [TextKey: JSONValue]
  /// The keys of the enclosing objects, each followed by a full stop.
  private let path: String

  /// Reads a record.
  ///
  /// - Throws: ``RecordProblem`` if it is not an object.
  init(_ value: JSONValue) throws(RecordProblem) {
    guard case .object(let members) = value else { throw RecordProblem("the record is not an object") }
    self.init(members, path: "")
  }

  private init(_ members: [(key: String, value: JSONValue)], path: String) {
    var found: [TextKey: JSONValue] = [:]
    var exact: Set<TextKey> = []
    for (key, value) in members {
      let trimmed = key.trimmingSpace
      let isExact = trimmed == key
      guard found[trimmed] == nil || isExact && !exact.contains(trimmed) else { continue }
      found[trimmed] = value
      if isExact { exact.insert(trimmed) }
    }
    (self.members, self.path) = (found, path)
  }

  /// The value of `key`; `nil` if it is missing or `null`.
  private func present(_ key: String) -> JSONValue? {
    if case .null? = members[key] { return nil }
    return members[key]
  }

  private func problem(_ key: String, _ noun: String) -> RecordProblem { RecordProblem("\(path)\(key) is not \(noun)") }

  private func outOfRange(_ key: String) -> RecordProblem {
    RecordProblem("\(path)\(key): the number is out of range")
  }

  /// The text of `key`; `nil` if missing.
  func text(_ key: String, orA noun: String = "a text") throws(RecordProblem) -> String? {
    switch present(key) {
    case nil: return nil
    case .string(let text): return text
    case .invalidText(let offset): throw .invalidText("\(path)\(key)", at: offset)
    default: throw problem(key, noun)
    }
  }

  /// The text of `key` without markup, or a number as written; `nil` if missing, and with a remark if it is anything
  /// else.
  func optionalText(_ key: String, _ remarks: inout [String]) -> String? {
    if case .number(let number)? = present(key) { return number.text }
    do throws(RecordProblem) { return try text(key).map(Markup.plain) } catch {
      remarks.append("\(error), and ignored")
      return nil
    }
  }

  /// The text of `key`, or the digits of a whole number; `nil` if missing.
  func name(_ key: String) throws(RecordProblem) -> String? {
    if case .number(let number)? = present(key), let whole = number.wholeValue(Int.self) { return String(whole) }
    return try text(key, orA: "a text or a whole number")
  }

  /// The whole number of `key`, or of its text; `nil` if missing.
  func whole(_ key: String) throws(RecordProblem) -> Int? {
    guard let value = present(key) else { return nil }
    if case .string(let text) = value, let whole = Int(text.trimmingSpace) { return whole }
    guard case .number(let number) = value else { throw problem(key, "a whole number") }
    guard let whole = number.wholeValue(Int.self) else { throw outOfRange(key) }
    return whole
  }

  /// The coordinate of `key`, a number or its text; `nil` if missing.
  func coordinate(_ key: String) throws(RecordProblem) -> Double? {
    guard let value = present(key) else { return nil }
    if case .number(let number) = value, number.double == nil { throw outOfRange(key) }
    guard let degrees = value.coordinate else { throw problem(key, "a number") }
    return degrees
  }

  /// The position with these coordinates, which are required.
  func point(_ latitude: String, _ longitude: String) throws(RecordProblem) -> GeoPoint {
    GeoPoint(
      latitude: try require(try coordinate(latitude), latitude),
      longitude: try require(try coordinate(longitude), longitude))
  }

  /// The object of `key`; `nil` if missing.
  func object(_ key: String) throws(RecordProblem) -> LenientObject? {
    guard let value = present(key) else { return nil }
    guard case .object(let members) = value else { throw problem(key, "an object") }
    return LenientObject(members, path: "\(path)\(key).")
  }

  /// The array of `key`; `nil` if missing.
  func elements(_ key: String) throws(RecordProblem) -> [JSONValue]? {
    guard let value = present(key) else { return nil }
    guard case .array(let elements) = value else { throw problem(key, "an array") }
    return elements
  }

  /// Unwraps `value`, which is required.
  func require<Value>(_ value: Value?, _ key: String) throws(RecordProblem) -> Value {
    guard let value else { throw RecordProblem("\(path)\(key) is missing") }
    return value
  }

  /// The truth value of `key` in any spelling found in real files; `nil` if it is something else.
  func flag(_ key: String) -> Bool? {
    let word: String
    switch present(key) {
    case nil: return false
    case .bool(let flag): return flag
    case .number(let number): word = number.wholeValue(Int.self).map { String($0) } ?? number.text
    case .string(let text): word = text.lowercased()
    default: return nil
    }
    switch word {
    case "true", "1": return true
    case "false", "0", "": return false
    default: return nil
    }
  }
}

extension JSONValue {
  /// A coordinate in degrees, from a number or its text.
  var coordinate: Double? {
    switch self {
    case .number(let number): number.double
    case .string(let text): Double(coordinate: text)
    default: nil
    }
  }
}

extension String {
  /// Whether it is `name`, in small letters, but for white space around it and the case of letters.
  func isKey(_ name: String) -> Bool {
    guard utf8.count >= name.utf8.count else { return false }
    var bytes = utf8.drop { $0 <= UInt8(ascii: " ") }
    while let last = bytes.last, last <= UInt8(ascii: " ") { bytes.removeLast() }
    return bytes.elementsEqual(name.utf8) { ((0x41...0x5a).contains($0) ? $0 | 0x20 : $0) == $1 }
  }

  /// The text without white space around it.
  var trimmingSpace: String {
    // Most texts begin and end with a visible character of ASCII.
    let isVisible = { (byte: UInt8?) in byte.map { (0x21...0x7E).contains($0) } ?? true }
    if isVisible(utf8.first), isVisible(utf8.last) { return self }
    let start = drop(while: \.isWhitespace)
    return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
  }
}

/// Why a record of a file cannot be used, in one clause.
struct RecordProblem: Error, Equatable, CustomStringConvertible {
  let description: String
  /// The offset of the first byte that is not UTF-8, if that is the problem.
  private(set) var offset: Int?

  init(_ description: String) { self.description = description }

  /// The text of `key` is not UTF-8 from the byte at `offset` on.
  static func invalidText(_ key: String, at offset: Int) -> RecordProblem {
    var problem = RecordProblem("\(key) is not UTF-8")
    problem.offset = offset
    return problem
  }

  /// The problem, with the position of invalid bytes.
  func clause(_ lines: inout LineCounter) -> String { clause { lines.place(at: $0) } }

  /// The problem, with the position of invalid bytes as described by `place`.
  func clause(_ place: (Int) -> String) -> String { offset.map { "\(description), \(place($0))" } ?? description }
}
