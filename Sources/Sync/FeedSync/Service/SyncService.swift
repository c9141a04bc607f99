package import FrameService
package import Logging
package import System

/// The sync service: answers the server on a socket of its own, does what it asks, and leaves when nobody wants anything.
package final class SyncService {
  /// The program's name and version, as `hello` tells it.
  package static let server = "citiesd-sync 0.1.0"
  /// Seconds without connection and work after which an activated service leaves.
  package static let idleExit: Int64 = 30
  /// Only the server and a few commands ask here.
  private static let connections = 64

  private let engine: SyncEngine
  private let service: FramedService

  /// Sets up a service around `engine`; nothing is listened to before ``run(on:)``.
  ///
  /// - Parameters:
  ///   - engine: Does the work.
  ///   - log: Where the service says what it does.
  ///   - configure: Is called before every refresh, to bring the engine's feeds up to date with their configuration.
  /// - Throws: ``SystemError`` if the kernel gives no descriptors.
  package init(engine: SyncEngine, log: Logger, configure: @escaping () -> Void = {}) throws(SystemError) {
    var limits = ServiceLimits()
    limits.connections = Self.connections
    limits.connectionsPerUser = Self.connections
    let refresh = FeedRefreshHandler(engine, configure: configure)
    self.engine = engine
    service = try FramedService(
      name: "citiesd-sync", handlers: [refresh, FeedStatusHandler(engine), HelloHandler(limits.told)], limits: limits,
      log: log)
    refresh.mailbox = service.loop.mailbox
    service.isBusy = { engine.isBusy }
    service.onDrain = { refresh.answerRunning() }
  }

  /// Serves until a signal or idleness ends it; what is being stored then is stored whole.
  ///
  /// A socket from the service manager starts this program again when it is wanted, so that it leaves after `idleExit`
  /// seconds without work; on a socket of its own it stays.
  ///
  /// - Throws: ``SystemError`` if waiting fails.
  package func run(
    on socket: ListeningSocket, idleExit: Int64 = SyncService.idleExit, signals: Bool = true
  ) throws(SystemError) {
    service.idleExit = socket.isActivated ? idleExit : nil
    defer {
      engine.cancel()
      engine.waitUntilIdle()
    }
    try service.run(on: socket, signals: signals)
  }

  /// Leaves as on SIGTERM; for tests, on the service's own thread.
  package var stop: @Sendable () -> Void {
    let mailbox = service.loop.mailbox
    let box = StopBox(service)
    return { mailbox.post { _ in box.service?.stop("asked to") } }
  }
}

/// Carries the service to its own thread and nowhere else.
private final class StopBox: @unchecked Sendable {
  weak var service: FramedService?
  init(_ service: FramedService) { self.service = service }
}
