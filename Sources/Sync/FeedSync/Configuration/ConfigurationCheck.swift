import CitiesProtocol
import Folders
import Glibc
package import Resident
package import System

/// Finds all faults of a configuration, for `citiesd-sync check`.
///
/// A service stops at its first fatal fault. This finds every one, and those that fail a single feed: unknown keys,
/// values out of range, and sources, zones and files that cannot be used.
package enum ConfigurationCheck {
  /// The faults of the configuration at `file`, or of the one this process would read, sorted by place.
  ///
  /// Files that the configuration names are opened with the rights of the state folder's owner, which root assumes: the
  /// owner will read them. Local sources are parsed, up to the size limit of downloads.
  package static func faults(
    at file: String? = nil, environment: [String: String] = ProcessEnvironment.variables, user: UInt32 = geteuid(),
    zones: ZoneFolder = .system
  ) -> [ConfigurationFault] {
    let configured = file.map(ConfigurationFile.init(path:)) ?? ConfigurationFile(environment: environment, user: user)
    let faults = ConfigurationFaults()
    var tree = configured.read(faults, wantsExposures: true)
    tree.environment = environment
    let configuration = SyncConfiguration(tree, environment: environment, faults)
    if let state = try? StateFolder(environment: { environment[$0] }, user: user) {
      try? FolderOwner.become(ofFolderAt: state.path)
    }
    for feed in configuration.names { check(feed, configuration, tree, zones, faults) }
    if let path = configuration.caFile, let problem = readProblem(path) ?? certificateProblem(path) {
      faults.note(tree.fault(problem, at: ["tls", "caFile"]))
    }
    return faults.all.enumerated().sorted { one, other in
      let (a, b) = (one.element.place, other.element.place)
      let (left, right) = (TextKey(a.origin), TextKey(b.origin))
      return (left, a.line, a.column, one.offset) < (right, b.line, b.column, other.offset)
    }.map(\.element)
  }

  /// The exit code for `faults`: that of a service that cannot start; specific if they all share a reason.
  package static func exitCode(of faults: [ConfigurationFault]) -> ExitCode {
    let codes = Set(faults.map { FeedError($0.reason, "").exitCode })
    return codes.count == 1 ? codes.first ?? .badData : faults.isEmpty ? .success : .badData
  }

  /// Finds the faults that would fail this feed alone.
  private static func check(
    _ feed: FeedName, _ configuration: SyncConfiguration, _ tree: ConfigurationTree, _ zones: ZoneFolder,
    _ faults: ConfigurationFaults
  ) {
    let (path, configured) = (["feeds", feed.rawValue], configuration[feed])
    func report(_ key: String, _ problem: String) {
      faults.note(tree.fault(problem, at: path + [key], orAt: path + ["format"]))
    }
    if let url = configured.url {
      do throws(FeedError) {
        if case .file(let path) = try SourceLocation(url) { try parse(path, feed, configuration) }
      } catch {
        report("url", error.description)
      }
    } else if configured.format != nil, tree.setting(path + ["url"]) == nil {
      report("url", "missing: give an https: URL, an absolute path or a file: URL; \"\" switches the feed off")
    }
    for problem in BankFeed.problems(of: feed, configured, zones) { report(problem.key, problem.text) }
    for header in configured.headers where header.isCheckable(tree.environment) {
      let path = SyncConfiguration.path(of: header, feed)
      do throws(FeedError) { _ = try header.line() } catch { faults.note(tree.fault(error.description, at: path)) }
      if let problem = header.exposure { faults.note(tree.fault(problem, at: path)) }
    }
  }

  /// Parses the local source at `path` as the first refresh of `feed` does.
  ///
  /// - Throws: ``FeedError`` with the path if it cannot be read or would be refused.
  private static func parse(
    _ path: String, _ feed: FeedName, _ configuration: SyncConfiguration
  ) throws(FeedError) {
    if let problem = readProblem(path) { throw FeedError(.badData, problem) }
    guard let importer = FeedRegistry.importers(configuration).first(where: { $0.feeds.contains(feed) }) else { return }
    let source: SourceFile
    do throws(FeedError) {
      source = try SourceFile(path: path, regularOnly: true, limit: configuration.limits.bytes)
    } catch {
      // A city list may exceed the download limit; parsing it here would take minutes.
      guard importer.namesLocalFiles else { throw error }
      return
    }
    do throws(FeedError) {
      let contents = try read(source.bytes, feed, importer)
      if let excess = configuration.loss.excess(of: contents) {
        throw FeedError(.badData, "\(excess) (loss.percent)")
      }
    } catch {
      let problem = error.description.split(separator: "\n").first ?? ""
      throw FeedError(error.reason, "\(path): \(problem)")
    }
  }

  private static func read(
    _ bytes: [UInt8], _ feed: FeedName, _ importer: some SubjectImporter
  ) throws(FeedError) -> FeedContents {
    try importer.parse(feed, bytes, name: feed.rawValue) { _ in }.contents
  }

  /// Why no certificates can be read from the file at `path`; `nil` if they can.
  private static func certificateProblem(_ path: String) -> String? {
    do throws(FeedError) { _ = try TrustedRoots.certificates(of: path) } catch { return error.description }
    return nil
  }

  /// Why the file at `path` cannot be read; `nil` if it can.
  private static func readProblem(_ path: String) -> String? {
    do throws(SystemError) {
      let found = try FoundFile(path)
      guard found.kind != .other else { return SourceFile.notRegular(path) }
      // Another user's symbolic link is followed here: the administrator configured the path.
      if found.kind == .regular { _ = try found.open() }
      return access(path, R_OK) == 0 ? nil : SystemError("open", path).description
    } catch {
      return error.description
    }
  }
}

extension ConfigurationTree {
  /// A fault of the key at `path`, where it is set, or else where `other` is.
  fileprivate func fault(_ problem: String, at path: [String], orAt other: [String] = []) -> ConfigurationFault {
    let name = ConfigurationPath(names: path).key
    return setting(path)?.fault(problem) ?? entries[ConfigurationPath(names: other)]?.fault(problem, label: name)
      ?? ConfigurationFault(name, problem)
  }
}
