package import CitiesProtocol
import Glibc
import Resident
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
/// The environment comes before the file: `CITIES_FEED_CITIES` is the feed's `url`, `CITIES_FEED_CITIES_INTERVAL` its
/// `interval`, and so on; `CITIES_TLS_CA_FILE` and `CITIES_LIMITS_TOTAL` are like that. Headers stand in the file alone.
/// An empty URL takes the feed's default away.
package struct SyncConfiguration: Equatable, Sendable {
  /// The feeds' parts.
  package private(set) var feeds: [FeedName: FeedConfiguration] = [:]
  /// What one download may take.
  package private(set) var limits = FetchLimits()
  /// How much of a source may be lost at once.
  package private(set) var loss = LossLimits()
  /// A file of certificates in PEM that are trusted besides the system's.
  package private(set) var caFile: String?
  /// Warnings about file and environment, in lines.
  package private(set) var warnings: [String] = []

  /// The configuration of `feed`.
  package subscript(feed: FeedName) -> FeedConfiguration { feeds[feed] ?? FeedConfiguration() }

  /// Reads file and environment of this process, unless others are given.
  ///
  /// - Throws: ``FeedError`` if the file cannot be read, is not a JSON object or has a wrong value.
  package init(
    environment: [String: String] = ProcessEnvironment.variables, user: UInt32 = geteuid()
  ) throws(FeedError) {
    let file = ConfigurationFile(environment: environment, user: user)
    let name = file.path ?? "the environment"
    let tree = try Self.read(file)
    if let tree {
      let (problem, unknown) = ConfigurationKeys.findings(in: tree)
      if let problem { throw FeedError(.badData, "\(name): \(problem)") }
      warnings = unknown.map { "\(name): unknown key \($0) is ignored" }
    }
    warnings += ConfigurationKeys.unknownVariables(in: environment)
    let reader = ConfigurationReader(tree, of: name, environment: environment)
    for feed in FeedName.all {
      let configured = try Self.feed(feed, reader)
      feeds[feed] = configured
      warnings += configured.headers.compactMap { $0.warning(key: Self.key(of: $0, feed), in: name) }
    }
    caFile = reader.text(["tls", "caFile"])
    limits = try Self.limits(reader)
    loss = try Self.loss(reader)
  }

  /// The variable that holds the URL of `feed`, as `CITIES_FEED_CITIES`.
  package static func variable(of feed: FeedName) -> String {
    ConfigurationKeys.variable(["feeds", feed.rawValue, "url"])
  }

  /// Where this process's configuration is.
  package static var file: ConfigurationFile {
    ConfigurationFile(environment: ProcessEnvironment.variables, user: geteuid())
  }

  private static func read(_ file: ConfigurationFile) throws(FeedError) -> ConfigurationTree? {
    guard let path = file.path, file.isRequired || access(path, F_OK) == 0 else { return nil }
    let source = try SourceFile(path: path, regularOnly: true)
    do {
      return try ConfigurationTree(json: source.bytes)
    } catch {
      throw FeedError(.badData, "\(path): \(error)")
    }
  }

  private static func key(of header: HeaderFile, _ feed: FeedName) -> String {
    "feeds.\(feed.rawValue).\(ConfigurationKeys.headers).\(header.name)"
  }

  private static func feed(_ feed: FeedName, _ reader: ConfigurationReader) throws(FeedError) -> FeedConfiguration {
    let path = ["feeds", feed.rawValue]
    let url = reader.setting(path + ["url"])?.text ?? FeedCatalogue.entry(of: feed)?.url
    var result = FeedConfiguration(
      url: url.flatMap { $0.isEmpty ? nil : $0 }, timezone: reader.text(path + ["timezone"]),
      country: reader.text(path + ["country"]), headers: try reader.headers(of: feed.rawValue))
    result.interval =
      try reader.number(
        path + ["interval"], FeedConfiguration.intervals, "seconds", label: "interval of feed \(feed.rawValue)")
      ?? result.interval
    return result
  }

  private static func limits(_ reader: ConfigurationReader) throws(FeedError) -> FetchLimits {
    var limits = FetchLimits()
    func seconds(_ key: String) throws(FeedError) -> Int64? {
      try reader.number(["limits", key], FetchLimits.secondRange, "seconds")
    }
    limits.bytes =
      try reader.number(["limits", "bytes"], FetchLimits.byteRange, "bytes").map(Int.init) ?? limits.bytes
    limits.connect = try seconds("connect") ?? limits.connect
    limits.total = try seconds("total") ?? limits.total
    limits.stall = try seconds("stall") ?? limits.stall
    return limits
  }

  private static func loss(_ reader: ConfigurationReader) throws(FeedError) -> LossLimits {
    var loss = LossLimits()
    loss.percent = try reader.number(["loss", "percent"], LossLimits.percentRange, "percent") ?? loss.percent
    loss.records = try reader.number(["loss", "records"], LossLimits.recordRange, "records") ?? loss.records
    return loss
  }
}

/// The configuration of one feed; every part is optional.
package struct FeedConfiguration: Equatable, Sendable {
  /// Seconds between attempts unless something else is configured: an hour.
  package static let defaultInterval: Int64 = 3_600
  /// Intervals that are accepted, in seconds: a minute to a year.
  package static let intervals: ClosedRange<Int64> = 60...31_536_000

  /// Where the feed comes from, a URL or an absolute path; `nil` if it is not configured.
  package var url: String?
  /// Seconds between attempts.
  package var interval: Int64
  /// The time zone of the feed's records, as `Europe/Tallinn`, for feeds that need one.
  package var timezone: String?
  /// The country of the feed's records, as `EE`, for feeds that need one.
  package var country: String?
  /// Headers of its requests whose values are in files, by name.
  package var headers: [HeaderFile]

  /// Nothing configured, unless given.
  package init(
    url: String? = nil, interval: Int64 = defaultInterval, timezone: String? = nil, country: String? = nil,
    headers: [HeaderFile] = []
  ) {
    self.url = url
    self.interval = interval
    self.timezone = timezone
    self.country = country
    self.headers = headers
  }
}

/// Where the sync service's configuration is.
///
/// 1. `CITIES_SYNC_CONFIG`, if it is set and not empty; the file must exist then;
/// 2. `/etc/cities/sync.json` for root and system users;
/// 3. `$XDG_CONFIG_HOME/cities/sync.json`, if that is an absolute path;
/// 4. `~/.config/cities/sync.json`.
package struct ConfigurationFile: Equatable, Sendable {
  /// The system's file.
  package static let system = "/etc/cities/sync.json"

  /// The file; `nil` if no rule applies.
  package let path: String?
  /// Whether it was asked for by name, so that its absence is an error.
  package let isRequired: Bool

  /// Applies the rule.
  package init(environment: [String: String], user: UInt32) {
    func given(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    func absolute(_ name: String) -> String? { given(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    isRequired = given("CITIES_SYNC_CONFIG") != nil
    if let asked = given("CITIES_SYNC_CONFIG") {
      path = asked
    } else if user <= StateFolder.highestSystemUser {
      path = Self.system
    } else {
      path = (absolute("XDG_CONFIG_HOME") ?? absolute("HOME").map { "\($0)/.config" }).map { "\($0)/cities/sync.json" }
    }
  }
}
