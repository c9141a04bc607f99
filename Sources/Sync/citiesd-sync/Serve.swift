import ArgumentParser
import FeedSync
import FrameService
import System

/// `serve`: answer the server, on the socket that systemd passed or on one of its own.
struct Serve: SyncCommand {
  static let configuration = CommandConfiguration(
    abstract: "Answer citiesd, on the socket that systemd passed or on one of its own.",
    discussion: """
      The socket is CITIES_SYNC_SOCKET, else sync.sock beside the server's, which is CITIES_SOCKET or in /run/cities or
      $XDG_RUNTIME_DIR/cities. On a passed socket it exits when idle.
      """)

  func perform() throws -> SyncExit {
    // Before the first thread exists: a signal must find no thread that takes it the old way. The other commands keep
    // them, so that Ctrl-C ends an import.
    Signals.block()
    let log = JournalLog.logger("citiesd-sync")
    let socket = try SyncSocket.plan(environment: ProcessEnvironment.variables).open()
    let engine = try SyncEngine.configured(log: log, repeatsComplaints: false)
    do throws(SystemError) {
      let service = try SyncService(engine: engine, log: log) { engine.readConfiguration(log: log) }
      try service.run(on: socket)
    } catch {
      throw ServiceError(error)
    }
    return .success
  }
}
