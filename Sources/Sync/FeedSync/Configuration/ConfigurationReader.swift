import Base

/// Values of the configuration, each from the environment or from the file.
///
/// A variable that is set comes before the file, even if it is empty: that takes the file's value away.
struct ConfigurationReader {
  /// A value, and the name that errors call it.
  struct Setting {
    /// The value as text.
    let text: String
    /// The variable, or the file and the key.
    let name: String
  }

  private let tree: ConfigurationTree?
  private let file: String
  private let environment: [String: String]

  /// Reads from `environment`, then from the `tree` of the file called `file`.
  init(_ tree: ConfigurationTree?, of file: String, environment: [String: String]) {
    (self.tree, self.file, self.environment) = (tree, file, environment)
  }

  /// The value at `path`, empty or not; `nil` if neither has one.
  ///
  /// `label` is what an error calls the key of a file.
  func setting(_ path: [String], label: String? = nil) -> Setting? {
    let variable = ConfigurationKeys.variable(path)
    if let text = environment[variable] { return Setting(text: text, name: variable) }
    return tree?.values[path]?.text.map {
      Setting(text: $0, name: "\(file): \(label ?? path.joined(separator: "."))")
    }
  }

  /// A text that is not empty.
  func text(_ path: [String]) -> String? {
    setting(path).flatMap { $0.text.isEmpty ? nil : $0.text }
  }

  /// A number in `range`.
  ///
  /// - Throws: ``FeedError`` that names the variable or the file's key.
  func number(
    _ path: [String], _ range: ClosedRange<Int64>, _ unit: String, label: String? = nil
  ) throws(FeedError) -> Int64? {
    guard let setting = setting(path, label: label), !setting.text.isEmpty else { return nil }
    guard let number = Int64(setting.text), range.contains(number) else {
      let bounds = "\(range.lowerBound) to \(range.upperBound) \(unit)"
      throw FeedError(.badData, "\(setting.name): expected \(bounds), found \"\(setting.text)\"")
    }
    return number
  }

  /// The headers of `feed` in the file, by name; their values are files.
  ///
  /// - Throws: ``FeedError`` for a name that no header can have, or one that stands there twice.
  func headers(of feed: String) throws(FeedError) -> [HeaderFile] {
    let start = ["feeds", feed, ConfigurationKeys.headers]
    var headers: [HeaderFile] = []
    for (path, value) in tree?.values ?? [:] where path.count == 5 && Array(path[..<3]) == start {
      guard let source = value.text, path[4] == ConfigurationKeys.headerFile else { continue }
      let name = path[3]
      if let problem = HeaderFile.problem(withName: name) {
        throw FeedError(.badData, "\(file): \((start + [name]).joined(separator: ".")): \(problem)")
      }
      guard !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
        throw FeedError(.badData, "\(file): \((start + [name]).joined(separator: ".")): this header stands there twice")
      }
      headers.append(
        HeaderFile(name: name, source: source, credentials: environment[HeaderFile.credentialsVariable]))
    }
    return headers.sorted { $0.name < $1.name }
  }
}

/// A JSON object as a list of keys with their values, so that every key is seen: also one that the program does not know.
struct ConfigurationTree {
  /// The value at a key.
  enum Value: Equatable {
    case text(String)
    case whole(Int)
    /// An object without members.
    case empty

    /// The value as text; `nil` for an empty object.
    var text: String? {
      switch self {
      case .text(let text): text
      case .whole(let number): String(number)
      case .empty: nil
      }
    }
  }

  /// The values by their place, as `["feeds", "cities", "url"]`; of equal keys the first counts.
  private(set) var values: [[String]: Value] = [:]

  /// Reads the JSON object in `bytes`.
  ///
  /// - Throws: ``FeedError`` for text that is not JSON, or a value that no key can have.
  init(json bytes: [UInt8]) throws(FeedError) {
    let root: JSONValue
    do throws(JSONFault) {
      root = try SourceJSON.scan(bytes) { (scanner) throws(JSONFault) in try scanner.readValue() }
    } catch {
      throw SourceJSON.broken(error)
    }
    guard case .object(let members) = root else { throw FeedError(.badData, "expected a JSON object") }
    try collect(members, at: [])
  }

  private mutating func collect(
    _ members: [(key: String, value: JSONValue)], at path: [String]
  ) throws(FeedError) {
    var known: Set<String> = []
    for (key, value) in members where known.insert(key).inserted {
      switch value {
      case .object(let members) where members.isEmpty: values[path + [key]] = .empty
      case .object(let members): try collect(members, at: path + [key])
      case .string(let text): values[path + [key]] = .text(text)
      case .number(let number) where number.wholeValue(Int.self) != nil:
        values[path + [key]] = number.wholeValue(Int.self).map(Value.whole)
      default:
        throw FeedError(.badData, "\((path + [key]).joined(separator: ".")): expected text or a whole number")
      }
    }
  }
}
