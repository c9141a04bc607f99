import Base
import CitiesProtocol

/// A position in a configuration file.
package struct ConfigurationPlace: Equatable, Sendable, CustomStringConvertible {
  /// The file's path.
  package var file: String
  /// The line, from 1.
  package var line: Int
  /// The character in the line, from 1.
  package var column: Int

  /// `FILE:LINE:COLUMN`, as compilers print it.
  package var description: String { "\(file):\(line):\(column)" }
}

/// JSON objects, flattened to paths with values: unknown keys stay visible.
struct ConfigurationTree {
  /// The value at a key.
  enum Value: Equatable {
    case text(String)
    case whole(Int)
    /// An object without members.
    case empty
    /// A value that no key accepts.
    case other

    /// The value as text; `nil` for ``empty`` and ``other``.
    var text: String? {
      switch self {
      case .text(let text): text
      case .whole(let number): String(number)
      case .empty, .other: nil
      }
    }
  }

  /// A value, and the position of its key.
  struct Entry: Equatable {
    let value: Value
    let place: ConfigurationPlace
  }

  /// The values by path, such as `["feeds", "cities", "url"]`; the first of duplicate keys counts.
  private(set) var entries: [[String]: Entry] = [:]
  /// Duplicate keys, which are ignored.
  private(set) var repeated: [(path: [String], place: ConfigurationPlace)] = []

  /// An empty tree.
  init() {}

  /// Reads the JSON object in `bytes`, the contents of `file`.
  ///
  /// - Throws: ``ConfigurationFault`` for text that is not a JSON object.
  /// - Complexity: O(n log n) in the bytes.
  init(json bytes: [UInt8], of file: String) throws(ConfigurationFault) {
    let lines = LineIndex(bytes, of: file)
    var members = MemberList()
    let isObject: Bool
    do throws(JSONFault) {
      isObject = try SourceJSON.scan(bytes) { (scanner) throws(JSONFault) in
        guard try scanner.peek() == .object else {
          try scanner.skipValue()
          return false
        }
        try members.collect(&scanner, at: [])
        return true
      }
    } catch {
      throw ConfigurationFault(file, nil, "the JSON is broken: \(error.clause)", lines.place(at: error.position))
    }
    guard isObject else { throw ConfigurationFault(file, nil, "expected a JSON object", lines.place(at: 0)) }
    entries = members.values.mapValues { Entry(value: $0.value, place: lines.place(at: $0.offset)) }
    repeated = members.repeated.map { ($0.path, lines.place(at: $0.offset)) }
  }

  /// Adds the values of `later`, which override equal keys.
  mutating func merge(_ later: ConfigurationTree) {
    entries.merge(later.entries) { $1 }
    repeated += later.repeated
  }

  /// The value of the key at `path`.
  subscript(path: [String]) -> Value? { entries[path]?.value }

  /// The user-defined feeds: unknown names below `feeds` that have a format.
  var ownFeeds: Set<String> {
    let known = Set(FeedName.all.map(\.rawValue))
    return Set(entries.keys.filter { $0.count == 3 && $0[0] == "feeds" && $0[2] == "format" }.map { $0[1] })
      .subtracting(known)
  }
}

/// Flattens nested objects, with the offsets of the keys.
private struct MemberList {
  private(set) var values: [[String]: (value: ConfigurationTree.Value, offset: Int)] = [:]
  private(set) var repeated: [(path: [String], offset: Int)] = []

  /// Reads an object.
  ///
  /// - Returns: whether it has members.
  @discardableResult
  mutating func collect(_ scanner: inout JSONScanner, at path: [String]) throws(JSONFault) -> Bool {
    var known: Set<String> = []
    try scanner.readObject { (scanner, key) throws(JSONFault) in
      let path = path + [key.text]
      guard known.insert(key.text).inserted else {
        self.repeated.append((path, key.offset))
        return try scanner.skipValue()
      }
      if let value = try self.value(&scanner, at: path) { self.values[path] = (value, key.offset) }
    }
    return !known.isEmpty
  }

  /// Reads a value; `nil` for a non-empty object, whose members are collected.
  private mutating func value(
    _ scanner: inout JSONScanner, at path: [String]
  ) throws(JSONFault) -> ConfigurationTree.Value? {
    switch try scanner.peek() {
    case .object: return try collect(&scanner, at: path) ? nil : .empty
    case .string:
      let string = try scanner.readString()
      return string.invalidOffset == nil ? .text(string.text) : .other
    case .number: return try scanner.readNumber().wholeValue(Int.self).map(ConfigurationTree.Value.whole) ?? .other
    case .array, .bool, .null:
      try scanner.skipValue()
      return .other
    }
  }
}

/// Lines and columns of offsets in a text.
private struct LineIndex {
  private let text: [UInt8]
  private let file: String
  /// The offsets at which lines start.
  private let starts: [Int]

  init(_ text: [UInt8], of file: String) {
    (self.text, self.file) = (text, file)
    starts = [0] + text.indices.filter { text[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
  }

  /// The position of the byte at `offset`; columns count code points.
  ///
  /// - Complexity: O(log lines + the line's length).
  func place(at offset: Int) -> ConfigurationPlace {
    let offset = min(max(offset, 0), text.count)
    let line = starts.partitionPoint { $0 <= offset }
    let characters = text[starts[line - 1]..<offset].count { $0 & 0xC0 != 0x80 }
    return ConfigurationPlace(file: file, line: line, column: characters + 1)
  }
}
