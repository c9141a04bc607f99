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

  /// The feeds of `importers`; those of one subject share its store.
  package static func feeds(
    of importers: [any SubjectImporter], _ configuration: SyncConfiguration, state: StateFolder,
    fetcher: (any SourceFetcher)? = nil, now: @escaping SyncEngine.Clock = SystemClock.seconds
  ) -> [any Feed] {
    let fetcher = fetcher ?? WebFetcher(limits: configuration.limits, caFile: configuration.caFile)
    func feeds(of importer: some SubjectImporter) -> [any Feed] {
      let subject = SubjectStore(importer, state: state)
      return importer.feeds.map { SourceImport($0, configuration, fetcher: fetcher, subject: subject, now: now) }
    }
    return importers.flatMap { feeds(of: $0) }
  }

  /// The feeds that take the samples in `folder`.
  package static func samples(
    of importers: [any SubjectImporter], _ configuration: SyncConfiguration, state: StateFolder, folder: String,
    now: @escaping SyncEngine.Clock = SystemClock.seconds
  ) -> [any Feed] {
    let fetcher = WebFetcher(limits: configuration.limits)
    func samples(of importer: some SubjectImporter) -> [any Feed] {
      let subject = SubjectStore(importer, state: state)
      return importer.feeds.compactMap { name in
        FeedCatalogue.entry(of: name).map { entry in
          let path = "\(folder)/\(entry.sample)"
          return SourceImport(name, configuration, sample: path, fetcher: fetcher, subject: subject, now: now)
        }
      }
    }
    return importers.flatMap { samples(of: $0) }
  }
}
