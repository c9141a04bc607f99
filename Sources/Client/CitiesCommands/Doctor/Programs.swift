internal import CitiesProtocol
internal import Glibc
internal import System

/// The other programs of the installation, and those of the system.
struct Programs {
  /// The timeout of a program, in seconds: reading all records of a large list takes three.
  private static let patience: Int64 = 60
  /// The programs that are installed together.
  private static let names = ["citiesd", "citiesd-sync", HelperProgram.name]

  private let folder: String
  private let context: Context

  init(_ context: Context) {
    (folder, self.context) = (ProcessEnvironment.programFolder, context)
  }

  /// Runs a program in this folder.
  private func run(_ name: String, _ arguments: [String]) throws(SystemError) -> ProgramRun {
    try run(path: "\(folder)/\(name)", arguments, seconds: Self.patience)
  }

  /// Runs the program at `path`; a terminal shows the command line if it takes long.
  func run(path: String, _ arguments: [String], seconds: Int64) throws(SystemError) -> ProgramRun {
    var line = WaitingLine(context.diagnostics)
    defer { line.clear() }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let command = ([name] + arguments).joined(separator: " ")
    return try ProgramRun(path, arguments, seconds: seconds) {
      line.show { "running '\(command)', \($0.components.seconds) s" }
    }
  }

  /// The path of a system program according to `PATH`; `nil` if there is none.
  func path(of name: String) -> String? {
    let folders = (context.environment("PATH") ?? "/usr/bin:/bin").split(separator: ":")
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  // MARK: Installation

  /// Checks that all programs exist, can be run and have this version.
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

  /// Reports whether the resident files of `subjects`, and those in `folders`, are valid, each as soon as it is known:
  /// their checksums, and if `isDeep` also their records.
  func verification(
    of subjects: [Status.SubjectStatus], folders: [String], isDeep: Bool, _ report: (Diagnosis) throws -> Void
  ) rethrows {
    let files = ["cities.index", "banks.resident", "trade.resident", "feeds.resident"]
    let candidates = folders.flatMap { folder in files.map { "\(folder)/\($0)" } } + subjects.compactMap(\.path)
    var seen: Set<TextKey> = []
    for path in candidates where seen.insert(path) && access(path, F_OK) == 0 {
      try verified(path, isDeep: isDeep).map(report)
    }
  }

  private func verified(_ path: String, isDeep: Bool) -> Diagnosis? {
    let check = "file \(path)"
    guard access(path, R_OK) == 0 else {
      return .wrong(check, "it cannot be read: \(SystemError.text(errno))", remedy: "ls -l \(quotedForShell(path))")
    }
    let arguments = ["verify"] + (isDeep ? [] : ["--checksums"]) + [path]
    guard let run = try? run("citiesd-sync", arguments) else { return nil }
    guard run.ending != .exited(0) else { return .ok(check, isDeep ? "checksums and records ok" : "checksums ok") }
    guard case .exited = run.ending else {
      let message = "not checked: that takes longer than \(Self.patience) s"
      return .note(check, message, remedy: "citiesd-sync verify \(quotedForShell(path))")
    }
    // The name of an installed index includes the version of its format.
    let name = path.split(separator: "/").last ?? ""
    let subject = name.hasPrefix("cities") ? "cities" : name.hasPrefix("banks") ? "banks" : "trade"
    return .wrong(
      check, run.messages.last ?? "damaged",
      remedy: path.hasSuffix("feeds.resident") ? RebuildCommand.feeds : RebuildCommand.command(forSubject: subject))
  }

  // MARK: Configuration

  /// The findings of `citiesd-sync check` about the configuration; none if it has no such command.
  func configuration() -> [Diagnosis] {
    guard let run = try? run("citiesd-sync", ["check"]) else { return [] }
    let said = run.messages + run.output
    if run.ending == .exited(0) { return [.ok("configuration", said.last ?? "ok")] }
    guard !said.contains(where: { $0.contains("'check'") || $0.contains("no command") }) else { return [] }
    return said.map { .wrong("configuration", $0, remedy: Self.remedy(for: $0)) }
  }

  /// Whether each feed in the caller's configuration has a source; empty if that cannot be read.
  func feedStates() -> [TextKey: Bool] {
    guard let run = try? run(HelperProgram.sync, ["feed", "list"]), run.ending == .exited(0) else { return [:] }
    let feeds = run.output.map(FeedSource.init).filter(\.isReadable)
    return Dictionary(feeds.map { (TextKey($0.name), $0.isOn) }) { _, last in last }
  }

  /// The remedy for a problem in a configuration file.
  static let editing = "edit the file, then citiesd-sync check"

  /// The remedy for a problem in the configuration, which is in a file, or in a variable of that name.
  private static func remedy(for fault: String) -> String {
    // A file that every user can read, with the command that closes it.
    if let end = fault.utf8.firstRange(of: "; chgrp ".utf8) ?? fault.utf8.firstRange(of: "; chmod ".utf8) {
      return String(fault[end.lowerBound...].dropFirst(2))
    }
    let start = "citiesd-sync: "
    let origin = fault.hasPrefix(start) ? fault.dropFirst(start.count).prefix { !$0.is(":") } : ""
    if origin.hasPrefix("CITIES_"), !origin.contains(" ") { return "unset \(origin)" }
    return editing
  }
}
