package import CitiesProtocol
import Folders
import Glibc
import System

/// Switches a feed on or off by its own file in the folder `sync.d`, so that no other file is edited.
///
/// The file `feed-NAME.json` is replaced atomically, with the caller's rights, and is read after `sync.json`. A running
/// sync service reads the configuration before each refresh. A file with a URL that may be a secret is closed to other
/// users (``SecretFile``); a caller who may not read a file can still list and show the feeds.
package struct FeedSwitch {
  /// A change of the configuration.
  package enum Change: Equatable, Sendable {
    /// The feed was already in that state.
    case none
    /// A file was written.
    case wrote(String)
    /// A file was removed that had switched the feed off.
    case removed(String)
  }

  private let file: ConfigurationFile
  private let environment: [String: String]

  /// Changes the configuration of processes with this environment and user.
  package init(environment: [String: String] = ProcessEnvironment.variables, user: UInt32 = geteuid()) {
    var file = ConfigurationFile(environment: environment, user: user)
    file.skipsUnreadable = true
    self.file = file
    self.environment = environment
  }

  /// The configuration as it is.
  ///
  /// - Throws: ``FeedError`` if it is wrong.
  package func configuration() throws(FeedError) -> SyncConfiguration {
    try SyncConfiguration(file, environment: environment)
  }

  /// The feed called `name`.
  ///
  /// - Throws: ``FeedError`` that names all feeds if there is none.
  package func feed(called name: String) throws(FeedError) -> FeedName {
    let names = try current(for: name).configuration.names
    guard let feed = names.first(where: { $0.rawValue == name }) else {
      let known = names.map(\.rawValue).joined(separator: ", ")
      throw FeedError(.usage, "there is no feed \"\(name)\"; there are \(known)")
    }
    return feed
  }

  /// Switches `feed` on, with the source `url`; if `nil`, with the source of the other files, else its default.
  ///
  /// - Throws: ``FeedError`` if there is no source to use, the folder cannot be written, or something overrides the
  ///   file.
  package func enable(_ feed: FeedName, url: String? = nil) throws(FeedError) -> Change {
    if let url {
      do { _ = try SourceLocation(url) } catch { throw FeedError(.usage, error.description) }
      try requireFile(url)
      return try set(feed, url: url)
    }
    let current = try current(for: feed.rawValue)
    if !current.isWrong, let url = current.configuration[feed].url {
      try requireFile(url)
      return .none
    }
    if let path = try removeDropIn(of: feed), try configuration()[feed].url != nil { return .removed(path) }
    guard let usual = FeedCatalogue.entry(of: feed)?.url else {
      throw FeedError(
        .usage, "feed \(feed.rawValue) has no source of its own; give one: feed enable \(feed.rawValue) URL")
    }
    return try set(feed, url: usual)
  }

  /// Takes the source of `feed` away; its data stays.
  ///
  /// - Throws: ``FeedError`` if the folder cannot be written, or something overrides the file.
  package func disable(_ feed: FeedName) throws(FeedError) -> Change {
    let current = try current(for: feed.rawValue)
    return !current.isWrong && current.configuration[feed].url == nil ? .none : try set(feed, url: "")
  }

  /// The configuration; if it is invalid with the feed's drop-in, then without it, because a command that replaces or
  /// removes the drop-in must not fail because of it.
  private func current(for feed: String) throws(FeedError) -> (configuration: SyncConfiguration, isWrong: Bool) {
    do throws(FeedError) {
      return (try configuration(), false)
    } catch {
      var others = file
      others.leftOut = file.folder.map { "\($0)/\(Self.dropIn(of: feed))" }
      guard let rest = try? SyncConfiguration(others, environment: environment) else { throw error }
      return (rest, true)
    }
  }

  /// Refuses a missing local source: otherwise the fault would show only at the next refresh.
  ///
  /// It cannot check whether the service, maybe another user, may read the file.
  private func requireFile(_ url: String) throws(FeedError) {
    guard case .file(let path)? = try? SourceLocation(url) else { return }
    do throws(SystemError) {
      guard try FoundFile(path).kind == .other else { return }
    } catch {
      guard error.code == ENOENT || error.code == ENOTDIR else { return }
      throw FeedError(.io, "\(path): there is no such file")
    }
    throw FeedError(.badData, SourceFile.notRegular(path))
  }

  private static func dropIn(of feed: String) -> String { "feed-\(feed).json" }

  /// The source in the only line of standard input: every user can see the arguments of a process.
  ///
  /// - Throws: ``FeedError``.
  package static func inputSource() throws(FeedError) -> String {
    let bytes = try SourceFile(path: "-", regularOnly: false, limit: HeaderFile.maximumBytes).bytes
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    guard lines.count == 1 else { throw FeedError(.usage, "standard input: expected one line with a URL or a path") }
    return String(lines[0])
  }

  private var folder: String {
    get throws(FeedError) {
      if let folder = file.folder { return folder }
      throw FeedError(.usage, "no configuration file applies; set CITIES_SYNC_CONFIG, XDG_CONFIG_HOME or HOME")
    }
  }

  /// Removes the feed's drop-in; another user's symbolic link cannot redirect root to a different folder.
  ///
  /// - Returns: the file's path; `nil` if there is none.
  private func removeDropIn(of feed: FeedName) throws(FeedError) -> String? {
    let (path, name) = (try folder, Self.dropIn(of: feed.rawValue))
    do throws(SystemError) {
      guard try OpenFolder(path, isOwn: false).remove(name) else { return nil }
    } catch {
      guard error.code != ENOENT else { return nil }
      throw FeedError(error)
    }
    return "\(path)/\(name)"
  }

  private func set(_ feed: FeedName, url: String) throws(FeedError) -> Change {
    let (folder, name) = (try folder, Self.dropIn(of: feed.rawValue))
    let path = "\(folder)/\(name)"
    let text = "{\"feeds\": {\(quotedJSON(feed.rawValue)): {\"url\": \(quotedJSON(url))}}}\n"
    let hasHeaders = try? !url.isEmpty && !configuration()[feed].headers.isEmpty
    let isSecret = SourceLocation.secretDigest(url) != nil || hasHeaders == true
    try FeedError.converting { () throws(SystemError) in
      // The system's configuration belongs to root, and another user reads it.
      let opened = try OpenFolder(making: folder, isOwn: false)
      let access: SecretFile.Access = isSecret ? SecretFile.access(to: name, in: opened) : (nil, 0o644)
      let isExact = isSecret || geteuid() == 0
      try AtomicFile.replace(name, in: opened, mode: access.mode, isExact: isExact, owner: access.owner) {
        (output) throws(SystemError) in try output.write(Array(text.utf8))
      }
    }
    let source = try configuration()[feed].url
    guard source ?? "" == url else {
      let variable = SyncConfiguration.variable(of: feed)
      let winner = environment[variable] == nil ? "a later file in \(folder)" : variable
      throw FeedError(.overridden, "\(path): written, but \(winner) overrides it")
    }
    return .wrote(path)
  }
}

/// A feed's configuration, for display.
package struct FeedDescription {
  /// The feed.
  package let feed: FeedName
  /// Its source without secrets; `nil` if it is switched off.
  package let source: String?
  /// The name of its format in cities-formats(5).
  package let format: String
  /// Further settings.
  package let details: [(name: String, value: String)]

  /// Describes `feed` as `configuration` has it.
  package init(_ feed: FeedName, _ configuration: SyncConfiguration) {
    let configured = configuration[feed]
    self.feed = feed
    source = configured.url.map(SourceLocation.shown)
    let bank = BankFeed(feed, configured)
    format = bank?.format.rawValue ?? feed.rawValue
    var details = [("subject", feed.servedSubject.rawValue), ("interval", "\(configured.interval) s")]
    if let usual = FeedCatalogue.entry(of: feed)?.url { details.append(("default source", usual)) }
    if let bank {
      details += [("country", bank.place.country), ("time zone", bank.place.zone)]
    }
    details += (FeedCatalogue.entry(of: feed)?.headers ?? []).map { ("header", $0) }
    details += configured.headers.map { ("header", "\($0.name): (from a file)") }
    self.details = details.map { (name: $0.0, value: $0.1) }
  }
}
