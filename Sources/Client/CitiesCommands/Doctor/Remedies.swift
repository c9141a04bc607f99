internal import CitiesClient

/// A service manager that may have units of the programs.
enum ServiceManagerKind: CaseIterable {
  case system
  case user

  /// The option of systemctl(1).
  var option: String { self == .system ? "--system" : "--user" }
  var systemctl: String { self == .system ? "systemctl" : "systemctl --user" }
  var journalctl: String { self == .system ? "journalctl" : "journalctl --user" }
}

/// The commands that fix problems, on a machine with these service managers.
///
/// The path of a socket determines its units. If no manager has any, the programs are started manually.
struct Remedies {
  private let managers: Set<ServiceManagerKind>

  init(_ managers: Set<ServiceManagerKind>) { self.managers = managers }

  /// Whether a service manager has the units of the server.
  var hasUnits: Bool { !managers.isEmpty }

  /// The manager of the server on the socket at `path`; the system's before the user's if no path is known.
  private func manager(of path: String?) -> ServiceManagerKind? {
    let expected: ServiceManagerKind? = path.map { $0 == SocketLocation.systemPath ? .system : .user }
    guard let expected else { return ServiceManagerKind.allCases.first(where: managers.contains) }
    return managers.contains(expected) ? expected : nil
  }

  /// The command that starts the server.
  func start(_ path: String? = nil) -> String {
    manager(of: path).map { "\($0.systemctl) enable --now citiesd.socket" } ?? "citiesd"
  }

  /// The command that restarts the server with process id `id`.
  func restart(_ path: String?, process id: UInt64? = nil) -> String {
    if let manager = manager(of: path) { return "\(manager.systemctl) restart citiesd" }
    return id.map { "kill \($0); citiesd" } ?? "end citiesd and start it again: citiesd"
  }

  /// The command that removes a file at a socket's `path` without a server.
  func renew(_ path: String) -> String {
    if let manager = manager(of: path) { return "\(manager.systemctl) restart citiesd.socket" }
    // Without a socket of the user's own, the system's server is used, or a private one.
    return "rm \(quotedForShell(path))"
  }

  /// The command that shows the server's log.
  func log(_ path: String?) -> String {
    manager(of: path).map { "\($0.journalctl) -u citiesd -n 20" } ?? restart(path)
  }

  /// The command that shows the state of the sync service for the server on the socket at `path`, or that starts it.
  func sync(_ path: String?) -> String {
    manager(of: path).map { "\($0.systemctl) status citiesd-sync.socket citiesd-sync" } ?? "citiesd-sync serve"
  }
}
