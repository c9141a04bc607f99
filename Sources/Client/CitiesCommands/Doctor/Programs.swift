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
      remedy: path.hasSuffix("feeds.resident") ? RebuildCommand.feeds : RebuildCommand.command(forSubject: subject))
  }

  // MARK: Configuration

  /// What `citiesd-sync check` says of the configuration; nothing if it has no such command.
  func configuration() -> [Diagnosis] {
    guard let run = try? run("citiesd-sync", ["check"]) else { return [] }
    let said = run.messages + run.output
    if run.ending == .exited(0) { return [.ok("configuration", said.last ?? "sound")] }
    guard !said.contains(where: { $0.contains("'check'") || $0.contains("no command") }) else { return [] }
    return said.map { .wrong("configuration", $0, remedy: Self.remedy(for: $0)) }
  }

  /// The feeds that the caller's configuration has switched off; none if that cannot be read.
  func switchedOff() -> Set<String> {
    guard let run = try? run(HelperProgram.sync, ["feed", "list"]), run.ending == .exited(0) else { return [] }
    return Set(run.output.map(FeedSource.init).filter { !$0.isOn }.compactMap(\.name))
  }

  /// What helps against a fault in the configuration: it is in a file, or in a variable of that name.
  private static func remedy(for fault: String) -> String {
    let start = "citiesd-sync: "
    let origin = fault.hasPrefix(start) ? fault.dropFirst(start.count).prefix { $0 != ":" } : ""
    if origin.hasPrefix("CITIES_"), !origin.contains(" ") { return "unset \(origin)" }
    return "edit the file, then citiesd-sync check"
  }
}
