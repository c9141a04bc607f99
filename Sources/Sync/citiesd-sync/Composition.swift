import CitiesProtocol
import FeedSync
import Logging
import Resident

/// How the parts are put together.
enum Composition {
  /// An engine over the configured feeds and this user's state folder; what is odd about the configuration is logged.
  static func engine(log: Logger, observer: EngineObserver = EngineObserver()) throws -> SyncEngine {
    let configuration = try SyncConfiguration()
    for warning in configuration.warnings { log.warning("\(warning)") }
    let state = try StateFolder()
    return SyncEngine(
      feeds: FeedRegistry.feeds(configuration, state: state), journal: FeedJournal(state: state, log: log), log: log,
      observer: observer)
  }

  /// Reads the configuration again; one that cannot be read is logged, and the one before stays in force.
  static func reconfigure(_ engine: SyncEngine, log: Logger) {
    do {
      engine.reconfigure(FeedRegistry.feeds(try SyncConfiguration(), state: try StateFolder()))
    } catch {
      log.error("the configuration before stays in force: \(error)")
    }
  }
}
