package import Logging
import Resident

extension SyncEngine {
  /// An engine over the configured feeds and this user's state folder; what is odd about the configuration is logged.
  ///
  /// - Throws: ``FeedError`` if the configuration cannot be read, `StateFolderError` if there is no state folder.
  package static func configured(log: Logger, observer: EngineObserver = EngineObserver()) throws -> SyncEngine {
    let configuration = try SyncConfiguration()
    for warning in configuration.warnings { log.warning("\(warning)") }
    let state = try StateFolder()
    return SyncEngine(
      feeds: FeedRegistry.feeds(configuration, state: state), journal: FeedJournal(state: state, log: log), log: log,
      observer: observer)
  }

  /// Reads the configuration again; one that cannot be read is logged, and the one before stays in force.
  package func readConfiguration(log: Logger) {
    do {
      reconfigure(FeedRegistry.feeds(try SyncConfiguration(), state: try StateFolder()))
    } catch {
      log.error("the configuration before stays in force: \(error)")
    }
  }
}
