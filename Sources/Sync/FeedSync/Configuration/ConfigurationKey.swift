import CitiesProtocol

/// A key of the configuration.
///
/// The table of all keys drives reading, checking and the suggestions for misspelt names.
struct ConfigurationKey: Sendable {
  /// The accepted values, with a setter; keys that belong to no feed ignore the feed.
  enum Value: Sendable {
    /// Any text; an empty one removes a default.
    case text(@Sendable (inout SyncConfiguration, FeedName, String?) -> Void)
    /// One of several words.
    case word([String], @Sendable (inout SyncConfiguration, FeedName, String) -> Void)
    /// A whole number: its range and unit.
    case number(ClosedRange<Int64>, String, @Sendable (inout SyncConfiguration, FeedName, Int64) -> Void)
    /// The file that holds the value of a header.
    case header
  }

  /// Stands for the name of a feed or of a header.
  static let any = "*"
  /// The name of the object with the headers of a feed.
  static let headers = "headers"
  /// The name of the key below a header.
  static let headerFile = "file"

  /// All keys; older names follow the current one.
  static let all: [ConfigurationKey] = [
    Self("feeds.*.url", .text { $0[$1].url = $2 }),
    Self("feeds.*.zone|timezone", .text { $0[$1].zone = $2 }),
    Self("feeds.*.country", .text { $0[$1].country = $2 }),
    Self("feeds.*.headers.*.file", .header, hasVariable: false),
    Self("feeds.*.interval", .number(FeedConfiguration.intervals, "seconds") { $0[$1].interval = $2 }),
    Self(
      "feeds.*.format", .word(BankFormat.allCases.map(\.rawValue)) { $0[$1].format = BankFormat(word: $2) },
      hasVariable: false, isOwn: true),
    Self("tls.caFile", .text { $0.caFile = $2 }),
    Self("limits.bytes", .number(FetchLimits.byteRange, "bytes") { $0.limits.bytes = Int($2) }),
    Self("limits.connect", .number(FetchLimits.secondRange, "seconds") { $0.limits.connect = $2 }),
    Self("limits.total", .number(FetchLimits.secondRange, "seconds") { $0.limits.total = $2 }),
    Self("limits.stall", .number(FetchLimits.secondRange, "seconds") { $0.limits.stall = $2 }),
    Self("loss.percent", .number(LossLimits.percentRange, "percent") { $0.loss.percent = $2 }),
    Self("loss.records", .number(LossLimits.recordRange, "records") { $0.loss.records = $2 }),
  ]

  /// The names at each level; older names of the same key come last.
  let path: [[String]]
  let value: Value
  /// Whether the environment may set it.
  let hasVariable: Bool
  /// Whether only user-defined feeds have it.
  let isOwn: Bool

  private init(_ path: String, _ value: Value, hasVariable: Bool = true, isOwn: Bool = false) {
    self.path = path.split(separator: ".").map { $0.split(separator: "|").map(String.init) }
    (self.value, self.hasVariable, self.isOwn) = (value, hasVariable, isOwn)
  }

  /// Whether it belongs to a feed.
  var isOfFeed: Bool { path[1] == [Self.any] }

  /// Its paths in a file (for `feed` if it belongs to a feed), the current one first.
  func paths(of feed: String) -> [[String]] {
    let start = path.dropLast().map { $0 == [Self.any] ? feed : $0[0] }
    return path[path.count - 1].map { start + [$0] }
  }

  /// How many leading names of `path` match this key.
  fileprivate func matches(_ path: [String]) -> Int {
    zip(self.path, path).prefix { $0 == [Self.any] || $0.contains($1) }.count
  }

  /// All paths of the key at `path`, the current one first.
  static func spellings(of path: [String]) -> [[String]] {
    let key = all.first { $0.path.count == path.count && $0.matches(path) == path.count }
    return key?.path.last?.map { path.dropLast() + [$0] } ?? [path]
  }

  /// The variable that overrides the key at `path`.
  ///
  /// `feeds.cities.url` is `CITIES_FEED_CITIES`; other keys of a feed append to that name. `tls.caFile` is
  /// `CITIES_TLS_CA_FILE`.
  static func variable(_ path: [String]) -> String {
    guard path.count == 3, path[0] == "feeds" else { return "CITIES_" + path.map(words).joined(separator: "_") }
    let feed = "CITIES_FEED_\(words(path[1]))"
    return path[2] == "url" ? feed : "\(feed)_\(words(path[2]))"
  }

