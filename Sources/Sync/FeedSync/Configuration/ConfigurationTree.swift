import CitiesProtocol
import System

/// JSON objects, flattened to paths with values: unknown keys stay visible.
///
/// Variables of the ``environment`` override them; an empty one removes the file's value.
struct ConfigurationTree {
  /// The value at a key.
  enum Value: Equatable {
    case text(String)
    case whole(Int)
    /// An object without members.
    case empty
    /// A value that no key accepts.
    case other
  }

  /// A value, and where it is set.
  struct Entry: Equatable {
    let value: Value
    let place: ConfigurationPlace
    /// The key in the file; `nil` for a variable.
    let key: String?

    /// The value as text; `nil` for ``Value/empty`` and ``Value/other``.
    var text: String? {
      switch value {
      case .text(let text): text
      case .whole(let number): String(number)
      case .empty, .other: nil
      }
    }

    /// A fault of this value; `label` replaces the name of the key.
    func fault(_ problem: String, label: String? = nil) -> ConfigurationFault {
      ConfigurationFault(place, key.map { label ?? $0 }, problem)
    }
  }

  /// The values by path, such as `["feeds", "cities", "url"]`; the first of duplicate keys counts.
  private(set) var entries: [ConfigurationPath: Entry] = [:]
  /// Duplicate keys, which are ignored.
  private(set) var repeated: [ConfigurationFault] = []
  /// The variables that override the files.
  var environment: [String: String] = [:]

  /// An empty tree.
  init() {}

  /// Reads the JSON object in `bytes`, the contents of `file`.
  ///
  /// - Throws: ``ConfigurationFault`` for text that is not a JSON object.
  /// - Complexity: O(n log n) in the bytes.
  init(json bytes: [UInt8], of file: String) throws(ConfigurationFault) {
    var lines = LineCounter(bytes)
    var isObject = true
    do throws(JSONFault) {
      try SourceJSON.scan(bytes) { (scanner) throws(JSONFault) in
        isObject = try scanner.peek() == .object
        if isObject { try collect(&scanner, of: file, at: [], &lines) } else { try scanner.skipValue() }
      }
    } catch {
      let place = ConfigurationPlace(file, error.position, &lines)
      throw ConfigurationFault(place, nil, "the JSON is broken: \(error.clause)")
    }
    guard isObject else {
      throw ConfigurationFault(ConfigurationPlace(file, 0, &lines), nil, "expected a JSON object")
    }
  }

  /// Stands for a file that may not be read: for the source of the feed that its name says, or else of every feed.
  init(unreadable file: String) {
    let name = fileName(of: file)
    let isDropIn = name.hasPrefix("feed-") && name.hasSuffix(".json")
    let feeds = isDropIn ? [String(name.dropFirst(5).dropLast(5))] : FeedName.all.map(\.rawValue)
    let place = ConfigurationPlace(origin: file, line: 1, column: 1)
    for feed in feeds { set(["feeds", feed, "url"], .text("source not readable"), place) }
  }

  private mutating func set(_ path: [String], _ value: Value, _ place: ConfigurationPlace) {
    let path = ConfigurationPath(names: path)
    entries[path] = Entry(value: value, place: place, key: path.key)
  }

  /// Flattens an object, and returns whether it has members.
  @discardableResult
  private mutating func collect(
    _ scanner: inout JSONScanner, of file: String, at path: [String], _ lines: inout LineCounter
  ) throws(JSONFault) -> Bool {
    var known: Set<TextKey> = []
    try scanner.readObject { (scanner, key) throws(JSONFault) in
      let (path, place) = (path + [key.text], ConfigurationPlace(file, key.offset, &lines))
      guard known.insert(key.text) else {
        let problem = "the key is set twice; the first value is used"
        self.repeated.append(ConfigurationFault(place, ConfigurationPath(names: path).key, problem))
        return try scanner.skipValue()
      }
      if let value = try self.value(&scanner, of: file, at: path, &lines) { self.set(path, value, place) }
    }
    return !known.isEmpty
  }

  /// Reads a value; `nil` for a non-empty object, whose members are collected.
  private mutating func value(
    _ scanner: inout JSONScanner, of file: String, at path: [String], _ lines: inout LineCounter
  ) throws(JSONFault) -> Value? {
    switch try scanner.peek() {
    case .object: return try collect(&scanner, of: file, at: path, &lines) ? nil : .empty
    case .string:
      let string = try scanner.readString()
      return string.invalidOffset == nil ? .text(string.text) : .other
    case .number: return try scanner.readNumber().wholeValue(Int.self).map(Value.whole) ?? .other
    case .array, .bool, .null:
      try scanner.skipValue()
      return .other
    }
  }

  /// The fault of `file` with these values: a URL may have a secret, but every user can read it.
  func exposure(of file: String) -> ConfigurationFault? {
    let secrets = entries.filter { $0.value.text.flatMap(SourceLocation.secretDigest) != nil }
    guard let first = secrets.min(by: { $0.key.names.lexicographicallyPrecedes($1.key.names, by: <) }),
      let problem = SecretFile.exposure(of: file)
    else { return nil }
    return first.value.fault(problem)
  }

  /// Adds the values of `later`, which override equal keys.
  mutating func merge(_ later: ConfigurationTree) {
    entries.merge(later.entries) { $1 }
    repeated += later.repeated
  }

  /// The value of the key at `path`.
  subscript(path: [String]) -> Value? { entries[ConfigurationPath(names: path)]?.value }

  /// The value at `path` or under an older name, empty or not; `nil` if neither files nor environment have one.
  func setting(_ path: [String]) -> Entry? {
    let paths = ConfigurationKey.spellings(of: path)
    for variable in paths.map(ConfigurationKey.variable) {
      guard let text = environment[variable] else { continue }
      return Entry(value: .text(text), place: ConfigurationPlace(origin: variable), key: nil)
    }
    let entry = paths.lazy.compactMap { entries[ConfigurationPath(names: $0)] }.first
    return entry?.text == nil ? nil : entry
  }

  /// The folder of the service's credentials, if it has one.
  var credentials: String? { environment[HeaderFile.credentialsVariable] }

  /// The user-defined feeds: unknown names below `feeds` that have a format.
  var ownFeeds: [String] {
    let known = FeedName.all.map(\.rawValue)
    return entries.keys.map(\.names).filter { $0.count == 3 && $0[0] == "feeds" && $0[2] == "format" }.map { $0[1] }
      .filter { !known.contains($0) }.sorted()
  }
}

/// The names from the root to a key.
struct ConfigurationPath: Hashable {
  let names: [String]

  /// The key in messages.
  var key: String { names.joined(separator: ".") }
}

extension ConfigurationPlace {
  /// The place of the byte at `offset` of a file.
  fileprivate init(_ file: String, _ offset: Int, _ lines: inout LineCounter) {
    origin = file
    (line, column) = lines.position(at: offset)
  }
}
