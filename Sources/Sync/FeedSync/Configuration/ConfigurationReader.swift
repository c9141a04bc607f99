import CitiesProtocol

/// Values of the configuration, each from the environment or from the file.
///
/// A variable that is set overrides the file; an empty one removes the file's value.
struct ConfigurationReader {
  /// A value and its name in errors.
  struct Setting {
    let text: String
    let origin: String
    /// The key in the file; `nil` for a variable.
    let key: String?
    /// The position of the key; `nil` for a variable.
    let place: ConfigurationPlace?

    /// A fault of this setting; `label` replaces the name of the key.
    func fault(_ problem: String, label: String? = nil) -> ConfigurationFault {
      ConfigurationFault(origin, key.map { label ?? $0 }, problem, place)
    }
  }

  private let tree: ConfigurationTree
  private let environment: [String: String]
  private let faults: ConfigurationFaults

  /// Reads from `environment`, else from `tree`; invalid values go to `faults`.
  init(_ tree: ConfigurationTree, environment: [String: String], _ faults: ConfigurationFaults) {
    (self.tree, self.environment, self.faults) = (tree, environment, faults)
  }

  /// The value at `path` or under an older name, empty or not; `nil` if neither files nor environment have one.
  func setting(_ path: [String]) -> Setting? {
    let paths = ConfigurationKey.spellings(of: path)
    for variable in paths.map(ConfigurationKey.variable) {
      if let text = environment[variable] { return Setting(text: text, origin: variable, key: nil, place: nil) }
    }
    guard let path = paths.first(where: { tree.entries[$0] != nil }), let entry = tree.entries[path],
      let text = entry.value.text
    else { return nil }
    return Setting(text: text, origin: entry.place.file, key: path.joined(separator: "."), place: entry.place)
  }

  /// Stores the value of `key` in `configuration`, for `feed` if it belongs to a feed.
  ///
  /// - Throws: ``FeedError`` that names the variable or the file's key if the value is wrong.
  func read(
    _ key: ConfigurationKey, of feed: FeedName, into configuration: inout SyncConfiguration
  ) throws(FeedError) {
    if case .header = key.value { configuration[feed].headers = try headers(of: feed.rawValue) }
    guard let setting = setting(key.paths(of: feed.rawValue)[0]) else { return }
    switch key.value {
    case .header: break
    case .text(let set): set(&configuration, feed, setting.text.isEmpty ? nil : setting.text)
    case .word(let words, let set):
      guard words.contains(setting.text) else {
        let known = words.joined(separator: ", ")
        return try faults.take(setting.fault("expected one of \(known), found \"\(setting.text)\""))
      }
      set(&configuration, feed, setting.text)
    case .number(let range, let unit, let set):
      guard !setting.text.isEmpty else { return }
      guard let number = Int64(setting.text), range.contains(number) else {
        let problem = "expected \(range.lowerBound) to \(range.upperBound) \(unit), found \"\(setting.text)\""
        let label = key.isOfFeed ? "\(key.path[2][0]) of feed \(feed.rawValue)" : nil
        return try faults.take(setting.fault(problem, label: label))
      }
      set(&configuration, feed, number)
    }
  }

  /// The headers of `feed` in the file, by name; their values are files.
  ///
  /// - Throws: ``FeedError`` for an invalid header name, or a duplicate.
  private func headers(of feed: String) throws(FeedError) -> [HeaderFile] {
    let start = ["feeds", feed, ConfigurationKey.headers]
    var headers: [HeaderFile] = []
    for (path, entry) in tree.entries where path.count == 5 && Array(path[..<3]) == start {
      guard let source = entry.value.text, path[4] == ConfigurationKey.headerFile else { continue }
      let name = path[3]
      let isTwice = headers.contains { $0.name.lowercased() == name.lowercased() }
      if let problem = HeaderFile.problem(withName: name) ?? (isTwice ? "this header is given twice" : nil) {
        let key = (start + [name]).joined(separator: ".")
        try faults.take(ConfigurationFault(entry.place.file, key, problem, entry.place))
        continue
      }
      headers.append(
        HeaderFile(name: name, source: source, credentials: environment[HeaderFile.credentialsVariable]))
    }
    return headers.sorted { $0.name < $1.name }
  }
}
