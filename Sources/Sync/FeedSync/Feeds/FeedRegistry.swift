import CitiesProtocol
package import Resident
import System

/// All feeds of this build, in the order of ``FeedName/all``.
package enum FeedRegistry {
  /// The feeds as `configuration` sets them up, writing into `state`.
  package static func feeds(_ configuration: SyncConfiguration, state: StateFolder) -> [any Feed] {
    feeds(of: importers(configuration), configuration, state: state)
  }

  /// One importer for each subject.
  package static func importers(_ configuration: SyncConfiguration) -> [any SubjectImporter] {
    [CityImporter(areaNames: .installed()), BankImporter(configuration), TradeImporter()]
  }

  /// The feeds of `importers`; those of one subject share its assembler.
  package static func feeds(
    of importers: [any SubjectImporter], _ configuration: SyncConfiguration, state: StateFolder,
    fetcher: (any SourceFetcher)? = nil, now: @escaping SyncEngine.Clock = SystemClock.seconds
  ) -> [any Feed] {
    let fetcher = fetcher ?? WebFetcher(limits: configuration.limits, caFile: configuration.caFile)
    func feeds(of importer: some SubjectImporter) -> [any Feed] {
      intakes(of: importer, configuration, state, now).map { intake in
        StoredFeed(
          configuration[intake.name], headers: FeedCatalogue.entry(of: intake.name)?.headers ?? [], fetcher: fetcher,
          intake: intake)
      }
    }
    return importers.flatMap { feeds(of: $0) }
  }

  /// The feeds that take the samples in `folder`.
  package static func samples(
    of importers: [any SubjectImporter], _ configuration: SyncConfiguration, state: StateFolder, folder: String,
    now: @escaping SyncEngine.Clock = SystemClock.seconds
  ) -> [any Feed] {
    func samples(of importer: some SubjectImporter) -> [any Feed] {
      intakes(of: importer, configuration, state, now).compactMap { intake in
        FeedCatalogue.entry(of: intake.name).map { entry in
          SampleFeed(
            path: "\(folder)/\(entry.sample)", interval: configuration[intake.name].interval, intake: intake)
        }
      }
    }
    return importers.flatMap { samples(of: $0) }
  }

  private static func intakes<Importer: SubjectImporter>(
    of importer: Importer, _ configuration: SyncConfiguration, _ state: StateFolder, _ now: @escaping SyncEngine.Clock
  ) -> [FeedIntake<Importer>] {
    let (store, assembler) = (SourceStore(state: state), SubjectAssembler(importer, state: state))
    return importer.feeds.map { name in
      FeedIntake(
        name, limit: configuration.limits.bytes, loss: configuration.loss, store: store, assembler: assembler, now: now)
    }
  }
}
