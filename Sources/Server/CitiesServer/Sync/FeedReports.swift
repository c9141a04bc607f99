import CitiesProtocol
import FrameService
import Logging
import Resident

/// What the sync service has written down of its feeds (`feeds.resident`).
final class FeedReports {
  /// The last reports that could be read; empty before the first.
  ///
  /// Who asks first has the file looked at, so that the first answer is right and those that need no report do not wait.
  var reports: [FeedReport] {
    if !hasLooked { check() }
    return last
  }
  /// A report of every feed of this build, in their order; one that was never heard of has its name alone.
  var all: [FeedReport] { FeedName.all.map { name in reports.first { $0.feed == name } ?? FeedReport(feed: name) } }
  /// Told when they have changed.
  var onChange: ([FeedReport]) -> Void = { _ in }
  private var last: [FeedReport] = []
  private var hasLooked = false
  private let path: String
  private let log: Logger
  private var identity: FileIdentity?

  init(_ configuration: ServerConfiguration, _ log: Logger) {
    path = "\(configuration.stateFolder)/\(ResidentFeeds.kind.fileName)"
    self.log = log
  }

  /// Reads the file if it is another than before.
  ///
  /// It has a few hundred bytes, so that is done at once.
  func check() {
    hasLooked = true
    guard let found = FileIdentity(path: path), found != identity else { return }
    identity = found
    do throws(ResidentError) {
      last = try ResidentFeeds.read(path)
      onChange(last)
    } catch {
      log.warning("the feeds' report cannot be read, the last one stays: \(error)")
    }
  }
}
