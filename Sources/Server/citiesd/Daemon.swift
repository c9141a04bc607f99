import CSystemdLoader
import CitiesServer
import FrameService
import Glibc
import Logging
import System

/// The program: arguments and environment in, exit code out.
enum Daemon {
  private static let help = """
    usage: citiesd [--private | --help | --version]

    Answers requests about cities, banks and trade over a Unix socket, mostly from citiesctl(1). It is usually started by
    its socket (citiesd.socket). Otherwise it listens on CITIES_SOCKET, on /run/cities/citiesd.sock (root) or on
    $XDG_RUNTIME_DIR/cities/citiesd.sock. On SIGHUP it looks for new data at once; on SIGTERM it answers the requests
    that it has received, and exits.

    --private serves the one connection on its standard input, and exits when it ends: citiesctl starts it this way if
    there is no socket. It then does not listen, write files or contact the sync service.

    environment:
      CITIES_SOCKET                    the socket to listen on
      CITIES_STATE                     the state folder, with the resident files
      CITIES_SYNC_SOCKET               the sync service's socket
      CITIESD_IDLE_EXIT                seconds without a connection after which it exits
      CITIESD_MAX_CONNECTIONS          connections in total (4096)
      CITIESD_MAX_CONNECTIONS_PER_UID  connections of one user (1024)
      CITIES_SYSTEMD                   "required": exit with 78 if libsystemd is missing
    """

  /// Runs the mode selected by the arguments.
  static func main(_ arguments: [String]) -> ExitCode {
    guard let argument = arguments.first else { return attempt(serve) }
    switch argument {
    case "--private" where arguments.count == 1: return attempt(servePrivately)
    case "--help" where arguments.count == 1: return say(help)
    case "--version" where arguments.count == 1: return say(ServerVersion.name)
    default:
      complain("citiesd: unknown argument \"\(argument)\"; see citiesd --help\n")
      return .usage
    }
  }

  private static func attempt(_ work: (Logger) throws(ServiceError) -> Void) -> ExitCode {
    let log = JournalLog.logger("citiesd")
    do throws(ServiceError) {
      try work(log)
      return .success
    } catch {
      log.critical("\(error.message)", metadata: .event(.startFailed, error: error.message))
      return error.exitCode
    }
  }

  private static func serve(_ log: Logger) throws(ServiceError) {
    Signals.block()
    try unsafe ServiceManager.connect(log, systemd_loaded)
    let plan = SocketPlan(name: "citiesd", file: "citiesd.sock", variable: "CITIES_SOCKET", systemMode: 0o666)
    let socket = try plan.open()
    // Also if the start fails: a socket without a server would look like a fault to every client.
    defer { socket.removePath() }
    let configuration = try ServerConfiguration(environmentBeside: socket.path)
    configuration.limits.raiseDescriptorLimit()
    do {
      try QueryServer(configuration, log).run(on: socket)
    } catch {
      throw ServiceError(error)
    }
  }

  private static func servePrivately(_ log: Logger) throws(ServiceError) {
    let server: QueryServer
    do { server = try QueryServer(.private, log) } catch { throw ServiceError(error) }
    try server.serve(connection: STDIN_FILENO)
  }

  private static func say(_ text: String) -> ExitCode {
    writeAll(Array((text + "\n").utf8), to: STDOUT_FILENO) == 0 ? .success : .io
  }

  private static func complain(_ text: String) { _ = writeAll(Array(text.utf8), to: STDERR_FILENO) }
}
