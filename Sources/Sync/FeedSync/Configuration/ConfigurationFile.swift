import Folders
import Glibc
import System

/// The location of the sync service's configuration.
///
/// 1. `CITIES_SYNC_CONFIG`, if it is set and not empty; the file must exist then;
/// 2. `/etc/cities/sync.json` for root and system users;
/// 3. `$XDG_CONFIG_HOME/cities/sync.json`, if that is an absolute path that no other user could change;
/// 4. `~/.config/cities/sync.json`.
///
/// The files `sync.d/*.json` in the folder next to it (`.d` for `.json`) are read after it.
package struct ConfigurationFile: Equatable, Sendable {
  /// The system's file.
  package static let system = "/etc/cities/sync.json"

  /// The file's path; `nil` if no rule applies.
  package let path: String?
  /// Whether it was named explicitly, which makes its absence an error.
  package let isRequired: Bool
  /// A drop-in to ignore because it is about to be replaced.
  var leftOut: String?
  /// Whether a file that this user may not read leaves sources unknown, instead of being a fault.
  var skipsUnreadable = false

  /// Most files in the folder.
  package static let maximumFiles = 1_000
  /// Most bytes in a file.
  package static let maximumBytes = 16 << 20

  /// Applies the rules above.
  package init(environment: [String: String], user: UInt32) {
    func given(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    func absolute(_ name: String) -> String? { given(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    isRequired = given("CITIES_SYNC_CONFIG") != nil
    if let asked = given("CITIES_SYNC_CONFIG") {
      path = asked
    } else if user <= ProcessEnvironment.highestSystemUser {
      path = Self.system
    } else {
      let base = absolute("XDG_CONFIG_HOME").flatMap { PathOwners.areTrusted(on: $0) ? $0 : nil }
      path = (base ?? absolute("HOME").map { "\($0)/.config" }).map { "\($0)/cities/sync.json" }
    }
  }

  /// The file at `path`, which must exist.
  package init(path: String) { (self.path, isRequired) = (path, true) }

  /// The folder of the drop-ins.
  package var folder: String? {
    path.map { ($0.hasSuffix(".json") ? String($0.dropLast(5)) : $0) + ".d" }
  }

  /// The drop-ins, sorted by name.
  ///
  /// - Throws: ``ConfigurationFault`` if there are too many.
  func dropIns() throws(ConfigurationFault) -> [String] {
    guard let folder, access(folder, F_OK) == 0 else { return [] }
    let all: [String]
    do throws(SystemError) { all = try Descriptor.names(in: folder) } catch {
      if skipsUnreadable, error.isPermission { return [folder] }
      throw ConfigurationFault(FeedError(error), file: folder)
    }
    let names = all.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
    guard names.count <= Self.maximumFiles else {
      throw ConfigurationFault(folder, "more than the \(Self.maximumFiles) files that are accepted")
    }
    return names.sorted().map { "\(folder)/\($0)" }.filter { $0 != leftOut }
  }

  /// Reads the file, if it exists or must, then those in the folder.
  ///
  /// With `wantsExposures`, a file with secrets that every user can read is a fault.
  func read(_ faults: ConfigurationFaults, wantsExposures: Bool = false) -> ConfigurationTree {
    var tree = ConfigurationTree()
    var files: [String] = []
    if let path, isRequired || access(path, F_OK) == 0 { files = [path] }
    files += faults.collecting(dropIns) ?? []
    for file in files {
      let part = faults.collecting { () throws(ConfigurationFault) in try self.tree(file) }
      guard let part else { continue }
      tree.merge(part)
      if wantsExposures, let fault = part.exposure(of: file) { faults.note(fault) }
    }
    for fault in tree.repeated { faults.note(fault) }
    return tree
  }

  private func tree(_ file: String) throws(ConfigurationFault) -> ConfigurationTree {
    let source: SourceFile
    do throws(FeedError) {
      source = try SourceFile(path: file, regularOnly: true, limit: Self.maximumBytes)
    } catch {
      if skipsUnreadable, error.reason == .permission { return ConfigurationTree(unreadable: file) }
      throw ConfigurationFault(error, file: file)
    }
    return try ConfigurationTree(json: source.bytes, of: file)
  }
}

extension ConfigurationFault {
  /// Why `file` cannot be read; the description of an error may start with its path.
  fileprivate init(_ error: FeedError, file: String) {
    let (text, start) = (error.description, "\(file): ")
    self.init(file, text.hasPrefix(start) ? String(text.dropFirst(start.count)) : text, reason: error.reason)
  }
}
