internal import CitiesProtocol
internal import Glibc
internal import System

/// The programs beside this one, and others that know more than it.
struct Programs {
  /// How long a program may take, in seconds: a large list is proved in three.
  private static let patience: Int64 = 60
  /// The programs that are installed together.
  private static let names = ["citiesd", "citiesd-sync", HelperProgram.name]

  private let folder: String
  private let environment: (String) -> String?

  init(environment: @escaping (String) -> String?) {
    let own = ProcessEnvironment.program ?? ""
    folder = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? ""
    self.environment = environment
  }

  /// Runs a program of this folder.
  private func run(_ name: String, _ arguments: [String]) throws(SystemError) -> ProgramRun {
    try ProgramRun("\(folder)/\(name)", arguments, seconds: Self.patience)
  }

  /// The path of a program of the system's, as a shell finds it; `nil` if there is none.
  func path(of name: String) -> String? {
    let folders = (environment("PATH") ?? "/usr/bin:/bin").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  // MARK: Installation

  /// Whether all programs are there and can be run, in this version.
  func installation() -> [Diagnosis] { Self.names.map(installed) }

  private func installed(_ name: String) -> Diagnosis {
    let check = "program \(name)"
    let remedy = "install all programs of version \(ProgramVersion.number) in \(folder)"
    do {
      let run = try run(name, ["--version"])
      let line = run.output.first ?? run.messages.last ?? ""
      guard run.ending == .exited(0) else {
        return .wrong(check, "\(folder)/\(name) cannot be run: \(line)", remedy: remedy)
      }
      let version = line.split(separator: " ").dropFirst().first.map(String.init) ?? line
      return version == ProgramVersion.number
        ? .ok(check, "\(folder)/\(name), version \(version)")
        : .wrong(check, "\(folder)/\(name) has version \(version)", remedy: remedy)
    } catch {
      let reason = error.code == ENOENT ? "missing" : error.reason
      return .wrong(check, "\(folder)/\(name): \(reason)", remedy: remedy)
    }
  }

  // MARK: Files

  /// Whether the resident files of `subjects`, and those in `folders`, are sound.
  func verification(of subjects: [Status.SubjectStatus], folders: [String]) -> [Diagnosis] {
    let files = ["cities.index", "banks.resident", "trade.resident", "feeds.resident"]
    let candidates = folders.flatMap { folder in files.map { "\(folder)/\($0)" } } + subjects.compactMap(\.path)
    var seen: Set<String> = []
    return candidates.filter { seen.insert($0).inserted && access($0, F_OK) == 0 }.compactMap(verified)
  }

  private func verified(_ path: String) -> Diagnosis? {
    let check = "file \(path)"
    guard access(path, R_OK) == 0 else {
      return .wrong(check, "it cannot be read: \(SystemError.text(errno))", remedy: "ls -l \(shellWord(path))")
    }
    guard let run = try? run("citiesd-sync", ["verify", path]) else { return nil }
    guard run.ending != .exited(0) else { return .ok(check, "sound") }
    // An installed index has the version of its format in its name.
    let name = path.split(separator: "/").last ?? ""
    let subject = name.hasPrefix("cities") ? "cities" : name.hasPrefix("banks") ? "banks" : "trade"
    return .wrong(
      check, run.messages.last ?? "damaged",
      remedy: path.hasSuffix("feeds.resident") ? "citiesd-sync run" : rebuilding(subject))
  }

  // MARK: Configuration

  /// What `citiesd-sync check` says of the configuration; nothing if it has no such command.
  func configuration() -> [Diagnosis] {
    guard let run = try? run("citiesd-sync", ["check"]) else { return [] }
    let said = run.messages + run.output
    if run.ending == .exited(0) { return [.ok("configuration", said.last ?? "sound")] }
    guard !said.contains(where: { $0.contains("'check'") || $0.contains("no command") }) else { return [] }
    return said.isEmpty
      ? [] : said.map { .wrong("configuration", $0, remedy: "edit the file, then citiesd-sync check") }
  }
}

/// The units of the system's service manager and the user's, as systemctl(1) shows them.
struct UnitStates {
  /// The command that starts the server.
  static let start = "systemctl enable --now citiesd.socket"
  private static let names = ["citiesd.socket", "citiesd.service", "citiesd-sync.socket", "citiesd-sync.service"]
  private static let properties = "Id,LoadState,ActiveState,Result,UnitFileState,NeedDaemonReload"
  /// How long systemctl may take, in seconds.
  private static let patience: Int64 = 10

  /// The results.
  private(set) var findings: [Diagnosis] = []
  /// Whether the units of the server are known to a service manager.
  private(set) var isLoaded = false

  init(_ programs: Programs, _ environment: (String) -> String?) {
    guard let systemctl = programs.path(of: "systemctl") else {
      findings.append(.note("units", "there is no systemd here"))
      return
    }
    var answered = false
    for manager in ["--system", "--user"] {
      let arguments = [manager, "show", "--property", Self.properties] + Self.names
      guard let run = try? ProgramRun(systemctl, arguments, seconds: Self.patience), run.ending == .exited(0) else {
        continue
      }
      answered = true
      for unit in Self.units(run.output) where unit["LoadState"] == "loaded" { take(unit, manager) }
    }
    if !answered { findings.append(.note("units", "systemd does not run here")) }
  }

  private mutating func take(_ unit: [String: String], _ manager: String) {
    isLoaded = true
    let name = unit["Id"] ?? ""
    let command = manager == "--user" ? "systemctl --user" : "systemctl"
    let check = "unit \(name)"
    if unit["ActiveState"] == "failed" {
      findings.append(
        .wrong(
          check, "failed: \(unit["Result"] ?? "")",
          remedy: "\(manager == "--user" ? "journalctl --user" : "journalctl") -u \(name) -n 20; "
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
