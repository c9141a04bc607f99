internal import System

/// The units of the system's service manager and the user's, as systemctl(1) shows them.
struct UnitStates {
  private static let names = ["citiesd.socket", "citiesd.service", "citiesd-sync.socket", "citiesd-sync.service"]
  private static let properties = "Id,LoadState,ActiveState,Result,UnitFileState,NeedDaemonReload"
  /// How long systemctl may take, in seconds.
  private static let patience: Int64 = 10

  /// The results.
  private(set) var findings: [Diagnosis] = []
  /// The service managers that know the units of the server.
  private(set) var managers: Set<ServiceManagerKind> = []

  init(_ programs: Programs) {
    guard let systemctl = programs.path(of: "systemctl") else {
      findings.append(.note("units", "there is no systemd here"))
      return
    }
    var answered = false
    for manager in ServiceManagerKind.allCases {
      let arguments = [manager.option, "show", "--property", Self.properties] + Self.names
      guard let run = try? ProgramRun(systemctl, arguments, seconds: Self.patience), run.ending == .exited(0) else {
        continue
      }
      answered = true
      for unit in Self.units(run.output) where unit["LoadState"] == "loaded" { take(unit, manager) }
    }
    if !answered { findings.append(.note("units", "systemd does not run here")) }
  }

  private mutating func take(_ unit: [String: String], _ manager: ServiceManagerKind) {
    managers.insert(manager)
    let name = unit["Id"] ?? ""
    let command = manager.systemctl
    let check = "unit \(name)"
    if unit["ActiveState"] == "failed" {
      findings.append(
        .wrong(
          check, "failed: \(unit["Result"] ?? "")",
          remedy: "\(manager.journalctl) -u \(name) -n 20; "
            + "\(command) reset-failed \(name); \(command) restart \(name)"))
    } else if unit["NeedDaemonReload"] == "yes" {
      let remedy = "\(command) daemon-reload; \(command) restart \(name)"
      findings.append(.wrong(check, "its file has changed since it was loaded", remedy: remedy))
    } else if name.hasSuffix(".socket"), unit["ActiveState"] != "active" {
      let state = [unit["ActiveState"], unit["UnitFileState"]].compactMap(\.self).joined(separator: ", ")
      findings.append(.wrong(check, state, remedy: "\(command) enable --now \(name)"))
    } else {
      findings.append(.ok(check, unit["ActiveState"] ?? ""))
    }
  }

  /// The units in the output of `systemctl show`, which separates them by empty lines: each starts with a name again.
  static func units(_ lines: [String]) -> [[String: String]] {
    var units: [[String: String]] = []
    var current: [String: String] = [:]
    for line in lines {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      if current[String(parts[0])] != nil {
        units.append(current)
        current = [:]
      }
      current[String(parts[0])] = String(parts[1])
    }
    if !current.isEmpty { units.append(current) }
    return units
  }
}
