import CitiesProtocol

/// Every key of the configuration with the kind of its value; any other key in a file is reported.
struct ConfigurationKeys {
  /// What a key accepts.
  enum Kind {
    case text
    case whole
  }

  /// Keys of a feed that the environment has as well.
  static let feed: [String: Kind] = ["url": .text, "interval": .whole, "zone": .text, "country": .text]
  /// The key of a feed's time zone, and the one that older configurations have; the first counts.
  static let zones = ["zone", "timezone"]
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

  /// Keys of a feed of the user's own; the environment has all but the format.
  static let ownFeed = feed.merging(["format": .text]) { $1 }

  /// The feeds of the user's own, whose keys are others than those of this build's feeds.
  let own: Set<String>

  /// The keys of a feed; `nil` if there is no such feed.
  private func keys(ofFeed name: String) -> [String: Kind]? {
    if FeedName.all.contains(where: { $0.rawValue == name }) { return Self.feed }
    return own.contains(name) ? Self.ownFeed : nil
  }

  /// The kind of the key at `path`; `nil` if there is no such key.
  func kind(of path: [String]) -> Kind? {
    switch path.count {
    case 2: Self.objects[path[0]]?[path[1]]
    case 3 where path[0] == "feeds": keys(ofFeed: path[1])?[path[2] == Self.zones[1] ? Self.zones[0] : path[2]]
    case 5 where isHeader(path) && path[4] == Self.headerFile: .text
    default: nil
    }
  }

  /// Whether the value at `path` is an object.
  func isObject(_ path: [String]) -> Bool {
    switch path.count {
    case 1: path[0] == "feeds" || Self.objects[path[0]] != nil
    case 2: path[0] == "feeds" && keys(ofFeed: path[1]) != nil
    case 3, 4: isHeader(path)
    default: false
    }
  }

  private func isHeader(_ path: [String]) -> Bool {
    path.count > 2 && path[0] == "feeds" && keys(ofFeed: path[1]) != nil && path[2] == Self.headers
  }

  /// The wrong values of `tree`, and the keys that are unknown, each in the order of their names.
  func findings(in tree: ConfigurationTree) -> (wrong: [ConfigurationFault], unknown: [ConfigurationFault]) {
    var (wrong, unknown): ([ConfigurationFault], [ConfigurationFault]) = ([], [])
    for (path, entry) in tree.entries {
      let name = path.joined(separator: ".")
      func fault(_ problem: String) -> ConfigurationFault {
        ConfigurationFault(entry.place.file, name, problem, entry.place)
      }
      switch (kind(of: path), entry.value) {
      case (.text, .text), (.whole, .whole), (.whole, .text): break
      case (.text, _): wrong.append(fault("expected text"))
      case (.whole, _): wrong.append(fault("expected a whole number"))
      case (nil, _) where isObject(path) && path.count == 4:
        wrong.append(
          fault("expected an object with the key \"\(Self.headerFile)\"; the value is read from a file"))
      case (nil, .empty) where isObject(path): break
      case (nil, .empty): unknown.append(fault(unknownKey(path)))
      case (nil, _) where isObject(path): wrong.append(fault("expected an object"))
      case (nil, _): unknown.append(fault(unknownKey(path)))
      }
    }
    let order = { (one: ConfigurationFault, other: ConfigurationFault) in one.key ?? "" < other.key ?? "" }
    return (wrong.sorted(by: order), unknown.sorted(by: order))
  }

  /// The time zones that do not count, because the other key is beside them.
  func repeatedZones(in tree: ConfigurationTree) -> [ConfigurationFault] {
    tree.entries.compactMap { path, entry in
      guard path.count == 3, path[0] == "feeds", path[2] == Self.zones[1],
        tree.entries[[path[0], path[1], Self.zones[0]]] != nil
      else { return nil }
      let problem = "the key \"\(Self.zones[0])\" is set there as well, and takes precedence"
      return ConfigurationFault(entry.place.file, path.joined(separator: "."), problem, entry.place)
    }
  }

  /// The problem of the unknown key at `path`, with the one that was probably meant.
  private func unknownKey(_ path: [String]) -> String {
    var names = ["feeds"] + Self.objects.keys.sorted()
    var depth = 0
    if path.count > 1, path[0] == "feeds" {
      (names, depth) = (FeedName.all.map(\.rawValue) + own.sorted(), 1)
      if path.count > 2, let keys = keys(ofFeed: path[1]) {
        (names, depth) = (keys.keys.sorted() + [Self.headers], 2)
        if path.count > 4, isHeader(path) { (names, depth) = ([Self.headerFile], 4) }
      }
    } else if path.count > 1, let keys = Self.objects[path[0]] {
      (names, depth) = (keys.keys.sorted(), 1)
    }
    guard let near = Spelling.nearest(path[depth], among: names) else {
      let isFeed = depth == 1 && path[0] == "feeds"
      return isFeed ? "unknown key; a feed of your own needs the key \"format\"" : "unknown key"
    }
    let meant = (path[..<depth] + [near] + path[(depth + 1)...]).joined(separator: ".")
    return meant == path.joined(separator: ".") ? "unknown key" : "unknown key; did you mean \(meant)?"
  }

  /// Variables of `environment` that look like this program's and are not, such as `CITIES_FEED_CITYS`.
  func unknownVariables(in environment: [String: String]) -> [ConfigurationFault] {
    let feeds = (FeedName.all.map(\.rawValue) + own).flatMap { name in
      (Array((keys(ofFeed: name) ?? [:]).keys) + [Self.zones[1]]).filter { $0 != "format" }
        .map { Self.variable(["feeds", name, $0]) }
    }
    let others = Self.objects.flatMap { object, keys in keys.keys.map { Self.variable([object, $0]) } }
    let known = Set(feeds + others)
    let starts = ["CITIES_FEED_"] + Self.objects.keys.map { "CITIES_\($0.uppercased())_" }
    let unknown = environment.keys.filter { name in !known.contains(name) && starts.contains(where: name.hasPrefix) }
    return unknown.sorted().map { ConfigurationFault($0, nil, "unknown variable; remove it, or correct its name") }
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
}
