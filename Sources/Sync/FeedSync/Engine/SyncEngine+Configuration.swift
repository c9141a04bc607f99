package import Logging
import Resident
import Synchronization

extension SyncEngine {
  /// An engine over the configured feeds and this user's state folder; what is odd about the configuration is logged.
  ///
  /// - Throws: ``FeedError`` if the configuration cannot be read, `StateFolderError` if there is no state folder.
  package static func configured(
    log: Logger, repeatsComplaints: Bool = true, observer: EngineObserver = EngineObserver()
  ) throws -> SyncEngine {
    let configuration = try SyncConfiguration()
    for warning in configuration.warnings { log.warning("\(warning)") }
    let state = try StateFolder()
    let engine = SyncEngine(
      feeds: FeedRegistry.feeds(configuration, state: state), journal: FeedJournal(state: state, log: log), log: log,
      repeatsComplaints: repeatsComplaints, observer: observer)
    engine.configuration.withLock { $0 = configuration }
    return engine
  }

  /// An engine that takes the samples into this user's state folder.
  ///
  /// - Throws: as ``configured(log:observer:)``, and ``FeedError`` if there are no samples.
  package static func withSamples(log: Logger, observer: EngineObserver = EngineObserver()) throws -> SyncEngine {
    let configuration = try SyncConfiguration()
    let (state, folder) = (try StateFolder(), try SampleFolder.find())
    let feeds = FeedRegistry.samples(
      of: FeedRegistry.importers(configuration), configuration, state: state, folder: folder)
    return SyncEngine(feeds: feeds, journal: FeedJournal(state: state, log: log), log: log, observer: observer)
  }

  /// Reads the configuration again; one that cannot be read is logged, and the one before stays in force.
  package func readConfiguration(log: Logger) {
    do {
      let new = try SyncConfiguration()
      guard configuration.withLock({ $0 != new }) else { return }
      for warning in new.warnings { log.warning("\(warning)") }
      reconfigure(FeedRegistry.feeds(new, state: try StateFolder()))
      configuration.withLock { $0 = new }
    } catch {
      log.error("the configuration before stays in force: \(error)")
    }
  }
}
