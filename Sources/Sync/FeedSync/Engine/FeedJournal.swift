package import CitiesProtocol
import Glibc
package import Logging
package import Resident
import System

/// What is known of each feed, in `feeds.resident`: the only memory that the sync service has, so it may leave at any time.
///
/// The file is read for every question and replaced for every change. Several processes may change it at the same time, as
/// a service and a `citiesd-sync run`; a lock keeps their changes apart.
package struct FeedJournal: Sendable {
  private let state: StateFolder
  private let log: Logger

  /// Keeps the journal in `state`.
  package init(state: StateFolder, log: Logger) {
    self.state = state
    self.log = log
  }

  /// What is known; nothing of any feed before the first attempt.
  package func reports() -> [FeedReport] {
    do throws(SystemError) {
      return try state.open().map(reports(in:)) ?? []
    } catch {
      log.warning("\(error); what was known of feeds is forgotten")
      return []
    }
  }

  private func reports(in folder: OpenFolder) -> [FeedReport] {
    do {
      return try ResidentFeeds.read(in: folder)
    } catch {
      if error.fault != .absent { log.warning("\(error.path): \(error.fault); what was known of feeds is forgotten") }
      return []
    }
  }

  /// What is known of one feed.
  package func report(of feed: FeedName) -> FeedReport {
    reports().first { $0.feed == feed } ?? FeedReport(feed: feed)
  }

  /// Changes what is known of one feed, and writes it down unless nothing has changed.
  ///
  /// - Throws: ``FeedError`` if the folder cannot be written.
  package func update(_ feed: FeedName, _ change: (inout FeedReport) -> Void) throws(FeedError) {
    do {
      let folder = try state.make()
      let lock = try FolderLock(folder, name: FolderLock.journal)
      var reports = Dictionary(reports(in: folder).map { ($0.feed, $0) }) { _, last in last }
      var report = reports[feed] ?? FeedReport(feed: feed)
      change(&report)
      guard reports[feed] != report else { return }
      reports[feed] = report
      try write(reports.values.sorted { Self.order($0.feed) < Self.order($1.feed) }, in: folder)
      withExtendedLifetime(lock) {}
    } catch {
      throw FeedError(error)
    }
  }

  private func write(_ reports: [FeedReport], in folder: OpenFolder) throws(SystemError) {
    guard let image = try? ResidentFeeds.image(reports) else {
      preconditionFailure("the encoder takes every report")
    }
    try image.write(ResidentFeeds.kind.fileName, in: folder)
  }

  /// The feeds of this build in their order, then those of another build by name.
  private static func order(_ feed: FeedName) -> (Int, String) {
    (FeedName.all.firstIndex(of: feed) ?? FeedName.all.count, feed.rawValue)
  }
}