  /// `caFile` and `ca-file` as `CA_FILE`.
  private static func words(_ key: String) -> String {
    key.unicodeScalars.map { $0 == "-" ? "_" : ("A"..."Z").contains($0) ? "_\($0)" : String($0).uppercased() }.joined()
  }
}

/// The keys of a configuration with the user-defined feeds `own`.
struct ConfigurationKeys {
  let own: [String]

  private var feeds: [String] { FeedName.all.map(\.rawValue) + own }

  /// The keys that may match `path`, each with the number of leading names that do.
  private func candidates(_ path: [String]) -> [(key: ConfigurationKey, depth: Int)] {
    ConfigurationKey.all.filter { !$0.isOwn || path.count > 1 && own.contains(path[1]) }.map { key in
      let depth = key.matches(path)
      return (key, key.isOfFeed && depth > 1 && !feeds.contains(path[1]) ? 1 : depth)
    }
  }

  /// The invalid values of `tree` and the ignored keys, each sorted by name.
  func findings(in tree: ConfigurationTree) -> (wrong: [ConfigurationFault], ignored: [ConfigurationFault]) {
    var (wrong, ignored): ([ConfigurationFault], [ConfigurationFault]) = ([], [])
    for (path, entry) in tree.entries.map({ ($0.names, $1) }) {
      let whole = candidates(path).filter { $0.depth == path.count }.map(\.key)
      let (key, isObject) = (whole.first { $0.path.count == path.count }, !whole.isEmpty)
      switch (key?.value, entry.value) {
      case (.number, .whole), (.number, .text), (.text, .text), (.word, .text), (.header, .text): break
      case (.number, _): wrong.append(entry.fault("expected a whole number"))
      case (.some, _): wrong.append(entry.fault("expected text"))
      case (nil, _) where isObject && path.count == 4:
        let name = ConfigurationKey.headerFile
        wrong.append(entry.fault("expected an object with the key \"\(name)\"; the value is read from a file"))
      case (nil, .empty) where isObject: break
      case (nil, _) where isObject && entry.value != .empty: wrong.append(entry.fault("expected an object"))
      case (nil, _): ignored.append(entry.fault(unknownKeyProblem(path)))
      }
      if let problem = outdatedKeyProblem(path, tree) { ignored.append(entry.fault(problem)) }
    }
    let order = { (one: ConfigurationFault, other: ConfigurationFault) in one.key ?? "" < other.key ?? "" }
    return (wrong.sorted(by: order), ignored.sorted(by: order))
  }

  /// The problem of an older key whose current name is also set.
  private func outdatedKeyProblem(_ path: [String], _ tree: ConfigurationTree) -> String? {
    guard let current = ConfigurationKey.spellings(of: path).first, current != path, tree[current] != nil else {
      return nil
    }
    return "the key \"\(current[current.count - 1])\" is set there as well, and takes precedence"
  }

  /// The problem of the unknown key at `path`, with a suggestion.
  private func unknownKeyProblem(_ path: [String]) -> String {
    let known = candidates(path)
    let depth = known.map(\.depth).max() ?? 0
    let names = known.filter { $0.depth == depth && $0.key.path.count > depth }.map { $0.key.path[depth][0] }
    let isFeed = names.contains(ConfigurationKey.any)
    guard let near = (isFeed ? feeds : names).nearest(to: path[depth]) else {
      return isFeed ? "unknown key; a feed of your own needs the key \"format\"" : "unknown key"
    }
    let meant = path[..<depth] + [near] + path[(depth + 1)...]
    return "unknown key; did you mean \(meant.joined(separator: "."))?"
  }

  /// Variables of `environment` that look like settings but are unknown, such as `CITIES_FEED_CITYS`.
  func unknownVariables(in environment: [String: String]) -> [ConfigurationFault] {
    let paths = ConfigurationKey.all.filter(\.hasVariable).flatMap { feeds.flatMap($0.paths) }
    let known = Set(paths.map { TextKey(ConfigurationKey.variable($0)) })
    let starts = ConfigurationKey.all.map { $0.isOfFeed ? "CITIES_FEED_" : "CITIES_\($0.path[0][0].uppercased())_" }
    let unknown = environment.keys.filter { name in !known.contains(name) && starts.contains(where: name.hasPrefix) }
    return unknown.sorted().map { ConfigurationFault($0, "unknown variable; remove it, or correct its name") }
  }
}
