package import CitiesProtocol
import Configuration
import Glibc
import Resident

/// What is configured: for each feed, and of the service as a whole.
///
/// ```json
/// {"feeds": {"cities": {"url": "/srv/cities.json.gz", "interval": 3600}}}
/// ```
///
/// The environment comes before the file: `CITIES_FEED_CITIES` is the feed's `url`, `CITIES_FEED_CITIES_INTERVAL` its
/// `interval`, and so on. An empty value there takes the feed's URL away.
package struct SyncConfiguration: Equatable, Sendable {
  /// The feeds' parts; a feed that is not in it has no configuration.
  package private(set) var feeds: [FeedName: FeedConfiguration] = [:]
  /// What was odd about the file, in lines.
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
    let tree = try Self.read(file)
    let name = file.path ?? "the environment"
    warnings = Self.unknown(tree).map { "\(name): unknown key \($0) is ignored" }
    let reader = ConfigReader(providers: [
      EnvironmentVariablesProvider(environmentVariables: environment).mapKeys(Self.environmentKey),
      InMemoryProvider(name: name, values: tree),
    ])
    for feed in FeedName.all {
      feeds[feed] = try Self.feed(feed, from: reader.scoped(to: ConfigKey(["feeds", feed.rawValue])), name)
    }
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

  /// Keys of a feed.
  private enum Key {
    static let url = "url"
    static let interval = "interval"
    static let timezone = "timezone"
    static let country = "country"
    static let all: Set<String> = [url, interval, timezone, country]
  }

  private static func read(_ file: ConfigurationFile) throws(FeedError) -> [AbsoluteConfigKey: ConfigValue] {
    guard let path = file.path, file.isRequired || access(path, F_OK) == 0 else { return [:] }
    let source = try SourceFile(path: path, regularOnly: true)
    do {
      return Dictionary(
        uniqueKeysWithValues: try ConfigurationTree(json: source.bytes).values.map {
          (AbsoluteConfigKey($0.key), ConfigValue(.string($0.value), isSecret: false))
        })
    } catch {
      throw FeedError(.badData, "\(path): \(error)")
    }
  }

  /// Keys that this build does not know, as `feeds.citys.url`; those of later feeds are unknown as well.
  private static func unknown(_ tree: [AbsoluteConfigKey: ConfigValue]) -> [String] {
    let known = Set(FeedName.all.map(\.rawValue))
    return tree.keys.map(\.components).filter { path in
      !(path.count == 3 && path[0] == "feeds" && known.contains(path[1]) && Key.all.contains(path[2]))
    }.map { $0.joined(separator: ".") }.sorted()
  }

  private static func feed(
    _ feed: FeedName, from reader: ConfigReader, _ name: String
  ) throws(FeedError) -> FeedConfiguration {
    func text(_ key: String) -> String? {
      reader.string(forKey: ConfigKey([key])).flatMap { $0.isEmpty ? nil : $0 }
    }
    var result = FeedConfiguration(url: text(Key.url), timezone: text(Key.timezone), country: text(Key.country))
    guard let interval = text(Key.interval) else { return result }
    guard let seconds = Int64(interval), FeedConfiguration.intervals.contains(seconds) else {
      let (least, most) = (FeedConfiguration.intervals.lowerBound, FeedConfiguration.intervals.upperBound)
      throw FeedError(
        .badData,
        "\(name): interval of feed \(feed.rawValue): expected \(least) to \(most) seconds, found \"\(interval)\"")
    }
    result.interval = seconds
    return result
  }

  /// `feeds.cities.url` is `CITIES_FEED_CITIES`, every other key of a feed has its name behind that.
  private static func environmentKey(_ key: AbsoluteConfigKey) -> AbsoluteConfigKey {
    guard key.components.count == 3, key.components[0] == "feeds" else { return key }
    let name = ["cities", "feed", key.components[1]]
    return AbsoluteConfigKey(key.components[2] == Key.url ? name : name + [key.components[2]])
  }
}
