package import CitiesProtocol
import Glibc
import System

/// The configuration: of each feed, and of the service as a whole.
///
/// ```json
/// {"feeds": {"cities": {"url": "/srv/cities.json.gz", "interval": 3600},
///            "rates": {"headers": {"Authorization": {"file": "rates-token"}}}},
///  "tls": {"caFile": "/etc/cities/ca.pem"}, "limits": {"bytes": 67108864, "connect": 10, "total": 120, "stall": 20},
///  "loss": {"percent": 50, "records": 20}}
/// ```
///
/// Files `*.json` in the folder `sync.d` beside the file are read after it, in the order of their names; later files
/// override earlier ones. The environment overrides all files: `CITIES_FEED_CITIES` is the feed's `url`,
/// `CITIES_FEED_CITIES_INTERVAL` its `interval`; likewise `CITIES_TLS_CA_FILE` and `CITIES_LIMITS_TOTAL`. Headers can
/// only be set in files. An empty URL removes the feed's default.
///
/// An unknown name below `feeds` that has a `format` is a user-defined feed of bank locations.
package struct SyncConfiguration: Codable, Equatable, Sendable {
  /// Most user-defined feeds.
  package static let maximumOwnFeeds = 1_000

  /// The feeds' parts.
  private var feeds: [FeedName: FeedConfiguration] = [:]
  /// The user's own feeds, by name.
  package private(set) var ownFeeds: [FeedName] = []
  /// The limits of one download.
  package internal(set) var limits = FetchLimits()
  /// How many records an update may lose.
  package internal(set) var loss = LossLimits()
  /// A file of certificates in PEM that are trusted besides the system's.
  package internal(set) var caFile: String?
  /// Faults that are ignored, one per line.
  package private(set) var warnings: [String] = []

  /// The configuration of `feed`.
  package internal(set) subscript(feed: FeedName) -> FeedConfiguration {
    get { feeds[feed] ?? FeedConfiguration() }
    set { feeds[feed] = newValue }
  }
  /// All feeds: the built-in ones, then the user's own.
  package var names: [FeedName] { FeedName.all + ownFeeds }

  /// Reads the configuration files and the environment, this process's by default.
  ///
  /// - Throws: ``FeedError`` if a file cannot be read, is not a JSON object or has a wrong value.
  package init(
    environment: [String: String] = ProcessEnvironment.variables, user: UInt32 = geteuid()
  ) throws(FeedError) {
    try self.init(ConfigurationFile(environment: environment, user: user), environment: environment)
  }

  /// Reads `file` and those after it, then the environment.
  ///
  /// - Throws: as ``init(environment:user:)``.
  init(_ file: ConfigurationFile, environment: [String: String]) throws(FeedError) {
    let faults = ConfigurationFaults()
    self.init(file.read(faults), environment: environment, faults)
    if let fault = faults.firstFatal { throw FeedError(fault.reason, fault.description) }
  }

  /// Reads the values of `tree`, overridden by `environment`; invalid ones go to `faults`.
  init(_ tree: ConfigurationTree, environment: [String: String], _ faults: ConfigurationFaults) {
    var tree = tree
    tree.environment = environment
    let keys = ConfigurationKeys(own: tree.ownFeeds)
    let (wrong, ignored) = keys.findings(in: tree)
    for fault in wrong { faults.take(fault) }
    for fault in ignored + keys.unknownVariables(in: environment) { faults.note(fault) }
    warnings = faults.all.map(\.description)
    ownFeeds = Self.ownFeeds(keys.own, tree, faults)
    for feed in names {
      self[feed].url = FeedCatalogue.entry(of: feed)?.url
      for key in ConfigurationKey.all where key.isOfFeed && (!key.isOwn || feed.subject == nil) {
        read(key, of: feed, from: tree, faults)
      }
      warnings += self[feed].headers.compactMap { header in
        let place = tree.setting(Self.path(of: header, feed))?.place
        return header.warning(key: Self.key(of: header, feed), in: place?.origin ?? "the configuration")
      }
    }
    for key in ConfigurationKey.all where !key.isOfFeed { read(key, of: .cities, from: tree, faults) }
  }

  /// Takes the value of `key`, of `feed` if it belongs to a feed, from `tree`.
  private mutating func read(
    _ key: ConfigurationKey, of feed: FeedName, from tree: ConfigurationTree, _ faults: ConfigurationFaults
  ) {
    if case .header = key.value { self[feed].headers = Self.headers(of: feed.rawValue, tree, faults) }
    guard let setting = tree.setting(key.paths(of: feed.rawValue)[0]), let text = setting.text else { return }
    switch key.value {
    case .header: break
    case .text(let set): set(&self, feed, text.isEmpty ? nil : text)
    case .word(let words, let set):
      if words.contains(text) { return set(&self, feed, text) }
      faults.take(setting.fault("expected one of \(words.joined(separator: ", ")), found \"\(text)\""))
    case .number(let range, let unit, let set):
      guard !text.isEmpty else { return }
      if let number = Int64(text), range.contains(number) { return set(&self, feed, number) }
      let problem = "expected \(range.lowerBound) to \(range.upperBound) \(unit), found \"\(text)\""
      let label = key.isOfFeed ? "\(key.path[2][0]) of feed \(feed.rawValue)" : nil
      faults.take(setting.fault(problem, label: label))
    }
  }

  /// The headers of `feed` in the files, by name; their values are files.
  private static func headers(
    of feed: String, _ tree: ConfigurationTree, _ faults: ConfigurationFaults
  ) -> [HeaderFile] {
    let start = ["feeds", feed, ConfigurationKey.headers]
    var headers: [HeaderFile] = []
    for (path, entry) in tree.entries.map({ ($0.names, $1) })
    where path.count == 5 && path.starts(with: start, by: { $0 == $1 }) {
      guard let source = entry.text, path[4] == ConfigurationKey.headerFile else { continue }
      let name = path[3]
      let isTwice = headers.contains { $0.name.lowercased() == name.lowercased() }
      if let problem = HeaderFile.problem(withName: name) ?? (isTwice ? "this header is given twice" : nil) {
        faults.take(entry.fault(problem, label: (start + [name]).joined(separator: ".")))
        continue
      }
      headers.append(HeaderFile(name: name, source: source, credentials: tree.credentials))
    }
    return headers.sorted { $0.name < $1.name }
  }

  /// The variable with the URL of `feed`, such as `CITIES_FEED_CITIES`.
  package static func variable(of feed: FeedName) -> String {
    ConfigurationKey.variable(["feeds", feed.rawValue, "url"])
  }

  /// The configuration file of this process.
  package static var file: ConfigurationFile {
    ConfigurationFile(environment: ProcessEnvironment.variables, user: geteuid())
  }

  /// The key of a header in messages.
  static func key(of header: HeaderFile, _ feed: FeedName) -> String {
    path(of: header, feed).dropLast().joined(separator: ".")
  }

  /// The path of the key that names a header's file.
  static func path(of header: HeaderFile, _ feed: FeedName) -> [String] {
    ["feeds", feed.rawValue, ConfigurationKey.headers, header.name, ConfigurationKey.headerFile]
  }

  /// The names of the user's own feeds that can be file names and names of banks.
  private static func ownFeeds(
    _ names: [String], _ tree: ConfigurationTree, _ faults: ConfigurationFaults
  ) -> [FeedName] {
    var feeds: [FeedName] = []
    for name in names {
      guard let format = tree.entries[ConfigurationPath(names: ["feeds", name, "format"])] else { continue }
      guard BankFormat.isFeedName(name) else {
        let problem = "not a feed's name: expected a letter a-z, then up to 31 letters a-z, digits and -"
        faults.take(format.fault(problem, label: "feeds.\(name)"))
        continue
      }
      guard feeds.count < maximumOwnFeeds else {
        let problem = "more than the \(maximumOwnFeeds) feeds that are accepted"
        faults.take(format.fault(problem, label: "feeds.\(name)"))
        break
      }
      feeds.append(FeedName(rawValue: name))
    }
    return feeds
  }
}

/// The configuration of one feed; every part is optional.
package struct FeedConfiguration: Codable, Equatable, Sendable {
  /// Seconds between attempts by default: an hour.
  package static let defaultInterval: Int64 = 3_600
  /// Intervals that are accepted, in seconds: a minute to a year.
  package static let intervals: ClosedRange<Int64> = 60...31_536_000

  /// Where the feed comes from, a URL or an absolute path; `nil` if it is not configured.
  package var url: String?
  /// Seconds between attempts.
  package var interval = defaultInterval
  /// The time zone of the feed's records, such as `Europe/Tallinn`, for feeds that need one.
  package var zone: String?
  /// The country of the feed's records, such as `EE`, for feeds that need one.
  package var country: String?
  /// Request headers whose values are in files.
  package var headers: [HeaderFile] = []
  /// The format of a feed of the user's own; `nil` for this build's feeds.
  package var format: BankFormat?
}
