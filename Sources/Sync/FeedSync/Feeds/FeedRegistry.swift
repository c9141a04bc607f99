import CitiesProtocol
package import Resident
import System

/// All feeds of this build, in the order of ``FeedName/all``.
package enum FeedRegistry {
  /// The feeds as `configuration` sets them up, writing into `state`.
  package static func feeds(_ configuration: SyncConfiguration, state: StateFolder) -> [any Feed] {
    [cities(configuration, state)] + feeds(of: importers(configuration), configuration, state: state)
  }

  /// One importer a subject that is made from stored copies.
  package static func importers(_ configuration: SyncConfiguration) -> [any SubjectImporter] {
    [BankImporter(configuration), TradeImporter()]
  }

  /// The feeds of `importers`; those of one subject share its assembler.
  package static func feeds(
    of importers: [any SubjectImporter], _ configuration: SyncConfiguration, state: StateFolder,
    fetcher: (any SourceFetcher)? = nil, now: @escaping SyncEngine.Clock = SystemClock.seconds
  ) -> [any Feed] {
    let fetcher = fetcher ?? WebFetcher(limits: configuration.limits, caFile: configuration.caFile)
    return intakes(of: importers, configuration, state, now).map { intake in
      StoredFeed(
        configuration[intake.name], headers: FeedCatalogue.entry(of: intake.name)?.headers ?? [], fetcher: fetcher,
        intake: intake)
    }
  }

  /// The feeds that take the samples in `folder`.
  package static func samples(
    of importers: [any SubjectImporter], _ configuration: SyncConfiguration, state: StateFolder, folder: String,
    now: @escaping SyncEngine.Clock = SystemClock.seconds
  ) -> [any Feed] {
    intakes(of: importers, configuration, state, now).compactMap { intake in
      FeedCatalogue.entry(of: intake.name).map { entry in
        SampleFeed(
          path: "\(folder)/\(entry.sample)", interval: configuration[intake.name].interval, intake: intake)
      }
    }
  }

  /// A list of cities on the web is kept as every other source; a local one is read where it is.
  private static func cities(_ configuration: SyncConfiguration, _ state: StateFolder) -> any Feed {
    let cities = configuration[.cities]
    if let source = cities.url, case .web? = try? SourceLocation(source) {
      return feeds(of: [CityImporter()], configuration, state: state)[0]
    }
    return CityFeed(source: cities.url, interval: cities.interval, state: state)
  }

  private static func intakes(
    of importers: [any SubjectImporter], _ configuration: SyncConfiguration, _ state: StateFolder,
    _ now: @escaping SyncEngine.Clock
  ) -> [FeedIntake] {
    let store = SourceStore(state: state)
    return importers.flatMap { importer in
      let assembler = SubjectAssembler(importer, state: state)
      return importer.feeds.map { name in
        FeedIntake(
          name, limit: configuration.limits.bytes, loss: configuration.loss, store: store, assembler: assembler,
          now: now)
      }
    }
  }
}
