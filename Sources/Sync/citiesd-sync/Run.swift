import ArgumentParser
import CitiesProtocol
import FeedSync
import FrameService
import Glibc
import Logging
import System

/// `run`: bring feeds up to date, once.
struct Run: SyncCommand {
  static let configuration = CommandConfiguration(
    abstract: "Bring feeds up to date, once.",
    discussion: """
      Prints a line for each feed: its name, the outcome, and the numbers of records read, kept, repeated, replaced \
      and skipped. The first twenty records that are not kept are listed on standard error, with position and \
      reason.

      A web source whose stored copy is younger than the feed's interval (an hour) is not asked again; the copy is \
      reused. One that failed is not asked before its next attempt is due: 30 seconds later, then after twice the \
      time each, an hour at most. Until then, the last error is printed again.

      With --samples, the made-up samples that are installed with the program are imported instead of the sources, \
      and every answer made from them says so. They never replace real data without --force. The folder that is \
      written to is printed, with a warning if the running server reads another one.

      Started as root, the program becomes the owner of the state folder before it touches anything in it. That user \
      must be able to read local sources.

        # Bring all feeds up to date
        citiesd-sync run
        # Import the samples, to try the programs
        citiesd-sync run --samples
      """)

  @Flag(
    help: ArgumentHelp(
      "Ask the sources whatever the age of their data.",
      discussion: """
        Sources that failed a moment ago are asked as well, one that has shrunk is accepted, and everything is rebuilt.
        """))
  var force = false

  @Flag(help: "Import the made-up samples.")
  var samples = false

  @Argument(help: ArgumentHelp("The feeds (default: all that have a source).", valueName: "feed"))
  var feeds: [String] = []

  func perform() throws -> SyncExit {
    let bar = ProgressBar()
    let log = Logger(label: "citiesd-sync") { CommandLog(name: $0, bar: bar) }
    let failures = FailureList()
    var observer = EngineObserver()
    observer.progress = { bar.take($0, $1) }
    observer.failure = { failures.add($1) }
    let engine =
      try samples ? SyncEngine.withSamples(log: log, observer: observer) : .configured(log: log, observer: observer)
    let known = FeedName.all + engine.names.filter { !FeedName.all.contains($0) }
    for feed in feeds where !known.contains(FeedName(rawValue: feed)) {
      let names = known.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("no feed \"\(feed)\"; there are \(names)")
    }
    if samples { try announceFolder(log) }
    let outcomes = engine.refreshAndWait(feeds.map(FeedName.init(rawValue:)), force: force)
    bar.clear()
    let code = SyncExit(of: outcomes, reasons: failures.all)
    for outcome in outcomes {
      // Without names the configured feeds are meant, unless none is.
      let isMissed = outcome.outcome == .unconfigured && (!feeds.isEmpty || code != .success)
      if isMissed { log.warning("\(Self.hint(outcome.feed))") }
      try CommandOutput.line(Self.line(outcome))
    }
    return code
  }

  /// Says where the samples go, and warns if the running server looks elsewhere.
  private func announceFolder(_ log: Logger) throws {
    let destination = try RunningServer.destination()
    try CommandOutput.line("citiesd-sync: writing samples to \(destination.folder)", descriptor: STDERR_FILENO)
    if let warning = destination.warning { log.warning("\(warning)") }
  }

  private static func hint(_ feed: FeedName) -> String {
    "feed \(feed.rawValue) has no source: set \(SyncConfiguration.variable(of: feed)), or feeds.\(feed.rawValue).url in "
      + (SyncConfiguration.file.path ?? "the file that CITIES_SYNC_CONFIG names")
  }

  private static func line(_ outcome: FeedOutcome) -> String {
    let age = outcome.age.map { ", \($0 / 60) min old" } ?? ""
    let records = (outcome.counts?.description ?? outcome.records.map { "\($0) records" }).map { ", \($0)" } ?? ""
    return "\(outcome.feed.rawValue): \(outcome.outcome.rawValue)\(age)\(records)"
  }
}
