import CSystemd
import CitiesProtocol
import FeedSync
import Folders
import FrameService
import Glibc
import System

extension SyncCommand {
  /// `build`: make a city index from a list, without a configuration or state folder.
  static let build = SyncCommand(
    "build", "Make a city index from a city list.",
    [
      .argument("in", "The list: a JSON array or a GeoNames dump, plain, gzip or zip; - is standard input."),
      .argument("out", "The index to write; if it is a folder, the file \(CityBuild.installedName) in it."),
      .flag("--allow-empty", "Accept a list without cities."),
      .option("--names", "file", "The names of countries and regions (default: the installed ones)."),
    ]
  ) { words in
    let (input, output) = (words.arguments[0], words.arguments[1])
    guard output != "-" else {
      throw UsageError("an index is written to a file, not to standard output; ./- is a file of that name")
    }
    let bar = ProgressBar()
    let source = try SourceFile(path: input, regularOnly: false)
    let made = try CityBuild(
      consume source, name: input == "-" ? "standard input" : input, allowsEmpty: words[option: "--allow-empty"] != nil,
      areaNames: words[option: "--names"].map { AreaNameFile(path: $0) } ?? .installed()
    ) { bar.take(.cities, $0) }
    let path = CityBuild.path(for: output)
    // The list was read with the caller's rights; root writes the index as the folder's owner.
    do throws(SystemError) { try FolderOwner.become(ofFolderAt: parentFolder(of: path)) } catch {
      throw FeedError(error)
    }
    try made.write(to: path)
    bar.clear()
    for remark in made.contents.remarks {
      try? CommandOutput.line("citiesd-sync: \(remark)", descriptor: STDERR_FILENO)
    }
    try CommandOutput.line("\(path): \(made.description)")
    return .success
  }

  /// `verify`: verify a resident file.
  static let verify = SyncCommand(
    "verify", "Check a file of the state folder.",
    [
      .flag("--checksums", "Check only the header and the checksums, and read no records."),
      .argument("file", "The file."),
    ],
    discussion: """
      Checks the header and all checksums, then rebuilds the file from its records and compares every section. Prints \
      one line about a valid file; otherwise it reports the fault, and the exit status is 65.
      """
  ) { words in
    let checksumsOnly = words[option: "--checksums"] != nil
    try CommandOutput.line(try Verification.line(for: words.arguments[0], checksumsOnly: checksumsOnly))
    return .success
  }

  /// `serve`: serve the server's requests, on the socket from systemd or on its own.
  static let serve = SyncCommand(
    "serve", "Refresh feeds when citiesd asks for it.",
    discussion: """
      If systemd passes a socket, serves it, and exits when idle. Otherwise listens on CITIES_SYNC_SOCKET; if that is not \
      set, on sync.sock beside the server's socket, which is CITIES_SOCKET, or in /run/cities for root and in \
      $XDG_RUNTIME_DIR/cities for other users.

      The configuration is read before each refresh. If it is invalid, the refresh fails with the first fault, as 'check' \
      prints it, and the service keeps running: once the fault is corrected, the next refresh works.
      """
  ) { _ in
    // Before the first thread: every thread must inherit the mask. Other commands do not block signals, so that Ctrl-C
    // ends an import.
    Signals.block()
    let log = JournalLog.logger("citiesd-sync")
    try unsafe ServiceManager.connect(log, systemd_linked)
    let socket = try SyncSocket.plan(environment: ProcessEnvironment.variables).open()
    // Also if the start fails.
    defer { socket.removePath() }
    let engine = try SyncEngine.serving(log: log)
    do throws(SystemError) {
      let service = try SyncService(engine: engine, log: log, configure: engine.readConfiguration)
      try service.run(on: socket)
    } catch {
      throw ServiceError(error)
    }
    return .success
  }

  /// `import`: a child process of `serve`, `run` and `feed disable`, with its job in standard input.
  static let importing = SyncCommand(
    "import", "Handle the data of a feed, for citiesd-sync itself.", [.argument("feed", "The feed.")], isHidden: true
  ) { _ in
    try ImportJob.perform()
    return .success
  }
}
