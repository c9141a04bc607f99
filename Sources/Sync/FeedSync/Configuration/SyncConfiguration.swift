package import CitiesProtocol
import Configuration
import Glibc
import Resident

/// What is configured: for each feed, and of the service as a whole.
///
/// ```json
/// {"feeds": {"cities": {"url": "/srv/cities.json.gz", "interval": 3600}},
///  "tls": {"caFile": "/etc/cities/ca.pem"}, "limits": {"bytes": 67108864, "connect": 10, "total": 120, "stall": 20}}
/// ```
///
/// The environment comes before the file: `CITIES_FEED_CITIES` is the feed's `url`, `CITIES_FEED_CITIES_INTERVAL` its
/// `interval`, and so on; `CITIES_TLS_CA_FILE` and `CITIES_LIMITS_TOTAL` are like that. An empty URL takes the feed's
/// default away.
package struct SyncConfiguration: Equatable, Sendable {
  /// The feeds' parts.
  package private(set) var feeds: [FeedName: FeedConfiguration] = [:]
  /// What one download may take.
  package private(set) var limits = FetchLimits()
  /// A file of certificates in PEM that are trusted besides the system's.
  package private(set) var caFile: String?
  /// What was odd about file and environment, in lines.
  package private(set) var warnings: [String] = []

  /// What is configured for `feed`.
  package subscript(feed: FeedName) -> FeedConfiguration { feeds[feed] ?? FeedConfiguration() }

  /// Reads file and environment of this process, unless others are given.
  ///
  /// - Throws: ``FeedError`` if the file cannot be read, is no JSON object or has a wrong value.
  package init(
    environment: [String: String] = Self.processEnvironment, user: UInt32 = geteuid()
  ) throws(FeedError) {
    let file = ConfigurationFile(environment: environment, user: user)
    let name = file.path ?? "the environment"
    let tree = try Self.read(file)
    if let tree {
      let (problem, unknown) = ConfigurationKeys.findings(in: tree)
      if let problem { throw FeedError(.badData, "\(name): \(problem)") }
      warnings = unknown.map { "\(name): unknown key \($0) is ignored" }
    }
    warnings += ConfigurationKeys.unknownVariables(in: environment).map {
      "the environment: \($0) belongs to no feed and is ignored"
    }
    let reader = ConfigReader(providers: [
      EnvironmentVariablesProvider(environmentVariables: environment).mapKeys(Self.environmentKey),
      InMemoryProvider(name: name, values: Self.values(tree)),
    ])
    for feed in FeedName.all {
      feeds[feed] = try Self.feed(feed, from: reader.scoped(to: ConfigKey(["feeds", feed.rawValue])), name)
    }
    caFile = Self.text("caFile", reader.scoped(to: "tls"))
    limits = try Self.limits(reader.scoped(to: "limits"), name)
  }

  /// The variable that holds the URL of `feed`, as `CITIES_FEED_CITIES`.
  package static func variable(of feed: FeedName) -> String {
    "CITIES_FEED_" + feed.rawValue.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
  }

  /// Where this process's configuration is.
  package static var file: ConfigurationFile { ConfigurationFile(environment: processEnvironment, user: geteuid()) }

  /// This process's environment.
  package static var processEnvironment: [String: String] {
    var result: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { result[String(parts[0])] = String(parts[1]) }
      entry += 1
    }
    return result
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

  private static func values(_ tree: ConfigurationTree?) -> [AbsoluteConfigKey: ConfigValue] {
    Dictionary(
      uniqueKeysWithValues: (tree?.values ?? [:]).compactMap { path, value in
        value.text.map { (AbsoluteConfigKey(path), ConfigValue(.string($0), isSecret: false)) }
      })
  }

  private static func feed(
    _ feed: FeedName, from reader: ConfigReader, _ name: String
  ) throws(FeedError) -> FeedConfiguration {
    let url = reader.string(forKey: "url") ?? FeedCatalogue.entry(of: feed)?.url
    var result = FeedConfiguration(
      url: url.flatMap { $0.isEmpty ? nil : $0 }, timezone: text("timezone", reader), country: text("country", reader))
    result.interval =
      try number(
        "interval", reader, FeedConfiguration.intervals, "seconds", "\(name): interval of feed \(feed.rawValue)")
      ?? result.interval
    return result
  }

  private static func limits(_ reader: ConfigReader, _ name: String) throws(FeedError) -> FetchLimits {
    func limit(_ key: String, _ range: ClosedRange<Int64>, _ unit: String) throws(FeedError) -> Int64? {
      try number(key, reader, range, unit, "\(name): limits.\(key)")
    }
    var limits = FetchLimits()
    limits.bytes = try limit("bytes", FetchLimits.byteRange, "bytes").map(Int.init) ?? limits.bytes
    limits.connect = try limit("connect", FetchLimits.secondRange, "seconds") ?? limits.connect
    limits.total = try limit("total", FetchLimits.secondRange, "seconds") ?? limits.total
    limits.stall = try limit("stall", FetchLimits.secondRange, "seconds") ?? limits.stall
    return limits
  }

  /// A text that is not empty.
  private static func text(_ key: String, _ reader: ConfigReader) -> String? {
    reader.string(forKey: ConfigKey([key])).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A number in `range`; `what` is what an error calls it.
  private static func number(
    _ key: String, _ reader: ConfigReader, _ range: ClosedRange<Int64>, _ unit: String, _ what: String
  ) throws(FeedError) -> Int64? {
    guard let text = text(key, reader) else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw FeedError(
        .badData, "\(what): expected \(range.lowerBound) to \(range.upperBound) \(unit), found \"\(text)\"")
    }
    return number
  }

  /// `feeds.cities.url` is `CITIES_FEED_CITIES`, every other key of a feed has its name behind that; all variables begin
  /// with `CITIES_`.
  private static func environmentKey(_ key: AbsoluteConfigKey) -> AbsoluteConfigKey {
    guard key.components.count == 3, key.components[0] == "feeds" else {
      return AbsoluteConfigKey(["cities"] + key.components)
    }
    let name = ["cities", "feed", key.components[1]]
    return AbsoluteConfigKey(key.components[2] == "url" ? name : name + [key.components[2]])
  }
}
