import CitiesProtocol

/// Every key of the configuration with the kind of its value; any other key in a file is reported.
enum ConfigurationKeys {
  /// What a key accepts.
  enum Kind {
    case text
    case whole
  }

  /// Keys of a feed that the environment has as well.
  static let feed: [String: Kind] = ["url": .text, "interval": .whole, "timezone": .text, "country": .text]
  /// The key of a feed's headers: below it stand header names, and below each of them ``headerFile``.
  static let headers = "headers"
  /// The key of the file that holds a header's value.
  static let headerFile = "file"
  /// Keys of objects that belong to no feed, by the object's name.
  static let objects: [String: [String: Kind]] = [
    "tls": ["caFile": .text],
    "limits": ["bytes": .whole, "connect": .whole, "total": .whole, "stall": .whole],
    "loss": ["percent": .whole, "records": .whole],
  ]

  /// The kind of the key at `path`; `nil` if there is no such key.
  static func kind(of path: [String]) -> Kind? {
    switch path.count {
    case 2: objects[path[0]]?[path[1]]
    case 3 where isFeed(path): feed[path[2]]
    case 5 where isFeed(path) && path[2] == headers && path[4] == headerFile: .text
    default: nil
    }
  }

  /// Whether the value at `path` is an object.
  static func isObject(_ path: [String]) -> Bool {
    switch path.count {
    case 1: path[0] == "feeds" || objects[path[0]] != nil
    case 2: isFeed(path)
    case 3, 4: isFeed(path) && path[2] == headers
    default: false
    }
  }

  /// The first wrong value of `tree`, and the keys that are unknown.
  static func findings(in tree: ConfigurationTree) -> (problem: String?, unknown: [String]) {
    var (problems, unknown): ([String], [String]) = ([], [])
    for (path, value) in tree.values {
      let name = path.joined(separator: ".")
      switch (kind(of: path), value) {
      case (.text, .text), (.whole, .whole), (.whole, .text): break
      case (.text, _): problems.append("\(name): expected text")
      case (.whole, _): problems.append("\(name): expected a whole number")
      case (nil, _) where isObject(path) && path.count == 4:
        problems.append(
          "\(name): expected an object with the key \"\(headerFile)\"; a value stands in a file of its own")
      case (nil, .empty) where isObject(path): break
      case (nil, .empty): unknown.append(name)
      case (nil, _) where isObject(path): problems.append("\(name): expected an object")
      case (nil, _): unknown.append(name)
      }
    }
    return (problems.min(), unknown.sorted())
  }

  /// Warnings about variables of `environment` that look like this program's and are not, such as `CITIES_FEED_CITYS`.
  static func unknownVariables(in environment: [String: String]) -> [String] {
    let feeds = FeedName.all.flatMap { name in feed.keys.map { variable(["feeds", name.rawValue, $0]) } }
    let others = objects.flatMap { object, keys in keys.keys.map { variable([object, $0]) } }
    let known = Set(feeds + others)
    let starts = objects.keys.map { "CITIES_\($0.uppercased())_" }
    return environment.keys.sorted().compactMap { name in
      guard !known.contains(name) else { return nil }
      if name.hasPrefix("CITIES_FEED_") { return "the environment: \(name) belongs to no feed and is ignored" }
      guard starts.contains(where: name.hasPrefix) else { return nil }
      return "the environment: unknown variable \(name) is ignored"
    }
  }

  /// The variable that comes before the key at `path`.
  ///
  /// `feeds.cities.url` is `CITIES_FEED_CITIES`; any other key of a feed follows that name. `tls.caFile` is
  /// `CITIES_TLS_CA_FILE`.
  static func variable(_ path: [String]) -> String {
    guard path.count == 3, path[0] == "feeds" else { return "CITIES_" + path.map(words).joined(separator: "_") }
    let feed = "CITIES_FEED_\(words(path[1]))"
    return path[2] == "url" ? feed : "\(feed)_\(words(path[2]))"
  }

  /// `caFile` and `ca-file` as `CA_FILE`.
  private static func words(_ key: String) -> String {
    key.map { $0 == "-" ? "_" : $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
  }

  private static func isFeed(_ path: [String]) -> Bool {
    path[0] == "feeds" && FeedName.all.contains { $0.rawValue == path[1] }
  }
}
