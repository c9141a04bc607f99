import CBOR
import CitiesProtocol
package import FrameService
package import Logging
package import System

/// The sync service: answers the server on its own socket, performs its requests, and exits when idle.
package final class SyncService {
  /// The program's name and version, as in `hello`.
  package static let server = "citiesd-sync \(ProgramVersion.number)"
  /// Nanoseconds without connections and work after which an activated service exits.
  package static let idleExit: Int64 = 30_000_000_000
  /// Nanoseconds for the last replies, then milliseconds for imports: SIGTERM ends the service within two seconds.
  private static let (drainTime, finishTime) = (Int64(500_000_000), Int64(1_000))
  /// Only the server and a few commands connect here.
  private static let connections = 64

  private let engine: SyncEngine
  /// Its loop and connections.
  package let service: FramedService

  /// Sets up a service for `engine`; it listens only in ``run(on:)``.
  ///
  /// - Parameters:
  ///   - engine: Performs the refreshes.
  ///   - log: The log of the service.
  ///   - configure: Called before every refresh, to apply the current configuration; its error is the reply.
  /// - Throws: ``SystemError`` if the kernel gives no descriptors.
  package init(
    engine: SyncEngine, log: Logger, configure: @escaping () throws(FeedError) -> Void = {}
  ) throws(SystemError) {
    var limits = ServiceLimits()
    limits.connections = Self.connections
    limits.connectionsPerUser = Self.connections
    limits.drainTime = Self.drainTime
    let refresh = FeedRefreshHandler(engine, configure: configure)
    self.engine = engine
    service = try FramedService(
      name: "citiesd-sync", handlers: [refresh, FeedStatusHandler(engine), SyncHelloHandler(limits.byName)],
      limits: limits,
      log: log)
    refresh.mailbox = service.loop.mailbox
    service.isBusy = { engine.isBusy }
    service.onDrain = { refresh.answerRunning() }
  }

  /// Serves until a signal or the idle timeout; imports that do not end within a second then end with the process.
  ///
  /// Activated by the service manager, the program exits after `idleExit` nanoseconds without work: the manager
  /// restarts it on demand. On its own socket it stays.
  ///
  /// - Throws: ``SystemError`` if waiting fails.
  package func run(
    on socket: ListeningSocket, idleExit: Int64 = SyncService.idleExit, signals: Bool = true
  ) throws(SystemError) {
    service.idleExit = socket.isActivated ? idleExit : nil
    defer {
      engine.cancel()
      engine.waitUntilIdle(milliseconds: Self.finishTime)
    }
    try service.run(on: socket, signals: signals)
  }
}

/// Where the sync service listens.
package enum SyncSocket {
  /// The socket's name.
  package static let file = "sync.sock"

  /// The socket that the service manager passed as `sync`, else `CITIES_SYNC_SOCKET`, else next to the server's socket.
  ///
  /// `CITIES_SOCKET` names the server's socket; without it, both are in `/run/cities` or `$XDG_RUNTIME_DIR/cities`.
  /// Only the server connects here, so the mode is 0660, and 0600 for a user's socket.
  package static func plan(environment: [String: String]) -> SocketPlan {
    let beside = environment["CITIES_SOCKET"].flatMap { $0.isEmpty ? nil : "\(parentFolder(of: $0))/\(file)" }
    return SocketPlan(name: "sync", file: file, variable: "CITIES_SYNC_SOCKET", systemMode: 0o660, path: beside)
  }
}

/// `feed.status`: the report on every feed.
final class FeedStatusHandler: RequestHandler {
  private let engine: SyncEngine

  init(_ engine: SyncEngine) { self.engine = engine }

  func answer(_: FeedStatus, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    try reply.write(FeedStatus.Reply(feeds: engine.reports))
    return .written
  }
}

/// `hello`: describes this service, which has feeds but no subjects.
final class SyncHelloHandler: RequestHandler {
  private let limits: [String: UInt64]

  init(_ limits: [String: UInt64]) { self.limits = limits }

  func answer(_ hello: Hello, for caller: Caller, into reply: inout CBORWriter) throws(WireError) -> Answer {
    guard let common = hello.protocols.filter(ProtocolVersion.supported.contains).max() else {
      throw WireError(
        .invalidParams, "\(SyncService.server) speaks none of the protocols that \(hello.client.excerpt(64)) offers",
        data: ErrorData(param: "protocols", protocols: ProtocolVersion.supported))
    }
    try reply.write(
      Hello.Reply(protocol: common, server: SyncService.server, ready: [:], generations: [:], limits: limits))
    return .written
  }
}
