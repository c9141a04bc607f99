package import Logging
import Resident
import Synchronization
import System

extension SyncEngine {
  /// An engine over the configured feeds and this user's state folder; what is odd about the configuration is logged.
  ///
  /// The configuration is read with the rights that the process started with; then root becomes the folder's owner.
  ///
  /// - Throws: ``FeedError`` if the configuration cannot be read or the folder's owner cannot be taken on,
  ///   `StateFolderError` if there is no state folder.
  package static func configured(
    log: Logger, repeatsComplaints: Bool = true, observer: EngineObserver = EngineObserver()
  ) throws -> SyncEngine {
    let configuration = try SyncConfiguration(user: FolderOwner.startingUser)
    for warning in configuration.warnings { log.warning("\(warning)") }
    let state = try StateFolder(user: FolderOwner.startingUser)
    try becomeOwner(of: state)
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
    let configuration = try SyncConfiguration(user: FolderOwner.startingUser)
    let (state, folder) = (try StateFolder(user: FolderOwner.startingUser), try SampleFolder.find())
    try becomeOwner(of: state)
    let feeds = FeedRegistry.samples(
      of: FeedRegistry.importers(configuration), configuration, state: state, folder: folder)
    return SyncEngine(feeds: feeds, journal: FeedJournal(state: state, log: log), log: log, observer: observer)
  }

  private static func becomeOwner(of state: StateFolder) throws(FeedError) {
    do throws(SystemError) { try FolderOwner.become(ofFolderAt: state.path) } catch { throw FeedError(error) }
  }

  /// Reads the configuration again; one that cannot be read is logged, and the one before stays in force.
  package func readConfiguration(log: Logger) {
    do {
      let new = try SyncConfiguration(user: FolderOwner.startingUser)
      guard configuration.withLock({ $0 != new }) else { return }
      for warning in new.warnings { log.warning("\(warning)") }
      reconfigure(FeedRegistry.feeds(new, state: try StateFolder(user: FolderOwner.startingUser)))
      configuration.withLock { $0 = new }
    } catch {
      log.error("the configuration before stays in force: \(error)")
    }
  }
}
