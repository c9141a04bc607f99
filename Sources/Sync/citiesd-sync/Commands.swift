import ArgumentParser
import CSystemd
import CitiesProtocol
import FeedSync
import Folders
import FrameService
import Glibc
import System

/// `build`: make a city index from a list, without a configuration or state folder.
struct Build: SyncCommand {
  static let configuration = CommandConfiguration(abstract: "Make a city index from a city list.")

  @Argument(
    help: ArgumentHelp(
      "The list: a JSON array or a GeoNames dump, plain, gzip or zip; - is standard input.", valueName: "in"))
  var input: String

  @Argument(
    help: ArgumentHelp(
      """
      The index to write; if it is a folder, the file \(CityBuild.installedName) in it.
      """, valueName: "out"))
  var output: String

  @Flag(help: "Accept a list without cities.")
  var allowEmpty = false

  @Option(
    help: ArgumentHelp(
      "The names of countries and regions (default: the installed ones).", valueName: "file"))
  var names: String?

  func validate() throws {
    guard output != "-" else {
      throw ValidationError("an index is written to a file, not to standard output; ./- is a file of that name")
    }
  }

  func perform() throws -> SyncExit {
    let bar = ProgressBar()
    let source = try SourceFile(path: input, regularOnly: false)
    let made = try CityBuild(
      consume source, name: input == "-" ? "standard input" : input, allowsEmpty: allowEmpty,
      areaNames: names.map { AreaNameFile(path: $0) } ?? .installed()
    ) { bar.take(.cities, $0) }
    let path = CityBuild.path(for: output)
    // The list was read with the caller's rights; root writes the index as the folder's owner.
    do { try FolderOwner.become(ofFolderAt: parentFolder(of: path)) } catch { throw FeedError(error) }
    try made.write(to: path)
    bar.clear()
    for remark in made.contents.remarks {
      try? CommandOutput.line("citiesd-sync: \(remark)", descriptor: STDERR_FILENO)
    }
    try CommandOutput.line("\(path): \(made.description)")
    return .success
  }
}

/// `verify`: verify a resident file.
struct Verify: SyncCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check a file of the state folder.",
    discussion: """
      Checks the header and all checksums, then rebuilds the file from its records and compares every section. Prints \
      one line about a valid file; otherwise it reports the fault, and the exit status is 65.
      """)

  @Argument(help: ArgumentHelp("The file.", valueName: "file"))
  var file: String

  func perform() throws -> SyncExit {
    try CommandOutput.line(try Verification.line(for: file))
    return .success
  }
}

/// `serve`: serve the server's requests, on the socket from systemd or on its own.
struct Serve: SyncCommand {
  static let configuration = CommandConfiguration(
    abstract: "Refresh feeds when citiesd asks for it.",
    discussion: """
      If systemd passes a socket, serves it, and exits when idle. Otherwise listens on CITIES_SYNC_SOCKET; if that is not \
      set, on sync.sock beside the server's socket, which is CITIES_SOCKET, or in /run/cities for root and in \
      $XDG_RUNTIME_DIR/cities for other users.

      The configuration is read before each refresh. If it is invalid, the refresh fails with the first fault, as 'check' \
      prints it, and the service keeps running: once the fault is corrected, the next refresh works.
      """)

  func perform() throws -> SyncExit {
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
}
