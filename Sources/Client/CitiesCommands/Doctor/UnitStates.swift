internal import System

/// The units of the system's and the user's service manager, according to systemctl(1).
struct UnitStates {
  private static let names = ["citiesd.socket", "citiesd.service", "citiesd-sync.socket", "citiesd-sync.service"]
  private static let properties = "Id,LoadState,ActiveState,Result,UnitFileState,NeedDaemonReload"
  /// The timeout of systemctl, in seconds.
  private static let patience: Int64 = 10

  /// The service managers that have the units of the server.
  var managers: Set<ServiceManagerKind> { Set(units.map(\.manager)) }
  private var units: [(manager: ServiceManagerKind, properties: [TextKey: String])] = []
  private var absence: Diagnosis?

  init(_ programs: Programs) {
    guard let systemctl = programs.path(of: "systemctl") else {
      absence = .note("units", "there is no systemd here")
      return
    }
    var answered = false
    for manager in ServiceManagerKind.allCases {
      let arguments = [manager.option, "show", "--property", Self.properties] + Self.names
      guard let run = try? programs.run(path: systemctl, arguments, seconds: Self.patience), run.ending == .exited(0)
      else { continue }
      answered = true
      units += Self.units(run.output).filter { $0["LoadState"].is("loaded") }.map { (manager, $0) }
    }
    if !answered { absence = .note("units", "systemd does not run here") }
  }

  /// The findings; `isSystemAnswering` states whether the system's server answers.
  ///
  /// A user's own server would hide the system's. So the user's units do not count while the system's server answers,
  /// or if the system has units and the user has enabled none.
  func findings(isSystemAnswering: Bool) -> [Diagnosis] {
    let isUsed = units.contains { $0.manager == .user && Self.isUsed($0.properties) } || !managers.contains(.system)
    let counted = units.filter { $0.manager == .system || isUsed && !isSystemAnswering }
    return [absence].compactMap(\.self) + counted.map { finding($0.properties, $0.manager) }
  }

  private static func isUsed(_ unit: [TextKey: String]) -> Bool {
    unit["UnitFileState"].is("enabled") || !unit["ActiveState"].is("inactive")
  }

  private func finding(_ unit: [TextKey: String], _ manager: ServiceManagerKind) -> Diagnosis {
    let name = unit["Id"] ?? ""
    let command = manager.systemctl
    let check = "unit \(name)"
    if unit["ActiveState"].is("failed") {
      return .wrong(
        check, "failed: \(unit["Result"] ?? "")",
        remedy: "\(manager.journalctl) -u \(name) -n 20; "
          + "\(command) reset-failed \(name); \(command) restart \(name)")
    }
    if unit["NeedDaemonReload"].is("yes") {
      let remedy = "\(command) daemon-reload; \(command) restart \(name)"
      return .wrong(check, "its file has changed since it was loaded", remedy: remedy)
    }
    guard name.hasSuffix(".socket"), !unit["ActiveState"].is("active") else {
      return .ok(check, unit["ActiveState"] ?? "")
    }
    let state = [unit["ActiveState"], unit["UnitFileState"]].compactMap(\.self).joined(separator: ", ")
    return .wrong(check, state, remedy: "\(command) enable --now \(name)")
  }

  /// The units in the output of `systemctl show`, which separates them by empty lines; each starts with its name.
  static func units(_ lines: [String]) -> [[TextKey: String]] {
    var units: [[TextKey: String]] = []
    for line in lines {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { TextKey($0) }
      guard parts.count == 2 else { continue }
      if units.last.map({ $0[parts[0]] != nil }) ?? true { units.append([:]) }
      units[units.count - 1][parts[0]] = parts[1].text
    }
    return units
  }
}
