package import CitiesProtocol
import Folders
import FrameService
import Glibc
package import Logging
package import Resident
import System

/// The last report on each feed, in `feeds.resident`: the only memory of the sync service, so that it may exit at any
/// time.
///
/// The file is read for every question and replaced for every change. Several processes may change it at the same time,
/// as a service and a `citiesd-sync run`; a lock keeps their changes apart.
package struct FeedJournal: Sendable {
  /// The folder it is in.
  let state: StateFolder
  private let log: Logger

  /// Keeps the journal in `state`.
  package init(state: StateFolder, log: Logger) {
    self.state = state
    self.log = log
  }

  /// All reports; none of a feed before its first attempt.
  package func reports() -> [FeedReport] {
    do throws(SystemError) {
      return try state.open().map(reports(in:)) ?? []
    } catch {
      reportLoss("\(error)")
      return []
    }
  }

  private func reports(in folder: OpenFolder) -> [FeedReport] {
    do {
      return try ResidentFeeds.read(in: folder)
    } catch {
      if error.fault != .absent { reportLoss("\(error.path): \(error.fault)") }
      return []
    }
  }

  private func reportLoss(_ reason: String) {
    log.warning("\(reason); earlier reports on feeds are lost", metadata: .event(.degraded, error: reason))
  }

  /// The report on one feed.
  package func report(of feed: FeedName) -> FeedReport {
    reports().first { $0.feed == feed } ?? FeedReport(feed: feed)
  }

  /// Changes what is known of one feed, and writes it down unless nothing has changed.
  ///
  /// - Throws: ``FeedError`` if the folder cannot be written.
  package func update(_ feed: FeedName, _ change: (inout FeedReport) -> Void) throws(FeedError) {
    try updateAll { reports in
      var report = reports[feed] ?? FeedReport(feed: feed)
      change(&report)
      reports[feed] = report
    }
  }

  /// Names the sources of the user's own feeds, and the countries of all; removes the reports of own feeds that are not
  /// configured any more.
  ///
  /// - Throws: as ``update(_:_:)``.
  package func register(_ feeds: [any Feed]) throws(FeedError) {
    let configured = feeds.filter { $0.source != nil }
    let before = Dictionary(reports().map { ($0.feed, $0) }) { _, last in last }
    guard Self.describing(configured, in: before) != before else { return }
    try updateAll { $0 = Self.describing(configured, in: $0) }
  }

  private static func describing(_ feeds: [any Feed], in reports: [FeedName: FeedReport]) -> [FeedName: FeedReport] {
    var described = reports.filter { FeedName.all.contains($0.key) }
    for feed in feeds {
      let isOwn = !FeedName.all.contains(feed.name)
      guard var report = reports[feed.name] ?? (isOwn ? FeedReport(feed: feed.name) : nil) else { continue }
      if isOwn { report.source = feed.source.map(SourceLocation.shown) }
      report.country = feed.country
      described[feed.name] = report
    }
    return described
  }

  /// Forgets what is known of a feed.
  ///
  /// - Throws: as ``update(_:_:)``.
  package func remove(_ feed: FeedName) throws(FeedError) { try updateAll { $0[feed] = nil } }

  private func updateAll(_ change: (inout [FeedName: FeedReport]) -> Void) throws(FeedError) {
    try FeedError.converting { () throws(SystemError) in
      let folder = try state.make()
      let lock = try FolderLock(folder, name: FolderLock.journal)
      let before = Dictionary(reports(in: folder).map { ($0.feed, $0) }) { _, last in last }
      var changed = before
      change(&changed)
      guard changed != before else { return }
      try write(changed.values.sorted { Self.order($0.feed) < Self.order($1.feed) }, in: folder)
      withExtendedLifetime(lock) {}
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

/// A lock on the state folder that ends with its object or its process (flock(2)).
///
/// The journal's is held for the moment in which it is changed, a subject's while its resident file is made. The file
/// it lies on stays there, empty.
final class FolderLock {
  /// The name of the journal's lock in the state folder.
  static let journal = ".feeds.lock"

  private let file: Descriptor

  /// Seconds that another process may hold a lock; making a resident file takes a few.
  private static let patience = 60
  /// Milliseconds between two tries.
  private static let pause: Int32 = 20

  /// Waits until no other process holds the lock on the file `name`.
  ///
  /// - Throws: ``SystemError`` also if that takes too long: its holder hangs, or was stopped.
  init(_ state: OpenFolder, name: String) throws(SystemError) {
    file = try state.lockFile(name)
    let deadline = MonotonicClock.milliseconds() + Int64(Self.patience) * 1_000
    while flock(file.number, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw SystemError("flock", "\(state.path)/\(name)")
      }
      guard MonotonicClock.milliseconds() < deadline else {
        throw SystemError("flock", "\(state.path)/\(name)", code: EWOULDBLOCK)
      }
      MonotonicClock.pause(milliseconds: Self.pause)
    }
  }
}
