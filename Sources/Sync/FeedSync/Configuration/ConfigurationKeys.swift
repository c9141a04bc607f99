import CitiesProtocol

/// Every key of the configuration, with what it takes; whatever else stands in a file is told.
enum ConfigurationKeys {
  /// What a key takes.
  enum Kind {
    case text
    case whole
  }

  /// Keys of a feed.
  static let feed: [String: Kind] = ["url": .text, "interval": .whole, "timezone": .text, "country": .text]
  /// Keys of `tls`.
  static let tls: [String: Kind] = ["caFile": .text]
  /// Keys of `limits`.
  static let limits: [String: Kind] = ["bytes": .whole, "connect": .whole, "total": .whole, "stall": .whole]

  /// What the key at `path` takes; `nil` if there is no such key.
  static func kind(of path: [String]) -> Kind? {
    switch path.count {
    case 3 where path[0] == "feeds" && isFeed(path[1]): feed[path[2]]
    case 2 where path[0] == "tls": tls[path[1]]
    case 2 where path[0] == "limits": limits[path[1]]
    default: nil
    }
  }

  /// Whether keys stand below `path`.
  static func isObject(_ path: [String]) -> Bool {
    path == ["feeds"] || path == ["tls"] || path == ["limits"]
      || path.count == 2 && path[0] == "feeds" && isFeed(path[1])
  }

  /// What is wrong with the values of `tree`, and which of its keys are unknown.
  static func findings(in tree: ConfigurationTree) -> (problem: String?, unknown: [String]) {
    var (problems, unknown): ([String], [String]) = ([], [])
    for (path, value) in tree.values {
      let name = path.joined(separator: ".")
      switch (kind(of: path), value) {
      case (.text, .text), (.whole, .whole), (.whole, .text): break
      case (.text, _): problems.append("\(name): expected text")
      case (.whole, _): problems.append("\(name): expected a whole number")
      case (nil, .empty) where isObject(path): break
      case (nil, .empty): unknown.append(name)
      case (nil, _) where isObject(path): problems.append("\(name): expected an object")
      case (nil, _): unknown.append(name)
      }
    }
    return (problems.min(), unknown.sorted())
  }

  /// The variables of `environment` that look like a feed's and are none, as `CITIES_FEED_CITYS`.
  static func unknownVariables(in environment: [String: String]) -> [String] {
    let known = Set(
      FeedName.all.flatMap { name in
        let variable = SyncConfiguration.variable(of: name)
        return [variable] + feed.keys.filter { $0 != "url" }.map { "\(variable)_\($0.uppercased())" }
      })
    return environment.keys.filter { $0.hasPrefix("CITIES_FEED_") && !known.contains($0) }.sorted()
  }

  private static func isFeed(_ name: String) -> Bool { FeedName.all.contains { $0.rawValue == name } }
}
