import Base
package import CitiesProtocol
import Folders
import Glibc
import System

/// Switches a feed on or off by a file of its own in the folder `sync.d`, so that nobody's file is edited.
///
/// The file `feed-NAME.json` is written with the rights of the caller, whole or not at all; it is read after `sync.json`. A
/// running sync service reads the configuration before each refresh.
package struct FeedSwitch {
  /// A change of the configuration.
  package enum Change: Equatable, Sendable {
    /// The feed was as asked.
    case none
    /// A file was written.
    case wrote(String)
    /// A file was removed, without which the feed has its source.
    case removed(String)
  }

  private let file: ConfigurationFile
  private let environment: [String: String]
  private let user: UInt32

  /// Changes the configuration that a process with this environment and user reads.
  package init(environment: [String: String] = ProcessEnvironment.variables, user: UInt32 = geteuid()) {
    file = ConfigurationFile(environment: environment, user: user)
    self.environment = environment
    self.user = user
  }

  /// The configuration as it is.
  ///
  /// - Throws: ``FeedError`` if it is wrong.
  package func configuration() throws(FeedError) -> SyncConfiguration {
    try SyncConfiguration(environment: environment, user: user)
  }

  /// The feed called `name`.
  ///
  /// - Throws: ``FeedError`` that names all feeds if there is none.
  package func feed(called name: String) throws(FeedError) -> FeedName {
    let names = try configuration().names
    guard let feed = names.first(where: { $0.rawValue == name }) else {
      let known = names.map(\.rawValue).joined(separator: ", ")
      throw FeedError(.unavailable, "there is no feed \"\(name)\"; there are \(known)")
    }
    return feed
  }

  /// Gives `feed` the source `url`, its own default or that of the other files without any.
  ///
  /// - Throws: ``FeedError`` if there is no source to use, the folder cannot be written, or something overrides the file.
  package func enable(_ feed: FeedName, url: String? = nil) throws(FeedError) -> Change {
    if let url {
      _ = try SourceLocation(url)
      return try set(feed, url: url)
    }
    if try configuration()[feed].url != nil { return .none }
    let path = try dropIn(of: feed)
    if access(path, F_OK) == 0 {
      guard unlink(path) == 0 else { throw FeedError(SystemError("unlink", path)) }
      if try configuration()[feed].url != nil { return .removed(path) }
    }
    guard let usual = FeedCatalogue.entry(of: feed)?.url else {
      throw FeedError(
        .unavailable, "feed \(feed.rawValue) has no source of its own; give one: feed enable \(feed.rawValue) URL")
    }
    return try set(feed, url: usual)
  }

  /// Takes the source of `feed` away; its data stays.
  ///
  /// - Throws: ``FeedError`` if the folder cannot be written, or something overrides the file.
  package func disable(_ feed: FeedName) throws(FeedError) -> Change {
    try configuration()[feed].url == nil ? .none : set(feed, url: "")
  }

  private func dropIn(of feed: FeedName) throws(FeedError) -> String {
    guard let folder = file.folder else {
      throw FeedError(.unavailable, "no configuration file applies; set CITIES_SYNC_CONFIG, XDG_CONFIG_HOME or HOME")
    }
    return "\(folder)/feed-\(feed.rawValue).json"
  }

  private func set(_ feed: FeedName, url: String) throws(FeedError) -> Change {
    let path = try dropIn(of: feed)
    let text = "{\"feeds\": {\(quotedJSON(feed.rawValue)): {\"url\": \(quotedJSON(url))}}}\n"
    try makeFolders(of: path)
    do throws(SystemError) {
      try AtomicFile.replace(path, mode: 0o644) { (output) throws(SystemError) in try output.write(Array(text.utf8)) }
    } catch {
      throw FeedError(error)
    }
    makeReadable(path, 0o644)
    let source = try configuration()[feed].url
    guard source ?? "" == url else {
      let variable = SyncConfiguration.variable(of: feed)
      let winner = environment[variable] == nil ? "a later file in \(file.folder ?? "sync.d")" : variable
      throw FeedError(.unavailable, "\(path): written, but \(winner) overrides it")
    }
    return .wrote(path)
  }

  /// The system's configuration is root's, and another user reads it, whatever the umask of root's shell.
  private func makeReadable(_ path: String, _ mode: mode_t) {
    if geteuid() == 0 { _ = chmod(path, mode) }
  }

  /// Makes the folders that lead to `path`, as mkdir(1) does with -p.
  private func makeFolders(of path: String) throws(FeedError) {
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += (folder.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
      guard mkdir(folder, 0o755) != 0 else {
        makeReadable(folder, 0o755)
        continue
      }
      guard errno != EEXIST else { continue }
      // A folder above may be closed for writing, and exist.
      let code = errno
      guard access(folder, F_OK) != 0 else { continue }
      throw FeedError(SystemError("mkdir", folder, code: code))
    }
  }
}

/// Everything that a user may want to know of a feed's configuration.
package struct FeedDescription {
  /// The feed.
  package let feed: FeedName
  /// Where it comes from, without what may be secret; `nil` if it is switched off.
  package let source: String?
  /// The name of its format, as cities-formats(5) has it.
  package let format: String
  /// Further lines, each a name and a value.
  package let details: [(name: String, value: String)]

  /// Describes `feed` as `configuration` has it.
  package init(_ feed: FeedName, _ configuration: SyncConfiguration) {
    let configured = configuration[feed]
    self.feed = feed
    source = configured.url.map(SourceLocation.shown)
    format = configured.format?.rawValue ?? FeedCatalogue.format(of: feed)
    var details = [("subject", (feed.subject ?? .banks).rawValue), ("interval", "\(configured.interval) s")]
    if let usual = FeedCatalogue.entry(of: feed)?.url { details.append(("default source", usual)) }
    if let bank = BankFeed(feed, configured) {
      details += [("country", bank.place.country), ("time zone", bank.place.zone)]
    }
    details += (FeedCatalogue.entry(of: feed)?.headers ?? []).map { ("header", $0) }
    details += configured.headers.map { ("header", "\($0.name): (from a file)") }
    self.details = details.map { (name: $0.0, value: $0.1) }
  }
}
