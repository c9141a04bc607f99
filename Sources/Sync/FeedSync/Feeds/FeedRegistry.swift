package import Resident
import System

/// All feeds of this build, in the order of ``FeedName/all``.
package enum FeedRegistry {
  /// The feeds as `configuration` sets them up, or of `samples`, writing into `state`, in child processes.
  package static func feeds(
    _ configuration: SyncConfiguration, state: StateFolder, samples: String? = nil
  ) -> [any Feed] {
    let fetcher = WebFetcher(limits: configuration.limits, caFile: configuration.caFile)
    let importers = importers(configuration, state: state)
    return feeds(of: importers, configuration, state: state, samples: samples).map {
      ImportProcess($0, configuration, state, samples: samples, fetcher: fetcher)
    }
  }

  /// One importer for each subject; with a `state` folder, that of banks knows the cities that are served.
  package static func importers(
    _ configuration: SyncConfiguration, state: StateFolder? = nil
  ) -> [any SubjectImporter] {
    let banks = BankImporter(configuration, surroundings: state.map { PlaceSurroundings(state: $0) })
    return [CityImporter(areaNames: .installed()), banks, TradeImporter()]
  }

  /// The feeds of `importers`; those of one subject share its store.
  ///
  /// With a folder of `samples`, they import these instead of their sources.
  package static func feeds(
    of importers: [any SubjectImporter], _ configuration: SyncConfiguration, state: StateFolder,
    samples: String? = nil, fetcher: (any SourceFetcher)? = nil, now: @escaping SyncEngine.Clock = SystemClock.seconds
  ) -> [any Feed] {
    let fetcher = fetcher ?? WebFetcher(limits: configuration.limits, caFile: configuration.caFile)
    func feeds(of importer: some SubjectImporter) -> [any Feed] {
      let subject = SubjectStore(importer, state: state)
      return importer.feeds.compactMap { name in
        let sample = samples.flatMap { folder in FeedCatalogue.entry(of: name).map { "\(folder)/\($0.sample)" } }
        guard samples == nil || sample != nil else { return nil }
        return SourceImport(name, configuration, sample: sample, fetcher: fetcher, subject: subject, now: now)
      }
    }
    return importers.flatMap { feeds(of: $0) }
  }
}
