import Resident

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
