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
    let configured = file.map(ConfigurationFile.init(path:))
    let faults = ConfigurationFaults(collects: true)
    do throws(FeedError) {
      let tree = try (configured ?? ConfigurationFile(environment: environment, user: user)).read(faults)
      let configuration = try SyncConfiguration(tree, environment: environment, faults)
      if let state = try? StateFolder(environment: { environment[$0] }, user: user) {
        try? FolderOwner.become(ofFolderAt: state.path)
      }
      let reader = ConfigurationReader(tree, environment: environment, faults)
      for feed in configuration.names {
        check(feed, configuration, reader, environment, zones, faults)
      }
      if let path = configuration.caFile, let problem = readProblem(path) ?? certificateProblem(path) {
        faults.note((reader.setting(["tls", "caFile"])?.fault(problem)) ?? ConfigurationFault(path, nil, problem))
      }
    } catch {
      // Only a collector that throws gets here.
      faults.note(ConfigurationFault("citiesd-sync", nil, error.description, reason: error.reason))
    }
    return sorted(faults.all)
  }

  /// The exit code for `faults`: that of a service that cannot start; specific if they all share a reason.
  package static func exitCode(of faults: [ConfigurationFault]) -> ExitCode {
    let codes = Set(faults.map { FeedError($0.reason, "").exitCode })
    return codes.count == 1 ? codes.first ?? .badData : faults.isEmpty ? .success : .badData
  }

  private static func sorted(_ faults: [ConfigurationFault]) -> [ConfigurationFault] {
    faults.enumerated().sorted { one, other in
      let (a, b) = (one.element.place, other.element.place)
      let (left, right) = (a?.file ?? one.element.origin, b?.file ?? other.element.origin)
      return (left, a?.line ?? 0, a?.column ?? 0, one.offset) < (right, b?.line ?? 0, b?.column ?? 0, other.offset)
    }.map(\.element)
  }

  /// Finds the faults that would fail this feed alone.
  private static func check(
    _ feed: FeedName, _ configuration: SyncConfiguration, _ reader: ConfigurationReader,
    _ environment: [String: String], _ zones: ZoneFolder, _ faults: ConfigurationFaults
  ) {
    let (path, configured) = (["feeds", feed.rawValue], configuration[feed])
    func report(_ key: String, _ problem: String) {
      let name = (path + [key]).joined(separator: ".")
      faults.note(
        reader.setting(path + [key])?.fault(problem) ?? reader.setting(path + ["format"])?.fault(problem, label: name)
          ?? ConfigurationFault(name, nil, problem))
    }
    if let url = configured.url {
      do throws(FeedError) {
        if case .file(let path) = try SourceLocation(url) { try parse(path, feed, configuration) }
      } catch {
        report("url", error.description)
      }
    } else if configured.format != nil, reader.setting(path + ["url"]) == nil {
      report("url", "missing: give an https: URL, an absolute path or a file: URL; \"\" switches the feed off")
    }
    for problem in BankFeed.problems(of: feed, configured, zones) { report(problem.key, problem.text) }
    for header in configured.headers where header.isCheckable(environment) {
      do throws(FeedError) { _ = try header.line() } catch { note(header, error, feed, reader, faults) }
    }
  }

  private static func note(
    _ header: HeaderFile, _ error: FeedError, _ feed: FeedName, _ reader: ConfigurationReader,
    _ faults: ConfigurationFaults
  ) {
    let fault = reader.setting(SyncConfiguration.path(of: header, feed))?.fault(error.description)
    faults.note(fault ?? ConfigurationFault(SyncConfiguration.key(of: header, feed), nil, error.description))
  }

  /// Parses the local source at `path` as a refresh of `feed` does.
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
      try read(source.bytes, feed, importer)
    } catch {
      let problem = error.description.split(separator: "\n").first ?? ""
      throw FeedError(error.reason, "\(path): \(problem)")
    }
  }

  private static func read(
    _ bytes: [UInt8], _ feed: FeedName, _ importer: some SubjectImporter
  ) throws(FeedError) {
    _ = try importer.parse(feed, bytes, name: feed.rawValue) { _ in }
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
