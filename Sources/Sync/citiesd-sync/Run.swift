import ArgumentParser
import CitiesProtocol
import FeedSync
import FrameService
import Logging

/// `run`: bring feeds up to date, once.
struct Run: SyncCommand {
  static let configuration = CommandConfiguration(
    abstract: "Bring feeds up to date, once.",
    discussion: "Prints a line for each feed: its name, what happened, its records, and how many were skipped.")

  @Flag(help: "Make everything anew, even if the source is as before.")
  var force = false

  @Argument(help: ArgumentHelp("The feeds; all that are configured if none is named.", valueName: "feed"))
  var feeds: [String] = []

  func validate() throws {
    let known = FeedName.all.map(\.rawValue)
    for feed in feeds where !known.contains(feed) {
      throw ValidationError("there is no feed \"\(feed)\"; there are \(known.joined(separator: ", "))")
    }
  }

  func perform() throws -> SyncExit {
    let bar = ProgressBar()
    let log = Logger(label: "citiesd-sync") { CommandLog(name: $0, bar: bar) }
    let failures = FailureList()
    var observer = EngineObserver()
    observer.progress = { bar.take($0, $1) }
    observer.failure = { failures.add($1) }
    let outcomes = try SyncEngine.configured(log: log, observer: observer)
      .refreshAndWait(feeds.map(FeedName.init(rawValue:)), force: force)
    bar.clear()
    for outcome in outcomes {
      if outcome.outcome == .unconfigured { log.warning("\(Self.hint(outcome.feed))") }
      try Output.line(Self.line(outcome))
    }
    return SyncExit(of: outcomes, reasons: failures.all)
  }

  private static func hint(_ feed: FeedName) -> String {
    "feed \(feed.rawValue) has no source: set \(SyncConfiguration.variable(of: feed)), or feeds.\(feed.rawValue).url in "
      + (SyncConfiguration.file.path ?? "the file that CITIES_SYNC_CONFIG names")
  }

  private static func line(_ outcome: FeedOutcome) -> String {
    let records = outcome.records.map { ", \($0) records" } ?? ""
    let skipped = outcome.skipped.map { ", \($0) skipped" } ?? ""
    return "\(outcome.feed.rawValue): \(outcome.outcome.rawValue)\(records)\(skipped)"
  }
}
