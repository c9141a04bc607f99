package import Folders
package import Glibc
package import System

/// The folder of the resident files: one rule for the server, the sync service and the command line.
///
/// 1. `CITIES_STATE`, if it is set and not empty;
/// 2. `/var/lib/cities` for root and system users (user ids up to 999, as systemd's `SYSTEM_UID_MAX` on Debian);
/// 3. `$XDG_STATE_HOME/cities`, if that is an absolute path (XDG Base Directory Specification 0.8) that no other user
///    could change;
/// 4. `~/.local/state/cities`.
package struct StateFolder: Equatable, Sendable {
  /// The folder of the system's services.
  package static let system = "/var/lib/cities"

  /// The folder, without a trailing slash.
  package let path: String

  /// Uses the folder at `path`.
  package init(path: String) { self.path = path }

  /// Applies the rule to an environment and a user, by default those of this process.
  ///
  /// - Throws: ``StateFolderError`` if no rule applies.
  package init(
    environment: (String) -> String? = ProcessEnvironment.variable, user: uid_t = geteuid()
  ) throws(StateFolderError) {
    func given(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let path = given("CITIES_STATE") {
      self.init(path: path)
    } else if user <= ProcessEnvironment.highestSystemUser {
      self.init(path: Self.system)
    } else if let base = given("XDG_STATE_HOME"), base.hasPrefix("/"), PathOwners.areTrusted(on: base) {
      self.init(path: "\(base)/cities")
    } else if let home = given("HOME"), home.hasPrefix("/") {
      self.init(path: "\(home)/.local/state/cities")
    } else {
      throw StateFolderError()
    }
  }

  /// The path of a kind's file.
  package func path(of kind: ResidentKind) -> String { "\(path)/\(kind.fileName)" }

  /// Opens the folder; `nil` if there is none.
  ///
  /// - Throws: ``SystemError`` if it cannot be opened or is not this user's own.
  package func open() throws(SystemError) -> OpenFolder? {
    do throws(SystemError) { return try OpenFolder(path) } catch {
      guard error.code == ENOENT else { throw error }
      return nil
    }
  }

  /// Opens the folder, creating missing ones, its parents included.
  ///
  /// - Throws: ``SystemError`` with the folder that cannot be created, or if it is not this user's own.
  package func make() throws(SystemError) -> OpenFolder { try OpenFolder(making: path) }
}

/// No rule gives a state folder.
package struct StateFolderError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What to do.
  package let description =
    "no state folder: neither CITIES_STATE, XDG_STATE_HOME nor HOME is set; set CITIES_STATE"
}
