package import CitiesProtocol
import Folders
import FrameService
import Glibc
package import Logging
package import Resident
import System

/// The last report on each feed, in `feeds.resident`: the only state of the sync service, which may exit at any time.
///
/// The file is read for every query and replaced for every change. A lock serializes the changes of several processes,
/// such as the service and `citiesd-sync run`.
package struct FeedJournal: Sendable {
  let state: StateFolder
  private let log: Logger

  /// Keeps the journal in `state`.
  package init(state: StateFolder, log: Logger) {
    self.state = state
    self.log = log
  }

  /// All reports; a feed has none before its first attempt.
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

  /// Changes the report on one feed, and writes it if it differs.
  ///
  /// - Throws: ``FeedError`` if the folder cannot be written, or is locked for more than `patience` seconds.
  package func update(
    _ feed: FeedName, patience: Int = FolderLock.patience, _ change: (inout FeedReport) -> Void
  ) throws(FeedError) {
    try updateAll(patience) { change(&$0[feed, default: FeedReport(feed: feed)]) }
  }

  /// Records the sources of user-defined feeds and the countries of all feeds; removes the reports of user-defined
  /// feeds that are no longer configured.
  ///
  /// - Throws: as ``update(_:_:)``.
  package func register(_ feeds: [any Feed]) throws(FeedError) {
    let configured = feeds.filter { $0.source != nil }
    let before = Self.byFeed(reports())
    guard Self.describing(configured, in: before) != before else { return }
    try updateAll { $0 = Self.describing(configured, in: $0) }
  }

  private static func byFeed(_ reports: [FeedReport]) -> [FeedName: FeedReport] {
    Dictionary(reports.map { ($0.feed, $0) }) { _, last in last }
  }

  private static func describing(_ feeds: [any Feed], in reports: [FeedName: FeedReport]) -> [FeedName: FeedReport] {
    var described = reports.filter { FeedName.all.contains($0.key) }
    for feed in feeds {
      let isOwn = !FeedName.all.contains(feed.name)
      guard var report = reports[feed.name] ?? (isOwn ? FeedReport(feed: feed.name) : nil) else { continue }
      // The source of an earlier attempt stays: a change of it makes the next one due.
      if isOwn, report.lastAttempt == nil || report.source == nil {
        (report.source, report.sourceDigest) = feed.shownSource
      }
      report.country = feed.country
      // Of a process that was killed.
      report.importing = nil
      described[feed.name] = report
    }
    return described
  }

  /// Removes the report on a feed.
  ///
  /// - Throws: as ``update(_:_:)``.
  package func remove(_ feed: FeedName) throws(FeedError) { try updateAll { $0[feed] = nil } }

  private func updateAll(
    _ patience: Int = FolderLock.patience, _ change: (inout [FeedName: FeedReport]) -> Void
  ) throws(FeedError) {
    try FeedError.converting { () throws(SystemError) in
      let folder = try state.make()
      let lock = try FolderLock(folder, name: FolderLock.journal, timeout: patience)
      let before = Self.byFeed(reports(in: folder))
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

  /// Built-in feeds in their order, then all others by name.
  private static func order(_ feed: FeedName) -> (Int, TextKey) {
    (FeedName.all.firstIndex(of: feed) ?? FeedName.all.count, TextKey(feed.rawValue))
  }
}

/// A lock in the state folder, released with its object or process (flock(2)).
///
/// The journal's lock is held during each change, also of the copies with their resident file; a subject's while that
/// file is built. The lock file stays, empty.
package final class FolderLock {
  static let journal = ".feeds.lock"
  /// Seconds to wait for a lock.
  package static let patience = 60

  private let file: Descriptor

  /// Milliseconds between two tries.
  private static let pause: Int32 = 20

  /// Waits until no other process holds the lock on the file `name`.
  ///
  /// - Throws: ``SystemError`` also after `timeout` seconds: the holder hangs or was stopped.
  init(_ state: OpenFolder, name: String, timeout: Int = FolderLock.patience) throws(SystemError) {
    file = try state.lockFile(name)
    let deadline = MonotonicClock.milliseconds() + Int64(timeout) * 1_000
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
