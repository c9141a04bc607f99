/// Where a text stops being JSON (RFC 8259): FoundationEssentials' decoder says that it does, not where.
///
/// It is asked only after the decoder has refused a text, so that the message can name the place. Nothing is kept of what
/// is read, and the depth is bounded as the decoder's.
struct JSONFault: Error, Equatable, CustomStringConvertible {
  /// Arrays and objects inside each other that the decoder accepts.
  static let maximumDepth = 512

  /// Offset of the first byte that cannot stand where it does; the count of bytes if the text ends too early.
  var offset: Int
  /// The line of that byte, from 1.
  var line: Int
  /// What is wrong there.
  var problem: String

  /// The first fault of `bytes`; `nil` if they are one JSON value.
  ///
  /// - Complexity: O(count of `bytes`).
  init?(in bytes: some RandomAccessCollection<UInt8>) {
    let text = Array(bytes)
    var scanner = JSONScanner(text)
    guard let problem = scanner.run() else { return nil }
    self.init(problem, at: scanner.offset, of: text)
  }

  /// The fault at `offset` of `text`.
  init(_ problem: String, at offset: Int, of text: some RandomAccessCollection<UInt8>) {
    self.offset = offset
    line = 1 + text.prefix(offset).count { $0 == UInt8(ascii: "\n") }
    self.problem = problem
  }

  /// The place, as `at byte 17 (line 2)`.
  var place: String { "at byte \(offset) (line \(line))" }

  /// The place and the problem, as `at byte 17 (line 2): unexpected "x"`.
  var description: String { "\(place): \(problem)" }
}

/// One pass over a text, without recursion; ``offset`` stays at what is wrong.
private struct JSONScanner {
  private(set) var offset = 0
  private let text: [UInt8]
  /// The opening brackets around `offset`.
  private var open: [UInt8] = []

  private enum Expectation {
    case value, valueOrEnd, key, keyOrEnd, commaOrEnd, nothing
  }

  private struct Problem: Error {
    var text: String
    init(_ text: String) { self.text = text }
  }

  init(_ text: [UInt8]) { self.text = text }

  mutating func run() -> String? {
    do throws(Problem) {
      var expected = Expectation.value
      while true {
        while let byte = current, " \t\r\n".utf8.contains(byte) { offset += 1 }
        if current == nil, expected == .nothing { return nil }
        expected = try step(expected)
      }
    } catch {
      return error.text
    }
  }

  private var current: UInt8? { offset < text.count ? text[offset] : nil }

  private mutating func step(_ expected: Expectation) throws(Problem) -> Expectation {
    guard let byte = current else {
      throw Problem("the text ends \(open.isEmpty ? "without a value" : "within \(container)")")
    }
    switch expected {
    case .nothing: throw unexpected(byte)
    case .valueOrEnd where byte == UInt8(ascii: "]"): return close()
    case .keyOrEnd where byte == UInt8(ascii: "}"): return close()
    case .value, .valueOrEnd: return try value(byte)
    case .key, .keyOrEnd: return try key(byte)
    case .commaOrEnd: return try commaOrEnd(byte)
    }
  }

  private var container: String { open.last == UInt8(ascii: "[") ? "an array" : "an object" }

  /// What may follow a value.
  private var afterValue: Expectation { open.isEmpty ? .nothing : .commaOrEnd }

  private mutating func close() -> Expectation {
    offset += 1
    open.removeLast()
    return afterValue
  }

  private mutating func commaOrEnd(_ byte: UInt8) throws(Problem) -> Expectation {
    let isArray = open.last == UInt8(ascii: "[")
    if byte == (isArray ? UInt8(ascii: "]") : UInt8(ascii: "}")) { return close() }
    guard byte == UInt8(ascii: ",") else { throw unexpected(byte) }
    offset += 1
    return isArray ? .value : .key
  }

  private mutating func key(_ byte: UInt8) throws(Problem) -> Expectation {
    guard byte == UInt8(ascii: "\"") else { throw unexpected(byte) }
    try string()
    while let byte = current, " \t\r\n".utf8.contains(byte) { offset += 1 }
    guard let colon = current else { throw Problem("the text ends within an object") }
    guard colon == UInt8(ascii: ":") else { throw unexpected(colon) }
    offset += 1
    return .value
  }

  private mutating func value(_ byte: UInt8) throws(Problem) -> Expectation {
    switch byte {
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      guard open.count < JSONFault.maximumDepth else {
        throw Problem("more than \(JSONFault.maximumDepth) arrays and objects inside each other")
      }
      open.append(byte)
      offset += 1
      return byte == UInt8(ascii: "[") ? .valueOrEnd : .keyOrEnd
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "t"): try literal("true")
    case UInt8(ascii: "f"): try literal("false")
    case UInt8(ascii: "n"): try literal("null")
    default: try number(byte)
    }
    return afterValue
  }

  private mutating func string() throws(Problem) {
    offset += 1
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        return
      case UInt8(ascii: "\\"): offset += 2
      case 0..<0x20: throw unexpected(byte)
      default: offset += 1
      }
    }
    offset = text.count
    throw Problem("the text ends within a string")
  }

  private mutating func literal(_ word: String) throws(Problem) {
    for expected in word.utf8 {
      guard let byte = current else { throw Problem("the text ends within a word") }
      guard byte == expected else { throw unexpected(byte) }
      offset += 1
    }
  }

  /// Takes what a number is made of; its inner grammar is left to the decoder.
  private mutating func number(_ first: UInt8) throws(Problem) {
    guard "-0123456789".utf8.contains(first) else { throw unexpected(first) }
    while let byte = current, "+-.eE0123456789".utf8.contains(byte) { offset += 1 }
  }

  private func unexpected(_ byte: UInt8) -> Problem {
    let isPrintable = (0x20..<0x7f).contains(byte)
    return Problem(isPrintable ? "unexpected \"\(UnicodeScalar(byte))\"" : "unexpected byte \(byte)")
  }
}
