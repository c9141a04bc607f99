/// Values of the configuration, each from the environment or from the file.
///
/// A variable that is set comes before the file, even if it is empty: that takes the file's value away.
struct ConfigurationReader {
  /// A value, and the name that errors call it.
  struct Setting {
    /// The value as text.
    let text: String
    /// The variable, or the file.
    let origin: String
    /// The key in the file; `nil` for a variable.
    let key: String?
    /// The position of the key; `nil` for a variable.
    let place: ConfigurationPlace?

    /// The fault that `problem` is.
    func fault(_ problem: String) -> ConfigurationFault { ConfigurationFault(origin, key, problem, place) }
  }

  private let tree: ConfigurationTree
  private let environment: [String: String]
  private let faults: ConfigurationFaults

  /// Reads from `environment`, then from the `tree`; wrong values go to `faults`.
  init(_ tree: ConfigurationTree, environment: [String: String], _ faults: ConfigurationFaults) {
    (self.tree, self.environment, self.faults) = (tree, environment, faults)
  }

  /// The value at `path`, empty or not; `nil` if neither has one.
  ///
  /// `label` is what an error calls the key of a file.
  func setting(_ path: [String], label: String? = nil) -> Setting? {
    let variable = ConfigurationKeys.variable(path)
    if let text = environment[variable] { return Setting(text: text, origin: variable, key: nil, place: nil) }
    guard let entry = tree.entries[path], let text = entry.value.text else { return nil }
    return Setting(
      text: text, origin: entry.place.file, key: label ?? path.joined(separator: "."), place: entry.place)
  }

  /// A text that is not empty.
  func text(_ path: [String]) -> String? {
    setting(path).flatMap { $0.text.isEmpty ? nil : $0.text }
  }

  /// A text that is under one of several keys below `path`: that of the first that is set in the environment, else in
  /// the files.
  func text(_ path: [String], _ keys: [String]) -> String? {
    let variable = keys.first { environment[ConfigurationKeys.variable(path + [$0])] != nil }
    return (variable ?? keys.first { tree.entries[path + [$0]] != nil }).flatMap { text(path + [$0]) }
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
      try faults.take(setting.fault("expected \(bounds), found \"\(setting.text)\""))
      return nil
    }
    return number
  }

  /// The headers of `feed` in the file, by name; their values are files.
  ///
  /// - Throws: ``FeedError`` for a name that no header can have, or one that is given twice.
  func headers(of feed: String) throws(FeedError) -> [HeaderFile] {
    let start = ["feeds", feed, ConfigurationKeys.headers]
    var headers: [HeaderFile] = []
    for (path, entry) in tree.entries where path.count == 5 && Array(path[..<3]) == start {
      guard let source = entry.value.text, path[4] == ConfigurationKeys.headerFile else { continue }
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
