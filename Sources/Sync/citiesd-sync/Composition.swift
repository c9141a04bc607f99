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
}
